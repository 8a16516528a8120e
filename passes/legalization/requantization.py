"""Quantised numbers from one scale and zero point to another, in operators that are not quantised.

Source of the rule: ``src/relay/qnn/utils.cc``, ``src/relay/qnn/op/requantize.cc``, ``requantize_config.h``. For a
current target with SSE4.1 it computes in ``float32`` and rounds with one instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.qnn.fixed_point import significand_and_exponent

from ..construction import expand_bias_to_match_axis, is_equal_scalar, scalar
from ..targets import current_target
from ..targets.x86 import has_sse41
from .operator_call import OperatorCall

__all__ = [
    "cast",
    "clipped_to",
    "fixed_point_multiply",
    "fixed_point_multiply_to_nearest",
    "is_constant_scalar",
    "requantized",
    "tensor",
    "zero_point_along",
]

_POINT = 31
"""The binary point of a significand stands between its bits 31 and 30."""


def cast(value: Expr, dtype: str) -> Call:
    """``value`` as ``dtype``."""
    return apply("cast", value, dtype=dtype)


def tensor(values: object, dtype: str) -> Constant:
    """A constant of any rank."""
    return Constant(np.asarray(values).astype(numpy_dtype(dtype)), dtype)


def is_constant_scalar(value: Expr) -> bool:
    """Whether ``value`` is a constant of rank 0."""
    return isinstance(value, Constant) and value.is_scalar


def clipped_to(value: Expr, dtype: str) -> Expr:
    """``value`` limited to what the integer ``dtype`` holds, and converted to it."""
    bounds = np.iinfo(dtype)
    return cast(apply("clip", value, a_min=float(bounds.min), a_max=float(bounds.max)), dtype)


def zero_point_along(zero_point: Expr, rank: int, axis: int, dtype: str) -> Expr:
    """``zero_point`` as ``dtype``, so that it broadcasts along ``axis`` of a tensor of ``rank`` dimensions."""
    position = axis if axis >= 0 else max(rank + axis, 0)
    flat = apply("reshape", zero_point, newshape=(-1,))
    return cast(expand_bias_to_match_axis(flat, rank, (position,)), dtype)


def fixed_point_multiply(value: Expr, multiplier: float) -> Expr:
    """``value * multiplier`` in integers, halves rounded up."""
    significand, exponent = significand_and_exponent(multiplier)
    return apply("fixed_point_multiply", value, multiplier=int(significand), shift=int(exponent))


def requantized(
    call: OperatorCall,
    value: Expr,
    shape: Sequence[object],
    scales: tuple[Expr, Expr],
    zero_points: tuple[Expr, Expr],
    dtype: str,
    *,
    axis: int = -1,
    rounding: str = "None",
    compute_dtype: str = "None",
) -> Expr:
    """``value``, a tensor of ``shape``, from the first scale and zero point to the second, as ``dtype``.

    Raises:
        PassError: a scale is not a constant, or the scale of the result is no scalar or 0.
    """
    input_scale, output_scale = scales
    divisor = float(call.constant_scalar(output_scale, "the output scale").data.reshape(-1)[0])
    if divisor == 0:
        raise call.refused("the output scale must not be 0")
    rounding = "UPWARD" if rounding == "None" else rounding
    compute_dtype = _default_compute_dtype() if compute_dtype == "None" else compute_dtype
    if rounding not in ("UPWARD", "TONEAREST"):
        raise call.refused(f"rounding must be UPWARD or TONEAREST, not {rounding}")
    if compute_dtype not in ("int64", "float32", "float64"):
        raise call.refused(f"compute_dtype must be int64, float32 or float64, not {compute_dtype}")
    multipliers = call.constant(input_scale, "the input scale").data.astype(np.float64) / divisor
    per_channel = not is_constant_scalar(input_scale)
    rank = len(shape)
    channel_axis = rank - 1 if axis == -1 else axis
    working_dtype = "int32" if compute_dtype == "int64" else compute_dtype
    zero = scalar(0, "int32")
    result: Expr = cast(value, working_dtype)
    if not is_equal_scalar(zero_points[0], zero):
        result = apply("subtract", result, zero_point_along(zero_points[0], rank, axis, working_dtype))
    unscaled = not per_channel and is_equal_scalar(input_scale, output_scale)
    in_integers = compute_dtype == "int64"
    if in_integers:
        if not unscaled:
            known = _static(call, shape) if rounding == "TONEAREST" else ()
            result = _in_fixed_point(result, multipliers, known, rank, channel_axis, rounding, per_channel=per_channel)
    elif per_channel:
        factors = tensor(multipliers.reshape(-1), working_dtype)
        result = apply("multiply", result, expand_bias_to_match_axis(factors, rank, (channel_axis,)))
    elif not unscaled:
        result = apply("multiply", scalar(float(multipliers), working_dtype), result)
    if not is_equal_scalar(zero_points[1], zero):
        output_zero_point = cast(zero_points[1], working_dtype)
        summands = (output_zero_point, result) if in_integers else (result, output_zero_point)
        result = apply("add", *summands)
    if not in_integers:
        result = cast(_rounded(result, working_dtype, rounding), "int32")
    return result if dtype == "int32" else clipped_to(result, dtype)


def _default_compute_dtype() -> str:
    target = current_target()
    return "float32" if target is not None and target.kind.name == "llvm" and has_sse41(target) else "int64"


def _static(call: OperatorCall, shape: Sequence[object]) -> tuple[int, ...]:
    sizes = tuple(size for size in shape if isinstance(size, int))
    if len(sizes) != len(shape):
        raise call.refused("rounding to the nearest needs every dimension to be known")
    return sizes


def _in_fixed_point(
    value: Expr,
    multipliers: np.ndarray,
    shape: tuple[int, ...],
    rank: int,
    axis: int,
    rounding: str,
    *,
    per_channel: bool,
) -> Expr:
    if not per_channel:
        multiplier = float(multipliers)
        return (
            fixed_point_multiply(value, multiplier)
            if rounding == "UPWARD"
            else fixed_point_multiply_to_nearest(value, multiplier, shape)
        )
    if rounding == "TONEAREST":
        return _to_nearest_per_channel(value, multipliers.reshape(-1), shape, rank, axis)
    significands, exponents = significand_and_exponent(multipliers.reshape(-1))
    left, right = np.maximum(exponents, 0), np.maximum(-exponents, 0)
    return apply(
        "fixed_point_multiply_per_axis",
        value,
        tensor(significands, "int32"),
        tensor(left, "int32"),
        tensor(right, "int32"),
        is_lshift_required=bool(left.any()),
        is_rshift_required=bool(right.any()),
        axes=(axis,),
    )


def fixed_point_multiply_to_nearest(value: Expr, multiplier: float, shape: tuple[int, ...]) -> Expr:
    """``value * multiplier`` in integers, halves rounded away from zero."""
    significand, exponent = (int(part) for part in significand_and_exponent(multiplier))
    result: Expr = cast(value, "int64")
    if exponent > 0:
        result = apply("left_shift", result, scalar(exponent, "int64"))
    result = apply("multiply", result, scalar(significand, "int64"))
    shift = _POINT + max(-exponent, 0)
    half = 1 << (shift - 1)
    up = apply("full", scalar(half, "int64"), shape=shape, dtype="int64")
    down = apply("full", scalar(half - 1, "int64"), shape=shape, dtype="int64")
    result = apply("add", result, _by_sign(result, up, down, shape))
    return cast(apply("right_shift", result, scalar(shift, "int64")), "int32")


def _to_nearest_per_channel(value: Expr, multipliers: np.ndarray, shape: tuple[int, ...], rank: int, axis: int) -> Expr:
    """As :func:`_to_nearest`, with a multiplier for each index along ``axis``."""

    def along_axis(numbers: object) -> Expr:
        return expand_bias_to_match_axis(tensor(numbers, "int64"), rank, (axis,))

    significands, exponents = significand_and_exponent(multipliers)
    left = np.maximum(exponents, 0)
    result: Expr = cast(value, "int64")
    if left.any():
        result = apply("left_shift", result, along_axis(left))
    result = apply("multiply", result, along_axis(significands))
    shifts = _POINT + np.maximum(-exponents, 0)
    halves = np.int64(1) << (shifts - 1)
    up = apply("broadcast_to", along_axis(halves), shape=shape)
    down = apply("broadcast_to", along_axis(halves - 1), shape=shape)
    result = apply("add", result, _by_sign(result, up, down, shape))
    return cast(apply("right_shift", result, along_axis(shifts)), "int32")


def _by_sign(value: Expr, positive: Expr, negative: Expr, shape: tuple[int, ...]) -> Expr:
    zeros = apply("zeros", shape=shape, dtype="int64")
    return apply("where", apply("greater_equal", value, zeros), positive, negative)


def _rounded(value: Expr, dtype: str, rounding: str) -> Expr:
    """``value`` rounded, by ``round`` and ``floor`` only where the target has instructions; what is infinite stays."""
    target = current_target()
    if target is not None and has_sse41(target):
        half_up = apply("floor", apply("add", value, scalar(0.5, dtype)))
        return half_up if rounding == "UPWARD" else apply("round", value)
    integers = dtype.replace("float", "int")
    zero, half, one = scalar(0.0, dtype), scalar(0.5, dtype), scalar(1.0, dtype)
    if rounding == "UPWARD":
        raised = apply("add", value, half)
        truncated = cast(cast(raised, integers), dtype)
        exact = apply("logical_or", apply("equal", raised, truncated), apply("greater_equal", raised, zero))
        rounded = apply("where", exact, truncated, apply("subtract", truncated, one))
    else:
        sign = apply("where", apply("less", value, zero), scalar(-1.0, dtype), one)
        magnitude = apply("multiply", apply("add", value, apply("multiply", half, sign)), sign)
        rounded = apply("multiply", cast(cast(magnitude, integers), dtype), sign)
    return apply("where", apply("isfinite", value), rounded, value)
