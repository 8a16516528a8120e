"""Which brackets of a text belong together, joined from its parts, each of which caches its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from ..syntax.segment_list import Segments
from ..syntax.statements import Segment
from ..syntax.tokens import CLOSING, OPENING
from ..text.text_span import TextSpan
from .cache_regions import CacheRegion

__all__ = ["bracketed"]


class _Brackets(msgspec.Struct, frozen=True):
    """What is cached of the brackets of a part: what each is, and where it stands in the part."""

    rows: Sequence[tuple[str, int]]


_BRACKETS: Final = "brackets"


def bracketed(parts: Iterable[CacheRegion], segments: Segments) -> Iterator[TextSpan]:
    """The ranges from a brace or bracket to the one that closes it; most of those on one line left out."""
    opened: list[int] = []
    for part in parts:
        known = part.memo.get(_BRACKETS)
        if not isinstance(known, _Brackets):
            known = part.memo[_BRACKETS] = _Brackets(tuple(_brackets(segments[part.first : part.end])))
        for kind, start in known.rows:
            if kind in OPENING:
                opened.append(part.start + start)
            elif opened:
                yield TextSpan(opened.pop(), part.start + start + 1)


def _brackets(segments: Iterable[Segment]) -> Iterator[tuple[str, int]]:
    """The brackets of a part and where they stand in it, but for most that are closed on their own line."""
    base = 0
    for segment in segments:
        if not _is_one_line(segment):
            kinds, _, starts = segment.tokens
            for kind, start in zip(kinds, starts, strict=True):
                if kind in OPENING + CLOSING:
                    yield kind, base + start
        base += len(segment.text)


def _is_one_line(segment: Segment) -> bool:
    """Whether a segment is on one line, and has as many brackets that open as that close."""
    kinds, text = segment.kinds, segment.text.rstrip()
    if "\n" in text or "\r" in text:
        return False
    return all(kinds.count(opening) == kinds.count(closing) for opening, closing in ("()", "[]", "{}"))
