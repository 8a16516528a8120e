"""The kinds of a text's tokens, searched again and again: what one search tells is kept for the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, islice, repeat
from typing import Final

from .kind_patterns import CLOSING_PARENTHESIS, FLAT

__all__ = ["SearchedKinds"]

_SOON_COUNTED: Final = 4_096
"""In so many kinds, parentheses are counted at once."""

_TOGETHER: Final = 64
"""Of so many positions the least depth is kept: ten thousand statements ask for that of a thousand positions each."""

_DEEPER: Final = {"(": 1, ")": -1}
"""By how much a kind changes how many parentheses are open; by nothing, where it is not in it."""


class SearchedKinds:
    """A string of kinds: a text may have ten thousand statements of which each asks for the same far end."""

    __slots__ = ("_depths", "_flat", "_least", "_next", "kinds")

    def __init__(self, kinds: str) -> None:
        self.kinds: Final = kinds
        self._flat = (0, -1)
        self._depths = [0]
        self._least: list[int] = []
        self._next: Final[dict[re.Pattern[str], tuple[int, int]]] = {}
        """From where what was searched last, and where it stands; the end, where it does not."""

    def _is_balanced(self, start: int, end: int) -> bool:
        """Whether as many parentheses open as close between two positions."""
        kinds = self.kinds
        if end - start < _SOON_COUNTED:
            return kinds.count("(", start, end) == kinds.count(")", start, end)
        depths = self._open_before(end)  # there may be many statements to the same far end
        return depths[start] == depths[end]

    def _open_before(self, end: int) -> Sequence[int]:
        """How many parentheses open before each position up to ``end``, less those that close."""
        depths = self._depths
        if len(depths) <= end:
            more = map(_DEEPER.get, self.kinds[len(depths) - 1 : end], repeat(0))
            depths += islice(accumulate(more, initial=depths[-1]), 1, None)
        return depths

    def _least_open(self, start: int, end: int) -> int:
        """The least of :meth:`_open_before` from a position on, up to another one that lies behind it."""
        depths, least = self._open_before(end), self._least
        first, last = -(-start // _TOGETHER), end // _TOGETHER
        if first >= last:
            return min(depths[start:end])
        for at in range(len(least) * _TOGETHER, last * _TOGETHER, _TOGETHER):
            least.append(min(depths[at : at + _TOGETHER]))
        return min((*depths[start : first * _TOGETHER], *least[first:last], *depths[last * _TOGETHER : end]))

    def _flat_end(self, first: int) -> int:
        """The end of what has no semicolon and no brace, which is the same for all that begin in it."""
        start, end = self._flat
        if not start <= first <= end:
            end = FLAT.match(self.kinds, first).end()  # pyright: ignore[reportOptionalMemberAccess]
            self._flat = first, end
        return end

    def _stays_open(self, start: int, limit: int, depth: int) -> bool:
        """Whether the last of so many open parentheses is not closed between two positions."""
        if not self._has(CLOSING_PARENTHESIS, start, limit):
            return True
        return self._least_open(start + 1, limit + 1) > self._open_before(start)[start] - depth

    def _has(self, wanted: re.Pattern[str], start: int, limit: int) -> bool:
        """Whether one of some kinds stands between two positions."""
        return self._next_place(wanted, start) < limit

    def _next_place(self, wanted: re.Pattern[str], start: int) -> int:
        """Where one of some kinds stands next, or else the end; what the search before this one tells is kept."""
        asked, place = self._next.get(wanted, (0, -1))
        if not asked <= start <= place:
            match = wanted.search(self.kinds, start)
            place = len(self.kinds) if match is None else match.start()
            self._next[wanted] = start, place
        return place
