"""Elements chosen by a condition, by a mask, and conditions made of indices.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``WhereRel``, ``ArgWhereRel``, ``OneHotRel``,
``SequenceMaskRel``), ``include/tvm/topi/transform.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..broadcasting import broadcast_shapes, require_same_dtype
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["OneHotAttrs", "SequenceMaskAttrs", "insert_depth", "one_hot"]


@attributes("relay.attrs.OneHotAttrs")
class OneHotAttrs(Attrs):
    """Attributes of ``one_hot``."""

    depth: int = attribute(default=1, doc="The size of the new axis.")
    axis: int = attribute(default=-1, doc="Where the new axis stands; -1 means last.")
    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the result.")


@attributes("relay.attrs.SequenceMaskAttrs")
class SequenceMaskAttrs(Attrs):
    """Attributes of ``sequence_mask``."""

    mask_value: float = attribute(default=0.0, doc="What the elements beyond the valid length become.")
    axis: int = attribute(default=0, doc="The axis that the lengths measure: 0 or 1; the other one is the batch.")


def _where_relation(context: RelationContext) -> Type | None:
    condition = tensor_argument(context, 0, "condition")
    x, y = tensor_argument(context, 1, "x"), tensor_argument(context, 2, "y")
    if condition is None or x is None or y is None:
        return None
    require_same_dtype(x, y, "x", "y", argument=2, other=1)
    shape = broadcast_shapes(x.shape, y.shape, lhs_name="x", rhs_name="y", argument=2, other=1)
    whole = broadcast_shapes(condition.shape, shape, lhs_name="condition", rhs_name="x and y", argument=0, other=None)
    return TensorType(whole, x.dtype)


def _where_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    condition, x, y = inputs
    return np.where(condition.astype(np.bool_), x, y)


def _argwhere_relation(context: RelationContext) -> Type | None:
    condition = tensor_argument(context, 0, "condition")
    return None if condition is None else TensorType((ANY, condition.ndim), "int32")


def _argwhere_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.argwhere(inputs[0]).astype(np.int32)


def insert_depth(indices: TensorType, axis: int, depth: Dim) -> Shape:
    """The shape of a one-hot tensor: ``depth`` inserted before ``axis``, or at the end for -1.

    Raises:
        RelationError: ``axis`` is out of range.
    """
    where = indices.ndim if axis == -1 else axis
    if not 0 <= where <= indices.ndim:
        raise RelationError(
            f"axis {axis} is out of range for indices with {indices.ndim} dimensions {in_words(indices.shape)}: it "
            f"must lie in [0, {indices.ndim}], or be -1",
            attribute="axis",
        )
    return (*indices.shape[:where], depth, *indices.shape[where:])


def _one_hot_relation(context: RelationContext) -> Type | None:
    attrs: OneHotAttrs = context.attrs
    indices = tensor_argument(context, 0, "indices")
    if indices is None:
        return None
    if attrs.depth <= 0:
        raise RelationError(f"depth must be positive, but it is {attrs.depth}", attribute="depth")
    return TensorType(insert_depth(indices, attrs.axis, attrs.depth), attrs.dtype or "void")


def one_hot(indices: NDArray, on_value: NDArray, off_value: NDArray, depth: int, attrs: OneHotAttrs) -> NDArray:
    """``on_value`` where the position along the new axis is the index, else ``off_value``."""
    axis = indices.ndim if attrs.axis == -1 else attrs.axis
    positions = np.arange(depth).reshape([-1 if place == axis else 1 for place in range(indices.ndim + 1)])
    dtype = numpy_dtype(attrs.dtype)
    hit = np.expand_dims(indices, axis) == positions
    return np.where(hit, on_value.reshape(()).astype(dtype), off_value.reshape(()).astype(dtype))


def _one_hot_kernel(attrs: OneHotAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    indices, on_value, off_value = inputs
    return one_hot(indices, on_value, off_value, int(attrs.depth), attrs)


def _sequence_mask_relation(context: RelationContext) -> Type | None:
    attrs: SequenceMaskAttrs = context.attrs
    data, valid_length = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "valid_length")
    if data is None or valid_length is None:
        return None
    if attrs.axis not in (0, 1):
        raise RelationError(f"axis must be 0 or 1, but it is {attrs.axis}", attribute="axis")
    if data.ndim < 2 - attrs.axis:
        raise RelationError(f"data must have a batch axis beside axis {attrs.axis}, but it is {data!r}", argument=0)
    context.assign(1, TensorType((data.shape[1 - attrs.axis],), valid_length.dtype))
    return data


def _sequence_mask_kernel(attrs: SequenceMaskAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, valid_length = inputs
    positions: NDArray = np.arange(data.shape[attrs.axis], dtype=np.int64)
    beyond: NDArray = positions[:, None] >= valid_length[None, :]
    if attrs.axis == 1:
        beyond = beyond.T
    mask = beyond.reshape(beyond.shape + (1,) * (data.ndim - 2))
    return np.where(mask, data.dtype.type(attrs.mask_value), data)


register(
    Op(
        "where",
        doc="The element of ``x`` where ``condition`` is not zero, else that of ``y``. All three broadcast.",
        arguments=(
            Argument("condition", "A tensor; what is not zero is true."),
            Argument("x", "The values where the condition holds."),
            Argument("y", "The values where it does not, of the dtype of ``x``."),
        ),
        relation=_where_relation,
        pattern=OpPattern.BROADCAST,
        kernel=_where_kernel,
        level=4,
    )
)

register(
    Op(
        "argwhere",
        doc="The indices of the elements that are not zero, one row each: shape (?, rank), dtype int32.",
        arguments=(Argument("condition", "A tensor of any shape."),),
        relation=_argwhere_relation,
        kernel=_argwhere_kernel,
        level=10,
        shape_needs_data=True,
    )
)

register(
    Op(
        "one_hot",
        doc="``on_value`` where the position along a new axis of size ``depth`` is the index, else ``off_value``.",
        arguments=(
            Argument("indices", "A tensor of integers."),
            Argument("on_value", "A scalar.", "Expr"),
            Argument("off_value", "A scalar.", "Expr"),
        ),
        attrs=OneHotAttrs,
        relation=_one_hot_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=_one_hot_kernel,
        level=10,
    )
)

register(
    Op(
        "sequence_mask",
        doc="``data`` with ``mask_value`` beyond the valid length of each sequence; the type stays.",
        arguments=(
            Argument("data", "Sequences along ``axis``, a batch of them along the other of the first two axes."),
            Argument("valid_length", "A vector: the length of each sequence."),
        ),
        attrs=SequenceMaskAttrs,
        relation=_sequence_mask_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_sequence_mask_kernel,
        level=10,
    )
)
