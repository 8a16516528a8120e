"""Pooling: averages, maxima and norms of windows or of whole images, and what undoes a maximum."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, static_shape_of
from ...operators import add, concatenate, expand_dims, multiply, reduce, reshape, squeeze, subtract, zeros
from ..node import OnnxNode, converter
from .convolution import layout
from .paddings import auto_pad, same_pads
from .shape_values import integers, shape_value


def pool(node: OnnxNode, kind: str, data: Expr) -> Expr:
    """``nn.avg_pool…`` or ``nn.max_pool…`` of ``data``, with the attributes of ``node``.

    ``window_input`` is what the padding follows from, where that is not ``data``.
    """
    kernel = node.required_ints("kernel_shape")
    rank = len(kernel)
    if not 1 <= rank <= 3:
        raise ConversionError(f"Relay pools in one to three dimensions, not {rank}", attribute="kernel_shape")
    is_batched = rank_of(data) - rank != 1
    strides = node.ints("strides") or (1,) * rank
    dilations = node.ints("dilations") or (1,) * rank
    pads = node.ints("pads") or (0,) * rank
    mode = auto_pad(node)
    if mode.startswith("SAME"):
        if kind == "avg":
            pads = _same_pads(static_shape_of(data)[-rank:], kernel, strides, mode)
        else:
            data = same_pads(node, data, strides, kernel, (1,) * rank_of(data), mode, _smallest(dtype_of(data)))
    elif mode == "VALID":
        pads = (0,) * rank
    options: dict[str, object] = {"count_include_pad": bool(node.int("count_include_pad", 0))} if kind == "avg" else {}
    data_layout = layout(rank)
    if "storage_order" in node:
        order = node.int("storage_order")
        if order not in (0, 1):
            raise node.invalid("storage_order", f"storage_order must be 0 or 1, not {order}")
        # It orders the indices of the maxima in memory, and they are not computed here.
    if not is_batched:
        data = expand_dims(data, 0)
    result = call(
        f"nn.{kind}_pool{rank}d",
        data,
        pool_size=kernel,
        strides=strides,
        dilation=dilations,
        padding=_both_sides(pads, rank),
        layout=data_layout,
        ceil_mode=bool(node.int("ceil_mode", 0)),
        **options,
    )
    return result if is_batched else squeeze(result, [0])


def _both_sides(pads: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple(pads) * 2 if len(pads) == rank else tuple(pads)


def _smallest(dtype: str) -> Expr:
    if "int" in dtype:
        return constant(int(np.iinfo(dtype).min), "int32")
    return constant(np.array(np.finfo(dtype).min, dtype))


def _same_pads(sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], mode: str) -> tuple[int, ...]:
    before: list[int] = []
    after: list[int] = []
    for size, span, stride in zip(sizes, kernel, strides, strict=True):
        total = max(span - (stride if size % stride == 0 else size % stride), 0)
        small, large = total // 2, total - total // 2
        before.append(large if "LOWER" in mode else small)
        after.append(small if "LOWER" in mode else large)
    return (*before, *after)


@converter("AveragePool")
def average_pool(node: OnnxNode) -> Expr:
    """``nn.avg_pool1d`` to ``nn.avg_pool3d``."""
    return pool(node, "avg", node.input())


@converter("MaxPool")
def max_pool(node: OnnxNode) -> Expr:
    """``nn.max_pool1d`` to ``nn.max_pool3d``; the indices of the maxima are not computed."""
    if len([name for name in node.outputs if name]) > 1:
        raise ConversionError("Relay's max_pool does not give the indices of the maxima")
    return pool(node, "max", node.input())


def global_pool(data: Expr, kind: str) -> Expr:
    """The average or the maximum of whole images."""
    rank = rank_of(data) - 2
    if not 1 <= rank <= 3:
        raise ConversionError(f"Relay pools in one to three dimensions, not {rank}")
    if rank == 2:
        return call(f"nn.global_{kind}_pool2d", data)
    return call(f"nn.adaptive_{kind}_pool{rank}d", data, output_size=[1] * rank, layout=layout(rank))


@converter("GlobalAveragePool")
def global_average_pool(node: OnnxNode) -> Expr:
    """``nn.global_avg_pool2d``, or ``nn.adaptive_avg_pool`` of one and three dimensions."""
    return global_pool(node.input(), "avg")


@converter("GlobalMaxPool")
def global_max_pool(node: OnnxNode) -> Expr:
    """``nn.global_max_pool2d``, or ``nn.adaptive_max_pool`` of one and three dimensions."""
    return global_pool(node.input(), "max")


@converter("LpPool")
def lp_pool(node: OnnxNode) -> Expr:
    """The p-norm of windows, by the average of powers."""
    return _lp_pool(node, node.required_ints("kernel_shape"), node.ints("strides"))


@converter("GlobalLpPool")
def global_lp_pool(node: OnnxNode) -> Expr:
    """The p-norm of whole images, by the average of powers."""
    return _lp_pool(node, static_shape_of(node.input(), "the input")[2:], None)


def _lp_pool(node: OnnxNode, kernel: Sequence[int], strides: Sequence[int] | None) -> Expr:
    data, dtype, rank = node.input(), node.dtype(), len(kernel)
    strides = strides or (1,) * rank
    pads = node.ints("pads") or (0,) * rank
    mode = auto_pad(node)
    if mode.startswith("SAME"):
        data = same_pads(node, data, strides, kernel, (1,) * rank_of(data), mode)
    elif mode == "VALID":
        pads = (0,) * rank
    power = node.int("p", 2)
    if power % 2:
        data = call("abs", data)  # TVM leaves the sign of odd powers.
    exponent, root = constant(power, dtype), constant(1.0 / power, dtype)
    averages = call(
        f"nn.avg_pool{rank}d",
        call("power", data, exponent),
        pool_size=tuple(kernel),
        strides=tuple(strides),
        dilation=node.ints("dilations") or (1,) * rank,
        padding=_both_sides(pads, rank),
        layout=layout(rank),
        ceil_mode=bool(node.int("ceil_mode", 0)),
        count_include_pad=True,
    )
    total = multiply(call("abs", averages), constant(np.array(math.prod(kernel), dtype)))
    return call("power", total, root)


@converter("MaxUnpool", since=11)
def max_unpool(node: OnnxNode) -> Expr:
    """The maxima scattered to where they came from, among zeros."""
    data, indices, wanted = node.input(0), node.input(1), node[2]
    kernel = node.required_ints("kernel_shape")
    strides, pads = node.ints("strides") or (1,) * len(kernel), node.ints("pads")
    factors = concatenate([integers([1, 1]), integers(strides)], 0)
    size = multiply(factors, shape_value(data))
    more = subtract(
        concatenate([integers([0, 0]), integers(kernel)], 0), concatenate([integers([0, 0]), integers(strides)], 0)
    )
    size = add(size, more)
    if wanted is not None:
        size = wanted
    elif pads is not None:
        count = len(kernel)
        rows = [number for pair in zip(pads[:count], pads[count:], strict=True) for number in pair]
        widths = reshape(concatenate([integers([0, 0, 0, 0]), integers(rows)], 0), [-1, 2])
        size = subtract(size, reduce("sum", widths, -1))
    empty = reshape(zeros(size, dtype_of(data)), [-1])
    placed = call("scatter_elements", empty, reshape(indices, [-1]), reshape(data, [-1]), axis=0, reduction="update")
    return reshape(placed, size)
