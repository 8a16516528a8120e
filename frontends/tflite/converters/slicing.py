"""Parts of a tensor, and tensors turned round.

Source of the rule for masks: ``convert_strided_slice`` in ``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import static_shape_of
from ...operators import immediate, reshape, squeeze, strided_slice
from ..node import TfliteNode, converter


@converter("SLICE")
def part(node: TfliteNode) -> Expr:
    """``strided_slice`` from a beginning, as far as a size says; -1 is as far as there is."""
    node.require_inputs(3)
    tensor = node.input(0)
    begin, size, shape = node.input(1).value.reshape(-1), node.input(2).value.reshape(-1).copy(), tensor.shape
    if not len(begin) == len(size) == len(shape):
        raise ConversionError(f"{tensor.name} has {len(shape)} dimensions, and the slice {len(begin)} and {len(size)}")
    for axis, whole in enumerate(shape):
        size[axis] = whole if size[axis] == -1 else size[axis] + begin[axis]
        if not 0 <= begin[axis] <= size[axis] <= whole:
            raise ConversionError(f"a slice from {begin[axis]} to {size[axis]} is none of a dimension of {whole}")
    ends: list[Any] = [immediate(end) for end in size]
    return strided_slice(tensor.expr, node.input(1).numbers, ends)


@dataclass
class _Bounds:
    """A slice of each dimension, and which dimensions the result has: their places, or what stands for none."""

    begin: list[Any]
    end: list[Any]
    strides: list[Any]
    shape: list[int] = field(default_factory=list[int])


_NEW = -1
"""In a result's shape: a new dimension of size 1."""
_GONE = -2
"""In a result's shape: a dimension that is taken away."""


@converter("STRIDED_SLICE")
def strided_part(node: TfliteNode) -> Expr:
    """``strided_slice``, and ``reshape`` to the dimensions that the masks leave."""
    node.require_inputs(4)
    tensor = node.input(0)
    begin, end, strides = (node.input(index).numbers for index in (1, 2, 3))
    if not len(begin) == len(end) == len(strides):
        raise ConversionError(f"begin, end and strides are of {len(begin)}, {len(end)} and {len(strides)} dimensions")
    if node.integer("offset", 0):
        end = [first + size for first, size in zip(begin, end, strict=True)]
    masks = {
        name: node.integer(name, 0)
        for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    }
    bounds = _Bounds(begin, end, strides)
    if any(masks.values()):
        bounds = _unmasked(tensor.shape, bounds, masks)
    made = strided_slice(tensor.expr, bounds.begin, bounds.end, bounds.strides)
    sizes = static_shape_of(made)
    places = bounds.shape or list(range(len(sizes)))
    kept = [1 if place == _NEW else sizes[place] for place in places if place != _GONE]
    # As in TVM, which counts a new dimension twice.
    if len(places) + places.count(_NEW) - places.count(_GONE) == 0:
        return squeeze(made, list(range(len(places))))
    return reshape(made, kept) if kept else made


def _unmasked(shape: tuple[int, ...], given: _Bounds, masks: dict[str, int]) -> _Bounds:
    """The slice of each dimension of ``shape`` that the masks make of the given one."""
    rank, count = len(shape), len(given.strides)
    made = _Bounds([0] * rank, [0] * rank, [0] * rank)
    ellipsis = masks["ellipsis_mask"]
    is_set = ellipsis & ((1 << count) - 1)
    new_after = 0
    if is_set:
        first = (is_set & -is_set).bit_length() - 1
        new_after = sum(bool(masks["new_axis_mask"] >> index & 1) for index in range(first + 1, count))
    else:
        ellipsis |= 1 << count  # What is not named is taken as a whole.
        count += 1
    axis = 0
    for index in range(count):
        bit = 1 << index
        if ellipsis & bit:
            last = min(rank - (count - index) + 1 + new_after, rank)
            while axis < last:
                made.end[axis], made.strides[axis] = shape[axis], 1
                made.shape.append(axis)
                axis += 1
        elif masks["new_axis_mask"] & bit:
            made.shape.append(_NEW)
        elif axis == rank:
            break
        else:
            _slice_axis(made, axis, shape[axis], given, index, masks)
            axis += 1
    return made


def _slice_axis(made: _Bounds, axis: int, size: int, given: _Bounds, index: int, masks: dict[str, int]) -> None:
    bit, backwards = 1 << index, given.strides[index] < 0
    begin, end = given.begin[index], given.end[index]
    made.begin[axis] = (size if backwards else 0) if masks["begin_mask"] & bit else begin
    # TVM ends at 0 when it goes backwards, and so leaves out the first element.
    made.end[axis] = (-size - 1 if backwards else size) if masks["end_mask"] & bit else end
    made.strides[axis] = given.strides[index]
    if masks["shrink_axis_mask"] & bit:
        begin = 0 if masks["begin_mask"] & bit else begin  # TVM does not look at the mask here.
        made.begin[axis] = size + begin if begin < 0 else begin
        made.end[axis], made.strides[axis] = made.begin[axis] + 1, 1
        made.shape.append(_GONE)
    else:
        made.shape.append(axis)


@converter("REVERSE_V2")
def reversed_along(node: TfliteNode) -> Expr:
    """``reverse`` along each axis; TVM knows of one."""
    node.require_inputs(2)
    made = node.input(0).expr
    for axis in node.input(1).integers:
        made = call("reverse", made, axis=axis)
    return made


@converter("REVERSE_SEQUENCE")
def reversed_sequence(node: TfliteNode) -> Expr:
    """``reverse_sequence``; not of quantised tensors."""
    node.require_inputs(2)
    node.require_float()
    data, lengths = node.input(0).expr, node.input(1).expr
    return call(
        "reverse_sequence", data, lengths, seq_axis=node.integer("seq_dim"), batch_axis=node.integer("batch_dim")
    )
