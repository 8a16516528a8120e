"""The small expressions that several passes make, and what they ask of the values they make them from.

Source of the rule: ``src/relay/transforms/pattern_utils.h``.
"""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType

from .infrastructure import PassError

__all__ = ["expand_bias_to_match_axis", "is_equal_scalar", "scalar", "tensor_type"]


def tensor_type(expr: Expr) -> TensorType:
    """The type of a value that is known to be a tensor.

    Raises:
        PassError: it is not.
    """
    if not isinstance(expr.checked_type, TensorType):
        raise PassError("a tensor is needed here", place=expr)
    return expr.checked_type


def scalar(value: float, dtype: str) -> Constant:
    """A constant of rank 0."""
    return Constant(np.array(value, numpy_dtype(dtype)), dtype)


def is_equal_scalar(lhs: Expr, rhs: Expr) -> bool:
    """Whether both are the same constant of rank 0."""
    return (
        isinstance(lhs, Constant)
        and isinstance(rhs, Constant)
        and lhs.is_scalar
        and rhs.is_scalar
        and lhs.dtype == rhs.dtype
        and lhs.data.tobytes() == rhs.data.tobytes()
    )


def expand_bias_to_match_axis(bias: Expr, target_ndim: int, axes: tuple[int, ...]) -> Expr:
    """``bias`` with axes of size 1 put in, so that it broadcasts along ``axes`` of a tensor of rank ``target_ndim``.

    ``axes`` are not negative and ascend; ``bias`` has one dimension for each.
    """
    for position in range(len(axes), 0, -1):
        if position == len(axes):
            new_axes = target_ndim - axes[position - 1] - 1
        else:
            new_axes = axes[position] - axes[position - 1]
        if new_axes > 0:
            bias = apply("expand_dims", bias, axis=position, num_newaxis=new_axes)
    return bias
