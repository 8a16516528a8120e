"""Where a statement with braces ends, and where one ends of which a brace is never closed.

Where a brace is never closed, the text itself says where the statement was meant to end: at a line that begins a
statement and is indented no deeper than the one with the open brace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from .cuts import Beyond, Cut, Role
from .definition_splitter import MARGIN, DefinitionSplitter
from .extra_braces import FOLLOWS_NO_VALUE, PlacesOnLines
from .kind_patterns import AFTER_CLOSE, BRACE, NEXT_ELSE, NEXT_END, NEXT_TOP, RESYNCHRONISE, after_comments
from .statements import Segment
from .tokens import GRAPH, LET
from .values_below import value_below

__all__ = ["BraceSplitter"]

_FARTHEST_BRACE: Final = 65_536
"""In so many kinds behind a brace that may be too many, the one is looked for that closes."""


class _Braces:
    """Which brace closes another one in a string of kinds, each stretch of which is looked through once.

    A text may have ten thousand braces that nothing closes.
    """

    __slots__ = ("_closing", "_kinds", "_open", "_position", "_start")

    def __init__(self, kinds: str) -> None:
        self._kinds: Final = kinds
        self._start = self._position = 0  # what was looked through
        self._open: dict[int, int] = {}  # the braces that are open at its end, each with how many are so before it
        self._closing: Final[dict[int, int]] = {}

    def closing(self, opening: int) -> tuple[int | None, int]:
        """The brace that closes ``opening`` in the same body; else ``None``, and how many are open at the end.

        That is 0 where the body ends before.
        """
        if not self._start <= opening < self._position:
            self._start, self._position, self._open = opening, opening, {}
        elif opening not in self._open:
            return self._closing.get(opening), 0
        for mark in BRACE.finditer(self._kinds, self._position):
            self._position = mark.end()
            if mark[0] == "{":
                self._open[mark.start()] = len(self._open)
            elif mark[0] != "}":
                self._open = {}
                return None, 0
            elif self._open:
                closed, _ = self._open.popitem()
                self._closing[closed] = mark.start()
                if closed == opening:
                    return mark.start(), 0
        self._position = len(self._kinds)
        return None, len(self._open) - self._open[opening]


class BraceSplitter(DefinitionSplitter):
    """Finds the braces that close others in a string of kinds, and the ends of what is never closed.

    ``places`` tells where a piece stands on its line; the rest is as :class:`.Splitter` has it.
    """

    __slots__ = ("_before", "_braces", "_places", "are_braces_on_a_line", "are_places_asked", "expression")

    def __init__(self, kinds: str, places: PlacesOnLines, expression: bool, rest: Callable[[int], bool] | None) -> None:
        super().__init__(kinds, rest)
        self.expression: Final = expression
        self._braces: Final = _Braces(kinds)
        self._places: Final = places
        self.are_places_asked = False
        """Whether where pieces stand on their lines told something of the segment."""
        self.are_braces_on_a_line = False
        """Whether it has braces of which this told something: that they are on the line with those that they close."""
        self._before: Segment | None = None
        """The segment before the one that is looked for."""

    @property
    def places(self) -> PlacesOnLines:
        """Where pieces stand on their lines."""
        self.are_places_asked = True
        return self._places

    def _to_end_of_body(self, first: int, end: int) -> Cut:
        """A statement without a semicolon that ends with its body, or before the value of that."""
        if self.rest is not None and end == len(self.kinds):
            raise Beyond
        value = value_below(self.kinds[first:end], self._beginnings(first, end))
        if value is not None:
            self._seen = max(self._seen, end + 1)
        return Cut(end if value is None else first + value, Role.STATEMENT, True, is_short=value is not None)

    def _beginnings(self, first: int, end: int) -> Iterator[int]:
        """What begins a line of the statement from ``first`` on, and is indented no deeper: the last first."""
        for piece in self.places.beginning_lines(first, end, self.places.of(first).indentation):
            yield after_comments(self.kinds, piece) - first

    def _closed(self, first: int, position: int) -> int | None:
        """The position after the brace that closes the one before ``position``, if there is one in this body.

        They are of the statement from ``first`` on.
        """
        closing, depth = self._braces.closing(position - 1)
        if closing is None:
            if depth and self.rest is not None and self.rest(depth):
                raise Beyond
            return None
        end = closing + 1
        # A brace that ends the text or the definition is the function's own, not this statement's.
        if self.expression:
            return end
        after = after_comments(self.kinds, end)
        if self.rest is not None and after + MARGIN > len(self.kinds):
            raise Beyond
        if after == len(self.kinds) or NEXT_TOP.match(self.kinds, after):
            return None
        return self._closed_below(first, position - 1, closing) or end

    def _closed_below(self, first: int, opening: int, closing: int) -> int | None:
        """The position after another brace that closes ``opening``, where one before it is too many.

        It stands below the begin of the line that opens it, where ``closing``, which is its counterpart if all are
        counted, does not, or is followed by a deeper line; and in the same body, so that it is not that of a brace
        around.
        """
        if self._places.are_on_a_line(opening, closing):
            self.are_braces_on_a_line = True
            is_displaced = False
        else:
            is_displaced = self.places.is_displaced(closing, opening)
        if not is_displaced and not self._goes_on_deeper(closing):
            return None
        kinds, opened = self.kinds, self.places.of(opening)
        begin = self.places.of(first)
        if begin.line == opened.line and begin.column is None:
            return None  # what is in front of it on the line may open a brace, too
        semicolon = NEXT_END.match(kinds, closing + 1)
        after = after_comments(kinds, closing + 1 if semicolon is None else semicolon.end())
        column = self.places.of(after).column if after < len(kinds) else None
        if column is not None and column <= opened.indentation and kinds[after] != "}":
            return None
        depth, limit = 0, closing + _FARTHEST_BRACE
        for mark in BRACE.finditer(kinds, closing + 1, limit):
            self._seen = max(self._seen, mark.end())
            if mark[0] not in "{}":
                return None
            depth += 1 if mark[0] == "{" else -1
            if depth >= 0:
                continue
            depth = 0
            column = self.places.of(mark.start()).column
            if column is None or column > opened.indentation:
                continue
            after = after_comments(kinds, mark.end())
            if self.rest is not None and after + MARGIN > len(kinds):
                raise Beyond
            is_own = column < opened.indentation or after == len(kinds) or NEXT_TOP.match(kinds, after) is not None
            return None if is_own else mark.end()
        if self.rest is not None and limit >= len(kinds):
            raise Beyond
        self._seen = max(self._seen, min(limit, len(kinds)))
        return None

    def _goes_on_deeper(self, closing: int) -> bool:
        """Whether what follows no value begins the line behind a brace, and is indented deeper than that."""
        after = after_comments(self.kinds, closing + 1)
        if after == len(self.kinds) or self.kinds[after] not in FOLLOWS_NO_VALUE:
            return False
        own, column = self.places.of(closing).column, self.places.of(after).column
        return own is not None and column is not None and column > own

    def _unclosed(self, first: int, position: int) -> Cut:
        """A statement whose brace before ``position`` is never closed: it ends where its lines do.

        All lines of a body are indented: behind a line that is not, it ends at once.
        """
        cut = self._end_of_lines(first, position)
        last = self.kinds[cut.end - 1]
        if last == ";" or (last == "}" and AFTER_CLOSE.match(self.kinds, cut.end)):
            return cut
        value = self._to_end_of_body(first, cut.end)
        return value._replace(far_sighted=True) if value.is_short else cut

    def _end_of_lines(self, first: int, position: int) -> Cut:
        """Where the lines of a statement end whose brace before ``position`` is never closed.

        It has none that is indented as the statement before it, though it may itself be indented less.
        """
        kinds = self.kinds
        own = self.places.of(first).indentation
        if not own and not self.expression:
            return Cut(position, Role.STATEMENT, True, far_sighted=True)
        shallowest = max(own, self._indentation_before(first))
        depth = 1
        for mark in RESYNCHRONISE.finditer(kinds, position):
            start = mark.start()
            if mark[0] == "{":
                depth += 1
                continue
            if mark[0] == "}":
                column = self.places.of(start).column
                if column is not None and column < own:
                    return Cut(start, Role.STATEMENT, True, far_sighted=True)
                depth = 0 if column == own else depth - 1  # its own brace: the one that is missing is inside
                if depth > 0 or NEXT_ELSE.match(kinds, start + 1):
                    continue
                if AFTER_CLOSE.match(kinds, start + 1):
                    semicolon = NEXT_END.match(kinds, start + 1)
                    end = semicolon.end() if semicolon else start + 1
                    return Cut(end, Role.STATEMENT, True, far_sighted=True)
                end = start + (column == own)
                return Cut(end, Role.STATEMENT, True, far_sighted=True)
            if mark[0] == ";":
                column = self.places.of(start).column
                if column is None or column > shallowest:
                    continue
                return Cut(mark.end(), Role.STATEMENT, True, far_sighted=True)
            if mark[0][0] in GRAPH + LET:
                column = self.places.of(start).column
                if column is None or column > shallowest:
                    continue
            return Cut(start, Role.STATEMENT, True, far_sighted=True)
        return Cut(len(kinds), Role.STATEMENT, True, far_sighted=True)

    def _indentation_before(self, first: int) -> int:
        """The indentation of the statement before the one from ``first`` on, 0 where there is none in its body."""
        before = self._before
        return self.places.before(first, before.length).indentation if before is not None and before.in_body else 0
