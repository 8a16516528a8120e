"""Which brackets of a text belong together, joined from its parts, each of which caches its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from ..syntax.segment_list import Segments
from ..syntax.statements import Segment
from ..syntax.tokens import CLOSING, OPENING
from ..text.text_span import TextSpan
from .cache_regions import CacheRegion

__all__ = ["Brackets", "bracketed", "brackets_in"]

_LINE_END: Final = re.compile("[\r\n]")


class Brackets(msgspec.Struct, frozen=True):
    """The brackets and braces of a part of a text, counted from its beginning, without those closed on their line."""

    pairs: Sequence[tuple[int, int]]
    """Where those begin and end that are closed in the part, and the line behind them ends there, too."""
    others: Sequence[tuple[str, int]]
    """What each other one is, and where it stands."""


_BRACKETS: Final = "brackets"


def brackets_in(part: CacheRegion, segments: Segments) -> Brackets:
    """The brackets of a part, cached with the part."""
    known = part.memo.get(_BRACKETS)
    if not isinstance(known, Brackets):
        known = part.memo[_BRACKETS] = _found(segments[part.first : part.end])
    return known


def bracketed(parts: Iterable[CacheRegion], segments: Segments) -> Iterator[TextSpan]:
    """The ranges from a brace or bracket to the one that closes it, which lie in several parts of a text."""
    opened: list[int] = []
    for part in parts:
        for kind, start in brackets_in(part, segments).others:
            if kind in OPENING:
                opened.append(part.start + start)
            elif opened:
                yield TextSpan(opened.pop(), part.start + start + 1)


def _found(segments: Sequence[Segment]) -> Brackets:
    pairs: list[tuple[int, int]] = []
    others: list[tuple[str, int]] = []
    base = 0
    last_line_end = _last_line_end(segments)
    for segment in segments:
        if not _is_one_line(segment):
            text, (kinds, _, starts) = segment.text, segment.tokens
            for kind, start in zip(kinds, starts, strict=True):
                if kind in OPENING:
                    others.append((kind, base + start))
                elif kind in CLOSING:
                    begin = others[-1][1] if others and others[-1][0] in OPENING else -1
                    is_inside = begin >= base
                    if is_inside and _LINE_END.search(text, begin - base, start) is None:
                        others.pop()
                    elif is_inside and base + start < last_line_end:
                        others.pop()
                        pairs.append((begin, base + start + 1))
                    else:
                        others.append((kind, base + start))
        base += len(segment.text)
    return Brackets(pairs, others)


def _last_line_end(segments: Sequence[Segment]) -> int:
    """Where the last line of some segments that ends in them ends; 0 where none does."""
    end = sum([len(segment.text) for segment in segments])
    for segment in reversed(segments):
        end -= len(segment.text)
        at = max(segment.text.rfind("\n"), segment.text.rfind("\r"))
        if at >= 0:
            return end + at
    return 0


def _is_one_line(segment: Segment) -> bool:
    """Whether a segment is on one line, and has as many brackets that open as that close."""
    kinds, text = segment.kinds, segment.text.rstrip()
    if "\n" in text or "\r" in text:
        return False
    return all(kinds.count(opening) == kinds.count(closing) for opening, closing in ("()", "[]", "{}"))
