"""Sequences of statements inside values: which semicolons are theirs, by the kinds of the tokens alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .kind_patterns import BINDING, MARK, NEXT_BINDING, RUN_ON, after_comments, unclosed_in
from .value_ends import ValueEnds

__all__ = ["LOOK_AHEAD", "OpenValues", "inner_semicolon", "may_be_value"]

LOOK_AHEAD: Final = 4000
"""How many kinds are scanned to tell what a mark belongs to."""


class OpenValues:
    """Counts the let values that are sequences themselves and still go on.

    TVM prints ``let %a = let %b = 1; %b; %a`` where a bound value is a let. The inner sequence ends with its first item
    that binds nothing.
    """

    __slots__ = ("_count", "_ends", "_item", "_opened", "seen")

    def __init__(self, item: int, ends: ValueEnds) -> None:
        self._item = item
        self._ends = ends
        self._opened = 0
        self._count = 0
        self.seen = 0
        """How many kinds told what the items are."""

    @property
    def are_open(self) -> bool:
        """Whether one of them goes on behind the current item."""
        return self._count + self._opened > 0

    @property
    def item(self) -> int:
        """Where the current item begins."""
        return self._item

    def see_let(self, let: int, *, is_value: bool) -> None:
        """There is a ``= let`` in the current item; unless that is its value, it has none, and another one begins."""
        if is_value:
            self._opened += 1
        else:
            self._item = let

    def end_item(self, kinds: str, semicolon: int) -> bool:
        """The current item ends at ``semicolon``; whether a sequence still goes on.

        An expression whose semicolon is missing is being typed in it, if there is another one that ends it; unless the
        kinds are all that there are, that may stand behind them: then :attr:`seen` is their number.
        """
        first = after_comments(kinds, self._item)
        if self._opened:
            self._count += self._opened
        elif self._count and not BINDING.match(kinds, first):
            is_typed = RUN_ON.search(kinds, first, semicolon) is not None or bool(
                NEXT_BINDING.search(kinds, first, semicolon) and unclosed_in(kinds[first:semicolon])
            )
            goes_on: bool | None = False
            if is_typed:
                goes_on, self.seen = self._ends.after(semicolon)
            self._count -= goes_on is False
        self._opened = 0
        self._item = semicolon + 1
        return self._count > 0


def may_be_value(own: int | None, let: int | None) -> bool:
    """Whether a ``let`` behind a ``=`` may be the value, by its column and that of what binds it.

    One that begins a line must be indented deeper; a column is ``None`` where something else begins the line.
    """
    return own is None or let is None or let > own


def inner_semicolon(kinds: str, element: int, semicolon: int, may_be_closed: Callable[[], bool]) -> tuple[bool, int]:
    """Whether a semicolon between parentheses belongs to a sequence inside them, ``(let %x = 1; %x)``; what shows it.

    It does where the element that it ends is a binding, or where the parentheses close before the next line that
    begins a statement; else a parenthesis is missing, and the semicolon ends the statement. So it is where a binding
    follows something else in the element, and where ``may_be_closed``, which is asked of what begins no binding, tells
    that nothing closes them: what each of ten thousand such is followed by is not scanned. The second value is the end
    of the kinds that were scanned.
    """
    first = after_comments(kinds, element)
    if BINDING.match(kinds, first):
        return True, semicolon
    if not may_be_closed() or RUN_ON.search(kinds, first, semicolon) is not None:
        return False, semicolon
    depth, braces = 1, 0
    position = semicolon + 1
    limit = min(len(kinds), semicolon + LOOK_AHEAD)
    if BINDING.match(kinds, after_comments(kinds, position)):
        return False, semicolon
    while position < limit:
        mark = MARK.search(kinds, position, limit)
        if mark is None:
            return False, limit
        kind = mark[0]
        if kind == "{":
            braces += 1
        elif kind == "}":
            braces -= 1
            if braces < 0:
                return False, mark.end()
        elif not braces and kind == "(":
            depth += 1
        elif not braces and kind == ")":
            depth -= 1
            if not depth:
                return True, mark.end()
        elif kind not in "(){},;":
            return False, mark.end()
        elif kind == ";" and not braces:
            after = after_comments(kinds, mark.end())
            if BINDING.match(kinds, after):
                return False, after
        position = mark.end()
    return False, limit
