"""Pools in numpy. Maximum and sum reduce one axis after the other, so that a window costs its sides, not its area.

Source of the rule: ``include/tvm/topi/nn/pooling.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from ...arrays import numpy_dtype
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..data_layout import Layout
from ..operator import Kernel
from .windows import pad_spatial, padding_pairs, sliding_windows, static

if TYPE_CHECKING:
    from .pooling_attributes import AdaptivePoolAttrs, GlobalPool2DAttrs, PoolAttrs

__all__ = [
    "adaptive_pool_kernel",
    "average_pool_gradient_kernel",
    "global_pool_kernel",
    "lowest",
    "max_pool_gradient_kernel",
    "pool_kernel",
]


def lowest(dtype: np.dtype[Any]) -> Any:
    """The smallest value of ``dtype``, which no element of a window loses against (in TVM the smallest finite one)."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return np.finfo(dtype).min if dtype.kind == "f" else dtype.type(-np.inf)


def pool_kernel(letters: str, *, average: bool) -> Kernel:
    """The kernel of a windowed pool over the spatial axes ``letters``."""
    rank = len(letters)

    def kernel(attrs: PoolAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        positions = _positions(attrs.layout, letters)
        data = np.moveaxis(inputs[0], positions, range(-rank, 0))
        window, strides = static(attrs.pool_size)[:rank], static(attrs.strides)[:rank]
        dilation, padding = static(attrs.dilation)[:rank], padding_pairs(attrs.padding, rank)
        extra = [stride - 1 if attrs.ceil_mode else 0 for stride in strides]
        grown = tuple((before, after + more) for (before, after), more in zip(padding, extra, strict=True))
        value = 0 if average else lowest(data.dtype)
        result = pad_spatial(data, grown, value)
        operation = np.add if average else np.maximum
        for axis in range(rank):
            result = _reduced(result, axis - rank, window[axis], strides[axis], dilation[axis], operation)
        if average:
            sides = [
                _counted(
                    result.shape[axis - rank],
                    data.shape[axis - rank],
                    window[axis],
                    strides[axis],
                    dilation[axis],
                    padding[axis],
                    bool(getattr(attrs, "count_include_pad", False)),
                )
                for axis in range(rank)
            ]
            result = _divided(result, np.maximum(reduce(np.multiply.outer, sides), 1))
        return np.moveaxis(result, range(-rank, 0), positions)

    return kernel


def _positions(layout: str, letters: str) -> list[int]:
    parsed = Layout.parse(layout)
    return [parsed.index(letter) for letter in letters]


def _reduced(array: NDArray, axis: int, window: int, stride: int, dilation: int, operation: np.ufunc) -> NDArray:
    """``operation`` over the windows along one axis."""
    moved = np.moveaxis(array, axis, 0)
    count = (moved.shape[0] - (window - 1) * dilation - 1) // stride + 1
    span = (count - 1) * stride + 1
    result: NDArray = moved[:span:stride]
    for step in range(1, window):
        start = step * dilation
        result = operation(result, moved[start : start + span : stride])
    return np.moveaxis(result, 0, axis)


def _counted(
    count: int, size: int, window: int, stride: int, dilation: int, padding: tuple[int, int], include_padding: bool
) -> NDArray:
    """How many elements each of ``count`` windows along an axis averages over."""
    start = np.arange(count) * stride - padding[0]
    last = start + (window - 1) * dilation
    if include_padding:
        return (np.minimum(last, size + padding[1] - 1) - start) // dilation + 1
    first = start + dilation * np.maximum(-(start // dilation), 0)
    return np.maximum((np.minimum(last, size - 1) - first) // dilation + 1, 0)


def _divided(total: NDArray, count: NDArray) -> NDArray:
    """``total / count`` in the dtype of ``total``; integers are rounded towards zero."""
    if total.dtype.kind in "iu":
        quotient = np.abs(total.astype(np.int64)) // count * np.sign(total.astype(np.int64))
        return quotient.astype(total.dtype)
    return (total / count.astype(total.dtype)).astype(total.dtype, copy=False)


def global_pool_kernel(*, average: bool) -> Kernel:
    """The kernel of a global pool over height and width."""

    def kernel(attrs: GlobalPool2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        data = inputs[0]
        axes = tuple(_positions(attrs.layout, "HW"))
        if not average:
            return data.max(axis=axes, keepdims=True)
        total = data.sum(axis=axes, keepdims=True, dtype=data.dtype)
        return _divided(total, np.asarray(data.shape[axes[0]] * data.shape[axes[1]]))

    return kernel


def adaptive_pool_kernel(letters: str, *, average: bool) -> Kernel:
    """The kernel of an adaptive pool over the spatial axes ``letters``."""

    def kernel(attrs: AdaptivePoolAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        result = inputs[0]
        counts: list[NDArray] = []
        positions = _positions(attrs.layout, letters)
        sizes = static(attrs.output_size or [result.shape[position] for position in positions])
        for position, parts in zip(positions, sizes * len(positions) if len(sizes) == 1 else sizes, strict=True):
            size = result.shape[position]
            starts = np.arange(parts) * size // parts
            ends = -(-(np.arange(1, parts + 1) * size) // parts)
            moved = np.moveaxis(result, position, 0)
            pieces = [moved[start:end] for start, end in zip(starts, ends, strict=True)]
            reduced = [piece.sum(axis=0, dtype=piece.dtype) if average else piece.max(axis=0) for piece in pieces]
            result = np.moveaxis(np.stack(reduced), 0, position)
            shape = [1] * result.ndim
            shape[position] = parts
            counts.append((ends - starts).reshape(shape))
        return _divided(result, reduce(np.multiply, counts)) if average else result

    return kernel


def max_pool_gradient_kernel(attrs: PoolAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Give the gradient of each window to its first largest element."""
    gradient, data, positions = _gradient_operands(attrs, inputs)
    window, strides = static(attrs.pool_size), static(attrs.strides)
    padding = _gradient_padding(attrs)
    padded = pad_spatial(data, padding, lowest(data.dtype))
    counts = static(gradient.shape[-2:])
    views = sliding_windows(padded, window, strides, (1, 1), counts)
    flat = np.zeros((prod(padded.shape[:-2]), *padded.shape[-2:]), data.dtype)
    largest = views.reshape(flat.shape[0], *counts, prod(window)).argmax(axis=-1)
    rows = largest // window[1] + np.arange(counts[0]).reshape(-1, 1) * strides[0]
    columns = largest % window[1] + np.arange(counts[1]).reshape(1, -1) * strides[1]
    leading = np.arange(flat.shape[0]).reshape(-1, 1, 1)
    np.add.at(flat, (leading, rows, columns), gradient.reshape(largest.shape))
    return _unpadded(flat.reshape(padded.shape), padding, data, positions, result_type)


def average_pool_gradient_kernel(attrs: PoolAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Give each element of a window its share of the window's gradient."""
    gradient, data, positions = _gradient_operands(attrs, inputs)
    window, strides = static(attrs.pool_size), static(attrs.strides)
    padding = _gradient_padding(attrs)
    counts = gradient.shape[-2:]
    if getattr(attrs, "count_include_pad", False):
        share = gradient / np.asarray(window[0] * window[1], gradient.dtype)
    else:
        pairs = padding_pairs(attrs.padding, 2)
        sides = [
            _counted(counts[axis], data.shape[axis - 2], window[axis], strides[axis], 1, pairs[axis], False)
            for axis in range(2)
        ]
        share = _divided(gradient, np.maximum(np.multiply.outer(*sides), 1))
    spread = np.zeros(pad_spatial(data, padding).shape, data.dtype)
    for row, column in product(range(window[0]), range(window[1])):
        rows = slice(row, row + (counts[0] - 1) * strides[0] + 1, strides[0])
        columns = slice(column, column + (counts[1] - 1) * strides[1] + 1, strides[1])
        spread[..., rows, columns] += share
    return _unpadded(spread, padding, data, positions, result_type)


def _gradient_operands(attrs: PoolAttrs, inputs: Sequence[NDArray]) -> tuple[NDArray, NDArray, list[int]]:
    positions = _positions(attrs.layout, "HW")
    gradient, data = (np.moveaxis(array, positions, (-2, -1)) for array in inputs)
    return gradient, data, positions


def _gradient_padding(attrs: PoolAttrs) -> tuple[tuple[int, int], ...]:
    return tuple(
        (before, after + (stride - 1 if attrs.ceil_mode else 0))
        for (before, after), stride in zip(padding_pairs(attrs.padding, 2), static(attrs.strides), strict=True)
    )


def _unpadded(
    padded: NDArray, padding: Sequence[tuple[int, int]], data: NDArray, positions: Sequence[int], result_type: Type
) -> NDArray:
    assert isinstance(result_type, TensorType)
    top, left = padding[0][0], padding[1][0]
    inner = padded[..., top : top + data.shape[-2], left : left + data.shape[-1]]
    return np.moveaxis(inner, (-2, -1), positions).astype(numpy_dtype(result_type.dtype), copy=False)
