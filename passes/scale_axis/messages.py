"""What operators tell each other: along which axes a value may be scaled.

Source of the rule: ``src/relay/transforms/fold_scale_axis.cc``, ``pattern_utils.h``, ``src/relay/analysis/util.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.ops.data_layout import Layout, convert_shape
from relay_lsp.ir.ops.nn.convolution_attributes import ConvolutionAttrs
from relay_lsp.ir.types import Shape, TensorType

from ..construction import expand_bias_to_match_axis, tensor_type

__all__ = [
    "ConvolutionAxes",
    "Message",
    "broadcasts_along",
    "intersect",
    "is_never_negative",
    "kept_scale_reason",
    "matched_to_axes",
    "squeezed_scale",
]

_NUMBERS = ("float32", "float64", "int8", "int32", "uint8", "uint32")
_SHAPING = ("expand_dims", "reshape", "transpose", "squeeze", "repeat")


@dataclass(frozen=True, slots=True)
class Message:
    """The axes along which a value may be scaled, ascending, and whether only by numbers that are not negative."""

    axes: tuple[int, ...]
    require_positive: bool = False


Messages: TypeAlias = "dict[Expr, Message | None]"


def intersect(lhs: Message | None, rhs: Message | None) -> Message | None:
    """What both allow; nothing where one allows nothing."""
    if lhs is None or rhs is None:
        return None
    axes = tuple(axis for axis in lhs.axes if axis in rhs.axes)
    return Message(axes, lhs.require_positive or rhs.require_positive) if axes else None


def broadcasts_along(lhs: TensorType, rhs: TensorType, axes: tuple[int, ...]) -> bool:
    """Whether ``rhs`` is as long as ``lhs`` along ``axes``, and of size 1 along all others that it has."""
    base = lhs.ndim - rhs.ndim
    if base < 0:
        return False
    for axis, size in enumerate(lhs.shape):
        if axis in axes:
            if axis < base or rhs.shape[axis - base] != size:
                return False
        elif axis >= base and rhs.shape[axis - base] != 1:
            return False
    return True


def squeezed_scale(lhs: TensorType, rhs: TensorType, axes: tuple[int, ...], scale: Expr) -> Expr | None:
    """``scale``, of type ``rhs``, with the dimensions of ``axes`` alone; ``None`` where it does not broadcast so.

    A scalar is repeated to the sizes of the axes.
    """
    if not rhs.shape:
        for position, axis in enumerate(axes):
            size = lhs.shape[axis]
            if not isinstance(size, int):
                return None
            spread = apply("expand_dims", scale, axis=0, num_newaxis=len(axes)) if position == 0 else scale
            scale = apply("repeat", spread, repeats=size, axis=position)
        return scale
    if not broadcasts_along(lhs, rhs, axes):
        return None
    base = lhs.ndim - rhs.ndim
    others = tuple(axis - base for axis in range(base, lhs.ndim) if axis not in axes)
    return apply("squeeze", scale, axis=others) if others else scale


def matched_to_axes(scale: Expr, shape: Shape, axes: tuple[int, ...]) -> Expr | None:
    """``scale`` so shaped that it broadcasts along ``axes`` of a tensor of ``shape``; ``None`` for unknown sizes."""
    if len(axes) == 1:
        return expand_bias_to_match_axis(scale, len(shape), axes)
    if any(not isinstance(shape[axis], int) for axis in axes):
        return None
    return apply("reshape", scale, newshape=tuple(shape[i] if i in axes else 1 for i in range(len(shape))))


def kept_scale_reason(value: Expr, factor: Expr, message: Message | None, direction: str) -> tuple[str, str] | None:
    """Why a multiplication of ``value`` by ``factor`` stays, as the rule and words of a remark.

    ``{}`` in the words stands for ``value``; ``direction`` says where the scale would have gone. ``None`` where
    ``value`` is no result of a call, so that there is nothing to say.
    """
    if message is None:
        if not isinstance(value, Call):
            return None
        return "not-scaled", f"the scale stays: {{}} takes no scale {direction}, or is used elsewhere too"
    if message.require_positive and not is_never_negative(factor):
        return "negative", "the scale of {} stays: it may be negative, and an activation is on the way"
    return "not-along-channels", "the scale stays: it does not go along the channels of {} alone"


def is_never_negative(expr: Expr) -> bool:
    """Whether ``expr`` is a constant, however shaped, without a negative number."""
    while isinstance(expr, Call) and is_call_to(expr, *_SHAPING):
        expr = expr.args[0]
    return isinstance(expr, Constant) and expr.dtype in _NUMBERS and bool(np.all(expr.data >= 0))


class ConvolutionAxes:
    """What of a convolution's layouts and groups decides whether and where a scale can go into its weight."""

    def __init__(self, call: Call) -> None:
        attrs = call.attrs
        assert isinstance(attrs, ConvolutionAttrs)
        self.data = Layout.parse(attrs.data_layout)
        self.kernel = Layout.parse(attrs.kernel_layout)
        self.out = Layout.parse(attrs.out_layout or attrs.data_layout)
        plain = Layout.parse("OIHW" if is_call_to(call, "nn.conv2d") else "OIDHW")
        weight = convert_shape(tensor_type(call.args[1]).shape, self.kernel, plain)
        self.is_depthwise = weight[0] == attrs.groups and weight[1] == 1
        self.is_whole = attrs.groups == 1
        self.is_simple = self.kernel.index("o") < 0 and self.kernel.index("i") < 0

    def channel_axes(self, layout: Layout) -> tuple[int, ...] | None:
        """The axes of the channels in ``layout``; ``None`` for groups and layouts that are not supported."""
        if not (self.is_whole or self.is_depthwise):
            return None
        split = [self.kernel.index("o") >= 0, self.kernel.index("i") >= 0, layout.index("c") >= 0]
        if any(split) and not all(split):
            return None
        axes = (layout.index("C"),)
        return (*axes, layout.index("c")) if all(split) else axes

    def weight_scale(self, scale: Expr, letter: str, weight: Expr) -> Expr | None:
        """``scale`` so shaped that it scales the weight along its outputs (``O``) or inputs (``I``)."""
        big, small = self.kernel.index(letter), self.kernel.index(letter.lower())
        if self.is_simple:
            return expand_bias_to_match_axis(scale, self.kernel.rank, (big,))
        return matched_to_axes(scale, tensor_type(weight).shape, (big, small))
