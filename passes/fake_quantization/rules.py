"""What each operator becomes on integers.

Source of the rules: ``python/tvm/relay/transform/fake_quantization_to_integer.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import Call, Constant, Expr, Tuple
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from .affine_types import AffineType, TensorAffineType, TupleAffineType, same_affine_type
from .region import AffineRegion, RewriteRule, Unconvertible, register_fake_quantization_to_integer

_FLOATS = ("float32", "float64", "float16", "bfloat16")


def _requantize(data: Expr, source: TensorAffineType, target: TensorAffineType, out_dtype: str, axis: int) -> Expr:
    """``data`` of one affine type as integers of another."""
    return apply(
        "qnn.requantize",
        data,
        source.scale,
        source.zero_point,
        target.scale,
        target.zero_point,
        axis=axis,
        out_dtype=out_dtype,
    )


def _nearly_same(lhs: TensorAffineType, rhs: TensorAffineType) -> bool:
    return (
        AffineRegion.nearly_equal(lhs.scale, rhs.scale)
        and AffineRegion.nearly_equal(lhs.zero_point, rhs.zero_point)
        and lhs.dtype == rhs.dtype
    )


def _require_float_constant(expr: Expr, name: str) -> Constant:
    if not isinstance(expr, Constant) or expr.dtype not in _FLOATS:
        raise Unconvertible(f"the {name} is neither quantised nor a constant")
    return expr


@register_fake_quantization_to_integer("qnn.dequantize")
def _dequantize(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    """Gone."""
    return call.args[0], region.tensor_type(call)


@register_fake_quantization_to_integer("qnn.quantize")
def _quantize(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    """A requantisation, or nothing where the integers are the right ones already."""
    attrs: Any = call.attrs
    data, scale, zero_point = call.args
    type = region.tensor_type(data)
    result = TensorAffineType(scale, zero_point, attrs.out_dtype, attrs.axis)
    folded = replace(type, scale=AffineRegion.folded(type.scale), zero_point=AffineRegion.folded(type.zero_point))
    if not _nearly_same(folded, result):
        data = _requantize(data, folded, result, attrs.out_dtype, type.axis)
    return data, result


@register_fake_quantization_to_integer(
    "reshape",
    "squeeze",
    "strided_slice",
    "transpose",
    "expand_dims",
    "nn.max_pool2d",
    "nn.batch_flatten",
    "nn.depth_to_space",
    "max",
    "min",
    "image.resize2d",
)
def _identity(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    """The same operator on integers: it moves or chooses values."""
    if len(call.args) != 1:
        raise Unconvertible(f"{call.op!r} has more than one argument")
    return call, region.tensor_type(call.args[0])


@register_fake_quantization_to_integer("broadcast_to")
def _broadcast_to(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    return apply("broadcast_to", call.args[0], shape=attrs.shape), region.tensor_type(call.args[0])


@register_fake_quantization_to_integer("take")
def _take(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    return Call(call.op, call.args, call.attrs), region.tensor_type(call.args[0])


@register_fake_quantization_to_integer("topk")
def _topk(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    if attrs.ret_type != "values":
        raise Unconvertible("topk gives indices")
    return call, region.tensor_type(call.args[0])


@register_fake_quantization_to_integer("split")
def _split(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    sections = attrs.indices_or_sections
    count = sections if isinstance(sections, int) else len(sections) + 1
    return call, TupleAffineType((region.tensor_type(call.args[0]),) * count)


def _widened(data: Expr, source: TensorAffineType, target: TensorAffineType) -> Expr:
    """``data`` as 32-bit integers of another affine type, to be summed up."""
    if _nearly_same(source, target):
        return apply("cast", data, dtype="int32")
    return _requantize(data, source, target, "int32", source.axis)


@register_fake_quantization_to_integer("nn.adaptive_avg_pool1d")
def _adaptive_avg_pool1d(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    type, result = region.tensor_type(call.args[0]), region.result_type()
    data = _widened(call.args[0], type, result)
    return apply("nn.adaptive_avg_pool1d", data, output_size=attrs.output_size), replace(result, dtype="int32")


@register_fake_quantization_to_integer("nn.avg_pool2d")
def _avg_pool2d(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    type, result = region.tensor_type(call.args[0]), region.result_type()
    data = _widened(call.args[0], type, result)
    out: Expr = Call(call.op, (data,), replace(attrs, padding=padding_on_both_sides(attrs.padding, 2)))
    if result.dtype != "int32":
        bounds = np.iinfo(str(result.dtype))
        out = apply("clip", out, a_min=float(bounds.min), a_max=float(bounds.max))
        out = apply("cast", out, dtype=result.dtype)
    return out, result


@register_fake_quantization_to_integer("nn.global_avg_pool2d")
def _global_avg_pool2d(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    type, result = region.tensor_type(call.args[0]), region.result_type()
    data = _widened(call.args[0], type, result)
    return apply("nn.global_avg_pool2d", data), replace(result, dtype="int32")


@register_fake_quantization_to_integer("mean")
def _mean(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    type = region.tensor_type(call.args[0])
    out = Call(call.op, (apply("cast", call.args[0], dtype="int32"),), call.attrs)
    return apply("cast", out, dtype=type.dtype), type


@register_fake_quantization_to_integer("nn.bias_add")
def _bias_add(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    data, bias = call.args
    type = region.tensor_type(data)
    if region.is_quantized(bias):
        bias_type = region.tensor_type(bias)
        if not _nearly_same(type, bias_type):
            target = replace(
                type, scale=AffineRegion.folded(type.scale), zero_point=AffineRegion.folded(type.zero_point)
            )
            bias = _requantize(bias, bias_type, target, type.dtype, 0)
    else:
        bias = _require_float_constant(bias, "bias")
        bias = apply("qnn.quantize", bias, type.scale, type.zero_point, axis=0, out_dtype=type.dtype)
    return Call(call.op, (data, bias), call.attrs), type


def _product_type(lhs: TensorAffineType, rhs: TensorAffineType, axis: int) -> TensorAffineType:
    """What 32-bit sums of products of two tensors stand for."""
    scale = AffineRegion.folded(apply("multiply", lhs.scale, rhs.scale))
    zeros = AffineRegion.folded(apply("cast", apply("zeros_like", scale), dtype="int32"))
    return TensorAffineType(scale, zeros, "int32", axis)


def _parameters(lhs: TensorAffineType, rhs: TensorAffineType) -> tuple[Expr, ...]:
    """The arguments that quantised products have besides their operands."""
    return lhs.zero_point, rhs.zero_point, lhs.scale, rhs.scale


def _channel_axis(layout: str) -> int:
    """The axis that TVM takes for that of the channels: right in ``NCHW``, and kept as it is in other layouts."""
    if sorted(layout) != sorted("NCHW"):
        raise Unconvertible(f"the layout {layout} is no order of NCHW")
    return "NCHW".index(layout[1])


@register_fake_quantization_to_integer("nn.conv2d", "nn.conv2d_transpose")
def _convolution(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    data, weight = call.args
    data_type, weight_type = region.tensor_type(data), region.tensor_type(weight)
    operator: Any = call.op
    result = _product_type(data_type, weight_type, _channel_axis(attrs.out_layout or attrs.data_layout))
    options = {name: getattr(attrs, name) for name in attrs.fields()}
    options.update(out_dtype="int32", padding=padding_on_both_sides(attrs.padding, 2))
    name = f"qnn.{operator.name.removeprefix('nn.')}"
    return apply(name, data, weight, *_parameters(data_type, weight_type), **options), result


@register_fake_quantization_to_integer("nn.dense")
def _dense(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    data, weight = call.args
    data_type, weight_type = region.tensor_type(data), region.tensor_type(weight)
    parameters = _parameters(data_type, weight_type)
    out = apply("qnn.dense", data, weight, *parameters, units=attrs.units, out_dtype="int32")
    return out, _product_type(data_type, weight_type, 1)


@register_fake_quantization_to_integer("nn.batch_matmul")
def _batch_matmul(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    lhs, rhs = call.args
    lhs_type, rhs_type = region.tensor_type(lhs), region.tensor_type(rhs)
    out = apply(
        "qnn.batch_matmul",
        lhs,
        rhs,
        *_parameters(lhs_type, rhs_type),
        out_dtype="int32",
        transpose_a=False,
        transpose_b=True,
    )
    scale = AffineRegion.folded(apply("multiply", lhs_type.scale, rhs_type.scale))
    return out, TensorAffineType(scale, constant(0), "int32", lhs_type.axis)


@register_fake_quantization_to_integer("concatenate")
def _concatenate(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    types = region.tuple_type(call.args[0]).types
    result = region.result_type()
    out = apply(
        "qnn.concatenate",
        call.args[0],
        Tuple(tuple(type.scale for type in types)),
        Tuple(tuple(type.zero_point for type in types)),
        result.scale,
        result.zero_point,
        axis=attrs.axis,
    )
    return out, result


@register_fake_quantization_to_integer("clip")
def _clip(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    attrs: Any = call.attrs
    data = call.args[0]
    type = region.tensor_type(data)
    scale, zero_point = AffineRegion.folded(type.scale), AffineRegion.folded(type.zero_point)
    if _has_one_element(scale) and _has_one_element(zero_point):
        step, offset = scale.data.item(), zero_point.data.item()
        bounds = [bound / step + offset if step else math.inf for bound in (attrs.a_min, attrs.a_max)]
        if not all(map(math.isfinite, bounds)):
            raise Unconvertible("the bounds of clip are infinite")
        return apply("clip", data, a_min=float(int(bounds[0])), a_max=float(int(bounds[1]))), type
    limits: list[Expr] = []
    scale_shape = region.shape_of(scale)
    for bound in (attrs.a_min, attrs.a_max):
        limit: Expr = constant(float(bound))
        if scale_shape and scale_shape[0] > 1:
            limit = _along_axis(limit, scale_shape, type.axis, len(region.shape_of(data)))
        limit = apply("qnn.quantize", limit, scale, zero_point, axis=type.axis, out_dtype=type.dtype)
        limits.append(AffineRegion.folded(limit))
    return apply("minimum", apply("maximum", data, limits[0]), limits[1]), type


def _has_one_element(value: Expr) -> TypeGuard[Constant]:
    return isinstance(value, Constant) and value.data.size == 1


def _along_axis(value: Expr, shape: tuple[int, ...], axis: int, rank: int) -> Expr:
    """A scalar as a vector along one axis of a tensor."""
    newshape = [1] * rank
    newshape[axis] = -1
    return apply("reshape", apply("broadcast_to", value, shape=shape), newshape=tuple(newshape))


@register_fake_quantization_to_integer("nn.relu")
def _relu(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    data = call.args[0]
    type = region.tensor_type(data)
    scale_shape = region.shape_of(type.scale)
    if len(scale_shape) > 1:
        raise Unconvertible("the scale has more than one axis")
    zero = type.zero_point
    if scale_shape and scale_shape[0] > 1:
        zero = _along_axis(zero, scale_shape, type.axis, len(region.shape_of(data)))
    return apply("maximum", data, AffineRegion.folded(apply("cast", zero, dtype=type.dtype))), type


@register_fake_quantization_to_integer("nn.leaky_relu")
def _leaky_relu(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    """TVM applies the quantised operator to the result of the plain one, and so does this."""
    attrs: Any = call.attrs
    type, result = region.tensor_type(call.args[0]), region.result_type()
    parameters = (type.scale, type.zero_point, result.scale, result.zero_point)
    return apply("qnn.leaky_relu", call, *parameters, alpha=attrs.alpha), type


@register_fake_quantization_to_integer("nn.pad")
def _pad(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    data, value = call.args
    type = region.tensor_type(data)
    if region.is_quantized(value):
        value_type = region.tensor_type(value)
        if not same_affine_type(type, value_type):
            value = _requantize(value, value_type, type, type.dtype, value_type.axis)
    else:
        value = _require_float_constant(value, "padded value")
        value = apply("qnn.quantize", value, type.scale, type.zero_point, axis=-1, out_dtype="int8")
    return Call(call.op, (data, value), call.attrs), type


def _operands(
    call: Call, region: AffineRegion
) -> tuple[Expr, Expr, TensorAffineType, TensorAffineType, TensorAffineType]:
    """Both operands, what they stand for, and what the result will: a constant operand is quantised like the other."""
    left, right = call.args
    left_type = region.tensor_type(left) if region.is_quantized(left) else None
    right_type = region.tensor_type(right) if region.is_quantized(right) else None
    result = region.result_type()
    known = left_type or right_type
    if known is None:
        raise Unconvertible("neither operand is quantised")

    def quantized(operand: Expr) -> Expr:
        if not isinstance(operand, Constant):
            raise Unconvertible("an operand is neither quantised nor a constant")
        return apply("qnn.quantize", operand, known.scale, known.zero_point, axis=-1, out_dtype=known.dtype)

    if left_type is None:
        left, left_type = quantized(left), known
    if right_type is None:
        right, right_type = quantized(right), known
    return left, right, left_type, right_type, result if left_type.dtype == result.dtype else left_type


def _require_scalar(value: Expr, name: str) -> Constant:
    if not isinstance(value, Constant) or value.data.ndim:
        raise Unconvertible(f"the {name} of the result must be a constant scalar")
    return value


def _binary(operator: str, quantized_operator: str) -> RewriteRule:
    def rule(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
        left, right, left_type, right_type, result = _operands(call, region)
        if (
            operator == "add"
            and _nearly_same(left_type, right_type)
            and left_type.dtype == "int32"
            and AffineRegion.nearly_equal(left_type.scale, result.scale)
            and AffineRegion.nearly_equal(left_type.zero_point, result.zero_point)
            and _is_zero(result.zero_point)
        ):
            # A bias after a convolution or a product, whose scale may be a vector.
            return apply("add", left, right), left_type
        _require_scalar(result.scale, "scale")
        _require_scalar(result.zero_point, "zero point")
        out = apply(
            quantized_operator,
            left,
            right,
            left_type.scale,
            left_type.zero_point,
            right_type.scale,
            right_type.zero_point,
            result.scale,
            result.zero_point,
            lhs_axis=left_type.axis,
            rhs_axis=right_type.axis,
        )
        return out, result

    return rule


def _is_zero(value: Expr) -> bool:
    if not isinstance(value, Constant):
        raise Unconvertible("the zero point of the result must be a constant")
    return not value.data.any()


for _name, _quantized in (("add", "qnn.add"), ("multiply", "qnn.mul"), ("subtract", "qnn.subtract")):
    register_fake_quantization_to_integer(_name)(_binary(_name, _quantized))


@register_fake_quantization_to_integer("minimum", "maximum")
def _choice(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
    """The same operator on integers, once both operands stand for the same."""
    left, right, left_type, right_type, result = _operands(call, region)
    if not same_affine_type(left_type, result):
        left = _requantize(left, left_type, result, result.dtype, left_type.axis)
    if not same_affine_type(right_type, result):
        right = _requantize(right, right_type, result, result.dtype, right_type.axis)
    return Call(call.op, (left, right)), result


def _unary(quantized_operator: str) -> Callable[[Call, AffineRegion], tuple[Expr, AffineType]]:
    def rule(call: Call, region: AffineRegion) -> tuple[Expr, AffineType]:
        type, result = region.tensor_type(call.args[0]), region.result_type()
        parameters = (type.scale, type.zero_point, result.scale, result.zero_point)
        return apply(quantized_operator, call.args[0], *parameters), result

    return rule


for _name in ("sqrt", "rsqrt", "exp", "erf", "sigmoid", "tanh", "abs", "log"):
    register_fake_quantization_to_integer(_name)(_unary(f"qnn.{_name}"))
