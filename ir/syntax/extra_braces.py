"""Which closing braces are too many: those that close no line that opens one, by where they stand on their lines, and
those behind which a line goes on deeper with what follows no value.

Where braces match, nothing here counts: a text may be indented as it likes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ..text.line_index import LineIndex
from .lexer import WHITE_SPACE
from .tokens import FUNCTION, GLOBAL, GRAPH, IF, LET, LOCAL, MATCH, MATCH_PARTIAL, NAME

__all__ = ["FOLLOWS_NO_VALUE", "Brace", "PlaceOnLine", "PlacesOnLines", "braces_too_many"]

FOLLOWS_NO_VALUE: Final = frozenset(LET + GRAPH + LOCAL + NAME + GLOBAL + IF + MATCH + MATCH_PARTIAL + FUNCTION)
"""The kinds that begin a statement or a value, and stand behind no brace that closes one."""

_SHORT_LINE: Final = 128
"""So much of the text before a piece is looked through for the begin of its line at first, and of a longer line."""

_LINE_END: Final = re.compile(r"[\r\n]")

_SHORT_VALUE: Final = 1_024
"""A value that is so long is looked through at once."""


class PlaceOnLine(NamedTuple):
    """Where a piece or a token stands on its line."""

    line: int
    """Where the line begins, or its number."""
    column: int | None
    """Its column, where it is the first of its line."""
    indentation: int
    """That of its line."""

    def is_displaced(self, opening: PlaceOnLine) -> bool:
        """Whether what closes here has its brace on another line, and does not stand below the begin of that line."""
        return self.column != opening.indentation and self.line != opening.line


class Brace(NamedTuple):
    """A brace at a position of tokens, and whether it closes.

    ``goes_on``: what follows no value begins the next line, and is indented deeper.
    """

    position: int
    closes: bool
    place: PlaceOnLine
    goes_on: bool = False

    def is_extra(self, opening: PlaceOnLine) -> bool:
        """Whether it stands where no brace closes the one at ``opening``."""
        return self.goes_on or self.place.is_displaced(opening)


class PlacesOnLines:
    """Where the pieces of a text stand on their lines, which begin at some offsets.

    Each statement with braces asks where these are: a look at the end of the text in front of them tells most, and does
    without the lines of the text, which would have to be counted.
    """

    __slots__ = ("_lines", "_offset_of")

    def __init__(self, lines: LineIndex, offset_of: Callable[[int], int]) -> None:
        self._lines: Final = lines
        self._offset_of: Final = offset_of

    def of(self, piece: int) -> PlaceOnLine:
        """Where a piece stands."""
        return self.before(piece, 0)

    def before(self, piece: int, length: int) -> PlaceOnLine:
        """Where stands what begins ``length`` characters before a piece."""
        lines, offset = self._lines, self._offset_of(piece) - length
        before = lines.part(offset - _SHORT_LINE, offset)
        start = before.rfind("\n") + 1
        if not start or "\r" in before:
            _, column = lines.line_and_column(offset)
            before = lines.part(offset - column, min(offset - column + _SHORT_LINE, offset))
            if column > len(before) and not before.strip(WHITE_SPACE):
                before = lines.part(offset - column, offset)
        else:
            before = before[start:]
            column = len(before)
        begins = before.lstrip(" \t")
        is_first = not begins or not begins.strip(WHITE_SPACE)
        return PlaceOnLine(offset - column, column if is_first else None, len(before) - len(begins))

    def beginning_lines(self, first: int, end: int, indentation: int) -> Iterator[int]:
        """The pieces behind ``first`` and before ``end`` that begin a line, indented no deeper: the last first."""
        start, last = self._offset_of(first), self._offset_of(end)
        text = self._lines.part(start, last)
        line_end = len(text)
        while (line := text.rfind("\n", 0, line_end)) >= 0:
            at = line + 1
            while at < line_end and text[at] in " \t":
                at += 1
            if at < line_end and at - line - 1 <= indentation and text[at] not in WHITE_SPACE:
                piece = bisect_left(range(end), start + at, first, key=self._offset_of)
                if self._offset_of(piece) == start + at:
                    yield piece
            line_end = line

    def are_on_a_line(self, first: int, last: int) -> bool:
        """Whether two pieces that are near each other stand on the same line."""
        start, end = self._offset_of(first), self._offset_of(last)
        return end - start < _SHORT_VALUE and not _LINE_END.search(self._lines.part(start, end))

    def is_displaced(self, closing: int, opening: int) -> bool:
        """Whether a brace does not stand below the begin of the line with the one that it closes, but on another."""
        first, last = self._offset_of(opening), self._offset_of(closing)
        if last - first < _SHORT_VALUE:  # most values are: one look at the text tells of lines that spaces indent
            before = min(first, _SHORT_LINE)
            text = self._lines.part(first - before, last)
            line, own = text.rfind("\n", 0, before) + 1, text.rfind("\n") + 1
            spaces = len(text) - own
            if own > line > 0 and text.endswith(" " * spaces) and "\r" not in text:
                return not text.startswith(" " * spaces, line) or text[line + spaces] in " \t"
        return self.of(closing).is_displaced(self.of(opening))


def braces_too_many(braces: Iterable[Brace]) -> frozenset[int]:
    """The positions of closing braces that are too many in a statement, if more close than open."""
    braces = list(braces)
    left = sum([brace.closes for brace in braces]) - sum([not brace.closes for brace in braces])
    too_many: set[int] = set()
    opened: list[Brace] = []
    for brace in braces:
        if not brace.closes:
            opened.append(brace)
        elif left > 0 and (not opened or brace.is_extra(opened[-1].place)):
            too_many.add(brace.position)
            left -= 1
        elif opened:
            opened.pop()
    return frozenset(too_many)
