"""What each operator becomes on integers: one rule for each operator.

Source of the rule: ``src/relay/quantize/realize.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Tuple
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.types import DataType

from ..construction import scalar, tensor_type
from ..infrastructure import PassError
from ..legalization.requantization import cast, fixed_point_multiply, fixed_point_multiply_to_nearest
from ..provenance.remarks import Remarks
from .configuration import AnnotationKind
from .forwarding import Argument, Pending, PendingTuple, Rule, forwarded
from .samples import SIMULATED_QUANTIZE

__all__ = ["Integers", "RealizationOptions", "RealizationRules"]


@dataclass(frozen=True, slots=True)
class RealizationOptions:
    """What the rules ask of the configuration."""

    dtype_input: DataType
    dtype_weight: DataType
    dtype_activation: DataType
    nbit_activation: int
    global_scale: float
    round_for_shift: bool
    rounding: str


class Integers(Pending):
    """Integers that stand for numbers: each times ``scale``, a scalar of float32.

    ``dtype`` is that of ``data``, which is float32 where integers have only been rounded to, and not cast.
    """

    def __init__(self, data: Expr, scale: np.float32, dtype: str) -> None:
        super().__init__()
        self.data = data
        self.scale = scale
        self.dtype = dtype

    def settle(self) -> Expr:
        """The numbers that they stand for."""
        return apply("multiply", cast(self.data, "float32"), _float(self.scale))


_Arguments = Sequence[Argument[Integers]]
_Result = Integers | Expr | None


class RealizationRules:
    """The rules with one configuration."""

    def __init__(self, options: RealizationOptions, remarks: Remarks | None) -> None:
        self._options = options
        self._remarks = remarks
        rules: dict[str, Rule[Integers]] = {
            SIMULATED_QUANTIZE: self._quantization,
            "nn.conv2d": self._layer,
            "nn.conv1d": self._layer,
            "nn.dense": self._layer,
            "nn.batch_matmul": self._layer,
            "multiply": self._product,
            "add": self._sum,
            "clip": self._clip,
            "concatenate": self._concatenation,
            "annotation.cast_hint": self._cast_hint,
        }
        passing_on = ("nn.relu", "reshape", "strided_slice", "nn.batch_flatten", "transpose", "annotation.stop_fusion")
        rules.update(dict.fromkeys(passing_on, self._passing_on))
        rules.update(dict.fromkeys(("nn.max_pool2d", "nn.max_pool1d"), self._maximum))
        rules.update(dict.fromkeys(("nn.avg_pool2d", "nn.global_avg_pool2d"), self._average))
        self.by_operator: Mapping[str, Rule[Integers]] = rules

    def _computed(self, call: Call, new: Expr, scale: np.float32, dtype: str) -> Integers:
        if self._remarks is not None:
            self._remarks.passed("realized", call, f"computed on {dtype}")
        return Integers(new, scale, dtype)

    def _quantization(self, call: Call, args: _Arguments) -> _Result:
        attrs: Any = call.attrs
        if attrs.rounding != "round":
            raise PassError(f"only rounding to the nearest is computed on integers, not {attrs.rounding}", place=call)
        scale, lowest, highest = (_number(arg, call) for arg in args[1:])
        data = args[0]
        if isinstance(data, Integers):
            return self._rescaled(call, data, scale, (lowest, highest))
        if scale == 0:
            raise PassError("the scale of a quantisation is 0", place=call)
        steps = apply("multiply", _plain(data), _float(np.float32(1) / scale))
        return Integers(_clipped(apply("round", steps), lowest, highest), scale, "float32")

    def _rescaled(
        self, call: Call, old: Integers, scale: np.float32, limits: tuple[np.float32, np.float32]
    ) -> Integers:
        """Integers of many bits as integers of few."""
        options = self._options
        data = old.data
        if old.scale == scale:
            return Integers(_clipped(data, *limits), scale, old.dtype)
        shift = float(np.log2(scale / old.scale))
        if shift.is_integer():
            bits = int(shift)
            if bits > 0:
                if options.round_for_shift:
                    data = apply("add", data, scalar(2 ** (bits - 1), options.dtype_activation))
                data = apply("right_shift", data, scalar(bits, options.dtype_activation))
            else:
                data = apply("left_shift", data, scalar(-bits, options.dtype_activation))
            return Integers(_clipped(data, *limits), scale, old.dtype)
        product = self._times(cast(data, "int64"), float(old.scale / scale), call)
        return Integers(cast(_clipped(product, *limits), old.dtype), scale, old.dtype)

    def _times(self, data: Expr, factor: float, place: Expr) -> Expr:
        """Integers times a number, in fixed point."""
        if self._options.rounding == "UPWARD":
            return fixed_point_multiply(data, factor)
        shape = tuple(size for size in tensor_type(place).shape if isinstance(size, int))
        if len(shape) != tensor_type(place).ndim:
            raise PassError("rounding to the nearest needs every dimension to be known", place=place)
        return fixed_point_multiply_to_nearest(data, factor, shape)

    def _layer(self, call: Call, args: _Arguments) -> _Result:
        left, right = args
        if not (isinstance(left, Integers) and isinstance(right, Integers)):
            return self._in_floats(call, args)
        options = self._options
        data = left.data if left.dtype == options.dtype_input else cast(left.data, options.dtype_input)
        is_cast = is_call_to(call, "nn.batch_matmul") and right.dtype == options.dtype_weight
        weight = right.data if is_cast else cast(right.data, options.dtype_weight)
        attrs: Any = call.attrs
        new_attrs = attrs.replace(out_dtype=options.dtype_activation)
        new = Call(call.op, (data, weight), new_attrs, call.type_args, call.span)
        return self._computed(call, new, left.scale * right.scale, options.dtype_activation)

    def _in_floats(self, call: Call, args: _Arguments) -> None:
        if self._remarks is not None and any(isinstance(arg, Pending) for arg in args):
            old = next(old for old, arg in zip(call.args, args, strict=True) if not isinstance(arg, Pending))
            self._remarks.missed("operand", call, "computed on floats: {} is not quantised", old)

    def _product(self, call: Call, args: _Arguments) -> _Result:
        left, right = args
        if not (isinstance(left, Integers) and isinstance(right, Integers)):
            return self._in_floats(call, args)
        dtype = self._options.dtype_activation
        operands = [each.data if each.dtype == dtype else cast(each.data, dtype) for each in (left, right)]
        return self._computed(call, forwarded(call, *operands), left.scale * right.scale, dtype)

    def _sum(self, call: Call, args: _Arguments) -> _Result:
        left, right = args
        if not (isinstance(left, Integers) and isinstance(right, Integers)):
            return self._in_floats(call, args)
        operands, scale, dtype = self._unified(call.args, (left, right), self._options.dtype_activation)
        apart = [
            apply("annotation.stop_fusion", operand) if old.dtype == "float32" else operand
            for operand, old in zip(operands, (left, right), strict=True)
        ]
        return self._computed(call, forwarded(call, *apart), scale, dtype)

    def _clip(self, call: Call, args: _Arguments) -> _Result:
        data = args[0]
        if not isinstance(data, Integers):
            return None
        attrs: Any = call.attrs
        scale = float(data.scale)
        new_attrs = attrs.replace(a_min=attrs.a_min / scale, a_max=attrs.a_max / scale)
        new = Call(call.op, (data.data,), new_attrs, call.type_args, call.span)
        return self._computed(call, new, data.scale, data.dtype)

    def _concatenation(self, call: Call, args: _Arguments) -> _Result:
        joined, old = args[0], call.args[0]
        if not isinstance(joined, PendingTuple) or not isinstance(old, Tuple):
            return None
        fields = [field for field in joined.fields if isinstance(field, Integers)]
        if not isinstance(joined.fields[0], Integers):
            return None
        if len(fields) != len(joined.fields):
            raise PassError("quantised values are joined with others, for which there is no rule", place=call)
        operands, scale, dtype = self._unified(old.fields, fields, None)
        return self._computed(call, forwarded(call, Tuple(tuple(operands), old.span)), scale, dtype)

    def _passing_on(self, call: Call, args: _Arguments) -> _Result:
        (data,) = args[:1]
        if not isinstance(data, Integers):
            return None
        return self._computed(call, forwarded(call, data.data, *map(_plain, args[1:])), data.scale, data.dtype)

    def _maximum(self, call: Call, args: _Arguments) -> _Result:
        data = args[0]
        if not isinstance(data, Integers):
            return None
        dtype = self._options.dtype_input
        return self._computed(call, forwarded(call, cast(data.data, dtype)), data.scale, dtype)

    def _average(self, call: Call, args: _Arguments) -> _Result:
        data = args[0]
        if not isinstance(data, Integers):
            return None
        dtype = self._options.dtype_activation
        value = data.data if data.dtype == dtype else cast(data.data, dtype)
        return self._computed(call, forwarded(call, value), data.scale, dtype)

    def _cast_hint(self, call: Call, args: _Arguments) -> _Result:
        data = args[0]
        if not isinstance(data, Integers):
            return None
        attrs: Any = call.attrs
        return self._computed(call, cast(data.data, attrs.dtype), data.scale, attrs.dtype)

    def _unified(
        self, old: Sequence[Expr], values: Sequence[Integers], dtype: str | None
    ) -> tuple[list[Expr], np.float32, str]:
        """``values``, that stood where ``old`` did, in one dtype and with one scale."""
        options = self._options
        if dtype is None:
            is_narrow = len(values) == 2 and values[1].dtype == options.dtype_input
            dtype = options.dtype_input if is_narrow else options.dtype_activation
        if len(values) == 2:
            scale = min(values[0].scale, values[1].scale)
        else:
            scale = np.float32(options.global_scale / 2.0 ** (options.nbit_activation - 1))
        return [self._as_unified(*pair, scale, dtype) for pair in zip(old, values, strict=True)], scale, dtype

    def _as_unified(self, old: Expr, value: Integers, scale: np.float32, dtype: str) -> Expr:
        data = value.data
        attrs: Any = old.attrs if isinstance(old, Call) else None
        if value.dtype != dtype:
            data = cast(data, dtype)
        elif is_call_to(old, SIMULATED_QUANTIZE) and attrs.kind == AnnotationKind.INPUT:
            data = cast(apply("annotation.stop_fusion", cast(data, self._options.dtype_input)), dtype)
        if value.scale == scale:
            return data
        factor = value.scale / scale
        shift = float(np.log2(factor))
        if shift <= 0:
            raise PassError(
                f"the scale {float(value.scale):g} of this value is below {float(scale):g}, that of the result: "
                "raise nbit_activation or lower global_scale",
                place=old,
            )
        if shift.is_integer():
            return apply("left_shift", data, scalar(int(shift), dtype))
        if float(factor).is_integer():
            return apply("multiply", data, scalar(int(factor), dtype))
        return cast(self._times(data, float(factor), old), dtype)


def _float(value: np.float32) -> Constant:
    return scalar(float(value), "float32")


def _clipped(data: Expr, lowest: np.float32, highest: np.float32) -> Expr:
    return apply("clip", data, a_min=float(lowest), a_max=float(highest))


def _plain(value: Argument[Integers]) -> Expr:
    assert not isinstance(value, (Pending, PendingTuple))  # Scales, limits and shapes are not quantised.
    return value


def _number(value: Argument[Integers], call: Call) -> np.float32:
    if not isinstance(value, Constant) or not value.is_scalar or not math.isfinite(value.data.reshape(-1)[0]):
        message = "scale and limits must be finite numbers that are known: run QuantizeCalibrate before"
        raise PassError(message, place=call)
    return np.float32(value.data.reshape(-1)[0])
