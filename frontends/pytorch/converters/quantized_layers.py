"""Layers that compute with quantised numbers, by Relay's ``qnn`` operators.

The last inputs of each are the scale and zero point of every quantised input (see :mod:`..quantized_inputs`).
Source of the rules: ``python/tvm/relay/frontend/qnn_torch.py``.
"""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple

from ...diagnostics import ConversionError
from ...inspection import static_shape_of
from ...operators import add, cast, clip, divide, full, multiply, pad, reduce, reshape, subtract
from ..node import TorchNode, converter
from ..values import PackedWeights
from .quantization import dequantized, quantized


def _packed(node: TorchNode) -> PackedWeights:
    value = node[1]
    if not isinstance(value, PackedWeights):
        raise ConversionError("the packed weights are not known", input="1")
    return value


def _item(value: Expr) -> float:
    if not isinstance(value, Constant):
        raise ConversionError("a scale or zero point must be a constant")
    return value.data.reshape(-1)[0].item()


def _known(node: TorchNode, index: int) -> Constant:
    value = node.tensor(index)
    if not isinstance(value, Constant):
        raise ConversionError("a scale or zero point must be a constant", input=str(index))
    return value


def _requantized(node: TorchNode, result: Expr, packed: PackedWeights, input_scale: Constant) -> Expr:
    """The bias added, brought to the scale of the output, and cut to what ``uint8`` holds."""
    out_scale, out_zero = _known(node, 2), _known(node, 3)
    scale = Constant(np.asarray(input_scale.data * packed.scale.data, np.float32))
    if packed.bias is not None:
        result = call("nn.bias_add", result, packed.bias)
    result = call("qnn.requantize", result, scale, constant(0, "int32"), out_scale, out_zero, axis=1, out_dtype="int32")
    lowest = _item(out_zero) if "relu" in node.operator else 0
    return cast(clip(result, lowest, 255.0), "uint8")


@converter("quantized::conv2d", "quantized::conv2d_relu")
def conv2d(node: TorchNode) -> Expr:
    """``nn.pad`` by the zero point, ``qnn.conv2d``, ``nn.bias_add`` and ``qnn.requantize``."""
    packed = _packed(node)
    node.require(len(node) == 6, "the scale and zero point of the quantised input are not known")
    scale, zero_point = _known(node, 4), _known(node, 5)
    shape = static_shape_of(packed.weight, "the weight")
    data = node.tensor()
    if any(packed.padding):
        widths = [(0, 0), (0, 0), *((width, width) for width in packed.padding)]
        data = pad(data, widths, constant(float(_item(zero_point))))
    result = call(
        "qnn.conv2d",
        data,
        packed.weight,
        zero_point,
        packed.zero_point,
        scale,
        packed.scale,
        kernel_size=shape[2:],
        channels=shape[0],
        strides=packed.stride,
        padding=(0, 0, 0, 0),
        dilation=packed.dilation,
        groups=packed.groups,
        out_dtype="int32",
    )
    return _requantized(node, result, packed, scale)


@converter("quantized::conv_transpose2d")
def conv_transpose2d(node: TorchNode) -> Expr:
    """``qnn.conv2d_transpose``, ``nn.bias_add`` and ``qnn.requantize``."""
    packed = _packed(node)
    node.require(len(node) == 6, "the scale and zero point of the quantised input are not known")
    scale, zero_point = _known(node, 4), _known(node, 5)
    shape = static_shape_of(packed.weight, "the weight")
    result = call(
        "qnn.conv2d_transpose",
        node.tensor(),
        packed.weight,
        zero_point,
        packed.zero_point,
        scale,
        packed.scale,
        kernel_size=shape[2:],
        channels=shape[1],
        strides=packed.stride,
        padding=(*packed.padding, *packed.padding),
        dilation=packed.dilation,
        groups=packed.groups,
        output_padding=packed.output_padding,
        out_dtype="int32",
        kernel_layout="IOHW",
    )
    return _requantized(node, result, packed, scale)


@converter("quantized::linear", "quantized::linear_relu")
def linear(node: TorchNode) -> Expr:
    """``qnn.dense``, ``nn.bias_add`` and ``qnn.requantize``."""
    packed = _packed(node)
    node.require(len(node) == 6, "the scale and zero point of the quantised input are not known")
    scale, zero_point = _known(node, 4), _known(node, 5)
    units = static_shape_of(packed.weight, "the weight")[0]
    result = call(
        "qnn.dense", node.tensor(), packed.weight, zero_point, packed.zero_point, scale, packed.scale,
        units=units, out_dtype="int32",
    )  # fmt: skip
    return _requantized(node, result, packed, scale)


@converter("quantized::linear_dynamic", "quantized::linear_relu_dynamic")
def linear_dynamic(node: TorchNode) -> Expr:
    """``qnn.dense`` with the scale and zero point that the input has at run time."""
    packed, data = _packed(node), node.tensor()
    most = 127  # One bit less than there is, as PyTorch keeps it free.
    lowest = call("minimum", reduce("min", data), constant(0.0, "float32"))
    highest = call("maximum", reduce("max", data), constant(0.0, "float32"))
    scale = divide(subtract(highest, lowest), constant(most, "float32"))
    negative = call("negative", divide(lowest, scale))
    zero_point = cast(call("round", clip(negative, 0.0, most)), "int32")
    rounded = quantized(data, scale, zero_point)
    shape = static_shape_of(data, "the input")
    if len(shape) > 2:
        rounded = call("contrib_reverse_reshape", rounded, newshape=[-1, 0])
    units = static_shape_of(packed.weight, "the weight")[0]
    result: Expr = call(
        "qnn.dense", rounded, packed.weight, zero_point, packed.zero_point, scale, packed.scale,
        units=units, out_dtype="int32",
    )  # fmt: skip
    result = dequantized(result, multiply(scale, packed.scale), constant(0, "int32"), 1)
    if len(shape) > 2:
        result = reshape(result, [*shape[:-1], units])
    if packed.bias is not None:
        result = add(result, packed.bias)
    return call("nn.relu", result) if "relu" in node.operator else result


_BINARY = {
    "quantized::add": "qnn.add",
    "quantized::add_relu": "qnn.add",
    "quantized::mul": "qnn.mul",
    "quantized::mul_relu": "qnn.mul",
}


@converter(*_BINARY, becomes=_BINARY)
def binary(node: TorchNode) -> Expr:
    """``qnn.add`` or ``qnn.mul``; with ``clip`` at the zero point where a ``relu`` follows."""
    node.require(len(node) == 8, "the scales and zero points of the quantised inputs are not known")
    out_scale, out_zero, *scales = (node.tensor(index) for index in range(2, 8))
    result = call(
        _BINARY[node.operator], node.tensor(0), node.tensor(1), *scales, out_scale, out_zero, lhs_axis=-1, rhs_axis=-1
    )
    return clip(result, _item(out_zero), 255.0) if node.operator.endswith("_relu") else result


@converter("quantized::cat")
def cat(node: TorchNode) -> Expr:
    """``qnn.concatenate``."""
    tensors = node.tensors()
    pairs = range(4, 4 + 2 * len(tensors), 2)
    scales = Tuple(tuple(node.tensor(index) for index in pairs))
    zero_points = Tuple(tuple(node.tensor(index + 1) for index in pairs))
    return call(
        "qnn.concatenate", Tuple(tuple(tensors)), scales, zero_points, node.tensor(2), node.tensor(3),
        axis=node.integer(1),
    )  # fmt: skip


@converter("quantized::add_scalar")
def add_scalar(node: TorchNode) -> Expr:
    """What comes in, with another zero point; where that is out of bounds the sum of the numbers."""
    node.require(len(node) == 6, "the scale and zero point of the quantised input are not known")
    scale, zero_point = node.number(4), node.integer(5)
    steps = round(node.number(1) / scale)
    if 0 <= zero_point - steps <= 255:
        return node.tensor()
    data = dequantized(node.tensor(), constant(scale), constant(zero_point))
    return quantized(add(data, constant(steps * scale)), node.tensor(2), node.tensor(3), axis=1)


@converter("quantized::mul_scalar")
def mul_scalar(node: TorchNode) -> Expr:
    """What comes in, with another scale; turned round where the number is negative."""
    factor = node.number(1)
    if factor > 0:
        return node.tensor()
    if factor == 0:
        return full(constant(0), list(node.static_shape()), "uint8")
    turned = subtract(constant(np.array(255).astype(np.int8)), cast(node.tensor(), "int8"))
    return cast(turned, "uint8")


@converter("quantized::relu6")
def relu6(node: TorchNode) -> Expr:
    """``clip`` between the zero point and what stands for 6."""
    node.require(len(node) >= 3, "the scale and zero point of the quantised input are not known")
    scale, zero_point = node.number(len(node) - 2), node.integer(len(node) - 1)
    six = max(0, min(round(zero_point + 6.0 / scale), 255))
    return clip(node.tensor(), zero_point, six)


@converter("quantized::leaky_relu")
def leaky_relu(node: TorchNode) -> Expr:
    """``qnn.leaky_relu``."""
    node.require(len(node) == 7, "the scale and zero point of the quantised input are not known")
    out_scale, out_zero, scale, zero_point = (node.tensor(index) for index in range(3, 7))
    return call("qnn.leaky_relu", node.tensor(), scale, zero_point, out_scale, out_zero, alpha=node.number(1))


@converter("quantized::hardswish")
def hardswish(node: TorchNode) -> Expr:
    """``qnn.hardswish``."""
    node.require(len(node) == 5, "the scale and zero point of the quantised input are not known")
    out_scale, out_zero, scale, zero_point = (node.tensor(index) for index in range(1, 5))
    return call("qnn.hardswish", node.tensor(), scale, zero_point, out_scale, out_zero)
