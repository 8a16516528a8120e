"""Shapes: the cached parse of a sequence of token kinds.

Relay text repeats a few hundred shapes of statement thousands of times. Each is parsed once; the result speaks of
positions in the sequence, so it fits every statement of that shape. What cannot be parsed is cached as well,
with the position of the fault and what could have stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from . import table_parser

__all__ = ["MOST_NESTED", "STARTS", "Shape", "ShapeFault", "ShapeNode", "Start", "accepted_insertion", "shape_of"]

Start = Literal["header", "type_definition", "statement", "clause_head", "parameter", "annotation", "attribute"]
STARTS: Final[tuple[Start, ...]] = (
    "header",
    "type_definition",
    "statement",
    "clause_head",
    "parameter",
    "annotation",
    "attribute",
)


class ShapeNode:
    """A rule of the grammar over the tokens ``first`` to ``last`` of a sequence (both inclusive).

    ``children`` are nodes, and positions of tokens.
    """

    __slots__ = ("children", "first", "last", "rule")

    def __init__(self, rule: str, children: list[ShapeNode | int]) -> None:
        self.rule: Final = rule
        self.children: Final[list[ShapeNode | int]] = children
        first, last = children[0], children[-1]
        self.first: Final = first if isinstance(first, int) else first.first
        self.last: Final = last if isinstance(last, int) else last.last

    def nodes(self) -> list[ShapeNode]:
        """The children that are nodes."""
        return [child for child in self.children if isinstance(child, ShapeNode)]

    def last_node(self) -> ShapeNode | None:
        """The last child that is a node."""
        return next((child for child in reversed(self.children) if isinstance(child, ShapeNode)), None)

    def child(self, rule: str) -> ShapeNode | None:
        """The first child made by ``rule``."""
        for child in self.children:
            if isinstance(child, ShapeNode) and child.rule == rule:
                return child
        return None

    def post_order(self) -> Iterator[ShapeNode]:
        """This node and all below, children first."""
        stack: list[tuple[ShapeNode, int]] = [(self, 0)]
        while stack:
            node, index = stack.pop()
            children = node.children
            while index < len(children):
                child = children[index]
                index += 1
                if isinstance(child, ShapeNode):
                    stack.append((node, index))
                    stack.append((child, 0))
                    break
            else:
                yield node

    def __repr__(self) -> str:
        return f"{self.rule}[{self.first}:{self.last}]"


class ShapeFault(msgspec.Struct, frozen=True):
    """Where a sequence stops being Relay (its length: at the end), and the kinds that could stand there."""

    position: int
    expected: frozenset[str]
    is_too_deep: bool = False
    """Whether there is nothing wrong with it but :data:`MOST_NESTED`."""


class Shape(msgspec.Struct, frozen=True):
    """A parsed sequence: its root, or its fault."""

    root: ShapeNode | None
    fault: ShapeFault | None


_NESTING: Final = re.compile(r"[()\[\]]")
MOST_NESTED: Final = 2_500
"""How many parentheses and brackets may be open at once in a sequence. The parser takes time for each."""
_limit: Final = 50_000
_memo: dict[tuple[Start, str], Shape] = {}


def shape_of(start: Start, kinds: str) -> Shape:
    """The shape of a sequence of token kinds, which must be a whole ``start`` of the grammar."""
    key = (start, kinds)
    shape = _memo.get(key)
    if shape is None:
        if len(_memo) > _limit:
            _memo.clear()
        shape = _memo[key] = _parse(start, kinds)
    return shape


def accepted_insertion(start: Start, kinds: str, insertions: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    """The first of some insertions, each of a kind before a position, that makes a sequence a whole ``start``."""
    return table_parser.accepted_insertion(start, kinds, insertions)


def _too_deep(kinds: str) -> int | None:
    """Where more than :data:`MOST_NESTED` parentheses and brackets are open."""
    if kinds.count("(") + kinds.count("[") <= MOST_NESTED:
        return None
    depth = 0
    for mark in _NESTING.finditer(kinds):
        depth += 1 if mark[0] in "([" else -1
        if depth > MOST_NESTED:
            return mark.start()
    return None


def _parse(start: Start, kinds: str) -> Shape:
    if (position := _too_deep(kinds)) is not None:
        return Shape(None, ShapeFault(position, frozenset(), is_too_deep=True))
    try:
        return Shape(table_parser.parse_kinds(ShapeNode, start, kinds), None)
    except table_parser.Refused as error:
        return Shape(None, ShapeFault(error.position, frozenset(error.expected)))
