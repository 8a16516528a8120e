"""Elements picked by index, by condition, by mask.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``TakeRel``, ``GatherRel``, ``GatherNDRel``, ``AdvIndexRel``,
``WhereRel``, ``ArgWhereRel``, ``OneHotRel``, ``UnRavelIndexRel``, ``SequenceMaskRel``),
``include/tvm/topi/transform.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim, Shape
from ...expressions import NDArray
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument, tensors_argument
from ..axes import require_axis
from ..broadcasting import broadcast_shapes, require_same_dtype
from ..identity import identity_relation
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = [
    "GatherAttrs",
    "GatherNDAttrs",
    "OneHotAttrs",
    "SequenceMaskAttrs",
    "TakeAttrs",
    "insert_depth",
    "one_hot",
    "require_integers",
]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.TakeAttrs")
class TakeAttrs(Attrs):
    """Attributes of ``take``."""

    batch_dims: int = attribute(default=0, doc="How many leading axes data and indices have in common.")
    axis: int | None = attribute(
        default=None, doc="The axis that is indexed; none means the elements in row-major order."
    )
    mode: str = attribute(
        default="clip",
        doc="What an index beyond the axis means: 'clip' the nearest one, 'wrap' around, 'fast' is not checked.",
    )


@attributes("relay.attrs.GatherAttrs")
class GatherAttrs(Attrs):
    """Attributes of ``gather``."""

    axis: int | None = attribute(default=None, doc="The axis that is indexed.")


@attributes("relay.attrs.GatherNDAttrs")
class GatherNDAttrs(Attrs):
    """Attributes of ``gather_nd``."""

    batch_dims: int = attribute(default=0, doc="How many leading axes data and indices have in common.")
    index_rank: int | None = attribute(default=None, doc="How many numbers an index has, where the type does not tell.")


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


def require_integers(tensor: TensorType, argument: int, name: str, *, signed: bool = False) -> None:
    """Reject a tensor whose dtype is not an integer, or not a signed one.

    Raises:
        RelationError: it is not.
    """
    if not (tensor.dtype.is_int or (tensor.dtype.is_uint and not signed)):
        kind = "a signed integer" if signed else "an integer"
        raise RelationError(f"{name} must be of {kind} dtype, but it is {tensor.dtype}", argument=argument)


def _take_relation(context: RelationContext) -> Type | None:
    attrs: TakeAttrs = context.attrs
    data, indices = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "indices")
    if data is None or indices is None:
        return None
    require_integers(indices, 1, "indices")
    if attrs.axis is None:
        return TensorType(indices.shape, data.dtype)
    batch = int(attrs.batch_dims)
    axis = int(attrs.axis) + data.ndim if attrs.axis < 0 else int(attrs.axis)
    # TVM lets the axis be one too many, which adds the shape of the indices at the end.
    if not 0 <= axis <= data.ndim:
        raise RelationError(
            f"axis {attrs.axis} is out of range for data with {data.ndim} dimensions {in_words(data.shape)}",
            attribute="axis",
        )
    if not 0 <= batch <= min(indices.ndim, axis):
        raise RelationError(
            f"batch_dims is {batch}; it must lie between 0 and both axis ({axis}) and the rank of indices "
            f"({indices.ndim})",
            attribute="batch_dims",
        )
    return TensorType(data.shape[:axis] + indices.shape[batch:] + data.shape[axis + 1 :], data.dtype)


def _take_kernel(attrs: TakeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, indices = inputs
    axis = attrs.axis
    if axis is None:
        data, axis = data.reshape(-1), 0
    elif axis < 0:
        axis += data.ndim
    size = data.shape[axis]
    places = indices.astype(np.int64)
    places = places % size if attrs.mode == "wrap" else np.clip(places, 0, size - 1)
    batch = int(attrs.batch_dims) if attrs.axis is not None else 0
    if not batch:
        return np.take(data, places, axis=axis)
    # The axes that data and indices share are indexed by themselves, the axes between by slices.
    rest = places.ndim - batch
    middle = axis - batch
    shared = np.ogrid[tuple(slice(size) for size in data.shape[:axis])]
    index: list[NDArray] = [grid.reshape([*grid.shape[:batch], *grid.shape[batch:], *(1,) * rest]) for grid in shared]
    index.append(places.reshape([*places.shape[:batch], *(1,) * middle, *places.shape[batch:]]))
    return data[tuple(index)]


def _gather_relation(context: RelationContext) -> Type | None:
    attrs: GatherAttrs = context.attrs
    data, indices = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "indices")
    if data is None or indices is None:
        return None
    require_integers(indices, 1, "indices", signed=True)
    if attrs.axis is None:
        raise RelationError("axis must be given", attribute="axis")
    if data.ndim != indices.ndim:
        raise RelationError(
            f"indices has {indices.ndim} dimensions {in_words(indices.shape)} but data has {data.ndim} "
            f"{in_words(data.shape)}; they must have as many",
            argument=1,
        )
    gathered = require_axis(attrs.axis, data)
    for axis, (size, found) in enumerate(zip(data.shape, indices.shape, strict=True)):
        if axis == gathered:
            if isinstance(found, int) and found < 1:
                raise RelationError(f"indices is empty along axis {axis}", argument=1)
        elif not context.require_equal(found, size):
            raise RelationError(
                f"dimension {axis} of indices {in_words(indices.shape)} is {found} but that of data "
                f"{in_words(data.shape)} is {size}; they must be equal on every axis but {gathered}",
                argument=1,
            )
    return TensorType(indices.shape, data.dtype)


def _gather_kernel(attrs: GatherAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.take_along_axis(inputs[0], inputs[1].astype(np.int64), axis=attrs.axis)


def _gather_nd_relation(context: RelationContext) -> Type | None:
    attrs: GatherNDAttrs = context.attrs
    data, indices = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "indices")
    if data is None or indices is None:
        return None
    count = _index_size(data, indices)
    batch = int(attrs.batch_dims)
    for axis in range(batch):
        if axis >= data.ndim or axis + 1 >= indices.ndim:
            raise RelationError(
                f"batch_dims is {batch}, more than the axes that data {in_words(data.shape)} and indices "
                f"{in_words(indices.shape)} share",
                attribute="batch_dims",
            )
        if not context.require_equal(data.shape[axis], indices.shape[axis + 1]):
            raise RelationError(
                f"dimension {axis + 1} of indices {in_words(indices.shape)} is {indices.shape[axis + 1]} but dimension "
                f"{axis} of data {in_words(data.shape)} is {data.shape[axis]}; they must be equal within batch_dims",
                argument=1,
            )
    return TensorType(indices.shape[1:] + data.shape[count + batch :], data.dtype)


def _index_size(data: TensorType, indices: TensorType) -> int:
    """How many numbers make an index: the size of the first axis of ``indices``."""
    count = indices.shape[0] if indices.shape else None
    if not isinstance(count, int):
        raise RelationError(
            f"the first dimension of indices {in_words(indices.shape)} must be known: it is how many numbers an index "
            "has",
            argument=1,
        )
    if count > data.ndim:
        raise RelationError(
            f"an index has {count} numbers (the first dimension of indices {in_words(indices.shape)}), but data "
            f"{in_words(data.shape)} has only {data.ndim} dimensions",
            argument=1,
        )
    return int(count)


def _gather_nd_kernel(attrs: GatherNDAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, indices = inputs
    places = indices.astype(np.int64)
    batch = int(attrs.batch_dims)
    shape = places.shape[1:]
    shared: list[NDArray] = [
        np.arange(size, dtype=np.int64).reshape([-1 if axis == position else 1 for position in range(len(shape))])
        for axis, size in enumerate(shape[:batch])
    ]
    return data[(*shared, *places)]


def _adv_index_relation(context: RelationContext) -> Type | None:
    tensors = tensors_argument(context, 0, "inputs")
    if tensors is None:
        return None
    if len(tensors) < 2:
        raise RelationError("inputs must be a tuple of a tensor and at least one tensor of indices", argument=0)
    data, *indices = tensors
    if len(indices) > data.ndim:
        raise RelationError(
            f"there are {len(indices)} tensors of indices, but data {in_words(data.shape)} has only {data.ndim} "
            "dimensions",
            argument=0,
        )
    shape = indices[0].shape
    for number, index in enumerate(indices[1:], 2):
        shape = broadcast_shapes(
            shape, index.shape, lhs_name="the indices before", rhs_name=f"field {number}", argument=0, other=None
        )
    return TensorType(shape + data.shape[len(indices) :], data.dtype)


def _adv_index_kernel(attrs: object, inputs: Sequence[tuple[NDArray, ...]], result_type: Type) -> NDArray:
    data, *indices = inputs[0]
    return data[tuple(index.astype(np.int64) for index in indices)]


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


def _unravel_relation(context: RelationContext) -> Type | None:
    data, shape = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "shape")
    if data is None or shape is None:
        return None
    require_integers(data, 0, "data")
    require_integers(shape, 1, "shape")
    if not shape.shape:
        raise RelationError("shape must be a vector, but it is a scalar", argument=1)
    return TensorType((shape.shape[0], *data.shape[:1]), data.dtype)


def _unravel_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    indices, shape = inputs
    rest = indices
    rows: list[NDArray] = []
    for size in shape[::-1]:
        rows.append(rest % size)
        rest = rest // size
    return np.stack(rows[::-1]).astype(indices.dtype)


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


def _invert_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    result = np.zeros_like(data)
    result[data.astype(np.int64)] = np.arange(data.size, dtype=data.dtype)
    return result


register(
    Op(
        "take",
        doc="The elements of ``data`` along ``axis`` that ``indices`` names. In the shape of ``data``, the shape of "
        "``indices`` (without the leading ``batch_dims`` axes, which both have) stands in place of the axis.",
        arguments=(DATA, Argument("indices", "A tensor of integers.")),
        attrs=TakeAttrs,
        relation=_take_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_take_kernel,
        level=3,
    )
)

register(
    Op(
        "gather",
        doc="For each element of ``indices``, the element of ``data`` at the same place, but at the index along "
        "``axis``. The result has the shape of ``indices``.",
        arguments=(DATA, Argument("indices", "Integers; of the shape of ``data`` but for ``axis``.")),
        attrs=GatherAttrs,
        relation=_gather_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_gather_kernel,
        level=3,
    )
)

register(
    Op(
        "gather_nd",
        doc="The parts of ``data`` at the indices that run along the first axis of ``indices``. From ``indices`` of "
        "shape (m, y...) and ``data`` of shape (x...), the shape (y..., the axes of x from batch_dims + m on).",
        arguments=(DATA, Argument("indices", "The indices, each of as many numbers as the first axis is long.")),
        attrs=GatherNDAttrs,
        relation=_gather_nd_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_gather_nd_kernel,
        level=3,
    )
)

register(
    Op(
        "adv_index",
        doc="The first tensor indexed by the others as in numpy: they broadcast, and their shape stands in place of as "
        "many leading axes.",
        arguments=(
            Argument("inputs", "A tuple of the data and of one tensor of indices per axis.", "Tuple of Tensors"),
        ),
        relation=_adv_index_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_adv_index_kernel,
        level=3,
    )
)

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
        "unravel_index",
        doc="The coordinates in a tensor of ``shape`` of the elements with the row-major numbers ``data``: one row per "
        "axis.",
        arguments=(
            Argument("data", "A scalar or a vector of integers."),
            Argument("shape", "A vector of integers."),
        ),
        relation=_unravel_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_unravel_kernel,
        level=3,
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

register(
    Op(
        "invert_permutation",
        doc="The permutation that undoes the permutation ``data``; the type stays.",
        arguments=(Argument("data", "A vector that holds each of 0 to n - 1 once."),),
        relation=identity_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_invert_kernel,
        level=1,
    )
)
