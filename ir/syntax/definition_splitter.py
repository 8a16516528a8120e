"""Where the heads of functions and the data types of a text end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .cuts import Beyond, Cut, Role
from .kind_patterns import (
    BEHIND_BINDING,
    DEVICE,
    HEAD_GOES_ON,
    HEAD_WITHOUT_DEF,
    HEADER_END,
    IN_HEADER,
    NEXT_BINDING,
    TYPE_BODY,
    TYPE_END,
    TYPE_HEAD,
    TYPE_WITHOUT_WORD,
    WHOLE_HEAD,
)
from .searched_kinds import SearchedKinds
from .tokens import ARROW, COMMENTS, GRAPH, LET, LOCAL

__all__ = ["MARGIN", "DefinitionSplitter"]

MARGIN: Final = 16
"""How many kinds after a segment tell where it ends, unless it is far-sighted."""


class DefinitionSplitter(SearchedKinds):
    """Finds the ends of definitions in a string of kinds. ``rest``: more kinds follow; see :class:`.Splitter`."""

    __slots__ = ("_seen", "rest")

    def __init__(self, kinds: str, rest: Callable[[int], bool] | None) -> None:
        super().__init__(kinds)
        self.rest: Final = rest
        self._seen = 0
        """How far was looked."""

    def _is_head_without_def(self, first: int, limit: int) -> bool:
        """Whether text that belongs to no function begins a head that has its brace, but lost its ``def``."""
        begins = HEAD_WITHOUT_DEF.match(self.kinds, first, limit)
        if begins is None:
            return False
        end = HEADER_END.search(self.kinds, begins.end() - 1, limit)
        return end is not None and end[0] == "{"

    def _header(self, first: int) -> Cut:
        kinds = self.kinds
        position = first + 1
        while True:
            passed = IN_HEADER.match(kinds, position)
            mark = HEADER_END.search(kinds, position if passed is None else passed.end())
            if mark is None:
                return Cut(len(kinds), Role.HEADER, False)
            if mark[0] == "{":
                if DEVICE.match(kinds, mark.end()) and _kind_before(kinds, mark.start()) == LOCAL:
                    close = HEADER_END.search(kinds, mark.end())
                    position = mark.end() if close is None or close[0] != "}" else close.end()
                    continue
                if self._goes_on_in_head(first, mark.start()):
                    position = mark.end()
                    continue
                return Cut(mark.end(), Role.HEADER, True)
            return Cut(mark.start(), Role.HEADER, mark[0][0] in f"}}{LET};{GRAPH}")

    def _goes_on_in_head(self, first: int, brace: int) -> bool:
        """Whether a brace in the head from ``first`` on is one too many: another follows, and no part of a body before.

        Of a head that is whole only an arrow behind its brace tells that, so that none looks into its body.
        """
        kinds = self.kinds
        is_whole = WHOLE_HEAD.fullmatch(kinds, first, brace) and all(
            kinds.count(one, first, brace) == kinds.count(other, first, brace) for one, other in ("()", "[]")
        )
        if is_whole:
            return kinds.startswith(ARROW, brace + 1)
        goes_on = HEAD_GOES_ON.match(kinds, brace + 1)
        if goes_on is None:
            end = HEADER_END.search(kinds, brace + 1)
            if self.rest is not None and end is None:
                raise Beyond
            self._seen = max(self._seen, brace + MARGIN, len(kinds) if end is None else end.end())
        return goes_on is not None

    def _type_end(self, first: int) -> int:
        kinds = self.kinds
        head = TYPE_HEAD.match(kinds, first) or TYPE_WITHOUT_WORD.match(kinds, first)
        position = head.end() if head else first + 1
        body = TYPE_BODY.match(kinds, position)
        if body is not None:
            end = body.end()
        else:
            after = TYPE_END.search(kinds, max(position, first + 1))
            end = len(kinds) if after is None else after.start()
        self._look_behind_bindings(first, end)
        return end

    def _look_behind_bindings(self, first: int, end: int) -> None:
        """Take note of what told of the bindings up to ``end`` whether they are statements, or stand in a data type."""
        for binding in NEXT_BINDING.finditer(self.kinds, first):
            if binding.start() > end:
                return
            seen = BEHIND_BINDING.match(self.kinds, binding.end()).end()  # pyright: ignore[reportOptionalMemberAccess]
            if self.rest is not None and seen == len(self.kinds):
                raise Beyond
            self._seen = max(self._seen, seen + 1)


def _kind_before(kinds: str, position: int) -> str:
    """The kind of the last token before ``position``."""
    position -= 1
    while position >= 0 and kinds[position] in COMMENTS:
        position -= 1
    return kinds[position] if position >= 0 else ""
