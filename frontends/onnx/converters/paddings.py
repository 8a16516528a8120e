"""The padding that ``auto_pad`` asks for, whether the shape is known or not.

Source of the rule: ``autopad`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...inspection import rank_of
from ...operators import concatenate, pad, reshape, strided_slice, subtract
from ..node import Node
from .shape_values import integers, shape_value

__all__ = ["AUTO_PADS", "auto_pad", "same_pads"]

AUTO_PADS = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


def auto_pad(node: Node) -> str:
    """The attribute ``auto_pad``, checked."""
    mode = node.string("auto_pad", "NOTSET")
    if mode not in AUTO_PADS:
        raise node.invalid("auto_pad", f"auto_pad must be one of {', '.join(AUTO_PADS)}, not {mode}")
    return mode


def same_pads(
    node: Node,
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
