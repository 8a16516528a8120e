"""The functions of a text that is being analysed: those that are what they were, and those that are to be analyzed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ..syntax.cuts import Role
from ..syntax.segment_list import Segments
from ..syntax.tokens import COMMENTS
from .function_statements import FunctionStatements
from .heads import Head
from .module_analysis import AnalysedFunction

__all__ = ["FunctionPart", "FunctionRegion", "is_closed_at", "last_segment", "numbers_at", "unless_edited"]


class FunctionRegion(NamedTuple):
    """The segments of a function: its head is before ``start``. ``known`` is what it was, if these are the same."""

    start: int
    last: int
    is_closed: bool
    is_plain: bool
    head: Head
    known: AnalysedFunction | None

    @property
    def end(self) -> int:
        """Where its statements end."""
        return self.last if self.is_closed else self.last + 1


FunctionPart: TypeAlias = "FunctionRegion | FunctionStatements"
"""A function of the text: one that is as it was, but for the heads of others and the types, or one to be analyzed."""


def last_segment(part: FunctionPart | AnalysedFunction) -> int:
    """The last segment of a function, to search by."""
    return part.last


def numbers_at(parts: Sequence[FunctionPart | AnalysedFunction], indices: Sequence[int]) -> Iterator[int]:
    """The numbers of the functions that have some segments, which are in order; each once, in order."""
    at = 0
    while at < len(indices):
        number = bisect_left(parts, indices[at], key=last_segment)
        yield number
        if number == len(parts):
            return
        at = bisect_right(indices, parts[number].last, at)


def unless_edited(region: FunctionRegion) -> FunctionStatements | None:
    """What a function was, where neither its head nor its brace is another."""
    known = region.known
    if isinstance(known, FunctionStatements) and known.head is region.head and known.is_closed == region.is_closed:
        return known
    return None


def is_closed_at(segments: Segments, end: int) -> bool | None:
    """Whether a function is closed whose statements end before segment ``end``; ``None`` where they may go on there."""
    if end == len(segments):
        return False
    segment = segments[end]
    if segment.kinds.strip(COMMENTS):
        return segment.role is Role.CLOSE if segment.role not in (Role.STATEMENT, Role.EXTRA_CLOSE) else None
    return False if end + 1 == len(segments) else None
