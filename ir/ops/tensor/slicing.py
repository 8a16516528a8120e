"""Parts of a tensor along axes: slices with strides, equal and unequal sections, windows; and writing to a slice.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``StridedSliceRel``, ``StridedSetRel``, ``SplitRel``,
``SliceLikeRel``, ``SlidingWindowRel``), ``include/tvm/topi/detail/strided_slice.h``, ``include/tvm/topi/transform.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim, IntImm, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import tensor_argument
from ..axes import require_axes, require_axis
from ..identity import identity_relation
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, floor_divide, in_words, subtract
from .slicing_attributes import SliceLikeAttrs, SplitAttrs, StridedSliceAttrs
from .slicing_layout import slice_like_layout, split_layout, strided_slice_layout

__all__ = ["MOST_PARTS", "SliceLikeAttrs", "SlidingWindowAttrs", "SplitAttrs", "StridedSliceAttrs", "slice_array"]

DATA = Argument("data", "A tensor of any shape.")
MOST_PARTS = 10_000
"""Into how many parts a tensor is split: a number in a text may ask for a thousand million."""

END = 2**63 - 1
"""The bound that stands for no bound."""


@attributes("relay.attrs.SlidingWindowAttrs")
class SlidingWindowAttrs(Attrs):
    """Attributes of ``sliding_window``."""

    axis: int = attribute(doc="The first axis that the window slides over; it slides over all axes from there on.")
    window_shape: tuple[int, ...] = attribute(doc="The size of the window along each of these axes.")
    strides: tuple[int, ...] = attribute(doc="The step of the window along each of these axes.")


class Bounds(NamedTuple):
    """A slice along one axis, before its bounds are brought into the axis."""

    axis: int
    begin: int
    end: int
    stride: int

    def within(self, size: int) -> tuple[int, int]:
        """The first index and the one after the last, for an axis of ``size`` elements."""
        low, high = (-1, size - 1) if self.stride < 0 else (0, size)

        def bring(index: int) -> int:
            return min(max(index + size if index < 0 else index, low), high)

        return bring(self.begin), bring(self.end)

    def length(self, size: int) -> int:
        """How many elements are taken; negative where the end lies before the beginning."""
        begin, end = self.within(size)
        distance = begin - end if self.stride < 0 else end - begin
        return distance if distance < 0 else -(-distance // abs(self.stride))


def _bounds(attrs: StridedSliceAttrs, rank: int) -> list[Bounds]:
    """The slice along each axis that is cut.

    Raises:
        RelationError: bounds are missing, or there are not as many of each.
    """
    if attrs.begin is None or attrs.end is None or attrs.strides is None:
        missing = next(name for name in ("begin", "end", "strides") if getattr(attrs, name) is None)
        raise RelationError(f"{missing} must be given", attribute=missing)
    begin, end, strides = list(attrs.begin), list(attrs.end), [int(stride) for stride in attrs.strides]
    if attrs.axes is not None:
        axes = [int(axis) for axis in attrs.axes]
        if not len(axes) == len(begin) == len(end) == len(strides):
            raise RelationError(
                f"axes, begin, end and strides must have as many elements, "
                f"but they have {len(axes)}, {len(begin)}, {len(end)} and {len(strides)}",
                attribute="axes",
            )
        for axis in axes:
            if not 0 <= axis < rank:
                raise RelationError(f"axes {axes} names axis {axis} of {rank}", attribute="axes")
    else:
        axes = list(range(rank))
        for name, values in (("begin", begin), ("end", end), ("strides", strides)):
            if len(values) > rank:
                raise RelationError(f"{name} has {len(values)} elements but data has {rank} dimensions", attribute=name)
        strides += [1] * (rank - len(strides))
        begin += [None] * (rank - len(begin))
        end += [None] * (rank - len(end))
    if not axes:
        raise RelationError("a scalar cannot be sliced" if not rank else "no axis is named", argument=0)
    sized = attrs.slice_mode == "size"
    bounds: list[Bounds] = []
    for axis, first, last, given_stride in zip(axes, begin, end, strides, strict=True):
        stride = 1 if sized else given_stride
        if stride == 0:
            raise RelationError(f"strides {strides} has a 0, with which a slice never ends", attribute="strides")
        low = first if first is not None else (0 if stride > 0 else END)
        if last is None:
            high = END if stride > 0 else 0
        elif sized:
            high = END if last < 0 else low + last
        else:
            high = last
        bounds.append(Bounds(axis, int(low), int(high), stride))
    return bounds


def _strided_slice_relation(context: RelationContext) -> Type | None:
    attrs: StridedSliceAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    shape = list(data.shape)
    for bounds in _bounds(attrs, data.ndim):
        size = data.shape[bounds.axis]
        if not isinstance(size, int):
            shape[bounds.axis] = ANY
            continue
        length = bounds.length(size)
        if length < 0:
            begin, end = bounds.within(size)
            raise RelationError(
                f"the slice of axis {bounds.axis}, which has {size} elements, ends at {end} before it begins at "
                f"{begin} (stride {bounds.stride})",
                attribute="end",
            )
        shape[bounds.axis] = IntImm(length, size.dtype) if isinstance(size, IntImm) else length
    return TensorType(tuple(shape), data.dtype)


def slice_array(data: NDArray, bounds: Sequence[Bounds]) -> tuple[slice, ...]:
    """The numpy index of a slice of ``data``."""
    index = [slice(None)] * data.ndim
    for part in bounds:
        begin, end = part.within(data.shape[part.axis])
        length = max(part.length(data.shape[part.axis]), 0)
        if not length:
            index[part.axis] = slice(0, 0)
        else:
            index[part.axis] = slice(begin, None if end < 0 else end, part.stride)
    return tuple(index)


def _strided_slice_kernel(attrs: StridedSliceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    return data[slice_array(data, _bounds(attrs, data.ndim))]


def _strided_set_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, values, begin, end, strides = inputs
    bounds = [
        Bounds(axis, int(first), int(last), int(strides[axis]) if axis < len(strides) else 1)
        for axis, (first, last) in enumerate(zip(begin, end, strict=False))
    ]
    result = data.copy()
    result[slice_array(data, bounds)] = values
    return result


def _split_relation(context: RelationContext) -> Type | None:
    attrs: SplitAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    axis = require_axis(attrs.axis, data)
    size = data.shape[axis]

    def part(length: Dim) -> TensorType:
        return TensorType((*data.shape[:axis], length, *data.shape[axis + 1 :]), data.dtype)

    sections = attrs.indices_or_sections
    if isinstance(sections, int):
        if sections <= 0:
            raise RelationError(f"data cannot be split into {sections} parts", attribute="indices_or_sections")
        if isinstance(size, int) and size % sections:
            raise RelationError(
                f"dimension {axis} of data {in_words(data.shape)} is {size}, which is not divisible into {sections} "
                "equal parts",
                attribute="indices_or_sections",
            )
        if sections > MOST_PARTS:
            raise RelationError(
                f"data cannot be split into {sections:,} parts: {MOST_PARTS:,} are the most",
                attribute="indices_or_sections",
            )
        if size is ANY or type(size) is int:
            length = ANY if size is ANY else floor_divide(size, int(sections))
            return TupleType((part(length),) * int(sections))
        # Each part has a dimension of its own, which the metadata section of a text lists on its own.
        return TupleType(tuple(part(floor_divide(size, int(sections))) for _ in range(int(sections))))
    fields: list[Type] = []
    begin = 0
    for index in map(int, sections):
        if index <= begin:
            raise RelationError(
                f"the indices {list(sections)} must be positive and ascend, but {index} follows {begin}",
                attribute="indices_or_sections",
            )
        fields.append(part(index - begin))
        begin = index
    if isinstance(size, int) and begin >= size:
        raise RelationError(
            f"the last part begins at {begin}, but dimension {axis} of data {in_words(data.shape)} is only {size}",
            attribute="indices_or_sections",
        )
    fields.append(part(ANY if size is ANY else subtract(size, begin)))
    return TupleType(tuple(fields))


def _split_kernel(attrs: SplitAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, ...]:
    sections = attrs.indices_or_sections
    where = int(sections) if isinstance(sections, int) else [int(index) for index in sections]
    return tuple(np.split(inputs[0], where, axis=attrs.axis))


def _cut_axes(attrs: SliceLikeAttrs, data: TensorType, like: TensorType) -> list[int]:
    if attrs.axes is None:
        return list(range(min(data.ndim, like.ndim)))
    if not attrs.axes:
        raise RelationError("axes must not be empty", attribute="axes")
    axes = require_axes(attrs.axes, data, "axes")
    for axis in axes:
        if axis >= like.ndim:
            raise RelationError(
                f"axes {list(attrs.axes)} names axis {axis}, but shape_like has only {like.ndim} dimensions "
                f"{in_words(like.shape)}",
                attribute="axes",
            )
    return axes


def _slice_like_relation(context: RelationContext) -> Type | None:
    attrs: SliceLikeAttrs = context.attrs
    data, like = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "shape_like")
    if data is None or like is None:
        return None
    shape = list(data.shape)
    for axis in _cut_axes(attrs, data, like):
        size, wanted = data.shape[axis], like.shape[axis]
        if isinstance(size, int) and isinstance(wanted, int) and wanted > size:
            raise RelationError(
                f"dimension {axis} of shape_like {in_words(like.shape)} is {wanted}, more than the {size} that data "
                f"{in_words(data.shape)} has",
                argument=1,
                related=((0, f"data has shape {in_words(data.shape)}"),),
            )
        shape[axis] = wanted
    return TensorType(tuple(shape), data.dtype)


def _slice_like_kernel(attrs: SliceLikeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, like = inputs
    axes = range(min(data.ndim, like.ndim)) if attrs.axes is None else [int(axis) % data.ndim for axis in attrs.axes]
    index = [slice(like.shape[axis]) if axis in axes else slice(None) for axis in range(data.ndim)]
    return data[tuple(index)]


def _sliding_window_relation(context: RelationContext) -> Type | None:
    attrs: SlidingWindowAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if not 0 <= attrs.axis <= data.ndim:
        raise RelationError(
            f"axis {attrs.axis} is out of range for data with {data.ndim} dimensions {in_words(data.shape)}",
            attribute="axis",
        )
    windows, strides = attrs.window_shape, attrs.strides
    if attrs.axis + len(windows) > data.ndim:
        raise RelationError(
            f"window_shape has {len(windows)} elements, but from axis {attrs.axis} on data {in_words(data.shape)} has "
            f"only {data.ndim - attrs.axis} dimensions",
            attribute="window_shape",
        )
    if len(strides) < len(windows):
        raise RelationError(
            f"strides has {len(strides)} elements but window_shape has {len(windows)}", attribute="strides"
        )
    counts: list[Dim] = []
    for offset, (window, stride) in enumerate(zip(windows, strides, strict=False)):
        if stride == 0:
            raise RelationError("strides must not be 0", attribute="strides")
        size = subtract(data.shape[attrs.axis + offset], window - 1)
        counts.append(floor_divide(subtract(add(size, stride), 1), stride))
    shape: Shape = (*data.shape[: attrs.axis], *counts, *windows)
    return TensorType(shape, data.dtype)


def _sliding_window_kernel(attrs: SlidingWindowAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    axes = tuple(range(attrs.axis, attrs.axis + len(attrs.window_shape)))
    views = np.lib.stride_tricks.sliding_window_view(data, attrs.window_shape, axis=axes)
    index = (slice(None),) * attrs.axis + tuple(slice(None, None, stride) for stride in attrs.strides)
    return views[index]


register(
    Op(
        "strided_slice",
        doc="The elements of ``data`` from ``begin`` up to ``end`` in steps of ``strides`` along each axis. Bounds "
        "beyond an axis are brought back to it; the slice may be empty but not end before it begins.",
        arguments=(DATA,),
        attrs=StridedSliceAttrs,
        relation=_strided_slice_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_strided_slice_kernel,
        infer_layout=strided_slice_layout,
        level=4,
    )
)

register(
    Op(
        "strided_set",
        doc="``data`` with the elements from ``begin`` up to ``end`` in steps of ``strides`` replaced by those of "
        "``v``. The result has the type of ``data``.",
        arguments=(
            DATA,
            Argument("v", "The values to put there, of the shape of the slice."),
            Argument("begin", "A vector: the first index along each axis."),
            Argument("end", "A vector: the index along each axis that is not reached any more."),
            Argument("strides", "A vector: the step along each axis."),
        ),
        relation=identity_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_strided_set_kernel,
        level=4,
    )
)

register(
    Op(
        "split",
        doc="``data`` cut along ``axis`` into a tuple of tensors: into equal parts, or at indices.",
        arguments=(DATA,),
        attrs=SplitAttrs,
        relation=_split_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_split_kernel,
        infer_layout=split_layout,
        level=3,
    )
)

register(
    Op(
        "slice_like",
        doc="The beginning of ``data`` along each of ``axes``, as much of it as ``shape_like`` has there.",
        arguments=(DATA, Argument("shape_like", "A tensor; only its shape counts.")),
        attrs=SliceLikeAttrs,
        relation=_slice_like_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_slice_like_kernel,
        infer_layout=slice_like_layout,
        level=10,
    )
)

register(
    Op(
        "sliding_window",
        doc="Every position of a window that slides over ``data`` from ``axis`` on. The result has the axes before "
        "``axis``, then the number of positions along each axis, then the axes of the window.",
        arguments=(DATA,),
        attrs=SlidingWindowAttrs,
        relation=_sliding_window_relation,
        kernel=_sliding_window_kernel,
        level=10,
    )
)
