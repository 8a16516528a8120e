"""Boxes of detection: which of those that overlap are kept."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from .operators import Outputs

__all__ = ["suppressed_boxes"]


def suppressed_boxes(data: Expr, count: Expr, indices: Expr, most: int, overlap: float) -> Outputs:
    """``vision.non_max_suppression`` of boxes of one class: the rows that are kept, and how many they are.

    Args:
        data: score and corners of each box, of shape (batch, boxes, 5).
        count: how many boxes there are in each image.
        indices: the number of each box, of shape (batch, boxes).
        most: how many are kept at most; -1 for any number.
        overlap: the intersection over union from which on the box of the lower score is dropped.
    """
    kept = call(
        "vision.non_max_suppression",
        data,
        count,
        indices,
        constant(most, "int32"),
        constant(overlap, "float32"),
        force_suppress=True,
        top_k=-1,
        coord_start=1,
        score_index=0,
        id_index=-1,
        return_indices=True,
        invalid_to_bottom=False,
    )
    return Outputs(kept, 2)
