"""Which closing braces are too many: those that close no line that opens one, by where they stand on their lines.

Where braces match, nothing here counts: a text may be indented as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

__all__ = ["Brace", "PlacesOnLines", "braces_too_many"]


class Brace(NamedTuple):
    """A brace at a position of pieces or tokens: whether it closes, and where it stands."""

    position: int
    closes: bool
    line: int
    column: int | None
    """Its column, where it is the first of its line."""
    indentation: int
    """That of its line."""

    def is_displaced(self, opening: Brace) -> bool:
        """Whether this closes the brace of another line, and does not stand below the begin of that line."""
        return self.line != opening.line and self.column != opening.indentation


class PlacesOnLines(NamedTuple):
    """Where pieces or tokens stand on their lines."""

    column: Callable[[int], int | None]
    """The column of one that is the first of its line, else ``None``."""
    indentation: Callable[[int], int]
    """That of the first on its line."""
    line: Callable[[int], int]
    """The number of its line."""

    def brace(self, position: int, *, closes: bool) -> Brace:
        """The brace at a position."""
        return Brace(position, closes, self.line(position), self.column(position), self.indentation(position))


def braces_too_many(braces: Iterable[Brace]) -> frozenset[int]:
    """The positions of closing braces that are too many in a statement, if more close than open."""
    braces = list(braces)
    left = sum([brace.closes for brace in braces]) - sum([not brace.closes for brace in braces])
    too_many: set[int] = set()
    opened: list[Brace] = []
    for brace in braces:
        if not brace.closes:
            opened.append(brace)
        elif left > 0 and (not opened or brace.is_displaced(opened[-1])):
            too_many.add(brace.position)
            left -= 1
        elif opened:
            opened.pop()
    return frozenset(too_many)
