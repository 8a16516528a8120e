"""Where the value of a let ends that is a sequence of statements itself: ``let %a = let %b = 1; %b;``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .kind_patterns import BRACKET, STOP, unclosed_in
from .tokens import CLOSING, COMMENTS, FREE_VAR, GRAPH, LET, OPENING

__all__ = ["ValueEnds"]

_GAP: Final = f"[{COMMENTS}]*"

_EXPRESSION_ITEM: Final = re.compile(
    rf";(?={_GAP}[^{COMMENTS}}}{LET}{FREE_VAR}{GRAPH}])|;(?={_GAP}{GRAPH}(?!{_GAP}=))|{STOP}"
)
"""The semicolon before a statement that binds nothing, or what ends every body."""

_ITEM_END: Final = re.compile(rf"[;}}({{\[]|\)|\]|{STOP}")


class _End(NamedTuple):
    """Whether a value ends, how many kinds tell that, and up to which of them they tell the same of others."""

    is_ended: bool | None
    seen: int
    until: int


class ValueEnds:
    """Tells of each let in some kinds whether a value that begins with it ends, each stretch being looked through once.

    It does if an expression and a semicolon follow in the same body. A parenthesis that nothing closes is being typed:
    what follows it is read as if it were not there. Unless the kinds are all that there are, one that is open at their
    end may be closed behind them.
    """

    __slots__ = ("_end", "_is_all", "_kinds", "_let", "_limit", "_read")

    def __init__(self, kinds: str, *, is_all: bool = True) -> None:
        self._kinds: Final = kinds
        self._is_all: Final = is_all
        self._read = kinds  # without the parentheses that are being typed
        self._let = self._limit = 0  # the last one that was asked about, and up to which others may be told from it
        self._end = _End(None, 0, 0)

    def after(self, let: int) -> tuple[bool | None, int]:
        """Whether a value ends that begins at ``let``, ``None`` where these kinds do not tell; how many tell it."""
        if not self._goes_on_to(let):
            self._begin(let)
        elif let > self._end.until:
            self._end = _end(self._read, let)
        self._let = let
        return self._end.is_ended, self._end.seen

    def _goes_on_to(self, let: int) -> bool:
        """Whether ``let`` is in the same body as the last one, and in as many parentheses."""
        if not self._let <= let <= self._limit:
            return False
        return _depth(self._read[self._let : let]) == 0

    def _begin(self, let: int) -> None:
        self._read = self._kinds
        self._end = end = _end(self._kinds, let)
        self._limit = end.until
        is_open = end.is_ended is False or (end.is_ended is None and self._is_all)
        if not is_open or not (unclosed := unclosed_in(self._kinds[let : end.seen])):
            return
        read = list(self._kinds)
        for position in unclosed:
            read[let + position] = COMMENTS[0]
        self._read = "".join(read)
        self._limit = end.seen
        self._end = _end(self._read, let)
        self._end = self._end._replace(seen=max(end.seen, self._end.seen))


def _depth(kinds: str) -> int:
    """How many more brackets and braces open in some kinds than close."""
    return sum(map(kinds.count, OPENING)) - sum(map(kinds.count, CLOSING))


def _end(kinds: str, let: int) -> _End:
    depth, position = 0, let
    for mark in _EXPRESSION_ITEM.finditer(kinds, let):
        before = kinds[position : mark.end()]
        position = mark.end()
        depth += _depth(before)
        if depth < 0 or not before.endswith(";"):
            return _End(False, position, position)
        if depth:
            continue
        item = mark.start()
        end = _ITEM_END.search(kinds, position)
        while end is not None and end[0] in OPENING:
            depth, close = 1, end.end()
            while depth and (bracket := BRACKET.search(kinds, close)) is not None:
                depth += 1 if bracket[0] in OPENING else -1
                close = bracket.end()
            end = _ITEM_END.search(kinds, close) if not depth else None
        return _End(None, len(kinds), item) if end is None else _End(end[0] == ";", end.end(), item)
    return _End(None, len(kinds), len(kinds))
