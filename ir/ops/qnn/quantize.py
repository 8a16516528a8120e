"""Between real and quantised tensors: ``qnn.quantize``, ``qnn.dequantize`` and their simulations in floats.

Source of the rule: ``src/relay/qnn/op/quantize.cc``, ``dequantize.cc``, ``simulated_quantize.cc``,
``simulated_dequantize.cc``, ``python/tvm/topi/nn/qnn.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import round_away_from_zero
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..annotation.simulated_quantize import SimulatedQuantizeAttrs
from ..arguments import alternatives, require_dtype, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from .fixed_point import clip_to_dtype
from .parameters import SCALE, ZERO_POINT, along_axis, are_known, require_channel_axis, require_parameter

QUANTIZED = ("int8", "uint8", "int16", "int32")


@attributes("relay.attrs.QuantizeAttrs")
class QuantizeAttrs(Attrs):
    """Attributes of ``qnn.quantize``."""

    out_dtype: DataType = attribute(doc="Dtype of the result: int8, uint8, int16 or int32.")
    axis: int = attribute(default=-1, doc="Axis of the channels that a vector of scales or zero points belongs to.")


@attributes("relay.attrs.DequantizeAttrs")
class DequantizeAttrs(Attrs):
    """Attributes of ``qnn.dequantize`` and ``qnn.simulated_dequantize``."""

    axis: int = attribute(default=-1, doc="Axis of the channels that a vector of scales or zero points belongs to.")


def _quantize_relation(context: RelationContext) -> Type | None:
    attrs: QuantizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_dtype(data, ("float32",), 0, "data")
    scale = tensor_argument(context, 1, "output_scale")
    zero_point = tensor_argument(context, 2, "output_zero_point")
    if scale is None or zero_point is None:
        return None
    axis = 0
    if scale.ndim or zero_point.ndim:
        axis = require_channel_axis(attrs.axis, data.ndim)
    channels = data.shape[axis] if data.ndim else 1
    require_parameter(context, 1, SCALE, channels, "output_scale")
    require_parameter(context, 2, ZERO_POINT, channels, "output_zero_point")
    if attrs.out_dtype not in QUANTIZED:
        raise RelationError(
            f"out_dtype must be {alternatives(QUANTIZED)}, but it is {attrs.out_dtype or 'not given'}",
            attribute="out_dtype",
        )
    return TensorType(data.shape, attrs.out_dtype)


def quantized(data: NDArray, scale: NDArray, zero_point: NDArray, dtype: str, axis: int = -1) -> NDArray:
    """``data`` in units of ``scale``, rounded, moved by ``zero_point`` and limited to ``dtype``."""
    rank = data.ndim
    steps = round_away_from_zero(data / along_axis(scale, rank, axis))
    return clip_to_dtype(steps + along_axis(zero_point, rank, axis).astype(np.float32), dtype)


def dequantized(data: NDArray, scale: NDArray, zero_point: NDArray, axis: int = -1) -> NDArray:
    """The real numbers (float32) that ``data`` stands for."""
    rank = data.ndim
    shifted = data.astype(np.int32) - along_axis(zero_point, rank, axis)
    return shifted.astype(np.float32) * along_axis(scale, rank, axis)


def _quantize(attrs: QuantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, scale, zero_point = inputs
    return quantized(data, scale, zero_point, attrs.out_dtype, attrs.axis)


register(
    Op(
        "qnn.quantize",
        doc="Quantise a tensor of reals: `round(data / output_scale) + output_zero_point`, limited to the range of "
        "`out_dtype`. Halves are rounded away from zero. The result has the shape of `data`.",
        arguments=(
            Argument("data", "The float32 tensor, of any shape."),
            Argument("output_scale", "The step of the result: a scalar, or one for each channel."),
            Argument("output_zero_point", "The number that stands for 0.0: a scalar, or one for each channel."),
        ),
        attrs=QuantizeAttrs,
        relation=_quantize_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_quantize,
        level=11,
        non_computational=True,
    )
)


def _dequantize_relation(context: RelationContext) -> Type | None:
    attrs: DequantizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_dtype(data, QUANTIZED, 0, "data")
    scale = tensor_argument(context, 1, "input_scale")
    zero_point = tensor_argument(context, 2, "input_zero_point")
    if scale is None or zero_point is None:
        return None
    channels = 1
    if not (_is_single(scale) and _is_single(zero_point)):
        axis = require_channel_axis(attrs.axis, data.ndim)
        channels = data.shape[axis] if data.ndim else 1
    require_parameter(context, 1, SCALE, channels, "input_scale")
    require_parameter(context, 2, ZERO_POINT, channels, "input_zero_point")
    return TensorType(data.shape, "float32")


def _is_single(parameter: TensorType) -> bool:
    return all(dim == 1 for dim in parameter.shape)


def _dequantize(attrs: DequantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, scale, zero_point = inputs
    return dequantized(data, scale, zero_point, attrs.axis)


register(
    Op(
        "qnn.dequantize",
        doc="The float32 tensor that a quantised one stands for: `(data - input_zero_point) * input_scale`. The "
        "result has the shape of `data`.",
        arguments=(
            Argument("data", "The quantised tensor, of any shape."),
            Argument("input_scale", "The step of `data`: a scalar, or one for each channel."),
            Argument("input_zero_point", "The number that stands for 0.0: a scalar, or one for each channel."),
        ),
        attrs=DequantizeAttrs,
        relation=_dequantize_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_dequantize,
        level=11,
        non_computational=True,
    )
)

_SIMULATED_DTYPES = {1: "int8", 2: "uint8", 3: "int32"}
"""The codes by which a simulation is told its dtype at run time; any other code disables it."""


def _simulation_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    dtype = tensor_argument(context, 1, "the code of the dtype")
    if data is None or dtype is None or not are_known(context, 2, 3):
        return None
    return data


def _repeated(parameter: NDArray, channels: int) -> NDArray:
    return np.resize(parameter.reshape(-1), channels)


def _simulation_parameters(data: NDArray, scale: NDArray, zero_point: NDArray, axis: int) -> tuple[NDArray, NDArray]:
    """Scale and zero point along ``axis``; those that are too short start over, as in TVM's computation."""
    channels = data.shape[axis] if data.ndim else 1
    rank = data.ndim
    return (
        along_axis(_repeated(scale, channels), rank, axis),
        along_axis(_repeated(zero_point, channels), rank, axis),
    )


def _simulated_quantize(attrs: SimulatedQuantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, code, scale, zero_point = inputs
    dtype = _SIMULATED_DTYPES.get(int(code))
    if dtype is None:
        return data
    scale, zero_point = _simulation_parameters(data, scale, zero_point, -1)
    limits = np.iinfo(dtype)
    return np.clip(round_away_from_zero(data / scale) + zero_point, limits.min, limits.max).astype(data.dtype)


def _simulated_dequantize(attrs: DequantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, code, scale, zero_point = inputs
    if int(code) not in _SIMULATED_DTYPES:
        return data
    scale, zero_point = _simulation_parameters(data, scale, zero_point, attrs.axis)
    return ((data - zero_point) * scale).astype(data.dtype)


register(
    Op(
        "qnn.simulated_quantize",
        doc="The values of `qnn.quantize` in floats, for a dtype that is chosen at run time. The result has the type "
        "of `data`. TVM registers two classes of attributes under the name of this operator's; a text gets the one "
        "of `relay.op.annotation.simulated_quantize`, and with it always the last axis.",
        arguments=(
            Argument("data", "The tensor of floats."),
            Argument("out_dtype", "What to simulate: 1 is int8, 2 uint8, 3 int32; any other number nothing."),
            Argument("output_scale", "The step: a scalar, or one for each element of the last axis."),
            Argument("output_zero_point", "The number that stands for 0.0, like `output_scale`."),
        ),
        attrs=SimulatedQuantizeAttrs,
        relation=_simulation_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_simulated_quantize,
        level=11,
    )
)

register(
    Op(
        "qnn.simulated_dequantize",
        doc="The values of `qnn.dequantize` for a dtype that is chosen at run time, over floats that hold whole "
        "numbers. The result has the type of `data`.",
        arguments=(
            Argument("data", "The tensor of floats."),
            Argument("in_dtype", "What is simulated: 1 is int8, 2 uint8, 3 int32; any other number nothing."),
            Argument("input_scale", "The step: a scalar, or one for each channel."),
            Argument("input_zero_point", "The number that stands for 0.0, like `input_scale`."),
        ),
        attrs=DequantizeAttrs,
        relation=_simulation_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_simulated_dequantize,
        level=11,
    )
)
