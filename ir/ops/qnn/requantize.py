"""From one scale and zero point to another: ``qnn.requantize``.

Source of the rule: ``src/relay/qnn/op/requantize.cc``, ``requantize_config.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import alternatives, require_dtype, tensor_argument
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from . import fixed_point
from .layouts import following_axis
from .parameters import (
    SCALE,
    ZERO_POINT,
    along_axis,
    are_known,
    require_channel_axis,
    require_parameter,
    require_scalar,
)
from .quantize import QUANTIZED


@attributes("relay.attrs.RequantizeAttrs")
class RequantizeAttrs(Attrs):
    """Attributes of ``qnn.requantize``."""

    axis: int = attribute(
        default=-1, doc="Axis of the channels that a vector of input scales or zero points belongs to."
    )
    rounding: str = attribute(
        default="None",
        doc="Where a half goes: UPWARD to the greater number (-1.5 to -1), TONEAREST away from zero (-1.5 to -2). "
        "None takes the configured way, which is UPWARD.",
    )
    compute_dtype: str = attribute(
        default="None",
        doc="Arithmetic of the multiplication: int64 (fixed-point), float32 or float64. None takes the configured "
        "one, which is int64 for a target without SSE4.1.",
    )
    out_dtype: DataType = attribute(default=DataType(""), doc="Dtype of the result: int8, uint8, int16 or int32.")


def _relation(context: RelationContext) -> Type | None:
    attrs: RequantizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None or not are_known(context, 1, 4):
        return None
    require_dtype(data, (*QUANTIZED, "int64"), 0, "data")
    axis = require_channel_axis(attrs.axis, data.ndim)
    channels = data.shape[axis] if data.ndim else 1
    require_parameter(context, 1, SCALE, channels, "input_scale")
    require_parameter(context, 2, ZERO_POINT, channels, "input_zero_point")
    require_scalar(context, 3, SCALE, "output_scale")
    require_scalar(context, 4, ZERO_POINT, "output_zero_point")
    if attrs.out_dtype not in QUANTIZED:
        raise RelationError(
            f"out_dtype must be {alternatives(QUANTIZED)}, but it is {attrs.out_dtype or 'not given'}",
            attribute="out_dtype",
        )
    return TensorType(data.shape, attrs.out_dtype)


def requantized(
    data: NDArray,
    input_scale: NDArray,
    input_zero_point: NDArray,
    output_scale: NDArray,
    output_zero_point: NDArray,
    dtype: str,
    *,
    axis: int = -1,
    rounding: str = "None",
    compute_dtype: str = "None",
) -> NDArray:
    """``data`` in units of ``output_scale``, moved by ``output_zero_point``, as ``dtype``."""
    rank = data.ndim
    upward = rounding in ("None", "UPWARD")
    zero_point = along_axis(input_zero_point, rank, axis)
    ratio = along_axis(input_scale, rank, axis).astype(np.float64) / np.float64(output_scale)
    unchanged = input_scale.ndim == 0 and input_scale == output_scale
    if compute_dtype in ("None", "int64"):
        shifted = data.astype(np.int32) - zero_point
        if not unchanged:
            shifted = fixed_point.multiply(shifted, ratio, to_nearest=not upward)
        result = output_zero_point.astype(np.int32) + shifted
    else:
        reals = data.astype(compute_dtype) - zero_point.astype(compute_dtype)
        if not unchanged:
            reals = reals * ratio.astype(compute_dtype)
        reals = reals + output_zero_point.astype(compute_dtype)
        half = reals.dtype.type(0.5)
        reals = np.floor(reals + half) if upward else np.where(reals < 0, -1, 1) * np.trunc(np.abs(reals) + half)
        result = fixed_point.clip_to_dtype(reals, "int32")
    return result if dtype == "int32" else fixed_point.clip_to_dtype(result, dtype)


def _kernel(attrs: RequantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, input_scale, input_zero_point, output_scale, output_zero_point = inputs
    return requantized(
        data,
        input_scale,
        input_zero_point,
        output_scale,
        output_zero_point,
        attrs.out_dtype,
        axis=attrs.axis,
        rounding=attrs.rounding,
        compute_dtype=attrs.compute_dtype,
    )


def _infer_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The data's layout, with ``axis`` where its channels have gone; ``C`` for the parameters."""
    assert isinstance(attrs, RequantizeAttrs)
    layout, axis = following_axis(attrs.axis, new_inputs, old_inputs, types)
    if layout is None:
        return InferredLayout((None,) * 5, (None,), attrs)
    return InferredLayout((layout, *("C",) * 4), (layout,), attrs.replace(axis=axis))


register(
    Op(
        "qnn.requantize",
        doc="Express a quantised tensor by another scale and zero point: `output_zero_point + (data - "
        "input_zero_point) * input_scale / output_scale`, limited to the range of `out_dtype`. The result has the "
        "shape of `data`.",
        arguments=(
            Argument("data", "The quantised tensor, of any shape."),
            Argument("input_scale", "The step of `data`: a scalar, or one for each channel."),
            Argument("input_zero_point", "The zero point of `data`: a scalar, or one for each channel."),
            Argument("output_scale", "The step of the result, a scalar."),
            Argument("output_zero_point", "The zero point of the result, a scalar."),
        ),
        attrs=RequantizeAttrs,
        relation=_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_kernel,
        infer_layout=_infer_layout,
        level=11,
        non_computational=True,
    )
)
