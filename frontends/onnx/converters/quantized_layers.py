"""Layers on quantised tensors. What onnxruntime computes in floating point is dequantised and quantised again."""

from __future__ import annotations

import math

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple, Var

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import add, cast, expand_dims, multiply, squeeze, transpose
from ..node import MICROSOFT, OnnxNode, converter
from .convolution import window
from .matrices import batched_product
from .paddings import auto_pad, same_pads
from .pooling import global_pool, pool
from .quantization import dequantize, each_channel, quantize, scalar

# ---- element by element


def _quantized_unary(node: OnnxNode, apply: str, **attributes: object) -> Expr:
    scale, zero_point = scalar(node, 1), scalar(node, 2, "int32")
    out_scale, out_zero_point = node.fold(scalar(node, 3)), scalar(node, 4, "int32")
    result = call(apply, dequantize(node.input(), scale, zero_point), **attributes)
    return quantize(result, out_scale, out_zero_point, node.dtype())


@converter("QLinearSigmoid", domain=MICROSOFT, since=10)
def quantized_sigmoid(node: OnnxNode) -> Expr:
    """``sigmoid`` of dequantised numbers, quantised again."""
    return _quantized_unary(node, "sigmoid")


@converter("QLinearLeakyRelu", domain=MICROSOFT, since=10)
def quantized_leaky_relu(node: OnnxNode) -> Expr:
    """``nn.leaky_relu`` of dequantised numbers, quantised again."""
    return _quantized_unary(node, "nn.leaky_relu", alpha=node.float("alpha", 1.0))


@converter("QLinearSoftmax", domain=MICROSOFT)
def quantized_softmax(node: OnnxNode) -> Expr:
    """``nn.softmax`` of dequantised numbers, quantised again."""
    return _quantized_unary(node, "nn.softmax", axis=node.int("axis", -1))


def _quantized_binary(node: OnnxNode, operator: str, folded: bool) -> Expr:
    lhs = dequantize(node.input(0), scalar(node, 1), scalar(node, 2, "int32"))
    rhs = dequantize(node.input(3), scalar(node, 4), scalar(node, 5, "int32"))
    scale = scalar(node, 6)
    result = call(operator, lhs, rhs)
    return quantize(result, node.fold(scale) if folded else scale, scalar(node, 7, "int32"), node.dtype())


@converter("QLinearAdd", domain=MICROSOFT, since=10)
def quantized_add(node: OnnxNode) -> Expr:
    """``add`` of dequantised numbers, quantised again."""
    return _quantized_binary(node, "add", folded=False)


@converter("QLinearMul", domain=MICROSOFT, since=10)
def quantized_multiply(node: OnnxNode) -> Expr:
    """``multiply`` of dequantised numbers, quantised again."""
    return _quantized_binary(node, "multiply", folded=True)


@converter("QLinearConcat", domain=MICROSOFT)
def quantized_concat(node: OnnxNode) -> Expr:
    """``qnn.concatenate``."""
    if len(node.inputs) % 3 != 2:
        raise ConversionError("after the scale and zero point come tensors, each with its scale and zero point")
    scale, zero_point = node.fold(scalar(node, 0)), scalar(node, 1, "int32")
    places = range(2, len(node.inputs), 3)
    tensors = Tuple(tuple(node.input(place) for place in places))
    scales = Tuple(tuple(scalar(node, place + 1) for place in places))
    zero_points = Tuple(tuple(scalar(node, place + 2, "int32") for place in places))
    return call("qnn.concatenate", tensors, scales, zero_points, scale, zero_point, axis=node.int("axis"))


# ---- pooling


@converter("QLinearAveragePool", domain=MICROSOFT)
def quantized_average_pool(node: OnnxNode) -> Expr:
    """``nn.avg_pool`` of dequantised numbers, quantised again."""
    scale, zero_point = scalar(node, 1), scalar(node, 2, "int32")
    out_scale, out_zero_point = node.fold(scalar(node, 3)), scalar(node, 4, "int32")
    result = pool(node, "avg", dequantize(node.input(), scale, zero_point))
    return quantize(result, out_scale, out_zero_point, node.dtype())


@converter("QLinearGlobalAveragePool", domain=MICROSOFT)
def quantized_global_average_pool(node: OnnxNode) -> Expr:
    """``nn.global_avg_pool2d`` of dequantised numbers, quantised again."""
    scale, zero_point = scalar(node, 1), scalar(node, 2, "int32")
    out_scale, out_zero_point = node.fold(scalar(node, 3)), scalar(node, 4, "int32")
    if node.int("channels_last", 0):
        raise node.invalid("channels_last", "channels are expected first")
    result = global_pool(dequantize(node.input(), scale, zero_point), "avg")
    return quantize(result, out_scale, out_zero_point, node.dtype())


# ---- convolutions


def _convolution(
    node: OnnxNode, weight: Expr, zero_points: tuple[Expr, Expr], scales: tuple[Expr, Expr], pad_value: Expr
) -> Expr:
    data = node.input()
    weight_shape = static_shape_of(weight, "the weight")
    shape = window(node, weight_shape)
    if rank_of(data) != 4:
        raise ConversionError("quantised convolutions have two spatial dimensions")
    mode = auto_pad(node)
    pads = shape.pads
    if mode.startswith("SAME"):
        data = same_pads(node, data, shape.strides, shape.kernel, shape.dilations, mode, node.fold(pad_value))
    elif mode == "VALID":
        pads = (0,) * 4
    return call(
        "qnn.conv2d",
        data,
        weight,
        *zero_points,
        *scales,
        kernel_size=shape.kernel,
        channels=weight_shape[0],
        strides=shape.strides,
        padding=pads,
        dilation=shape.dilations,
        groups=shape.groups,
        out_dtype="int32",
    )


@converter("QLinearConv", since=10)
def quantized_conv(node: OnnxNode) -> Expr:
    """``qnn.conv2d``, ``nn.bias_add`` and ``qnn.requantize``."""
    scale, zero_point = scalar(node, 1), scalar(node, 2, "int32")
    weight = node.input(3)
    weight_scale, weight_zero_point = each_channel(node, 4), each_channel(node, 5, "int32")
    out_scale, out_zero_point = node.fold(scalar(node, 6)), scalar(node, 7, "int32")
    channels = shape_of(weight)[0]
    for index, operand in ((4, weight_scale), (5, weight_zero_point)):
        if rank_of(operand) == 1 and shape_of(operand)[0] not in (channels, 1):
            raise ConversionError(f"there must be {channels} numbers, one for each channel", input=str(index))
    result = _convolution(node, weight, (zero_point, weight_zero_point), (scale, weight_scale), zero_point)
    if node[8] is not None:
        result = call("nn.bias_add", result, node.input(8))
    return _requantized(
        result, multiply(scale, weight_scale), out_scale, out_zero_point, node.dtype(7), axis=1, rounding="None"
    )


def _requantized(
    data: Expr, scale: Expr, out_scale: Expr, out_zero_point: Expr, dtype: str, axis: int, rounding: str
) -> Expr:
    """``qnn.requantize``, whose scale must be constant; else dequantised and quantised."""
    zero = constant(0, "int32")
    if isinstance(out_scale, Constant):
        return call(
            "qnn.requantize",
            data,
            scale,
            zero,
            out_scale,
            out_zero_point,
            axis=axis,
            rounding=rounding,
            compute_dtype="None",
            out_dtype=dtype,
        )
    # The other form counts the axis of a matrix from its rows, as TVM's does.
    axis = max(axis, 0)
    return quantize(dequantize(data, scale, zero, axis), out_scale, out_zero_point, dtype, axis)


@converter("ConvInteger", since=10)
def conv_of_integers(node: OnnxNode) -> Expr:
    """``qnn.conv2d`` with scales of 1."""
    zero_points: list[Expr] = []
    for index in (2, 3):
        given = constant(0, "int32") if node[index] is None else node.input(index)
        zero_points.append(cast(given, "int32"))
    pad_value = constant(0, "int32") if node[2] is None else node.input(2)
    one = constant(1.0, "float32")
    return _convolution(
        node, node.input(1), (zero_points[0], zero_points[1]), (one, constant(1.0, "float32")), pad_value
    )


# ---- matrix products


def _resolved(node: OnnxNode, value: Expr, dtype: str | None = None) -> Expr:
    """A scale or zero point as a constant scalar, where it is one."""
    known = node.parameter_value(value)
    resolved: Expr = value if known is None else Constant(known)
    shape = shape_of(value)
    if shape and all(isinstance(dim, int) for dim in shape) and math.prod(static_shape_of(value)) == 1:
        resolved = squeeze(resolved)
    if dtype is not None and dtype_of(value) != dtype:
        resolved = cast(resolved, dtype)
    return node.fold(resolved)


def _quantized_product(
    node: OnnxNode, a: Expr, b: Expr, zero_points: tuple[Expr, Expr], scales: tuple[Expr, Expr]
) -> Expr:
    units = shape_of(b)[-1]
    operands = (*zero_points, *scales)

    def dense(lhs: Expr, rhs: Expr) -> Expr:
        return call("qnn.dense", lhs, rhs, *operands, units=units, out_dtype="int32")

    def batch(lhs: Expr, rhs: Expr) -> Expr:
        turned = transpose(rhs, [0, 2, 1])
        options = {"out_dtype": "int32", "transpose_a": False, "transpose_b": True}
        return call("qnn.batch_matmul", lhs, turned, *operands, **options)

    if rank_of(a) > 2 or rank_of(b) > 2:
        return batched_product(node, a, b, dense, batch)
    if rank_of(a) == 1:
        return squeeze(dense(expand_dims(a, 0), transpose(b)), [0])
    return dense(a, transpose(b))


@converter("QLinearMatMul", since=10)
def quantized_matmul(node: OnnxNode) -> Expr:
    """``qnn.dense`` or ``qnn.batch_matmul``, and ``qnn.requantize``."""
    node.require_inputs(8)
    for index in (0, 3):
        if node.dtype(index) not in ("int8", "uint8"):
            raise ConversionError(f"the operands must be int8 or uint8, not {node.dtype(index)}", input=str(index))
    a_scale, a_zero_point = _resolved(node, node.input(1)), _resolved(node, node.input(2), "int32")
    b_scale, b_zero_point = _resolved(node, node.input(4)), _resolved(node, node.input(5), "int32")
    out_scale, out_zero_point = _resolved(node, node.input(6)), _resolved(node, node.input(7), "int32")
    result = _quantized_product(node, node.input(0), node.input(3), (a_zero_point, b_zero_point), (a_scale, b_scale))
    scale = node.fold(multiply(a_scale, b_scale))
    return _requantized(result, scale, out_scale, out_zero_point, node.dtype(7), axis=-1, rounding="TONEAREST")


@converter("MatMulInteger", since=10)
def matmul_of_integers(node: OnnxNode) -> Expr:
    """``qnn.dense`` or ``qnn.batch_matmul`` with scales of 1."""
    for index in (0, 1):
        if node.dtype(index) not in ("int8", "uint8"):
            raise ConversionError(f"the operands must be int8 or uint8, not {node.dtype(index)}", input=str(index))
    zero_points: list[Expr] = []
    for index in (0, 1):
        given = node[2 + index]
        zero_points.append(_resolved(node, constant(0, node.dtype(index)) if given is None else given, "int32"))
    one, other = constant(1.0, "float32"), constant(1.0, "float32")
    return _quantized_product(node, node.input(0), node.input(1), (zero_points[0], zero_points[1]), (one, other))


@converter("QGemm", domain=MICROSOFT)
def quantized_gemm(node: OnnxNode) -> Expr:
    """``qnn.dense`` with a bias, requantised, or scaled to floating point where there is no output scale."""
    a, a_scale, a_zero_point = node.input(0), scalar(node, 1), scalar(node, 2, "int32")
    b, b_scale, b_zero_point = node.input(3), each_channel(node, 4), each_channel(node, 5, "int32")
    bias, out_scale = node[6], node[7]
    if rank_of(a) != 2 or rank_of(b) != 2:
        raise ConversionError("the operands must be matrices")
    if shape_of(b_scale) != shape_of(b_zero_point):
        raise ConversionError("the scale and the zero point of the second operand must have one shape", input="5")
    dtype, alpha = node.dtype(), node.float("alpha", 1.0)
    is_transposed = bool(node.int("transB", 0))
    units = shape_of(b)[0 if is_transposed else 1]
    if node.int("transA", 0):
        a = transpose(a, [1, 0])
    if not is_transposed:
        b = transpose(b, [1, 0])
    result = call("qnn.dense", a, b, a_zero_point, b_zero_point, a_scale, b_scale, units=units, out_dtype="int32")
    if bias is not None:
        result = add(result, bias)
    scale = multiply(a_scale, b_scale)
    if alpha != 1.0:
        scale = multiply(scale, constant(alpha, "float32"))
    if out_scale is None:
        return multiply(cast(result, "float32"), scale)
    if isinstance(out_scale, Var):
        out_scale = node.fold(scalar(node, 7)) if node.parameter_value(out_scale) is not None else out_scale
    out_zero_point = scalar(node, 8, "int32") if node[8] is not None else constant(0, "int32")
    return _requantized(result, scale, out_scale, out_zero_point, dtype, axis=-1, rounding="TONEAREST")
