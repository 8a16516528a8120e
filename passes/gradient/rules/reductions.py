"""Operators that reduce axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply

from ..registry import register_gradient, require, static_shape
from .arithmetic import divide, like, multiply, scalar_like, sum_over


def _axes(call: Call) -> tuple[int, ...] | None:
    """The axes that are reduced, ascending; ``None`` for all of them."""
    attrs: Any = call.attrs
    rank = len(static_shape(call.args[0], call))
    if attrs.axis is None:
        require(not attrs.exclude, call, "it excludes all axes")
        return None
    given = (attrs.axis,) if isinstance(attrs.axis, int) else attrs.axis
    axes = {int(axis) % rank for axis in given}
    return tuple(axis for axis in range(rank) if (axis in axes) != attrs.exclude)


def _expanded(value: Expr, axes: Sequence[int]) -> Expr:
    """``value`` with axes of size 1 where they were reduced."""
    for axis in axes:
        value = apply("expand_dims", value, axis=axis)
    return value


def _like_data(call: Call, gradient: Expr) -> tuple[Expr, tuple[int, ...]]:
    """The gradient with as many axes as the data, and which of them were reduced."""
    attrs: Any = call.attrs
    axes = _axes(call)
    reduced = tuple(range(len(static_shape(call.args[0], call)))) if axes is None else axes
    return (gradient if attrs.keepdims else _expanded(gradient, reduced)), reduced


@register_gradient("sum")
def _sum(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (like("broadcast_to_like", _like_data(call, gradient)[0], call.args[0]),)


@register_gradient("mean")
def _mean(call: Call, gradient: Expr) -> Sequence[Expr]:
    data = call.args[0]
    gradient, axes = _like_data(call, gradient)
    shape, share = static_shape(data, call), 1.0
    for axis in axes:
        require(shape[axis] != 0, call, "the mean of no elements is not defined")
        share /= shape[axis]
    return (like("broadcast_to_like", multiply(gradient, scalar_like(share, data, call)), data),)


@register_gradient("variance")
def _variance(call: Call, gradient: Expr) -> Sequence[Expr]:
    """Of the data and of their mean, which is an argument, each with the other's part of the whole."""
    attrs: Any = call.attrs
    data, mean = call.args
    gradient, axes = _like_data(call, gradient)
    shape = static_shape(data, call)
    count = math.prod(shape[axis] for axis in axes)
    require(count != 0, call, "the variance of no elements is not defined")
    of_mean = -2.0
    if attrs.unbiased:
        require(count > 1, call, "the unbiased variance of one value is not defined")
        of_mean = of_mean * count / (count - 1)
        count -= 1
    return (
        multiply(multiply(gradient, scalar_like(2.0 / count, data, call)), data),
        multiply(multiply(scalar_like(of_mean, data, call), gradient), mean),
    )


@register_gradient("max")
def _max(call: Call, gradient: Expr) -> Sequence[Expr]:
    """Shared by all elements that are the largest."""
    attrs: Any = call.attrs
    data, axes = call.args[0], _axes(call)
    shape = static_shape(data, call)
    largest: Expr = call
    if axes is None:
        largest = like("full_like", data, largest)
    else:
        if not attrs.keepdims:
            largest, gradient = _expanded(largest, axes), _expanded(gradient, axes)
        for axis in axes:
            largest = apply("repeat", largest, repeats=shape[axis], axis=axis)
    chosen = like("cast_like", apply("equal", largest, data), gradient)
    return (divide(multiply(chosen, gradient), sum_over(chosen, axes, keepdims=True)),)
