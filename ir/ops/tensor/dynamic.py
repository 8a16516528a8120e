"""The ``dyn.`` operators: what their namesakes take as attributes, they take as arguments known at run time.

Their results have the rank that the arguments' types tell, with ``?`` for the dimensions that depend on values.

Source of the rule: ``src/relay/op/dyn/tensor/transform.cc``, ``src/relay/op/dyn/algorithm/topk.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import attributes_or_default, tensor_argument
from ..axes import require_few_dimensions
from ..flops import no_flops
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words
from .creation import InitOpAttrs, require_scalar
from .expansion import TileAttrs, static_rank
from .ordering import TopKAttrs, largest, largest_type
from .reshaping import ReshapeAttrs, SqueezeAttrs, new_shape
from .selection import OneHotAttrs, insert_depth, one_hot
from .slicing import END, Bounds, StridedSliceAttrs, slice_array

__all__ = ["DynExpandDimsAttrs"]

DATA = Argument("data", "A tensor of any shape.")
SHAPE = Argument("shape", "A vector of integers: the shape of the result.")


@attributes("relay.attrs.DynExpandDimsAttrs")
class DynExpandDimsAttrs(Attrs):
    """Attributes of ``dyn.expand_dims``."""

    num_newaxis: int = attribute(default=1, lower=0, doc="How many axes are inserted.")


def _two(context: RelationContext, first: str, second: str) -> tuple[TensorType, TensorType] | None:
    one, two = tensor_argument(context, 0, first), tensor_argument(context, 1, second)
    return None if one is None or two is None else (one, two)


def _reshape_relation(context: RelationContext) -> Type | None:
    tensors = _two(context, "data", "newshape")
    if tensors is None:
        return None
    data, shape = tensors
    return TensorType((ANY,) * static_rank(shape, 1, "newshape"), data.dtype)


def _reshape_kernel(attrs: ReshapeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, shape = inputs
    known = replace(attrs, newshape=tuple(int(size) for size in shape))
    return data.reshape(cast("tuple[int, ...]", new_shape(data.shape, known)))


def _tile_relation(context: RelationContext) -> Type | None:
    tensors = _two(context, "data", "reps")
    if tensors is None:
        return None
    data, reps = tensors
    return TensorType((ANY,) * max(data.ndim, static_rank(reps, 1, "reps")), data.dtype)


def _tile_kernel(attrs: TileAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.tile(inputs[0], [int(repetition) for repetition in inputs[1]])


def _broadcast_to_relation(context: RelationContext) -> Type | None:
    tensors = _two(context, "data", "shape")
    if tensors is None:
        return None
    data, shape = tensors
    return TensorType((ANY,) * static_rank(shape, 1, "shape"), data.dtype)


def _broadcast_to_kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.broadcast_to(inputs[0], tuple(int(size) for size in inputs[1])).copy()


def _init_relation(context: RelationContext) -> Type | None:
    attrs: InitOpAttrs = context.attrs
    shape = tensor_argument(context, 0, "shape")
    return None if shape is None else TensorType((ANY,) * static_rank(shape, 0, "shape"), attrs.dtype or "void")


def _init_kernel(value: int) -> Callable[[InitOpAttrs, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return np.full(tuple(int(size) for size in inputs[0]), value, numpy_dtype(attrs.dtype))

    return kernel


def _full_relation(context: RelationContext) -> Type | None:
    attrs: InitOpAttrs = context.attrs
    tensors = _two(context, "fill_value", "shape")
    if tensors is None:
        return None
    value, shape = tensors
    require_scalar(value, 0, "fill_value")
    return TensorType((ANY,) * static_rank(shape, 1, "shape"), attrs.dtype or value.dtype)


def _full_kernel(attrs: InitOpAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    value, shape = inputs
    dtype = numpy_dtype(attrs.dtype) if attrs.dtype else value.dtype
    return np.full(tuple(int(size) for size in shape), value.astype(dtype), dtype)


def _one_hot_relation(context: RelationContext) -> Type | None:
    attrs: OneHotAttrs = context.attrs
    indices = tensor_argument(context, 0, "indices")
    if indices is None:
        return None
    return TensorType(insert_depth(indices, attrs.axis, ANY), attrs.dtype or "void")


def _one_hot_kernel(attrs: OneHotAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    indices, on_value, off_value, depth = inputs
    return one_hot(indices, on_value, off_value, int(depth), attrs)


def _strided_slice_relation(context: RelationContext) -> Type | None:
    """The axes that ``begin`` has elements for become ``?``; the others stay."""
    tensors = _two(context, "data", "begin")
    if tensors is None:
        return None
    data, begin = tensors
    count = static_rank(begin, 1, "begin")
    if count > data.ndim:
        raise RelationError(
            f"begin has {count} elements but data {in_words(data.shape)} has {data.ndim} dimensions", argument=1
        )
    return TensorType((ANY,) * count + data.shape[count:], data.dtype)


def _strided_slice_kernel(attrs: StridedSliceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, begin, end, strides = inputs
    bounds: list[Bounds] = []
    for axis, first in enumerate(int(value) for value in begin):
        last = int(end[axis])
        if attrs.slice_mode == "size":
            bounds.append(Bounds(axis, first, END if last < 0 else first + last, 1))
        else:
            bounds.append(Bounds(axis, first, last, int(strides[axis])))
    return data[slice_array(data, bounds)]


def _expand_dims_relation(context: RelationContext) -> Type | None:
    attrs: DynExpandDimsAttrs | None = context.attrs
    tensors = _two(context, "data", "axis")
    if tensors is None:
        return None
    data, axis = tensors
    require_scalar(axis, 1, "axis")
    rank = data.ndim + (1 if attrs is None else attrs.num_newaxis)
    return TensorType((ANY,) * require_few_dimensions(rank, attribute="num_newaxis"), data.dtype)


def _expand_dims_kernel(given: DynExpandDimsAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    attrs = attributes_or_default(given, DynExpandDimsAttrs)
    data, axis = inputs
    place = int(axis) + data.ndim + 1 if int(axis) < 0 else int(axis)
    return data.reshape((*data.shape[:place], *(1,) * attrs.num_newaxis, *data.shape[place:]))


def _squeeze_relation(context: RelationContext) -> Type | None:
    tensors = _two(context, "data", "axes")
    if tensors is None:
        return None
    data, axes = tensors
    count = static_rank(axes, 1, "axes")
    if count > data.ndim:
        raise RelationError(
            f"axes has {count} elements but data {in_words(data.shape)} has only {data.ndim} dimensions", argument=1
        )
    return TensorType((ANY,) * (data.ndim - count), data.dtype)


def _squeeze_kernel(attrs: SqueezeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.squeeze(inputs[0], tuple(int(axis) for axis in inputs[1]))


def _topk_relation(context: RelationContext) -> Type | None:
    attrs: TopKAttrs = context.attrs
    tensors = _two(context, "data", "k")
    if tensors is None:
        return None
    data, count = tensors
    if count.ndim > 1 or (count.ndim == 1 and count.shape[0] != 1):
        raise RelationError(
            f"k must be a scalar or have one element, but it has shape {in_words(count.shape)}", argument=1
        )
    return largest_type(data, attrs, ANY)


def _topk_kernel(attrs: TopKAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray | tuple[NDArray, NDArray]:
    return largest(inputs[0], attrs, int(inputs[1].reshape(())))


register(
    Op(
        "dyn.reshape",
        doc="``data`` under the shape ``newshape``, where 0 copies a dimension, -1 is what is left over and -3 the "
        "product of two. The result has as many dimensions as newshape elements, all ``?``.",
        arguments=(DATA, Argument("newshape", "A vector of integers.")),
        attrs=ReshapeAttrs,
        relation=_reshape_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reshape_kernel,
        level=3,
        reshapes_only=True,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.tile",
        doc="``data`` as a whole ``reps`` times along each axis; all dimensions of the result are ``?``.",
        arguments=(DATA, Argument("reps", "A vector of integers.")),
        attrs=TileAttrs,
        relation=_tile_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_tile_kernel,
        level=3,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.broadcast_to",
        doc="``data`` broadcast to ``shape``; all dimensions of the result are ``?``.",
        arguments=(DATA, SHAPE),
        attrs=InitOpAttrs,
        relation=_broadcast_to_relation,
        pattern=OpPattern.BROADCAST,
        flops=no_flops,
        kernel=_broadcast_to_kernel,
        level=4,
        shape_needs_data=True,
    )
)
for _name, _value in (("zeros", 0), ("ones", 1)):
    register(
        Op(
            f"dyn.{_name}",
            doc=f"A tensor of ``shape`` and ``dtype`` filled with {_name}; all its dimensions are ``?``.",
            arguments=(SHAPE,),
            attrs=InitOpAttrs,
            relation=_init_relation,
            pattern=OpPattern.ELEMWISE,
            flops=no_flops,
            kernel=_init_kernel(_value),
            level=3,
            shape_needs_data=True,
        )
    )
register(
    Op(
        "dyn.full",
        doc="A tensor of ``shape`` filled with ``fill_value``, in ``dtype`` or, without it, the dtype of the value.",
        arguments=(Argument("fill_value", "The scalar to fill with.", "double"), SHAPE),
        attrs=InitOpAttrs,
        relation=_full_relation,
        pattern=OpPattern.ELEMWISE,
        flops=no_flops,
        kernel=_full_kernel,
        level=3,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.one_hot",
        doc="``on_value`` where the position along a new axis of size ``depth`` is the index, else ``off_value``.",
        arguments=(
            Argument("indices", "A tensor of integers."),
            Argument("on_value", "A scalar.", "Expr"),
            Argument("off_value", "A scalar.", "Expr"),
            Argument("depth", "A scalar: the size of the new axis.", "Expr"),
        ),
        attrs=OneHotAttrs,
        relation=_one_hot_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=_one_hot_kernel,
        level=10,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.strided_slice",
        doc="The elements of ``data`` from ``begin`` up to ``end`` in steps of ``strides`` along its first axes, whose "
        "dimensions become ``?``.",
        # TVM lists a fifth argument, slice_mode, which no call has.
        arguments=(
            DATA,
            Argument("begin", "A vector: the first index along each axis."),
            Argument("end", "A vector: the index along each axis that is not reached any more."),
            Argument("strides", "A vector: the step along each axis."),
        ),
        attrs=StridedSliceAttrs,
        relation=_strided_slice_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_strided_slice_kernel,
        level=4,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.expand_dims",
        doc="``data`` with axes of size 1 inserted before ``axis``; all dimensions of the result are ``?``.",
        arguments=(DATA, Argument("axis", "A scalar: where the first new axis stands.")),
        metadata_attrs=DynExpandDimsAttrs,
        relation=_expand_dims_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_expand_dims_kernel,
        level=3,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.squeeze",
        doc="``data`` without the axes that ``axes`` names, which have size 1; the dimensions left are all ``?``.",
        arguments=(DATA, Argument("axes", "A vector of integers.")),
        attrs=SqueezeAttrs,
        relation=_squeeze_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_squeeze_kernel,
        level=3,
        reshapes_only=True,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.topk",
        doc="The ``k`` largest (or smallest) elements along ``axis`` in order, their indices, or a tuple of both; the "
        "dimension of the axis becomes ``?``.",
        arguments=(DATA, Argument("k", "How many: a scalar, or one element.")),
        attrs=TopKAttrs,
        relation=_topk_relation,
        kernel=_topk_kernel,
        level=6,
        shape_needs_data=True,
    )
)
