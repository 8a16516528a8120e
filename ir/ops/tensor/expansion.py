"""Elements repeated: along an axis, as a whole, by broadcasting; and summed back to a smaller shape.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``RepeatRel``, ``TileRel``, ``BroadCastToRel``,
``BroadCastToLikeRel``, ``CollapseSumLikeRel``, ``CollapseSumToRel``), ``include/tvm/topi/reduction.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..axes import require_axis, require_few_dimensions
from ..broadcasting import broadcast_shapes, require_same_dtype
from ..flops import no_flops
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words, multiply
from .creation import InitOpAttrs, required_shape

__all__ = ["RepeatAttrs", "TileAttrs", "collapse", "static_rank"]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.RepeatAttrs")
class RepeatAttrs(Attrs):
    """Attributes of ``repeat``."""

    repeats: int = attribute(doc="How often each element comes.")
    axis: int | None = attribute(default=None, doc="The axis that grows, negative counted from the end.")


@attributes("relay.attrs.TileAttrs")
class TileAttrs(Attrs):
    """Attributes of ``tile``."""

    reps: tuple[int, ...] | None = attribute(doc="How often the tensor comes along each axis, from the last one back.")


def static_rank(tensor: TensorType, argument: int, name: str) -> int:
    """The number of elements of a vector that gives a shape, which is the rank of the result.

    Raises:
        RelationError: the tensor is no vector, its size is not known, or it is too many.
    """
    require_rank(tensor, 1, argument, name, "a vector of dimensions")
    size = tensor.shape[0]
    if not isinstance(size, int):
        raise RelationError(
            f"the number of elements of {name} must be known, since it is the rank of the result", argument=argument
        )
    return require_few_dimensions(int(size), argument=argument)


def _repeat_relation(context: RelationContext) -> Type | None:
    attrs: RepeatAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.repeats < 1:
        raise RelationError(f"repeats must be at least 1, but it is {attrs.repeats}", attribute="repeats")
    if attrs.axis is None:
        raise RelationError("axis must be given", attribute="axis")
    axis = require_axis(attrs.axis, data)
    size = data.shape[axis]
    repeated = ANY if size is ANY else multiply(size, attrs.repeats)
    return TensorType((*data.shape[:axis], repeated, *data.shape[axis + 1 :]), data.dtype)


def _repeat_kernel(attrs: RepeatAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.repeat(inputs[0], int(attrs.repeats), axis=attrs.axis)


def _tile_relation(context: RelationContext) -> Type | None:
    attrs: TileAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.reps is None:
        raise RelationError("reps must be given", attribute="reps")
    for repetition in attrs.reps:
        if repetition <= 0:
            raise RelationError(f"reps {list(attrs.reps)} must all be positive", attribute="reps")
    rank = max(data.ndim, len(attrs.reps))
    sizes: Shape = (1,) * (rank - data.ndim) + data.shape
    repetitions = (1,) * (rank - len(attrs.reps)) + attrs.reps
    # A variable becomes unknown, even where it is repeated once.
    shape: list[Dim] = [
        multiply(size, repetition) if isinstance(size, int) else ANY
        for size, repetition in zip(sizes, repetitions, strict=True)
    ]
    return TensorType(tuple(shape), data.dtype)


def _tile_kernel(attrs: TileAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.tile(inputs[0], [int(repetition) for repetition in attrs.reps or ()])


def _require_result(result: Shape, wanted: Shape, attribute: str | None, argument: int | None, name: str) -> None:
    """Reject a broadcast that does not give the shape that was asked for."""
    agrees = len(result) == len(wanted) and all(
        not (isinstance(left, int) and isinstance(right, int)) or left == right
        for left, right in zip(result, wanted, strict=True)
    )
    if not agrees:
        raise RelationError(
            f"{name} {in_words(wanted)} does not hold data, with which it broadcasts to {in_words(result)}",
            attribute=attribute,
            argument=argument,
        )


def _broadcast_to_relation(context: RelationContext) -> Type | None:
    attrs: InitOpAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    shape = required_shape(attrs)
    broadcast = broadcast_shapes(data.shape, shape, lhs_name="data", rhs_name="shape", attribute="shape")
    _require_result(broadcast, shape, "shape", None, "shape")
    return TensorType(shape, data.dtype)


def _broadcast_to_like_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    like = tensor_argument(context, 1, "broadcast_type")
    if data is None or like is None:
        return like
    require_same_dtype(data, like, "data", "broadcast_type", argument=1, other=0)
    broadcast = broadcast_shapes(data.shape, like.shape, lhs_name="data", rhs_name="broadcast_type")
    _require_result(broadcast, like.shape, None, 1, "broadcast_type")
    return like


def _broadcast_kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.broadcast_to(inputs[0], attrs.shape or ()).copy()


def _broadcast_like_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.broadcast_to(inputs[0], inputs[1].shape).copy()


def _collapse_sum_like_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    like = tensor_argument(context, 1, "collapse_type")
    if data is None or like is None:
        return like
    require_same_dtype(data, like, "data", "collapse_type", argument=1, other=0)
    broadcast = broadcast_shapes(data.shape, like.shape, lhs_name="data", rhs_name="collapse_type")
    _require_result(data.shape, broadcast, None, 1, "the sum to collapse_type, of shape")
    return like


def _collapse_sum_to_relation(context: RelationContext) -> Type | None:
    """The shape that the call's attributes hold, where the argument was constant when it was made; else unknown."""
    attrs: InitOpAttrs | None = context.attrs
    data = tensor_argument(context, 0, "data")
    shape = tensor_argument(context, 1, "shape")
    if data is None or shape is None:
        return None
    rank = static_rank(shape, 1, "shape")
    wanted: Shape = (ANY,) * rank if attrs is None or attrs.shape is None else attrs.shape
    broadcast = broadcast_shapes(data.shape, wanted, lhs_name="data", rhs_name="shape")
    _require_result(data.shape, broadcast, None, 1, "the sum to shape")
    return TensorType(wanted, data.dtype)


def collapse(data: NDArray, shape: tuple[int, ...]) -> NDArray:
    """``data`` summed over the axes that broadcasting ``shape`` to it would add or repeat."""
    leading = data.ndim - len(shape)
    repeated = tuple(axis for axis, size in enumerate(shape, leading) if size == 1 and data.shape[axis] != 1)
    total = np.sum(data, axis=(*range(leading), *repeated), keepdims=True, dtype=data.dtype)
    return total.reshape(shape)


def _collapse_like_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return collapse(inputs[0], inputs[1].shape)


def _collapse_to_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return collapse(inputs[0], tuple(int(size) for size in inputs[1]))


register(
    Op(
        "repeat",
        doc="Each element of ``data`` ``repeats`` times in a row along ``axis``.",
        arguments=(DATA,),
        attrs=RepeatAttrs,
        relation=_repeat_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_repeat_kernel,
        level=3,
    )
)

register(
    Op(
        "tile",
        doc="``data`` as a whole ``reps`` times along each axis; axes are added in front where ``reps`` has more.",
        arguments=(DATA,),
        attrs=TileAttrs,
        relation=_tile_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_tile_kernel,
        level=3,
    )
)

register(
    Op(
        "broadcast_to",
        doc="``data`` broadcast to ``shape``: dimensions of 1 are repeated and dimensions are added in front.",
        arguments=(DATA,),
        attrs=InitOpAttrs,
        relation=_broadcast_to_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_broadcast_kernel,
        level=4,
        shape_needs_data=True,
    )
)

register(
    Op(
        "broadcast_to_like",
        doc="``data`` broadcast to the shape of ``broadcast_type``, which has the same dtype.",
        arguments=(DATA, Argument("broadcast_type", "A tensor; only its type counts.")),
        relation=_broadcast_to_like_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_broadcast_like_kernel,
        level=10,
    )
)

register(
    Op(
        "collapse_sum_like",
        doc="``data`` summed over the axes that broadcasting ``collapse_type`` to ``data`` would add or repeat. The "
        "result has the type of ``collapse_type``.",
        arguments=(DATA, Argument("collapse_type", "A tensor; only its type counts.")),
        relation=_collapse_sum_like_relation,
        pattern=OpPattern.COMM_REDUCE,
        kernel=_collapse_like_kernel,
        level=10,
    )
)

register(
    Op(
        "collapse_sum_to",
        doc="``data`` summed over the axes that broadcasting ``shape`` to ``data`` would add or repeat.",
        arguments=(DATA, Argument("shape", "A vector of integers: the shape of the result.")),
        metadata_attrs=InitOpAttrs,
        relation=_collapse_sum_to_relation,
        pattern=OpPattern.COMM_REDUCE,
        kernel=_collapse_to_kernel,
        level=4,
    )
)
