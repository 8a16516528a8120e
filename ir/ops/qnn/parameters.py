"""Scales and zero points: what a quantised operator asks of them, and how they spread over a tensor.

A quantised tensor stands for ``scale * (value - zero_point)``. Scale (``float32``) and zero point (``int32``) are
scalars, or vectors with one element per channel of an axis.

Source of the rule: ``src/relay/qnn/utils.h`` (``AssignType``, ``IsScalarType``), ``src/relay/qnn/op/op_common.h``.
"""

from __future__ import annotations

from ...expressions import NDArray
from ...types import Dim, IncompleteType, TensorType
from ..arguments import tensor_argument
from ..operator import RelationContext, RelationError

__all__ = [
    "SCALE",
    "ZERO_POINT",
    "along_axis",
    "are_known",
    "channel_axis",
    "require_channel_axis",
    "require_parameter",
    "require_scalar",
]

SCALE = "float32"
ZERO_POINT = "int32"


def are_known(context: RelationContext, first: int, last: int) -> bool:
    """Whether the types of the arguments ``first`` to ``last`` (inclusive) are known."""
    return not any(isinstance(type, IncompleteType) for type in context.types[first : last + 1])


def require_scalar(context: RelationContext, argument: int, dtype: str, name: str) -> None:
    """Reject a parameter that is not a scalar of ``dtype``; an unknown one becomes that.

    Raises:
        RelationError: it has dimensions, or another dtype.
    """
    tensor = tensor_argument(context, argument, name)
    if tensor is None:
        context.assign(argument, TensorType((), dtype))
        return
    if tensor.ndim:
        raise RelationError(f"{name} must be a scalar {dtype}, but it is {tensor!r}", argument=argument)
    _require_dtype(tensor, argument, dtype, name)


def require_parameter(context: RelationContext, argument: int, dtype: str, channels: Dim, name: str) -> None:
    """Reject a parameter that is neither a scalar of ``dtype`` nor a vector of ``channels`` of them.

    Raises:
        RelationError: its dtype or its length is another.
    """
    tensor = tensor_argument(context, argument, name)
    if tensor is None:
        raise RelationError(f"the type of {name} must be known", argument=argument)
    _require_dtype(tensor, argument, dtype, name)
    if not tensor.ndim:
        return
    if tensor.ndim != 1 or not context.require_equal(tensor.shape[0], channels):
        raise RelationError(
            f"{name} must be a scalar or have one element for each of the {channels} channels, but it is {tensor!r}",
            argument=argument,
        )
    context.assign(argument, TensorType((channels,), dtype))


def _require_dtype(given: TensorType, argument: int, dtype: str, name: str) -> None:
    if given.dtype != dtype:
        raise RelationError(f"{name} must be of dtype {dtype}, but it is {given.dtype}", argument=argument)


def channel_axis(axis: int, rank: int) -> int:
    """``axis`` counted from the front; 0 for a negative axis of a scalar."""
    if axis >= 0:
        return axis
    return axis + rank if rank else 0


def require_channel_axis(axis: int, rank: int, attribute: str = "axis") -> int:
    """``axis`` counted from the front.

    Raises:
        RelationError: a tensor of this rank has no such axis.
    """
    channel = channel_axis(axis, rank)
    if not 0 <= channel < max(rank, 1):
        raise RelationError(
            f"{attribute} {axis} is out of range for a tensor of rank {rank}"
            + (f"; it must be from {-rank} to {rank - 1}" if rank else ""),
            attribute=attribute,
        )
    return channel


def along_axis(parameter: NDArray, rank: int, axis: int) -> NDArray:
    """A scalar or a vector, shaped so that it broadcasts along ``axis`` of a tensor of ``rank``."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if index == channel_axis(axis, rank) else 1 for index in range(rank)])
