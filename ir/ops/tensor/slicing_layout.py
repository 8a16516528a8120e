"""How ``strided_slice``, ``split`` and ``slice_like`` follow a change of layout.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``StridedSliceInferCorrectLayout``,
``SplitInferCorrectLayout``, ``SliceLikeInferCorrectLayout``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ...attributes import Attrs
from ...dimensions import Shape
from ...types import TensorType, Type
from ..data_layout import Layout
from ..layout_inference import InferredLayout, Layouts

if TYPE_CHECKING:
    from .slicing_attributes import SliceLikeAttrs, SplitAttrs, StridedSliceAttrs

__all__ = ["slice_like_layout", "split_layout", "strided_slice_layout"]


def _shape(type: Type) -> Shape:
    return type.shape if isinstance(type, TensorType) else ()


def strided_slice_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The bounds follow their axes; a split axis can be sliced only where the bounds are multiples of the factor."""
    declared = cast("StridedSliceAttrs", attrs)
    old_name = old_inputs[0]
    new_name = new_inputs[0] if new_inputs else None
    if not isinstance(old_name, str) or not isinstance(new_name, str):
        layout = old_name if isinstance(old_name, str) else None
        return InferredLayout((layout,), (layout,), attrs)
    old, new = Layout.parse(old_name), Layout.parse(new_name)
    undefined = InferredLayout((None,), (None,), attrs)
    if not old.name.startswith(new.name) and not new.name.startswith(old.name):
        if len(old.name) != len(new.name):
            return undefined
        changed = _reordered(declared, old, new, _shape(types[0]))
    elif len(old.name) < len(new.name):
        changed = _split(declared, old, new, _shape(types[0]))
    else:
        # The layouts are the same, or an axis is put back together, which leaves the bounds as they are.
        changed = declared
        new = old
    return undefined if changed is None else InferredLayout((new.name,), (new.name,), changed)


def _reordered(attrs: StridedSliceAttrs, old: Layout, new: Layout, shape: Shape) -> StridedSliceAttrs | None:
    """The bounds for a permutation of the axes, such as NHWC to NCHW."""
    begin, end, strides = attrs.begin or (), attrs.end or (), attrs.strides or ()
    if attrs.slice_mode == "size":
        strides = (1,) * len(strides)
    if attrs.axes is not None:
        axes = tuple(new.index(old.axes[axis].letter) for axis in attrs.axes)
        return replace(attrs, axes=axes, strides=strides)
    positions = [old.index(axis.letter) for axis in new.axes]
    if -1 in positions:
        return None

    def value(values: Sequence[int | None], position: int, otherwise: int) -> int:
        given = values[position] if position < len(values) else None
        return otherwise if given is None else given

    sizes = [size if isinstance(size, int) else 0 for size in shape]
    return replace(
        attrs,
        begin=tuple(value(begin, position, 0) for position in positions),
        end=tuple(value(end, position, sizes[position]) for position in positions),
        strides=tuple(value(strides, position, 1) for position in positions),
    )


def _split(attrs: StridedSliceAttrs, old: Layout, new: Layout, shape: Shape) -> StridedSliceAttrs | None:
    """The bounds for a layout that splits axes of the old one, such as NCHW to NCHW4c."""
    begin, end, strides = attrs.begin or (), attrs.end or (), attrs.strides or ()
    axes = attrs.axes if attrs.axes is not None else range(len(begin))
    new_begin: list[int] = []
    new_end: list[int] = []
    for index, axis in enumerate(axes):
        size = shape[axis]
        first = begin[index] or 0
        last = end[index] if index < len(end) else None
        whole = size if isinstance(size, int) else 0
        if last is None:
            last = whole
        elif attrs.axes is None and attrs.slice_mode == "size":
            last = whole if last < 0 else first + last
        factor = new.factor(old.axes[axis].letter)
        if factor > 0:
            if index < len(strides) and strides[index] != 1:
                return None
            if first % factor or last % factor:
                return None
            first, last = first // factor, last // factor
        elif attrs.axes is None:
            # TVM keeps the numbers of an axis that is not split as they were written.
            given_begin, given_end = begin[index], end[index] if index < len(end) else None
            first = 0 if given_begin is None else given_begin
            last = whole if given_end is None else given_end
        new_begin.append(first)
        new_end.append(last)
    new_axes = None
    if attrs.axes is not None:
        new_axes = tuple(new.index(old.axes[axis].letter) for axis in attrs.axes)
    return replace(attrs, begin=tuple(new_begin), end=tuple(new_end), axes=new_axes)


def split_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The axis follows its letter; indices into a split axis are divided by its factor, where that is exact."""
    declared = cast("SplitAttrs", attrs)
    sections = declared.indices_or_sections
    count = int(sections) if isinstance(sections, int) else len(sections) + 1
    old_name = old_inputs[0]
    if not isinstance(old_name, str):
        name = new_inputs[0] if new_inputs else None
        return InferredLayout((name,), (name,) * count, attrs)
    new_name = new_inputs[0] if new_inputs else None
    if not isinstance(new_name, str):
        return InferredLayout((old_name,), (old_name,) * count, attrs)
    old, new = Layout.parse(old_name), Layout.parse(new_name)
    rank = len(_shape(types[0]))
    letter = old.axes[declared.axis + rank if declared.axis < 0 else declared.axis].letter
    changed = replace(declared, axis=new.index(letter))
    factor = new.factor(letter)
    if factor > 1 and not isinstance(sections, int):
        if any(index % factor for index in sections):
            return InferredLayout((old_name,), (old_name,) * count, changed)
        changed = replace(changed, indices_or_sections=tuple(index // factor for index in sections))
    return InferredLayout((new_name,), (new_name,) * count, changed)


def slice_like_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Both arguments in the new layout of the first, and the axes where their letters went."""
    declared = cast("SliceLikeAttrs", attrs)
    first_old = old_inputs[0] if old_inputs else None
    first_new = new_inputs[0] if new_inputs else None
    if isinstance(first_new, str) and isinstance(first_old, str) and declared.axes:
        old, new = Layout.parse(first_old), Layout.parse(first_new)
        axes = tuple(new.index(old.axes[axis].letter) for axis in declared.axes)
        if -1 not in axes:
            return InferredLayout((first_new, first_new), (first_new,), replace(declared, axes=axes))
    if len(old_inputs) == 2:
        return InferredLayout(tuple(old_inputs), (old_inputs[1],), attrs)
    return InferredLayout((None, None), (None,), attrs)
