"""Axes in another order, elements in reverse, layouts converted.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``TransposeRel``, ``TransposeInferCorrectLayout``,
``ReverseRel``, ``ReverseSequenceRel``, ``LayoutTransformRel``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..axes import require_axes, require_axis
from ..data_layout import Layout, LayoutError, convert_array, convert_shape, is_convertible
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words

__all__ = ["LayoutTransformAttrs", "ReverseAttrs", "ReverseSequenceAttrs", "TransposeAttrs"]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.TransposeAttrs")
class TransposeAttrs(Attrs):
    """Attributes of ``transpose``."""

    axes: tuple[int, ...] | None = attribute(doc="Which axis of data each axis of the result is; None reverses them.")


@attributes("relay.attrs.ReverseAttrs")
class ReverseAttrs(Attrs):
    """Attributes of ``reverse``."""

    axis: int | None = attribute(default=None, doc="The axis to reverse, negative counted from the end.")


@attributes("relay.attrs.ReverseSequenceAttrs")
class ReverseSequenceAttrs(Attrs):
    """Attributes of ``reverse_sequence``."""

    seq_axis: int = attribute(default=1, doc="The axis whose elements are reversed.")
    batch_axis: int = attribute(default=0, doc="The axis that the lengths belong to.")


@attributes("relay.attrs.LayoutTransformAttrs")
class LayoutTransformAttrs(Attrs):
    """Attributes of ``layout_transform``."""

    src_layout: str = attribute(doc="The layout that data has, such as NCHW.")
    dst_layout: str = attribute(doc="The layout of the result, such as NCHW16c.")


def _transpose_relation(context: RelationContext) -> Type | None:
    attrs: TransposeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.axes is None:
        return TensorType(data.shape[::-1], data.dtype)
    if len(attrs.axes) != data.ndim:
        raise RelationError(
            f"axes has {len(attrs.axes)} elements but data {in_words(data.shape)} has {data.ndim} dimensions; "
            "it must name each of them once",
            attribute="axes",
        )
    axes = require_axes(attrs.axes, data, "axes")
    for position, axis in enumerate(axes):
        if axis in axes[:position]:
            raise RelationError(f"axes {list(attrs.axes)} names axis {axis} twice", attribute="axes")
    return TensorType(tuple(data.shape[axis] for axis in axes), data.dtype)


def _transpose_kernel(attrs: TransposeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.transpose(inputs[0], attrs.axes)


def _transpose_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The axes follow their letters into a layout of the same axes; into another one the data does not go.

    Source of the rule: ``TransposeInferCorrectLayout``.
    """
    declared = cast("TransposeAttrs", attrs)
    undefined = InferredLayout((None,), (None,), attrs)
    if not isinstance(old_inputs[0], str):
        return undefined
    layout = Layout.parse(old_inputs[0])
    axes = [axis + layout.rank if axis < 0 else axis for axis in declared.axes or ()]
    if not axes:
        axes = list(range(layout.rank))[::-1]
    if new_inputs and isinstance(new_inputs[0], str):
        new = Layout.parse(new_inputs[0])
        moved = [new.index(layout.axes[axis].letter) for axis in axes]
        if -1 not in moved and len(moved) == new.rank:
            layout, axes = new, moved
    if any(not axis.is_primal for axis in layout.axes):
        # TVM builds the name of the result letter by letter, which loses the factors, and then gives up.
        return undefined
    output = "".join(layout.axes[axis].letter for axis in axes)
    return InferredLayout((layout.name,), (output,), replace(declared, axes=tuple(axes)))


def _reverse_relation(context: RelationContext) -> Type | None:
    attrs: ReverseAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if attrs.axis is None:
        raise RelationError("axis must be given", attribute="axis")
    require_axis(attrs.axis, data)
    return data


def _reverse_kernel(attrs: ReverseAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return np.flip(inputs[0], attrs.axis)


def _reverse_sequence_relation(context: RelationContext) -> Type | None:
    attrs: ReverseSequenceAttrs = context.attrs
    data, lengths = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "seq_lengths")
    if data is None or lengths is None:
        return None
    require_rank(lengths, 1, 1, "seq_lengths", "one length for each index along batch_axis")
    if not lengths.dtype.is_int:
        raise RelationError(f"seq_lengths must be of a signed integer dtype, but it is {lengths.dtype}", argument=1)
    batch = require_axis(attrs.batch_axis, data, "batch_axis")
    require_axis(attrs.seq_axis, data, "seq_axis")
    if not context.require_equal(lengths.shape[0], data.shape[batch]):
        raise RelationError(
            f"seq_lengths has {lengths.shape[0]} elements but dimension {batch} (batch_axis) of data "
            f"{in_words(data.shape)} is {data.shape[batch]}; they must be equal",
            argument=1,
        )
    return data


def _reverse_sequence_kernel(attrs: ReverseSequenceAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, lengths = inputs
    sequence, batch = attrs.seq_axis % data.ndim, attrs.batch_axis % data.ndim
    size = data.shape[sequence]

    def along(values: NDArray, axis: int) -> NDArray:
        return values.reshape([-1 if position == axis else 1 for position in range(data.ndim)])

    limits = np.minimum(along(lengths.astype(np.int64), batch), size)
    index = along(np.arange(size, dtype=np.int64), sequence)
    places = np.where((limits <= 1) | (limits <= index), index, limits - 1 - index)
    return np.take_along_axis(data, np.broadcast_to(places, data.shape), axis=sequence)


def _layout_transform_relation(context: RelationContext) -> Type | None:
    attrs: LayoutTransformAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    source, target = _layout(attrs.src_layout, "src_layout"), _layout(attrs.dst_layout, "dst_layout")
    if not is_convertible(source, target):
        raise RelationError(
            f"layout {attrs.src_layout} does not convert to {attrs.dst_layout}: they do not have the same axes",
            attribute="dst_layout",
        )
    try:
        return TensorType(convert_shape(data.shape, source, target), data.dtype)
    except LayoutError as error:
        raise RelationError(
            f"data {in_words(data.shape)} does not have the layout {attrs.src_layout}: {error}", argument=0
        ) from None


def _layout(name: str, attribute_name: str) -> Layout:
    try:
        return Layout.parse(name)
    except LayoutError as error:
        raise RelationError(str(error), attribute=attribute_name) from None


def _layout_transform_kernel(attrs: LayoutTransformAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    return convert_array(inputs[0], Layout.parse(attrs.src_layout), Layout.parse(attrs.dst_layout))


register(
    Op(
        "transpose",
        doc="``data`` with its axes in the order ``axes``, or reversed without it.",
        arguments=(DATA,),
        attrs=TransposeAttrs,
        relation=_transpose_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_transpose_kernel,
        infer_layout=_transpose_layout,
        level=3,
    )
)

register(
    Op(
        "reverse",
        doc="The elements of ``data`` in reverse order along ``axis``; the type stays.",
        arguments=(DATA,),
        attrs=ReverseAttrs,
        relation=_reverse_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reverse_kernel,
        level=3,
    )
)

register(
    Op(
        "reverse_sequence",
        doc="For each index along ``batch_axis``, the first ``seq_lengths`` elements along ``seq_axis`` in reverse "
        "order and the others as they are; the type stays.",
        arguments=(DATA, Argument("seq_lengths", "A vector of integers, as long as ``batch_axis``.")),
        attrs=ReverseSequenceAttrs,
        relation=_reverse_sequence_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_reverse_sequence_kernel,
        level=3,
    )
)

register(
    Op(
        "layout_transform",
        doc="``data``, whose axes are those of ``src_layout``, with the axes of ``dst_layout``: reordered, and split "
        "or joined where a layout has factors. What splitting adds beyond the end is zero.",
        arguments=(DATA,),
        attrs=LayoutTransformAttrs,
        relation=_layout_transform_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_layout_transform_kernel,
        level=5,
    )
)
