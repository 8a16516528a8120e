"""A text as its segments, and how an edit changes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from ..source import TextSpan
from .lexer import WHITE_SPACE, lex, lex_from
from .segments import Splitter
from .statements import Segment
from .tokens import OPEN_COMMENT

__all__ = ["Splice", "Split", "split", "split_text"]

_LOOK_AHEAD: Final = 64
"""How many segments beyond an edit are looked at before the whole text is split anew."""


class Splice:
    """Which segments an edit replaced: ``first`` to ``old_end`` became ``first`` to ``new_end``."""

    __slots__ = ("first", "new_end", "old_end")

    def __init__(self, first: int, old_end: int, new_end: int) -> None:
        self.first: Final = first
        self.old_end: Final = old_end
        self.new_end: Final = new_end


class Split:
    """The segments of a text, which put together are the text, and the offset of each.

    ``is_local``: where each segment ends depends only on the text near it.
    """

    __slots__ = ("is_local", "segments", "starts")

    def __init__(self, segments: list[Segment], starts: npt.NDArray[np.int64], is_local: bool) -> None:
        self.segments: Final = segments
        self.starts: Final = starts
        self.is_local: Final = is_local

    def edited(self, text: str, span: TextSpan, length: int) -> tuple[Split, Splice]:
        """The segments of ``text``, in which ``length`` characters replaced ``span``; and what changed."""
        if self.is_local and self.segments:
            found = self._spliced(text, span, length)
            if found is not None:
                return found
        return self._matched(split_text(text))

    def _matched(self, made: Split) -> tuple[Split, Splice]:
        """A text that was split anew: the segments at its ends that stayed the same are the old ones."""
        old, new = self.segments, made.segments
        first = _kept_before(old, new)
        most = min(len(old), len(new)) - first
        after = _kept_before(old[: -most - 1 : -1], new[: -most - 1 : -1]) if most else 0
        segments = old[:first]
        segments.extend(new[first : len(new) - after])
        segments.extend(old[len(old) - after :])
        return Split(segments, made.starts, made.is_local), Splice(first, len(old) - after, len(new) - after)

    def _spliced(self, text: str, span: TextSpan, length: int) -> tuple[Split, Splice] | None:
        starts, segments = self.starts, self.segments
        count = len(segments)
        delta = length - (span.end - span.start)
        # The segment before is split again too: whether a brace closes a function depends on what follows it.
        first = max(0, int(np.searchsorted(starts, span.start, "right")) - 2)
        following = max(int(np.searchsorted(starts, span.end, "left")), first + 1)
        offset = int(starts[first])
        pieces: list[str] = []
        kinds: list[str] = []
        stream = lex_from(text, offset)
        in_body = segments[first - 1].in_body if first else False
        limit = following + _LOOK_AHEAD
        while following <= count and following < limit:
            target = int(starts[following]) + delta if following < count else len(text)
            while offset < target:
                piece, kind = next(stream)
                if kind == OPEN_COMMENT:
                    return None
                pieces.append(piece)
                kinds.append(kind)
                offset += len(piece)
            if offset == target:
                after = segments[following - 1].in_body if following else False
                made = self._cut("".join(kinds), pieces, in_body, following, after)
                if made is not None:
                    return self._joined(made, first, following, delta)
            following += 1
        return None

    def _cut(self, kinds: str, pieces: list[str], in_body: bool, following: int, after: bool) -> list[Segment] | None:
        """The segments of the pieces, if they end where an old one does and leave what follows as it was."""
        end = len(kinds)
        ahead = self.segments[following : following + _LOOK_AHEAD]
        reaches_end = following + _LOOK_AHEAD >= len(self.segments)
        splitter = Splitter(kinds + "".join([segment.kinds for segment in ahead]), lambda _: None, lambda _: 0)
        total = len(splitter.kinds)
        made: list[Segment] = []
        position = 0
        while position < end:
            cut = splitter.cut(position, in_body)
            if cut.far_sighted or cut.end > end or (cut.end == total and not reaches_end):
                return None
            made.append(Segment(cut.role, kinds[position : cut.end], pieces[position : cut.end], cut.in_body))
            position, in_body = cut.end, cut.in_body
        if following < len(self.segments) and in_body != after:
            return None
        return made

    def _joined(self, made: list[Segment], first: int, following: int, delta: int) -> tuple[Split, Splice]:
        old = self.segments
        kept = _kept_before(old[first:following], made)
        first += kept
        made = made[kept:]
        segments = old[:first]
        segments.extend(made)
        segments.extend(old[following:])
        lengths = [sum(map(len, segment.pieces)) for segment in made]
        end = int(self.starts[-1]) + sum(map(len, old[-1].pieces))
        base = int(self.starts[first]) if first < len(old) else end
        middle = np.fromiter(accumulate(lengths, initial=base), np.int64, len(made) + 1)[:-1]
        starts = np.concatenate((self.starts[:first], middle, self.starts[following:] + delta))
        return Split(segments, starts, True), Splice(first, following, first + len(made))


def _kept_before(old: Sequence[Segment], new: Sequence[Segment]) -> int:
    """How many segments at the beginning stayed the same."""
    kept = 0
    for before, after in zip(old, new, strict=False):
        if before.role is not after.role or before.pieces != after.pieces or before.in_body != after.in_body:
            break
        kept += 1
    return kept


def split_text(text: str, is_expression: bool = False) -> Split:
    """Split a text from its beginning."""
    lexed = lex(text)
    offsets = list(accumulate(map(len, lexed.pieces), initial=0))
    indentation = _Indentation(text, offsets)
    kinds, pieces = lexed.kinds, lexed.pieces
    splitter = Splitter(kinds, indentation.of, indentation.of_line, is_expression)
    segments: list[Segment] = []
    ends: list[int] = [0]
    position, in_body, count = 0, is_expression, len(kinds)
    is_local = OPEN_COMMENT not in kinds
    while position < count:
        cut = splitter.cut(position, in_body)
        end = cut.end
        in_body = cut.in_body or is_expression
        segments.append(Segment(cut.role, kinds[position:end], pieces[position:end], in_body))
        ends.append(end)
        position = end
        is_local = is_local and not cut.far_sighted
    ends.pop()
    starts = np.array([offsets[end] for end in ends[: len(segments)]], np.int64)
    return Split(segments, starts, is_local)


def split(text: str, is_expression: bool = False) -> list[Segment]:
    """The segments of a text, which put together are the text."""
    return split_text(text, is_expression).segments


class _Indentation:
    """Where pieces stand on their lines."""

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._text: Final = text
        self._starts: Final = starts

    def of(self, piece: int) -> int | None:
        """The column of a piece that is the first of its line."""
        start = self._starts[piece]
        line = self._text.rfind("\n", 0, start) + 1
        return start - line if not self._text[line:start].strip(WHITE_SPACE) else None

    def of_line(self, piece: int) -> int:
        """The indentation of the line that a piece stands on."""
        line = self._text.rfind("\n", 0, self._starts[piece]) + 1
        end = line
        while end < len(self._text) and self._text[end] in " \t":
            end += 1
        return end - line
