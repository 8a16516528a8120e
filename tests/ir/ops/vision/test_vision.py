"""Operators for object detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.evaluation import evaluate_expr
from relay_lsp.ir.expressions import Call, Constant
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.vision.proposal import ProposalAttrs
from relay_lsp.ir.ops.vision.region import ROIAlignAttrs, ROIPoolAttrs
from relay_lsp.ir.ops.vision.suppression import (
    AllClassNonMaximumSuppressionAttrs,
    GetValidCountsAttrs,
    NonMaximumSuppressionAttrs,
)


def called(name: str, attrs: Attrs | None, *arguments: Any) -> Any:
    """The value of a call whose attributes a text could give only in its metadata."""
    return evaluate_expr(Call(get(name), tuple(Constant(np.asarray(value)) for value in arguments), attrs))


def given(kind: type[Attrs], **fields: Any) -> Attrs:
    """Attributes with some fields given and the defaults for the rest."""
    return kind(**fields)


BOXES = np.array(
    [
        [0, 0.8, 1, 20, 25, 45],
        [1, 0.7, 30, 60, 50, 80],
        [0, 0.4, 4, 21, 19, 40],
        [2, 0.9, 35, 61, 52, 79],
        [1, 0.5, 100, 60, 70, 110],
    ],
    np.float32,
)[None]


def test_valid_boxes_come_first() -> None:
    attrs = given(GetValidCountsAttrs, score_threshold=None)
    counts, boxes, indices = called("vision.get_valid_counts", attrs, BOXES, np.float32(0.6))
    assert counts.tolist() == [3]
    assert indices.tolist() == [[0, 1, 3, -1, -1]]
    assert boxes[0, :3, 1].tolist() == BOXES[0, [0, 1, 3], 1].tolist()
    assert (boxes[0, 3:] == -1).all()


def suppressed(**attributes: Any) -> Any:
    return called(
        "vision.non_max_suppression",
        given(NonMaximumSuppressionAttrs, **attributes),
        BOXES,
        np.array([5], np.int32),
        np.arange(5, dtype=np.int32)[None],
        np.int32(-1),
        np.float32(0.45),
    )


def test_a_box_suppresses_those_of_its_class_that_it_overlaps() -> None:
    indices, counts = suppressed()
    assert indices.tolist() == [[3, 0, 1, 4, -1]]
    assert counts.tolist() == [[4]]


def test_force_suppress_looks_at_every_class() -> None:
    indices, counts = suppressed(force_suppress=True)
    assert indices[0, : counts[0, 0]].tolist() == [3, 0, 4]


def test_dropped_boxes_may_go_to_the_bottom() -> None:
    boxes = suppressed(return_indices=False, invalid_to_bottom=True)
    assert boxes[0, :, 0].tolist() == [2, 0, 1, 1, -1]


def test_each_class_is_suppressed_on_its_own() -> None:
    boxes = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11]]], np.float32)
    scores = np.array([[[0.9, 0.75, 0.6], [0.1, 0.8, 0.0]]], np.float32)
    limits = (np.int64(2), np.float32(0.5), np.float32(0.05))
    indices, count = called(
        "vision.all_class_non_max_suppression", given(AllClassNonMaximumSuppressionAttrs), boxes, scores, *limits
    )
    assert count.tolist() == [3]
    assert indices[:3].tolist() == [[0, 0, 0], [0, 0, 2], [0, 1, 1]]
    attrs = given(AllClassNonMaximumSuppressionAttrs, output_format="tensorflow")
    indices, chosen, counts = called("vision.all_class_non_max_suppression", attrs, boxes, scores, *limits)
    assert counts.tolist() == [3]
    assert indices[0, :3].tolist() == [[0, 0], [0, 2], [1, 1]]
    assert np.allclose(chosen[0, :3], [0.9, 0.6, 0.8])


def test_regions_of_a_constant_image_are_constant() -> None:
    image = np.full((1, 2, 8, 8), 3, np.float32)
    regions = np.array([[0, 0, 0, 8, 8], [0, 2, 2, 5, 6]], np.float32)
    for mode in ("avg", "max"):
        attrs = given(ROIAlignAttrs, pooled_size=(3, 2), spatial_scale=0.5, mode=mode)
        result = called("vision.roi_align", attrs, image, regions)
        assert result.shape == (2, 2, 3, 2)
        assert (result == 3).all()


def test_pooling_takes_the_greatest_of_each_cell() -> None:
    image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    attrs = given(ROIPoolAttrs, pooled_size=(2, 2), spatial_scale=1.0)
    result = called("vision.roi_pool", attrs, image, np.array([[0, 0, 0, 3, 3]], np.float32))
    assert result[0, 0].tolist() == [[5, 7], [13, 15]]
    last = given(ROIPoolAttrs, pooled_size=(2, 2), spatial_scale=1.0, layout="NHWC")
    moved = called("vision.roi_pool", last, image.transpose(0, 2, 3, 1), np.array([[0, 0, 0, 3, 3]], np.float32))
    assert moved[0, :, :, 0].tolist() == [[5, 7], [13, 15]]


def proposed(scores: np.ndarray, **fields: Any) -> Any:
    """Proposals from the scores of objects, (anchors, height, width), where nothing is moved."""
    both = np.concatenate([np.zeros_like(scores), scores])[None].astype(np.float32)
    moves = np.zeros((1, 4 * len(scores), *scores.shape[1:]), np.float32)
    attrs = given(ProposalAttrs, feature_stride=16, rpn_min_size=1, **fields)
    return called("vision.proposal", attrs, both, moves, np.array([[64, 64, 1]], np.float32))


def test_the_best_places_are_proposed_first() -> None:
    scores = np.zeros((1, 4, 4))
    scores[0, 1, 2], scores[0, 3, 0] = 0.9, 0.8
    boxes = proposed(scores, scales=(1.0,), ratios=(1.0,), rpn_pre_nms_top_n=2, rpn_post_nms_top_n=2)
    assert boxes.tolist() == [[0, 32, 16, 47, 31], [0, 0, 48, 15, 63]]


def test_a_proposal_that_a_better_one_overlaps_is_left_out_and_the_rest_comes_again() -> None:
    scores = np.zeros((2, 4, 4))
    scores[:, 1, 1] = 0.9, 0.8  # the second anchor is a little larger than the first
    scores[0, 3, 3] = 0.7
    fields = {"ratios": (1.0,), "rpn_pre_nms_top_n": 3, "rpn_post_nms_top_n": 3}
    boxes = proposed(scores, scales=(1.0, 1.1), threshold=0.5, **fields)
    assert boxes.tolist() == [[0, 16, 16, 31, 31], [0, 48, 48, 63, 63], [0, 16, 16, 31, 31]]


def test_boxes_outside_of_the_image_come_last() -> None:
    scores = np.zeros((1, 6, 6))
    scores[0, 5, 5], scores[0, 0, 0] = 0.9, 0.1
    (box,) = proposed(scores, scales=(1.0,), ratios=(1.0,), rpn_post_nms_top_n=1)
    assert box.tolist() == [0, 0, 0, 15, 15]
