"""``Pad``, and the padding that ``auto_pad`` asks for, whether the shape is known or not.

Source of the rule for the latter: ``autopad`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import rank_of
from ...operators import concatenate, pad, reshape, strided_slice, subtract, take, transpose
from ..node import OnnxNode, converter
from .shape_values import integers, shape_value

__all__ = ["AUTO_PADS", "auto_pad", "same_pads"]

AUTO_PADS = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


def auto_pad(node: OnnxNode) -> str:
    """The attribute ``auto_pad``, checked."""
    mode = node.string("auto_pad", "NOTSET")
    if mode not in AUTO_PADS:
        raise node.invalid("auto_pad", f"auto_pad must be one of {', '.join(AUTO_PADS)}, not {mode}")
    return mode


_MODES = ("constant", "edge", "reflect")


def _pairs(node: OnnxNode, pads: Sequence[int]) -> list[tuple[int, int]]:
    count = len(pads) // 2
    if len(pads) != 2 * node.rank():
        raise node.invalid("pads", f"there must be {2 * node.rank()} paddings, not {len(pads)}")
    return list(zip(pads[:count], pads[count:], strict=True))


def _mode(node: OnnxNode) -> str:
    mode = node.string("mode", "constant")
    if mode not in _MODES:
        raise node.invalid("mode", f"mode must be one of {', '.join(_MODES)}, not {mode}")
    return mode


@converter("Pad")
def pad_by_paddings(node: OnnxNode) -> Expr:
    """``nn.pad`` by the attribute ``paddings``."""
    widths = _pairs(node, node.required_ints("paddings"))
    return pad(node.input(), widths, node.float("value", 0.0), _mode(node))


@converter("Pad", since=2)
def pad_by_attribute(node: OnnxNode) -> Expr:
    """``nn.pad`` by the attribute ``pads``."""
    return pad(node.input(), _pairs(node, node.required_ints("pads")), node.float("value", 0.0), _mode(node))


@converter("Pad", since=11)
def pad_by_input(node: OnnxNode) -> Expr:
    """``nn.pad`` by an input, or ``dyn.nn.pad`` where that is not constant."""
    widths, value = node.input(1), node[2]
    fill = constant(0.0) if value is None else node.fold(take(value, constant(0)))
    if node[3] is not None:
        rank = node.rank()
        given = [int(number) for number in node.constant_input(1).reshape(-1)]
        axes = [int(axis) % rank for axis in node.constant_input(3).reshape(-1)]
        if len(set(axes)) < len(axes):
            raise ConversionError("an axis is padded twice", input="3")
        every = [0] * (2 * rank)
        for place, axis in enumerate(axes):
            every[axis], every[axis + rank] = given[place], given[place + len(axes)]
        widths = integers(every)
    pairs = node.fold(transpose(reshape(widths, [2, -1])))
    return pad(node.input(), pairs, fill, _mode(node))


def same_pads(
    node: OnnxNode,
    data: Expr,
    strides: Sequence[int],
    kernel: Sequence[int],
    dilations: Sequence[int],
    mode: str,
    value: Expr | None = None,
    deconvolution: bool = False,
) -> Expr:
    """``data`` padded so that the result has its size divided by the stride."""
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=False)]
    stride, span = integers(list(strides)), integers(spans)
    zero, one, two = constant(0, "int64"), constant(1, "int64"), constant(2, "int64")
    size = strided_slice(shape_value(data), [2], [rank_of(data)])
    rest = call("mod", size, stride)
    even = call("maximum", subtract(span, stride), zero)
    uneven = call("maximum", subtract(span, rest), zero)
    total = call("where", call("equal", rest, zero), even, uneven)
    if deconvolution:
        total = subtract(subtract(integers(list(kernel)), one), total)
    before = call("floor_divide", total, two)
    after = subtract(total, before)
    columns = [reshape(after, [-1, 1]), reshape(before, [-1, 1])]
    if "LOWER" not in mode:
        columns.reverse()
    widths = concatenate([Constant(np.zeros((2, 2), np.int64)), concatenate(columns, 1)], 0)
    return pad(data, node.fold(widths), constant(0.0) if value is None else value)
