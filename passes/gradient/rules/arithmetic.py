"""Short names for the operators that gradients are made of."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops.application import apply

from ...construction import scalar
from ..registry import tensor_type

__all__ = [
    "add",
    "collapse_sum_like",
    "divide",
    "like",
    "multiply",
    "negative",
    "ones_like",
    "scalar_like",
    "subtract",
    "sum_over",
    "zeros_like",
]


def add(lhs: Expr, rhs: Expr) -> Call:
    """``lhs + rhs``."""
    return apply("add", lhs, rhs)


def subtract(lhs: Expr, rhs: Expr) -> Call:
    """``lhs - rhs``."""
    return apply("subtract", lhs, rhs)


def multiply(lhs: Expr, rhs: Expr) -> Call:
    """``lhs * rhs``."""
    return apply("multiply", lhs, rhs)


def divide(lhs: Expr, rhs: Expr) -> Call:
    """``lhs / rhs``."""
    return apply("divide", lhs, rhs)


def negative(value: Expr) -> Call:
    """``-value``."""
    return apply("negative", value)


def zeros_like(value: Expr) -> Call:
    """Zeros of the type of ``value``."""
    return apply("zeros_like", value)


def ones_like(value: Expr) -> Call:
    """Ones of the type of ``value``."""
    return apply("ones_like", value)


def collapse_sum_like(value: Expr, other: Expr) -> Call:
    """``value`` summed up over the axes along which ``other`` was broadcast to its shape."""
    return apply("collapse_sum_like", value, other)


def like(operator: str, value: Expr, other: Expr) -> Call:
    """``broadcast_to_like``, ``cast_like``, ``full_like``."""
    return apply(operator, value, other)


def scalar_like(value: float, other: Expr, call: Call) -> Constant:
    """A scalar of the dtype of ``other``.

    Raises:
        PassError: ``other`` is no tensor.
    """
    return scalar(value, tensor_type(other, call).dtype)


def sum_over(value: Expr, axis: int | Sequence[int] | None, keepdims: bool = False, exclude: bool = False) -> Call:
    """The sum over axes, over all of them where ``axis`` is ``None``."""
    axes = (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)
    return apply("sum", value, axis=axes, keepdims=keepdims, exclude=exclude)
