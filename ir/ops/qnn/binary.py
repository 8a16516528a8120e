"""Arithmetic of two quantised tensors with broadcasting: ``qnn.add``, ``qnn.subtract``, ``qnn.mul``.

Source of the rule: ``src/relay/qnn/op/op_common.h`` (``QnnBroadcastRel``), ``add.cc``, ``subtract.cc``, ``mul.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..broadcasting import broadcast_relation
from ..operator import Argument, Kernel, Op, OpPattern, RelationContext, register
from .fixed_point import clip_to_dtype
from .layouts import binary_layout
from .parameters import (
    SCALE,
    ZERO_POINT,
    along_axis,
    are_known,
    channel_axis,
    require_channel_axis,
    require_parameter,
    require_scalar,
)
from .requantize import requantized


@attributes("relay.attrs.BroadcastAttrs")
class BroadcastAttrs(Attrs):
    """Attributes of the operators with two quantised operands."""

    lhs_axis: int = attribute(default=-1, doc="Axis of `lhs` that a vector of its scales or zero points belongs to.")
    rhs_axis: int = attribute(default=-1, doc="Axis of `rhs` that a vector of its scales or zero points belongs to.")


def _require_operand_parameters(
    context: RelationContext, operand: TensorType, first: int, axis: int, side: str
) -> None:
    """Check scale and zero point, the arguments ``first`` and ``first + 1``, of one operand."""
    scale = tensor_argument(context, first, f"{side}_scale")
    zero_point = tensor_argument(context, first + 1, f"{side}_zero_point")
    position = channel_axis(axis, operand.ndim) if operand.ndim > 1 else 0
    if (scale and scale.ndim) or (zero_point and zero_point.ndim):
        position = require_channel_axis(axis if operand.ndim > 1 else 0, operand.ndim, f"{side}_axis")
    channels = operand.shape[position] if position in range(operand.ndim) else 1
    require_parameter(context, first, SCALE, channels, f"{side}_scale")
    require_parameter(context, first + 1, ZERO_POINT, channels, f"{side}_zero_point")


def _relation(context: RelationContext) -> Type | None:
    attrs: BroadcastAttrs = context.attrs
    lhs = tensor_argument(context, 0, "lhs")
    rhs = tensor_argument(context, 1, "rhs")
    if lhs is None or rhs is None or not are_known(context, 2, 7):
        return None
    _require_operand_parameters(context, lhs, 2, attrs.lhs_axis, "lhs")
    _require_operand_parameters(context, rhs, 4, attrs.rhs_axis, "rhs")
    require_scalar(context, 6, SCALE, "output_scale")
    require_scalar(context, 7, ZERO_POINT, "output_zero_point")
    return broadcast_relation(context)


def _in_units_of_the_result(
    data: NDArray, scale: NDArray, zero_point: NDArray, output_scale: NDArray, output_zero_point: NDArray, axis: int
) -> NDArray:
    if _is_same(scale, output_scale) and _is_same(zero_point, output_zero_point):
        return data.astype(np.int32)
    return requantized(data, scale, zero_point, output_scale, output_zero_point, "int32", axis=axis)


def _is_same(parameter: NDArray, other: NDArray) -> bool:
    return parameter.ndim == 0 and bool(parameter == other)


def _sum_kernel(sign: int) -> Kernel:
    """The kernel of ``lhs + sign * rhs``."""

    def kernel(attrs: BroadcastAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, scale, zero_point = inputs
        left = _in_units_of_the_result(lhs, lhs_scale, lhs_zero_point, scale, zero_point, attrs.lhs_axis)
        right = _in_units_of_the_result(rhs, rhs_scale, rhs_zero_point, scale, zero_point, attrs.rhs_axis)
        return clip_to_dtype(left + sign * right - sign * zero_point, lhs.dtype.name)

    return kernel


def _mul(attrs: BroadcastAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, scale, zero_point = inputs
    left = lhs.astype(np.int32) - along_axis(lhs_zero_point, lhs.ndim, attrs.lhs_axis)
    right = rhs.astype(np.int32) - along_axis(rhs_zero_point, rhs.ndim, attrs.rhs_axis)
    product_scale = (lhs_scale.astype(np.float64) * rhs_scale.astype(np.float64)).astype(np.float32)
    return requantized(
        left * right, product_scale, np.zeros((), np.int32), scale, zero_point, lhs.dtype.name, axis=attrs.lhs_axis
    )


_ARGUMENTS = (
    Argument("lhs", "The left operand, quantised."),
    Argument("rhs", "The right operand, quantised; its shape broadcasts with that of `lhs`."),
    Argument("lhs_scale", "The step of `lhs`: a scalar, or one for each channel."),
    Argument("lhs_zero_point", "The zero point of `lhs`: a scalar, or one for each channel."),
    Argument("rhs_scale", "The step of `rhs`: a scalar, or one for each channel."),
    Argument("rhs_zero_point", "The zero point of `rhs`: a scalar, or one for each channel."),
    Argument("output_scale", "The step of the result, a scalar."),
    Argument("output_zero_point", "The zero point of the result, a scalar."),
)

for _name, _words, _kernel in (
    ("add", "sum", _sum_kernel(+1)),
    ("subtract", "difference", _sum_kernel(-1)),
    ("mul", "product", _mul),
):
    register(
        Op(
            f"qnn.{_name}",
            doc=f"The {_words} of two quantised tensors, elementwise with broadcasting, quantised again. The result "
            "has the broadcast shape and the dtype of the operands.",
            arguments=_ARGUMENTS,
            attrs=BroadcastAttrs,
            relation=_relation,
            pattern=OpPattern.BROADCAST,
            kernel=_kernel,
            infer_layout=binary_layout,
            level=11,
            non_computational=True,
        )
    )
