"""What of one text stands where in another that was made of it by hand: the way from a buffer to its last known text.

It depends on the two texts alone, not on how one became the other: undoing an edit takes back what the edit did to the
history, and an edit that comes as one replacement of everything counts like the few statements that it changes.

1. Lines that are the same in both, in order, stay (``difflib``).
2. What lies between is compared statement by statement (:mod:`.statement_matching`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_difference import changed_part
from relay_lsp.ir.text.text_span import TextSpan

from .statement_matching import Gap, MatchedPiece, StatementMatching

__all__ = ["MappedSpan", "TextMap"]


class MappedSpan(NamedTuple):
    """A range in the other text. ``edited`` where something in it was written by hand since."""

    span: TextSpan
    edited: bool = False


class TextMap:
    """The map between ``old`` and ``new``."""

    def __init__(self, old: LineIndex, new: LineIndex, kept: Sequence[MatchedPiece] | None = None) -> None:
        self.old = old
        self.new = new
        self._kept = _kept_lines(old, new) if kept is None else kept

    def followed(self, new: LineIndex) -> TextMap:
        """The map from the same old text to one that came after: only what lies around the difference is compared."""
        if new is self.new:
            return self
        span, changed = changed_part(self.new, new)
        shift = changed.end - span.end
        if span.start == span.end and not shift:
            return TextMap(self.old, new, self._kept)
        start, end = _line_bounds(self.new, span)
        before = [cut for piece in self._kept if (cut := _before(piece, start)) is not None]
        after = [cut for piece in self._kept if (cut := _after(piece, end)) is not None]
        gap = Gap(
            TextSpan(before[-1].old.end if before else 0, after[0].old.start if after else self.old.length),
            TextSpan(before[-1].new.end if before else 0, (after[0].new.start if after else self.new.length) + shift),
        )
        between = _same_lines(self.old, new, gap)
        moved = [piece._replace(new=piece.new.shifted(shift)) for piece in after]
        return TextMap(self.old, new, _joined([*before, *between, *moved]))

    @property
    def is_identity(self) -> bool:
        """Whether the texts are the same."""
        whole = TextSpan(0, self.old.length)
        return self.old.length == self.new.length and self._kept == [MatchedPiece(whole, whole, True)]

    def kept(self, span: TextSpan) -> TextSpan | None:
        """Where the words of a range of the new text stand in the old one, if they are the same and so is their order
        among all others; a range of whole lines is found at once."""
        index = bisect_right(self._kept_starts, span.start) - 1
        if index < 0 or self._kept[index].new.end < span.end:
            return None
        return span.shifted(self._kept[index].old.start - self._kept[index].new.start)

    @cached_property
    def _kept_starts(self) -> Sequence[int]:
        return [piece.new.start for piece in self._kept]

    def to_old(self, span: TextSpan) -> MappedSpan | None:
        """Where what stands at ``span`` of the new text stood; ``None`` for what was written since."""
        return MappedSpan(span) if self.is_identity else self._backwards.find(span)

    def to_new(self, span: TextSpan) -> MappedSpan | None:
        """Where what stood at ``span`` of the old text stands now; ``None`` for what is gone."""
        return MappedSpan(span) if self.is_identity else self._forwards.find(span)

    @cached_property
    def _statements(self) -> StatementMatching:
        whole = Gap(TextSpan(0, self.old.length), TextSpan(0, self.new.length))
        return StatementMatching(self.old, self.new, list(_gaps(self._kept, whole)))

    @cached_property
    def _backwards(self) -> _Lookup:
        matching = self._statements
        pieces = [MatchedPiece(piece.new, piece.old, piece.exact) for piece in (*self._kept, *matching.pieces)]
        edited = [(pair.new.value, pair.old.value) for pair in matching.edited]
        return _Lookup(pieces, edited, matching.written, matching.removed)

    @cached_property
    def _forwards(self) -> _Lookup:
        matching = self._statements
        edited = [(pair.old.value, pair.new.value) for pair in matching.edited]
        return _Lookup([*self._kept, *matching.pieces], edited, matching.removed, matching.written)


# Lines


def _kept_lines(old: LineIndex, new: LineIndex) -> Sequence[MatchedPiece]:
    span, changed = changed_part(old, new)
    shift = changed.end - span.end
    if span.start == span.end and not shift:
        whole = TextSpan(0, old.length)
        return [MatchedPiece(whole, whole, True)]
    start, end = _line_bounds(old, span)
    # The bounds are those of lines in both texts: what lies outside of them is the same.
    gap = Gap(TextSpan(start, end), TextSpan(start, end + shift))
    head = [MatchedPiece(TextSpan(0, start), TextSpan(0, start), True)]
    tail = [MatchedPiece(TextSpan(end, old.length), TextSpan(end + shift, new.length), True)]
    return _joined([*head, *_same_lines(old, new, gap), *tail])


def _line_bounds(lines: LineIndex, span: TextSpan) -> tuple[int, int]:
    """Where the first line begins and the last one ends that a range touches."""
    first, _ = lines.line_and_column(span.start)
    last, _ = lines.line_and_column(span.end)
    return lines.line_start(first), lines.line_start(last + 1)


def _same_lines(old: LineIndex, new: LineIndex, gap: Gap) -> list[MatchedPiece]:
    """The lines in a gap that are the same in both texts, in order.

    Blocks of lines that the texts share are found first: of a long text that was edited at its beginning and at its
    end, the lines of a few blocks remain to be compared.
    """
    same = list(
        _same_parts([text for _, text in old.pieces(*gap.old)], [text for _, text in new.pieces(*gap.new)], gap)
    )
    for between in list(_gaps(same, gap)):
        old_lines = old.part(*between.old).splitlines(keepends=True)
        same += _same_parts(old_lines, new.part(*between.new).splitlines(keepends=True), between)
    return sorted(same)


def _same_parts(old: Sequence[str], new: Sequence[str], gap: Gap) -> Iterator[MatchedPiece]:
    """Which of the parts that a gap consists of in both texts are the same, in order."""
    if not old or not new:
        return
    if old == new:
        yield MatchedPiece(gap.old, gap.new, True)
        return
    old_starts, new_starts = _starts(old, gap.old.start), _starts(new, gap.new.start)
    for first, second, size in SequenceMatcher(None, old, new).get_matching_blocks():
        if size:
            yield MatchedPiece(
                TextSpan(old_starts[first], old_starts[first + size]),
                TextSpan(new_starts[second], new_starts[second + size]),
                True,
            )


def _starts(lines: Iterable[str], start: int) -> list[int]:
    starts = [start]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _before(piece: MatchedPiece, offset: int) -> MatchedPiece | None:
    """What of a piece lies before an offset of the new text."""
    length = min(piece.new.end, offset) - piece.new.start
    if length <= 0:
        return None
    old, new = piece.old.start, piece.new.start
    return MatchedPiece(TextSpan(old, old + length), TextSpan(new, new + length), True)


def _after(piece: MatchedPiece, offset: int) -> MatchedPiece | None:
    length = piece.new.end - max(piece.new.start, offset)
    if length <= 0:
        return None
    old, new = piece.old.end, piece.new.end
    return MatchedPiece(TextSpan(old - length, old), TextSpan(new - length, new), True)


def _joined(pieces: Iterable[MatchedPiece]) -> list[MatchedPiece]:
    """The pieces without empty ones, and those that follow one another in both texts as one."""
    joined: list[MatchedPiece] = []
    for piece in pieces:
        if piece.old.start == piece.old.end:
            continue
        if joined and joined[-1].old.end == piece.old.start and joined[-1].new.end == piece.new.start:
            piece = MatchedPiece(
                TextSpan(joined[-1].old.start, piece.old.end), TextSpan(joined[-1].new.start, piece.new.end), True
            )
            joined.pop()
        joined.append(piece)
    return joined


def _gaps(kept: Iterable[MatchedPiece], whole: Gap) -> Iterator[Gap]:
    """What of a part of both texts lies between the pieces in it."""
    old, new = whole.old.start, whole.new.start
    for piece in kept:
        if piece.old.start > old or piece.new.start > new:
            yield Gap(TextSpan(old, piece.old.start), TextSpan(new, piece.new.start))
        old, new = piece.old.end, piece.new.end
    if old < whole.old.end or new < whole.new.end:
        yield Gap(TextSpan(old, whole.old.end), TextSpan(new, whole.new.end))


# Ranges


class _Lookup:
    """From ranges of one text to those of the other. In its pieces, ``old`` is the side that is asked about."""

    def __init__(
        self,
        pieces: list[MatchedPiece],
        edited: Sequence[tuple[TextSpan, TextSpan]],
        touched_here: Sequence[int],
        touched_there: Sequence[int],
    ) -> None:
        self._pieces = sorted(pieces)
        self._starts = [piece.old.start for piece in self._pieces]
        self._edited = sorted(edited)
        self._edited_starts = [here.start for here, _ in self._edited]
        self._touched_here, self._touched_there = touched_here, touched_there

    def find(self, span: TextSpan) -> MappedSpan | None:
        start, end = self._offset(span.start, False), self._offset(span.end, True)
        if start is not None and end is not None and start <= end:
            there = TextSpan(start, end)
            return MappedSpan(there, _any_in(self._touched_here, span) or _any_in(self._touched_there, there))
        index = bisect_right(self._edited_starts, span.start) - 1
        if index >= 0 and span.end <= self._edited[index][0].end:
            return MappedSpan(self._edited[index][1], True)
        return None

    def _offset(self, offset: int, is_end: bool) -> int | None:
        """The counterpart of the offset where a range begins, or where it ends."""
        index = (bisect_left if is_end else bisect_right)(self._starts, offset) - 1
        if index < 0 or self._pieces[index].old.end < offset or (self._pieces[index].old.end == offset and not is_end):
            return None
        piece = self._pieces[index]
        if piece.exact:
            return piece.new.start + (offset - piece.old.start)
        if is_end:
            return piece.new.end if offset == piece.old.end else None
        return piece.new.start if offset == piece.old.start else None


def _any_in(offsets: Sequence[int], span: TextSpan) -> bool:
    """Whether one of some offsets, which are in order, lies in a range."""
    index = bisect_left(offsets, span.start)
    return index < len(offsets) and offsets[index] < span.end
