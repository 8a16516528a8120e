"""Convolutions with their channels in blocks, as processors with vector instructions want them.

Source of the rule: ``python/tvm/topi/x86/conv2d_alter_op.py``, ``conv2d_strategy_cpu`` in
``python/tvm/relay/op/strategy/x86.py``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from ..targets.x86 import has_sse42, vector_lanes
from .blocks import largest_factor, static
from .calls import AlteredCall

__all__ = ["blocked_conv2d", "blocked_int8_conv2d", "conv2d_for_x86", "is_depthwise"]

BLOCKED_DATA: Final = re.compile(r"NCHW[0-9]+c")
BLOCKED_KERNEL: Final = re.compile(r"OIHW[0-9]+i[0-9]+o")
_INT8_ELEMENTS: Final = 4
"""How many 8-bit numbers an instruction multiplies and adds up into each 32-bit number."""


def conv2d_for_x86(call: AlteredCall) -> Call | None:
    """``nn.conv2d`` with its channels in blocks; what stands in ``NHWC`` or ``HWCN`` stays."""
    attrs = call.attrs
    data, kernel = attrs.data_layout, attrs.kernel_layout
    if any(isinstance(step, int) and step < 1 for step in attrs.dilation):
        raise call.refused("dilation must be positive")
    if attrs.groups != 1 and is_depthwise(call):
        return _depthwise(call)
    wanted = {"NCHW": "OIHW", "NHWC": "HWIO", **({"HWCN": "HWIO"} if attrs.groups == 1 else {})}.get(data)
    if BLOCKED_DATA.fullmatch(data):
        require_kernel_layout(call, BLOCKED_KERNEL.fullmatch(kernel) is not None)
        return blocked(call, "nn.contrib_conv2d_NCHWc", attrs)
    if wanted is None:
        raise call.refused(f"unsupported conv2d layout {data} for x86")
    require_kernel_layout(call, kernel == wanted)
    if data != "NCHW" or attrs.groups != 1:
        return None
    types = (call.tensor(0).dtype, call.tensor(1).dtype)
    if types == ("uint8", "int8") and has_sse42(call.target):
        return blocked_int8_conv2d(call, 16)
    return None if "dnnl" in libraries(call) else blocked_conv2d(call)


def _depthwise(call: AlteredCall) -> Call | None:
    attrs = call.attrs
    if attrs.data_layout == "NHWC":
        return None
    if BLOCKED_DATA.fullmatch(attrs.data_layout):
        require_kernel_layout(call, BLOCKED_KERNEL.fullmatch(attrs.kernel_layout) is not None)
        return blocked(call, "nn.contrib_depthwise_conv2d_NCHWc", attrs)
    if attrs.data_layout != "NCHW":
        raise call.refused(f"unsupported depthwise_conv2d layout {attrs.data_layout}")
    require_kernel_layout(call, attrs.kernel_layout == "OIHW")
    _, in_channels, _, _ = call.shape(0, 4)
    out_channels, multiplier, _, _ = call.shape(1, 4)
    if multiplier != 1 or tuple(attrs.dilation) != (1, 1):
        return None
    require_dtypes(call)
    out_block = largest_factor(static(call, out_channels, "number of channels"), vector_lanes(call.target))
    in_block = largest_factor(static(call, in_channels, "number of channels"), out_block)
    new = replace(
        attrs,
        channels=out_channels,
        data_layout=f"NCHW{in_block}c",
        kernel_layout=f"OIHW1i{out_block}o",
        out_layout=f"NCHW{out_block}c",
    )
    return blocked(call, "nn.contrib_depthwise_conv2d_NCHWc", new)


def blocked_conv2d(call: AlteredCall) -> Call:
    """A convolution in ``NCHW`` with as many channels in a block as a vector holds numbers of 32 bits."""
    in_channels, out_channels = _channels(call)
    require_dtypes(call)
    out_block = largest_factor(out_channels, vector_lanes(call.target))
    in_block = largest_factor(in_channels, out_block)
    new = replace(
        call.attrs,
        channels=out_channels,
        data_layout=f"NCHW{in_block}c",
        kernel_layout=f"OIHW{in_block}i{out_block}o",
        out_layout=f"NCHW{out_block}c",
    )
    return blocked(call, "nn.contrib_conv2d_NCHWc", new)


def blocked_int8_conv2d(call: AlteredCall, lanes: int) -> Call:
    """A convolution of 8-bit numbers in ``NCHW`` for instructions that give ``lanes`` 32-bit sums at a time.

    Raises:
        PassError: the channels do not fill such instructions, which ``Legalize`` would see to.
    """
    in_channels, out_channels = _channels(call)
    if out_channels % lanes or in_channels % _INT8_ELEMENTS:
        raise call.refused(
            f"8-bit convolutions take multiples of {_INT8_ELEMENTS} channels and give multiples of {lanes}, "
            f"but this one takes {in_channels} and gives {out_channels}: run Legalize first"
        )
    out_block = max(lanes, _INT8_ELEMENTS)
    in_block = max(largest_factor(in_channels, out_block, step=4), _INT8_ELEMENTS)
    new = replace(
        call.attrs,
        channels=out_channels,
        data_layout=f"NCHW{in_block}c",
        kernel_layout=f"OIHW{in_block // _INT8_ELEMENTS}i{out_block}o{_INT8_ELEMENTS}i",
        out_layout=f"NCHW{out_block}c",
    )
    return blocked(call, "nn.contrib_conv2d_NCHWc", new)


def _channels(call: AlteredCall) -> tuple[int, int]:
    _, in_channels, _, _ = call.shape(0, 4)
    out_channels, _, _, _ = call.shape(1, 4)
    return static(call, in_channels, "number of channels"), static(call, out_channels, "number of channels")


def blocked(call: AlteredCall, name: str, attrs: Any) -> Call:
    """The call of another operator, with its padding written out."""
    return Call(operator.get(name), call.args, replace(attrs, padding=padding_on_both_sides(attrs.padding, 2)))


def libraries(call: AlteredCall) -> tuple[str, ...]:
    """The libraries that the target may call."""
    attribute = call.target.attributes.get("libs", ())
    return attribute if isinstance(attribute, tuple) else ()


def require_kernel_layout(call: AlteredCall, is_right: bool) -> None:
    """Require the layout of the weight to suit that of the data.

    Raises:
        PassError: it does not.
    """
    if not is_right:
        attrs = call.attrs
        data, kernel = attrs.data_layout, attrs.kernel_layout
        raise call.refused(f"the kernel layout {kernel} does not go with the data layout {data}")


def require_dtypes(call: AlteredCall) -> None:
    """Require data and weight to be of one dtype, or of ``uint8`` and ``int8``.

    Raises:
        PassError: they are of others.
    """
    data, kernel = call.tensor(0).dtype, call.tensor(1).dtype
    if data != kernel and (data, kernel) != ("uint8", "int8"):
        raise call.refused(f"data of {data} does not go with a weight of {kernel}")


def is_depthwise(call: AlteredCall) -> bool:
    """Whether there are as many groups as channels, in and out (``is_depthwise_conv2d``)."""
    attrs = call.attrs
    inputs = _size(call, 0, attrs.data_layout, "C")
    outputs = _size(call, 1, attrs.kernel_layout, "O")
    return inputs == outputs == attrs.groups


def _size(call: AlteredCall, argument: int, layout: str, letter: str) -> Dim | None:
    """The size of an axis together with its inner part, which stands last."""
    shape = call.tensor(argument).shape
    position = re.sub("[0-9]", "", layout).find(letter)
    if not 0 <= position < len(shape):
        raise call.refused(f"the layout {layout} has no axis {letter}")
    if len(shape) == 4:
        return shape[position]
    outer, inner = shape[position], shape[-1]
    return outer * inner if isinstance(outer, int) and isinstance(inner, int) else None
