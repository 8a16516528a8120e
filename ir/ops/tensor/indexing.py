"""Elements picked by index.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``TakeRel``, ``GatherRel``, ``GatherNDRel``, ``AdvIndexRel``,
``UnRavelIndexRel``), ``include/tvm/topi/transform.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument, tensors_argument
from ..axes import require_axis
from ..broadcasting import broadcast_shapes
from ..identity import identity_relation
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["GatherAttrs", "GatherNDAttrs", "TakeAttrs", "index_size", "require_integers"]

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
    for axis, (size, index_size) in enumerate(zip(data.shape, indices.shape, strict=True)):
        if axis == gathered:
            if isinstance(index_size, int) and index_size < 1:
                raise RelationError(f"indices is empty along axis {axis}", argument=1)
        elif not context.require_equal(index_size, size):
            raise RelationError(
                f"dimension {axis} of indices {in_words(indices.shape)} is {index_size} but that of data "
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
    count = index_size(data, indices)
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


def index_size(data: TensorType, indices: TensorType) -> int:
    """How many numbers make an index: the size of the first axis of ``indices``.

    Raises:
        RelationError: it is not known, or ``data`` has fewer dimensions.
    """
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
        "invert_permutation",
        doc="The permutation that undoes the permutation ``data``; the type stays.",
        arguments=(Argument("data", "A vector that holds each of 0 to n - 1 once."),),
        relation=identity_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_invert_kernel,
        level=1,
    )
)
