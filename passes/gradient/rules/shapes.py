"""Operators that move values, or put them together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call, Expr, Tuple, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType, TupleType

from ..registry import register_gradient, require
from .arithmetic import like, zeros_like


def _reshape_like(value: Expr, other: Expr) -> Call:
    return apply("reshape_like", value, other)


@register_gradient("reshape", "contrib_reverse_reshape", "nn.batch_flatten", "squeeze")
def _reshape(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (_reshape_like(gradient, call.args[0]),)


@register_gradient("dyn.reshape", "reshape_like")
def _reshape_by_argument(call: Call, gradient: Expr) -> Sequence[Expr]:
    data, shape = call.args
    return _reshape_like(gradient, data), zeros_like(shape)


@register_gradient("collapse_sum_like", "collapse_sum_to")
def _collapse_sum(call: Call, gradient: Expr) -> Sequence[Expr]:
    data, other = call.args
    return like("broadcast_to_like", gradient, data), zeros_like(other)


@register_gradient("transpose")
def _transpose(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    inverse: tuple[int, ...] | None = None
    if attrs.axes:
        axes = tuple(int(axis) % len(attrs.axes) for axis in attrs.axes)
        inverse = tuple(map(axes.index, range(len(axes))))
    return (apply("transpose", gradient, axes=inverse),)


@register_gradient("expand_dims")
def _expand_dims(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    for _ in range(attrs.num_newaxis):
        gradient = apply("squeeze", gradient, axis=(int(attrs.axis),))
    return (gradient,)


def _field_types(call: Call) -> Sequence[TensorType]:
    type = call.args[0].checked_type
    fields = type.fields if isinstance(type, TupleType) else ()
    tensors = [field for field in fields if isinstance(field, TensorType)]
    require(fields and len(tensors) == len(fields), call, "its argument must be a tuple of tensors")
    return tensors


@register_gradient("concatenate")
def _concatenate(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    sizes: list[Dim] = [field.shape[attrs.axis] for field in _field_types(call)]
    known = [size for size in sizes[:-1] if isinstance(size, int)]
    require(len(known) == len(sizes) - 1, call, "the sizes along the axis must be known")
    return (apply("split", gradient, indices_or_sections=tuple(accumulate(known)), axis=attrs.axis),)


@register_gradient("stack")
def _stack(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    axis, count = int(attrs.axis), len(_field_types(call))
    parts = apply("split", gradient, indices_or_sections=count, axis=axis)
    return (Tuple(tuple(apply("squeeze", TupleGetItem(parts, index), axis=(axis,)) for index in range(count))),)
