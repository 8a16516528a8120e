"""What is read, and what is known before: segments in their places, origins of expressions, the names of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...source import TextSpan
from ..positions import Position, Positions
from ..scopes import Definition
from ..shapes import ShapeNode
from ..statements import Segment, Statement

__all__ = ["Names", "Origin", "Unit"]


class Unit:
    """A segment where it stands in a text, at offset ``base``."""

    __slots__ = ("_positions", "base", "number", "segment")

    def __init__(self, segment: Segment, number: int, base: int) -> None:
        self.segment: Final = segment
        self.number: Final = number
        self.base: Final = base
        self._positions: list[Position] | None = None

    def positions(self, positions: Positions) -> list[Position]:
        """TVM's position of each token."""
        if self._positions is None:
            self._positions = positions.of_pieces(self.segment.kinds, self.segment.pieces, self.base)
        return self._positions

    def span(self, token: int) -> TextSpan:
        """Where a token stands in the text."""
        return self.segment.span(token).shifted(self.base)

    def range(self, first: int, last: int) -> TextSpan:
        """Where a range of tokens stands in the text."""
        return self.segment.range(first, last).shifted(self.base)


@dataclass(frozen=True, slots=True)
class Origin:
    """The syntax that an expression was made from."""

    unit: Unit
    statement: Statement
    node: ShapeNode


class Names:
    """The names of a module, as far as they are known before its bodies are read."""

    def __init__(self, is_expression: bool = False) -> None:
        self.is_expression: Final = is_expression
        self.globals: dict[str, Definition] = {}
        self.types: dict[str, Definition] = {}
        self.constructors: dict[str, Definition] = {}
        self.unreadable: set[str] = set()
        """Functions whose head is broken: nothing is known of how to call them."""
        self.earlier_graph: dict[int, Definition] = {}
        self.metadata: Mapping[str, Sequence[object]] = {}
