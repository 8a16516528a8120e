"""Operators that take elements out by their indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import Call, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType

from ...construction import scalar
from ..registry import register_gradient, require, static_shape, tensor_type
from .arithmetic import add, like, sum_over, zeros_like

__all__: list[str] = []


@register_gradient("gather_nd")
def _gather_nd(call: Call, gradient: Expr) -> Sequence[Expr]:
    data, indices = call.args
    scatter = get("scatter_nd")
    mode: Any = scatter.metadata_attrs_type
    return Call(scatter, (zeros_like(data), indices, gradient), mode(mode="add")), zeros_like(indices)


@register_gradient("one_hot")
def _one_hot(call: Call, gradient: Expr) -> Sequence[Expr]:
    indices, on_value, off_value = call.args
    zeros = zeros_like(gradient)
    is_on = apply("equal", call, on_value)
    of_on = sum_over(apply("where", is_on, gradient, zeros), None)
    of_off = sum_over(apply("where", is_on, zeros, gradient), None)
    return zeros_like(indices), like("cast_like", of_on, on_value), like("cast_like", of_off, off_value)


@register_gradient("strided_slice")
def _strided_slice(call: Call, gradient: Expr) -> Sequence[Expr]:
    attrs: Any = call.attrs
    data = call.args[0]
    require(attrs.axes is None, call, "it names axes")
    begin, end = list(attrs.begin), list(attrs.end)
    if attrs.slice_mode == "size":
        shape = static_shape(data, call)
        for axis, (start, size) in enumerate(zip(begin, end, strict=False)):
            end[axis] = shape[axis] if size == -1 else start + size
    strides = [] if attrs.slice_mode == "size" else list(attrs.strides or ())
    bounds = (constant(begin), constant(end), constant(strides or [1]))
    return (apply("strided_set", zeros_like(data), gradient, *bounds),)


@register_gradient("take")
def _take(call: Call, gradient: Expr) -> Sequence[Expr]:
    """A loop that adds the gradient of each index to the slice that it took."""
    attrs: Any = call.attrs
    data, indices = call.args
    shape = static_shape(data, call)
    require(not attrs.batch_dims, call, "only batch_dims=0 has one")
    rank = tensor_type(indices, call).ndim
    require(rank <= 1, call, "the indices must be a scalar or a vector")
    zero, one = (apply("reshape", scalar(value, "int32"), newshape=(1,)) for value in (0, 1))
    start: Expr = zeros_like(data)
    axis = 0 if attrs.axis is None else int(attrs.axis)
    if attrs.axis is None:
        start, shape = apply("reshape", start, newshape=(-1,)), (math.prod(shape),)
    if rank == 0:
        count: Expr = one
        positions: Expr = apply("reshape", indices, newshape=(1,))
        gradient = apply("expand_dims", gradient, axis=axis)
    else:
        count = apply("take", apply("shape_of", indices, dtype="int32"), zero, axis=0)
        positions = indices
    total = Var("data_grad", TensorType(shape, tensor_type(data, call).dtype))
    number = Var("i", TensorType((1,), "int32"))
    loop = Var("while_loop")
    index = apply("take", positions, number, axis=0)
    begin = _vector(zero if each != axis else index for each in range(len(shape)))
    sizes = [apply("reshape", scalar(size, "int32"), newshape=(1,)) for size in shape]
    end = _vector(sizes[each] if each != axis else add(index, one) for each in range(len(shape)))
    strides = [1] * len(shape)
    taken = add(_slice(total, begin, end, strides), apply("take", gradient, number, axis=axis))
    step = apply("strided_set", total, taken, begin, end, constant(strides))
    more = apply("squeeze", apply("less", number, count), axis=None)
    body = If(more, Call(loop, (step, add(number, one))), Tuple((total, number)))
    result: Expr = Call(Let(loop, Function((total, number), body), loop), (start, zero))
    result = TupleGetItem(result, 0)
    if attrs.axis is None:
        result = apply("reshape_like", result, data)
    return result, zeros_like(indices)


def _vector(parts: Any) -> Call:
    return apply("concatenate", Tuple(tuple(parts)), axis=0)


def _slice(data: Expr, begin: Expr, end: Expr, strides: Sequence[int]) -> Call:
    """A slice whose bounds are computed; negative ones count from the end, and larger ones end at the end."""
    shape = like("cast_like", apply("shape_of", data, dtype="int32"), begin)
    shape = apply("slice_like", shape, begin, axes=None)
    is_negative = apply("less", begin, like("cast_like", constant(0), begin))
    begin = apply("where", is_negative, add(begin, shape), begin)
    begin = apply("where", apply("greater_equal", begin, shape), shape, begin)
    bounds = {"begin": None, "end": None, "strides": None, "axes": None}
    return apply("dyn.strided_slice", data, begin, end, constant(list(strides)), **bounds)
