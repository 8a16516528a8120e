"""``Slice``: parts of tensors."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...inspection import dtype_of
from ...operators import add, immediate, strided_slice
from ..node import OnnxNode, converter
from .shape_values import integers, shape_value

_TO_THE_END = int(np.iinfo(np.int32).max)


@converter("Slice")
def slice_by_attributes(node: OnnxNode) -> Expr:
    """``strided_slice``; dimensions up to the last of ``axes`` that are not among them are taken whole."""
    starts, ends, axes = node.required_ints("starts"), node.required_ints("ends"), node.ints("axes")
    if axes is None:
        return strided_slice(node.input(), starts, ends)
    rank = node.rank()
    positive = [axis % rank if axis < 0 else axis for axis in axes]
    begin, end = [0] * (max(positive) + 1), [_TO_THE_END] * (max(positive) + 1)
    for axis, first, last in zip(positive, starts, ends, strict=True):
        begin[axis], end[axis] = first, last
    return strided_slice(node.input(), begin, end)


@converter("Slice", since=10)
def slice_by_inputs(node: OnnxNode) -> Expr:
    """``strided_slice`` where all bounds are constant, else ``dyn.strided_slice``."""
    data, starts, ends, axes, steps = node.input(0), node.input(1), node.input(2), node[3], node[4]
    shape, rank = node.shape(), node.rank()
    if axes is not None:
        dtype = dtype_of(axes)
        from_end = add(axes, constant(rank, dtype))
        axes = node.fold(call("where", call("less", axes, constant(0, dtype)), from_end, axes))
    if (
        isinstance(axes, Constant)
        and isinstance(starts, Constant)
        and isinstance(ends, Constant)
        and (steps is None or isinstance(steps, Constant))
        and all(isinstance(shape[int(axis)], int) for axis in axes.data)
    ):
        strides = np.ones_like(starts.data) if steps is None else steps.data
        begin, end, stride, dims = (_int64(bounds) for bounds in (starts.data, ends.data, strides, axes.data))
        return strided_slice(data, begin, end, stride, dims)
    if axes is not None:
        starts_dtype = dtype_of(starts)
        ends = _scatter(shape_value(data, dtype_of(ends)), axes, ends)
        starts = _scatter(integers([0] * rank, starts_dtype), axes, starts)
        if steps is not None:
            steps = _scatter(integers([1] * rank, dtype_of(steps)), axes, steps)
    if steps is None:
        steps = integers([1] * rank, dtype_of(starts))
    return strided_slice(data, node.fold(starts), node.fold(ends), node.fold(steps))


def _int64(bounds: np.ndarray) -> list[int]:
    return [immediate(np.int64(bound)) for bound in bounds.reshape(-1)]  # type: ignore[misc]


def _scatter(whole: Expr, axes: Expr, values: Expr) -> Expr:
    return call("scatter_elements", whole, axes, values, axis=0, reduction="update")
