"""Quantised operators that work element by element, in operators that are not quantised.

Source of the rule: ``src/relay/qnn/op/add.cc``, ``subtract.cc``, ``mul.cc``, ``leaky_relu.cc``, ``concatenate.cc``,
``quantize.cc``, ``dequantize.cc``, ``unary_elementwise_op.cc``, ``op_common.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call, Expr, Tuple, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType, TupleType

from ..construction import expand_bias_to_match_axis, is_equal_scalar, scalar
from .operator_call import LegalizationRule, OperatorCall
from .requantization import (
    cast,
    clipped_to,
    fixed_point_multiply,
    is_constant_scalar,
    requantized,
    tensor,
    zero_point_along,
)

__all__ = ["ELEMENTWISE"]


@dataclass(frozen=True, slots=True)
class _Quantization:
    """How a tensor is quantised."""

    scale: Expr
    zero_point: Expr

    def equals(self, other: _Quantization) -> bool:
        """Whether both are the same constant scalars."""
        return is_equal_scalar(self.scale, other.scale) and is_equal_scalar(self.zero_point, other.zero_point)


def _moved(
    call: OperatorCall,
    value: Expr,
    shape: tuple[Dim, ...],
    source: _Quantization,
    target: _Quantization,
    dtype: str,
    axis: int = -1,
) -> Expr:
    scales, zero_points = (source.scale, target.scale), (source.zero_point, target.zero_point)
    return requantized(call, value, shape, scales, zero_points, dtype, axis=axis)


def _quantizations(call: OperatorCall) -> tuple[_Quantization, _Quantization, _Quantization]:
    """Those of the left operand, of the right one and of the result."""
    _, _, *pairs = call.args
    left, right, output = (_Quantization(pairs[at], pairs[at + 1]) for at in (0, 2, 4))
    return left, right, output


def _sum(name: str, inverse: str) -> LegalizationRule:
    """Both operands as the result is quantised, then the operator, less the zero point that it leaves over."""

    def rule(call: OperatorCall) -> Expr:
        data = call.tensor_type(0)
        left, right, output = _quantizations(call)
        operands = [
            cast(value, "int32") if own.equals(output) else _moved(call, value, data.shape, own, output, "int32", axis)
            for value, own, axis in (
                (call.args[0], left, call.attrs.lhs_axis),
                (call.args[1], right, call.attrs.rhs_axis),
            )
        ]
        result = apply(name, *operands)
        if not is_equal_scalar(output.zero_point, scalar(0, "int32")):
            result = apply(inverse, result, output.zero_point)
        return clipped_to(result, data.dtype)

    return rule


def _product(call: OperatorCall) -> Expr:
    """The product of the operands less their zero points has the product of their scales."""
    data = call.tensor_type(0)
    left, right, output = _quantizations(call)
    per_tensor = is_constant_scalar(left.scale) and is_constant_scalar(right.scale)
    axis: int = -1 if per_tensor else call.attrs.lhs_axis
    if not per_tensor and call.attrs.lhs_axis != call.attrs.rhs_axis:
        raise call.refused("both operands must be quantised along the same axis")
    zero = scalar(0, "int32")
    operands: list[Expr] = [cast(call.args[0], "int32"), cast(call.args[1], "int32")]
    for side, own in enumerate((left, right)):
        if is_equal_scalar(own.zero_point, zero):
            continue
        zero_point = own.zero_point if per_tensor else zero_point_along(own.zero_point, data.ndim, axis, "int32")
        operands[side] = apply("subtract", operands[side], zero_point)
    product = apply("multiply", *operands)
    scales = [call.constant(own.scale, "the scale of an operand").data for own in (left, right)]
    if per_tensor:
        combined = scalar(float(scales[0].reshape(()) * scales[1].reshape(())), "float32")
    else:
        # TVM reads past the end of the shorter one; a single scale is meant for every channel.
        combined = tensor(scales[0].reshape(-1).astype(np.float64) * scales[1].reshape(-1), "float32")
    return _moved(call, product, data.shape, _Quantization(combined, zero), output, data.dtype, axis)


def _leaky_relu(call: OperatorCall) -> Expr:
    """In fixed point: what lies below the zero point is multiplied by ``alpha``, with its zero point put right."""
    data_type = call.tensor_type(0)
    alpha: float = call.attrs.alpha
    data = cast(call.args[0], "int32")
    source = _Quantization(call.args[1], cast(call.args[2], "int32"))
    target = _Quantization(call.args[3], cast(call.args[4], "int32"))
    moved = _moved(call, data, data_type.shape, source, target, "int32")
    scaled = fixed_point_multiply(moved, alpha)
    negative = apply("add", scaled, fixed_point_multiply(target.zero_point, 1 - alpha))
    return clipped_to(apply("where", apply("less", data, source.zero_point), negative, moved), data_type.dtype)


def _concatenation(call: OperatorCall) -> Expr:
    """Each tensor as the result is quantised, then all joined."""
    data, scales, zero_points, output_scale, output_zero_point = call.args
    types = call.types[0]
    if not isinstance(types, TupleType) or not isinstance(scales, Tuple) or not isinstance(zero_points, Tuple):
        raise call.refused("its scales and zero points must be written out as tuples")
    if isinstance(data, Tuple):
        values: tuple[Expr, ...] = data.fields
    elif isinstance(data, Call):
        values = tuple(TupleGetItem(data, index) for index in range(len(types.fields)))
    else:
        raise call.refused("its data must be a tuple that is written out, or a call")
    output = _Quantization(output_scale, output_zero_point)
    fields: list[Expr] = []
    for value, type, scale, zero_point in zip(values, types.fields, scales.fields, zero_points.fields, strict=True):
        own = _Quantization(scale, zero_point)
        if not isinstance(type, TensorType):
            raise call.refused("its data must be a tuple of tensors")
        fields.append(value if own.equals(output) else _moved(call, value, type.shape, own, output, type.dtype))
    return apply("concatenate", Tuple(tuple(fields)), axis=call.attrs.axis)


def _requantize(call: OperatorCall) -> Expr:
    value, input_scale, input_zero_point, output_scale, output_zero_point = call.args
    return requantized(
        call,
        value,
        call.tensor_type(0).shape,
        (input_scale, output_scale),
        (input_zero_point, output_zero_point),
        call.attrs.out_dtype,
        axis=call.attrs.axis,
        rounding=call.attrs.rounding,
        compute_dtype=call.attrs.compute_dtype,
    )


def _parameter_along(parameter: Expr, is_scalar: bool, rank: int, axis: int) -> Expr:
    """A scale or zero point that broadcasts along ``axis`` of a tensor of ``rank`` dimensions."""
    if is_constant_scalar(parameter) or is_scalar:
        return parameter
    return expand_bias_to_match_axis(parameter, rank, (axis + rank if axis < 0 else axis,))


def _quantized(value: Expr, scale: Expr, zero_point: Expr, dtype: str) -> Expr:
    """Real numbers as integers of ``dtype``; the parameters broadcast."""
    steps = apply("round", apply("divide", value, scale))
    return clipped_to(apply("add", steps, cast(zero_point, "float32")), dtype)


def _dequantized(value: Expr, scale: Expr, zero_point: Expr) -> Expr:
    """Quantised integers as real numbers; the parameters broadcast."""
    steps = apply("subtract", cast(value, "int32"), zero_point)
    return apply("multiply", cast(steps, "float32"), scale)


def _quantize(call: OperatorCall) -> Expr:
    value, scale, zero_point = call.args
    rank, axis = call.tensor_type(0).ndim, call.attrs.axis
    scale = _parameter_along(scale, call.is_scalar(1), rank, axis)
    zero_point = _parameter_along(zero_point, call.is_scalar(2), rank, axis)
    return _quantized(value, scale, zero_point, call.attrs.out_dtype)


def _dequantize(call: OperatorCall) -> Expr:
    value, scale, zero_point = call.args
    rank, axis = call.tensor_type(0).ndim, call.attrs.axis
    scale = _parameter_along(scale, call.is_scalar(1), rank, axis)
    zero_point = _parameter_along(zero_point, call.is_scalar(2), rank, axis)
    return _dequantized(value, scale, zero_point)


def _hardswish(value: Expr) -> Expr:
    bounded = apply("clip", apply("add", value, scalar(3.0, "float32")), a_min=0.0, a_max=6.0)
    return apply("divide", apply("multiply", value, bounded), scalar(6.0, "float32"))


def _through_reals(function: Callable[[Expr], Expr]) -> LegalizationRule:
    """Dequantise, apply ``function`` to real numbers, quantise."""

    def rule(call: OperatorCall) -> Expr:
        value, scale, zero_point, output_scale, output_zero_point = call.args
        reals = function(_dequantized(value, scale, zero_point))
        return _quantized(reals, output_scale, output_zero_point, call.tensor_type(0).dtype)

    return rule


def _plain(name: str) -> LegalizationRule:
    return _through_reals(lambda value: apply(name, value))


ELEMENTWISE: Final[Mapping[str, LegalizationRule]] = {
    "qnn.add": _sum("add", "subtract"),
    "qnn.subtract": _sum("subtract", "add"),
    "qnn.mul": _product,
    "qnn.leaky_relu": _leaky_relu,
    "qnn.concatenate": _concatenation,
    "qnn.requantize": _requantize,
    "qnn.quantize": _quantize,
    "qnn.dequantize": _dequantize,
    "qnn.hardswish": _through_reals(_hardswish),
    **{f"qnn.{name}": _plain(name) for name in ("abs", "erf", "exp", "log", "rsqrt", "sigmoid", "sqrt", "tanh")},
}
