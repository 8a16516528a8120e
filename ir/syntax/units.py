"""Segments where they stand in a text, and the syntax that an expression was made from."""

from __future__ import annotations

from typing import Final

import msgspec

from ..text.text_span import TextSpan
from .blocks import Statement
from .positions import Position, Positions
from .shapes import ShapeNode
from .statements import Segment

__all__ = ["SyntaxOrigin", "Unit"]


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
            behind_quotes = len(self.segment.tokens[0]) - len(self._positions)
            self._positions += self._positions[-1:] * behind_quotes
        return self._positions

    def span(self, token: int) -> TextSpan:
        """Where a token stands in the text."""
        return self.segment.span(token).shifted(self.base)

    def range(self, first: int, last: int) -> TextSpan:
        """Where a range of tokens stands in the text."""
        return self.segment.range(first, last).shifted(self.base)


class SyntaxOrigin(msgspec.Struct, frozen=True):
    """The syntax that an expression was made from."""

    unit: Unit
    statement: Statement
    node: ShapeNode
