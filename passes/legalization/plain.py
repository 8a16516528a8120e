"""``FTVMLegalize``: operators in the forms that every target can run, as far as that does not depend on the target.

Source of the rule: the registrations in ``python/tvm/relay/op/nn/_nn.py``, ``python/tvm/relay/op/_transform.py`` and
``python/tvm/relay/qnn/op/_qnn.py``, and the functions that they call in ``python/tvm/topi``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from .operator_call import LegalizationRule, OperatorCall

__all__ = ["PLAIN"]


def _conv2d_transpose(call: OperatorCall) -> Expr | None:
    """In ``NCHW``, with the weight in ``IOHW``."""
    data, weight = call.args
    layout = call.attrs.data_layout
    if layout not in ("NCHW", "NHWC"):
        return None
    weight = _reordered(call, weight, call.attrs.kernel_layout, "IOHW")
    padding = padding_on_both_sides(call.attrs.padding, 2)
    attrs = replace(call.attrs, padding=padding, data_layout="NCHW", kernel_layout="IOHW")
    if layout == "NCHW":
        return Call(call.place.op, (data, weight), attrs)
    data = apply("transpose", data, axes=(0, 3, 1, 2))
    return apply("transpose", Call(call.place.op, (data, weight), attrs), axes=(0, 2, 3, 1))


def _reordered(call: OperatorCall, value: Expr, source: str, target: str) -> Expr:
    """``value`` with its axes, named by ``source``, in the order of ``target``."""
    if sorted(source) != sorted(target):
        raise call.refused(f"there is no transposition from the layout {source} to {target}")
    return value if source == target else apply("transpose", value, axes=tuple(map(source.index, target)))


_TO_IODHW: Final[Mapping[str, tuple[int, ...] | None]] = {
    "DHWIO": (3, 4, 0, 1, 2),
    "DHWOI": (4, 3, 0, 1, 2),
    "OIDHW": (1, 0, 2, 3, 4),
    "IODHW": None,
}


def _conv3d_transpose(call: OperatorCall) -> Expr | None:
    """In ``NCDHW`` instead of ``NDHWC``."""
    data, weight = call.args
    layout = call.attrs.kernel_layout
    if call.attrs.data_layout != "NDHWC" or layout not in _TO_IODHW:
        return None
    order = _TO_IODHW[layout]
    if order is not None:
        weight = apply("transpose", weight, axes=order)
    padding = padding_on_both_sides(call.attrs.padding, 3)
    attrs = replace(call.attrs, padding=padding, data_layout="NCDHW", kernel_layout="IODHW")
    data = apply("transpose", data, axes=(0, 4, 1, 2, 3))
    return apply("transpose", Call(call.place.op, (data, weight), attrs), axes=(0, 2, 3, 4, 1))


def _conv2d_backward_weight(call: OperatorCall) -> Expr:
    """A grouped convolution of the data with the gradient, one group for each pair of channels."""
    gradient, data = call.args
    attrs = call.attrs
    _, channels, gradient_height, gradient_width = call.static_shape(0)
    batch, in_channels, height, width = call.static_shape(1)
    result = call.place.checked_type
    filter_height, filter_width = (int(size) for size in getattr(result, "shape", ())[2:])
    top, left, bottom, right = padding_on_both_sides(attrs.padding, 2)
    group = in_channels // attrs.groups
    gradient = apply("reshape", apply("tile", gradient, reps=(1, group, 1, 1)), newshape=(-1, 1, 0, 0))
    data = apply("reshape", data, newshape=(1, -1, 0, 0))
    # Striding the forward convolution is dilating this one, and the other way round.
    weight: Expr = apply(
        "nn.conv2d",
        data,
        gradient,
        strides=attrs.dilation,
        padding=(top, left, bottom, right),
        dilation=attrs.strides,
        groups=in_channels * batch,
        out_dtype=attrs.out_dtype,
    )
    padded_height = (height - (gradient_height - 1) * attrs.strides[0] - 1 + top + bottom) // attrs.dilation[0] + 1
    padded_width = (width - (gradient_width - 1) * attrs.strides[1] - 1 + left + right) // attrs.dilation[1] + 1
    if padded_height < filter_height or padded_width < filter_width:
        raise call.refused(f"its padding leaves {padded_height} x {padded_width} for a larger weight")
    weight = apply("reshape", weight, newshape=(batch, group, channels, padded_height, padded_width))
    weight = apply("transpose", apply("sum", weight, axis=(0,)), axes=(1, 0, 2, 3))
    if padded_height == filter_height and padded_width == filter_width:
        return weight
    end = (channels, group, filter_height, filter_width)
    return apply("strided_slice", weight, begin=(0, 0, 0, 0), end=end, strides=(1,), axes=None)


def _take(call: OperatorCall) -> Expr | None:
    """Not fused with what makes data of unknown shape."""
    if all(isinstance(size, int) for size in call.tensor_type(0).shape):
        return None
    return Call(call.place.op, (apply("annotation.stop_fusion", call.args[0]), *call.args[1:]), call.attrs)


def _clip(call: OperatorCall) -> Expr | None:
    """Nothing, where a requantisation already keeps the same bounds."""
    data = call.args[0]
    if not is_call_to(data, "qnn.requantize"):
        return None
    bounds = np.iinfo(call.tensor_type(0).dtype)
    return data if (bounds.min, bounds.max) == (call.attrs.a_min, call.attrs.a_max) else None


PLAIN: Final[Mapping[str, LegalizationRule]] = {
    "nn.conv2d_transpose": _conv2d_transpose,
    "nn.conv3d_transpose": _conv3d_transpose,
    "nn.conv2d_backward_weight": _conv2d_backward_weight,
    "take": _take,
    "clip": _clip,
}
"""The other operators that TVM registers (``nn.conv2d``, ``nn.dense``, ``erf``, …) change for certain targets only."""
