"""Making calls of operators and the small expressions that several passes need.

Source of the rule: ``src/relay/transforms/pattern_utils.h``.
"""

from __future__ import annotations

import numpy as np

from ...ir.arrays import numpy_dtype
from ...ir.expressions import Call, Constant, Expr
from ...ir.ops import operator

__all__ = ["call_op", "expand_bias_to_match_axis", "is_equal_scalar", "scalar"]


def call_op(name: str, *args: Expr, **attributes: object) -> Call:
    """A call of the operator called ``name``, with the attributes that are not at their defaults.

    Raises:
        KeyError: there is no such operator.
        TypeError: it has no such attribute, or one without a default is missing.
    """
    op = operator.get(name)
    attrs = op.attrs_type(**attributes) if op.attrs_type is not None else None
    return Call(op, args, attrs)


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
            bias = call_op("expand_dims", bias, axis=position, num_newaxis=new_axes)
    return bias
