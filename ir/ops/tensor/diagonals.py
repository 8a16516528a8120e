"""Diagonals of matrices: written, or kept with one side of them.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``MatrixSetDiagRel``, ``TriluRel``),
``include/tvm/topi/transform.h``, ``python/tvm/topi/transform.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import Type
from ..arguments import tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words
from .creation import require_scalar

__all__ = ["MatrixSetDiagAttrs", "TriluAttrs"]


@attributes("relay.attrs.MatrixSetDiagAttrs")
class MatrixSetDiagAttrs(Attrs):
    """Attributes of ``matrix_set_diag``."""

    k1: int = attribute(default=0, doc="The lowest diagonal that is written; negative ones lie below the main one.")
    k2: int = attribute(default=0, doc="The highest diagonal that is written.")
    super_diag_right_align: bool = attribute(
        default=True, doc="Whether the diagonals above the main one end at the right."
    )
    sub_diag_right_align: bool = attribute(
        default=False, doc="Whether the diagonals below the main one end at the right."
    )


@attributes("relay.attrs.TriluAttrs")
class TriluAttrs(Attrs):
    """Attributes of ``trilu``."""

    upper: bool = attribute(default=True, doc="Whether what lies on and above the diagonal is kept, or on and below.")


def _matrix_set_diag_relation(context: RelationContext) -> Type | None:
    attrs: MatrixSetDiagAttrs = context.attrs
    matrix, diagonal = tensor_argument(context, 0, "input"), tensor_argument(context, 1, "diagonal")
    if matrix is None or diagonal is None:
        return None
    if attrs.k2 < attrs.k1:
        raise RelationError(f"k2 ({attrs.k2}) must not be below k1 ({attrs.k1})", attribute="k2")
    if matrix.ndim < 2:
        raise RelationError(f"input must be a matrix or a batch of them, but it is {matrix!r}", argument=0)
    needed = 1 if attrs.k1 == attrs.k2 else 2
    if diagonal.ndim < needed:
        raise RelationError(
            f"diagonal {in_words(diagonal.shape)} must have at least {needed} dimensions for the diagonals from "
            f"{attrs.k1} to {attrs.k2}",
            argument=1,
        )
    return matrix


def _matrix_set_diag_kernel(attrs: MatrixSetDiagAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    matrix, diagonal = inputs
    rows, columns = matrix.shape[-2:]
    result = matrix.copy()
    for k in range(attrs.k1, attrs.k2 + 1):
        length = min(rows + min(k, 0), columns - max(k, 0))
        if length <= 0:
            continue
        values = diagonal
        start = 0
        if attrs.k1 != attrs.k2:
            values = diagonal[..., attrs.k2 - k, :]
            right = attrs.super_diag_right_align if k >= 0 else attrs.sub_diag_right_align
            start = diagonal.shape[-1] - length if right else 0
        place: NDArray = np.arange(length, dtype=np.int64)
        result[..., place + max(-k, 0), place + max(k, 0)] = values[..., start : start + length]
    return result


def _trilu_relation(context: RelationContext) -> Type | None:
    data, k = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "k")
    if data is None or k is None:
        return None
    require_scalar(k, 1, "k")
    return data


def _trilu_kernel(attrs: TriluAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, k = inputs
    return np.triu(data, int(k)) if attrs is None or attrs.upper else np.tril(data, int(k))


register(
    Op(
        "matrix_set_diag",
        doc="``input``, a batch of matrices, with the diagonals from ``k1`` to ``k2`` replaced by the rows of "
        "``diagonal``. The type stays.",
        arguments=(
            Argument("input", "Matrices along the last two axes."),
            Argument("diagonal", "The values: a row per diagonal, from the highest down; one diagonal needs no axis."),
        ),
        attrs=MatrixSetDiagAttrs,
        relation=_matrix_set_diag_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_matrix_set_diag_kernel,
        level=10,
    )
)

register(
    Op(
        "trilu",
        doc="``data``, a batch of matrices, with zeros on one side of the diagonal ``k``. The type stays.",
        arguments=(
            Argument("data", "Matrices along the last two axes."),
            Argument("k", "A scalar: the diagonal, 0 the main one, positive above it."),
        ),
        metadata_attrs=TriluAttrs,
        relation=_trilu_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_trilu_kernel,
        level=3,
    )
)
