"""``Slice``: parts of tensors."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of
from ...operators import add, immediate, strided_slice
from ..node import OnnxNode, converter
from .shape_values import integers, shape_value

_TO_THE_END = int(np.iinfo(np.int32).max)
_LEAST = int(np.iinfo(np.int64).min) + 1
"""The least bound that Relay's text can be read back with; the one below it means the same: before the first."""


@converter("Slice")
def slice_by_attributes(node: OnnxNode) -> Expr:
    """``strided_slice``; dimensions up to the last of ``axes`` that are not among them are taken whole."""
    starts, ends, axes = node.required_ints("starts"), node.required_ints("ends"), node.ints("axes")
    if len(starts) != len(ends) or (axes is not None and len(axes) != len(starts)):
        raise ConversionError("starts, ends and axes must be as many as each other", attribute="ends")
    if axes is None:
        return strided_slice(node.input(), starts, ends)
    rank = node.rank()
    positive = [axis % rank if axis < 0 else axis for axis in axes]
    if len(set(positive)) < len(positive):
        raise ConversionError("an axis is sliced twice", attribute="axes")
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
        _check(starts.data, ends.data, strides, axes.data)
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


def _check(starts: np.ndarray, ends: np.ndarray, steps: np.ndarray, axes: np.ndarray) -> None:
    """Refuse bounds that ONNX has no meaning for.

    Raises:
        ConversionError: their numbers differ, an axis is there twice, or a step is zero.
    """
    counts = {bounds.size for bounds in (starts, ends, steps, axes)}
    if len(counts) > 1:
        raise ConversionError("starts, ends, axes and steps must be as many as each other", input="3")
    if np.unique(axes).size < axes.size:
        raise ConversionError("an axis is sliced twice", input="3")
    if not steps.all():
        raise ConversionError("a step of 0 goes nowhere", input="4")


def _int64(bounds: np.ndarray) -> list[int]:
    return [immediate(np.int64(max(bound, _LEAST))) for bound in bounds.reshape(-1)]  # type: ignore[misc]


def _scatter(whole: Expr, axes: Expr, values: Expr) -> Expr:
    return call("scatter_elements", whole, axes, values, axis=0, reduction="update")
