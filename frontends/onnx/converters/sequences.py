"""Sequences and optional values: tuples whose length is known when the model is imported."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple, TupleGetItem
from relay_lsp.ir.types import TupleType

from ...diagnostics import ConversionError
from ...inspection import static_shape_of, type_of
from ...operators import concatenate, immediate, split, squeeze, stack
from ..node import OnnxNode, converter


def _elements(node: OnnxNode, index: int = 0) -> list[Expr]:
    sequence = node.fold(node.input(index))
    if isinstance(sequence, Tuple):
        return list(sequence.fields)
    type = type_of(sequence)
    if not isinstance(type, TupleType):
        raise ConversionError("a sequence whose length is known is expected", input=str(index))
    return [TupleGetItem(sequence, place) for place in range(len(type.fields))]


def _position(node: OnnxNode, index: int, length: int, default: int) -> int:
    position = int(node.constant_input(index).reshape(-1)[0]) if node[index] is not None else default
    if not -length <= position < max(length, 1):
        raise ConversionError(f"position {position} is out of bounds of {length} elements", input=str(index))
    return position + length if position < 0 else position


@converter("SequenceConstruct", since=11)
def construct(node: OnnxNode) -> Expr:
    """A tuple."""
    return Tuple(tuple(node.input(index) for index in range(len(node.inputs))))


@converter("Optional", since=15)
def optional(node: OnnxNode) -> Expr:
    """A tuple of the value, or an empty one."""
    return Tuple(tuple(value for value in node.inputs if value is not None))


@converter("OptionalHasElement", since=15)
def has_element(node: OnnxNode) -> Expr:
    """Whether the tuple has a field."""
    value = node[0]
    type = None if value is None else type_of(value)
    return constant(value is not None and not (isinstance(type, TupleType) and not type.fields), "bool")


@converter("OptionalGetElement", since=15)
def get_element(node: OnnxNode) -> Expr:
    """The field of the tuple; what is no optional value is itself."""
    value = node.input()
    return TupleGetItem(value, 0) if isinstance(type_of(value), TupleType) else value


@converter("SequenceEmpty", since=11)
def empty(node: OnnxNode) -> Expr:
    """An empty tuple."""
    return Tuple(())


@converter("SequenceErase", since=11)
def erase(node: OnnxNode) -> Expr:
    """The tuple without the field at a constant position."""
    elements = _elements(node)
    del elements[_position(node, 1, len(elements), -1)]
    return Tuple(tuple(elements))


@converter("SequenceInsert", since=11)
def insert(node: OnnxNode) -> Expr:
    """The tuple with a field more, at a constant position."""
    elements = _elements(node)
    position = len(elements)
    if node[2] is not None:
        position = int(node.constant_input(2).reshape(-1)[0])
        if not -len(elements) <= position <= len(elements):
            raise ConversionError(f"position {position} is out of bounds of {len(elements)} elements", input="2")
        position = position + len(elements) if position < 0 else position
    elements.insert(position, node.input(1))
    return Tuple(tuple(elements))


@converter("SequenceLength", since=11)
def length(node: OnnxNode) -> Expr:
    """The number of fields."""
    return constant(len(_elements(node)), "int64")


@converter("SequenceAt", since=11)
def at(node: OnnxNode) -> Expr:
    """The field at a constant position."""
    elements = _elements(node)
    return elements[_position(node, 1, len(elements), 0)]


@converter("ConcatFromSequence", since=11)
def concat_from_sequence(node: OnnxNode) -> Expr:
    """``concatenate`` of the fields, or ``stack`` along a new axis."""
    elements, axis = _elements(node), node.int("axis", 0)
    sequence = node.fold(node.input())
    fields: Expr = sequence if isinstance(sequence, Tuple) else Tuple(tuple(elements))
    return stack(fields, axis) if node.int("new_axis", 0) else concatenate(elements, axis)


@converter("SplitToSequence", since=11)
def split_to_sequence(node: OnnxNode) -> Expr:
    """The parts of a tensor: of one constant size or of several, or one for each element.

    TVM takes one size for the number of the parts.
    """
    data, axis = node.input(0), node.int("axis", 0)
    sizes = node[1]
    length = static_shape_of(data, "a tensor to split")[axis]
    if sizes is None:
        parts = list(split(data, length, axis))
        if not node.int("keepdims", 1):
            parts = [squeeze(part, [axis]) for part in parts]
        return Tuple(tuple(parts))
    known = sizes.data if isinstance(sizes, Constant) else node.constant_input(1)
    if known.ndim == 1 and known.size > 1:
        ends = [immediate(end) for end in np.cumsum(known)[:-1]]
        return Tuple(tuple(split(data, ends, axis)))  # type: ignore[arg-type]
    size = int(known.reshape(-1)[0])
    if size < 1:
        raise ConversionError(f"a part cannot have the size {size}", input="1")
    if length % size == 0:
        return Tuple(tuple(split(data, length // size, axis)))
    return Tuple(tuple(split(data, list(range(size, length, size)), axis)))
