"""Convolutions for Arm processors of the A profile.

Source of the rule: ``python/tvm/topi/arm_cpu/conv2d_alter_op.py``, ``conv2d_strategy_arm_cpu`` in
``python/tvm/relay/op/strategy/arm_cpu.py``. Without a tuning log, and without the reference log that TVM may have
downloaded, the blocks of ``conv2d_nchw_spatial_pack`` hold one channel. What it does for Cortex-M is not done here.
"""

from __future__ import annotations

import re
from dataclasses import replace

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from .calls import AlteredCall
from .convolution import blocked_int8_conv2d, is_depthwise, require_kernel_layout

__all__ = ["conv2d_for_arm"]

_INT8_CHANNELS = 64
"""From how many input channels on 8-bit convolutions are computed by instructions for them."""


def conv2d_for_arm(call: AlteredCall) -> Call | None:
    """``nn.conv2d`` with its weight in blocks, or with 16-bit numbers where 8-bit ones stand in ``NHWC``."""
    attrs = call.attrs
    if attrs.groups != 1:
        if is_depthwise(call) and attrs.data_layout not in ("NCHW", "NHWC"):
            raise call.refused(f"unsupported depthwise_conv2d layout {attrs.data_layout}")
        return None
    if attrs.data_layout == "NHWC":
        return _wider(call)
    if attrs.data_layout == "HWCN":
        require_kernel_layout(call, attrs.kernel_layout == "HWIO")
        return None
    if attrs.data_layout != "NCHW":
        raise call.refused(f"unsupported conv2d layout {attrs.data_layout} for arm cpu")
    if attrs.kernel_layout != "OIHW":
        if not re.match(r"OIHW\d*o", attrs.kernel_layout):
            raise call.refused(f"unsupported weight layout {attrs.kernel_layout} for conv2d NCHW")
        raise call.refused("the weight is packed already")
    _, _, height, width = call.shape(0, 4)
    _, in_channels, _, _ = call.shape(1, 4)
    data, kernel = call.tensor(0).dtype, call.tensor(1).dtype
    is_int8 = _has_int8(call) and data == kernel and "int8" in data
    if is_int8 and isinstance(in_channels, int) and in_channels >= _INT8_CHANNELS:
        return blocked_int8_conv2d(call, 4)
    if not (isinstance(height, int) and isinstance(width, int)):
        raise call.refused("height and width of the data must be known")
    return _altered(call, call.args, kernel_layout="OIHW1o")


def _has_int8(call: AlteredCall) -> bool:
    features = call.target.features
    return features.get("has_asimd", False) or features.get("has_dotprod", False)


def _wider(call: AlteredCall) -> Call | None:
    attrs = call.attrs
    if attrs.kernel_layout != "HWIO":
        raise call.refused(f"unsupported kernel layout {attrs.kernel_layout} for conv2d NHWC")
    data, kernel = call.tensor(0).dtype, call.tensor(1).dtype
    if data not in ("uint8", "int8") or _has_int8(call):
        return None
    if data != kernel:
        raise call.refused(f"data of {data} does not go with a weight of {kernel}")
    return _altered(call, tuple(apply("cast", arg, dtype="int16") for arg in call.args))


def _altered(call: AlteredCall, args: tuple[Expr, ...], **attributes: object) -> Call:
    padding = padding_on_both_sides(call.attrs.padding, 2)
    return Call(operator.get("nn.conv2d"), args, replace(call.attrs, padding=padding, **attributes))
