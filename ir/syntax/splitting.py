"""A text as its segments, and how an edit changes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import msgspec

from ..text.line_index import LineIndex
from ..text.text_span import TextSpan
from .extra_braces import PlacesOnLines
from .kind_patterns import is_open
from .lexer import lex
from .segment_cutter import SegmentCutter
from .segment_list import Segments
from .segments import Splitter
from .statements import CutSegment, Segment, is_same

__all__ = ["Splice", "Split", "split", "split_text"]

_BEFORE: Final = 2
"""How many segments before an edit are split again: whether a brace closes a function depends on what follows it."""

_BEFORE_ARROWHEAD: Final = 1
"""How much of the text behind the brace of a head may become an arrow with what is typed there."""

_MOST_FAR_SIGHTED: Final = 16
"""Where more segments than this depend on text far beyond them, the whole text is split anew."""


class Splice(msgspec.Struct, frozen=True):
    """Which segments an edit replaced: ``first`` to ``old_end`` became ``first`` to ``new_end``.

    ``names`` are the names of values in those of the new ones that are known by their forms, in order, if at hand.
    """

    first: int
    old_end: int
    new_end: int
    names: Sequence[str] | None = None

    @property
    def changes(self) -> bool:
        """Whether any segment is another one."""
        return self.old_end > self.first or self.new_end > self.first

    def then(self, later: Splice) -> Splice:
        """One that stands for this and then another."""
        beyond = max(later.old_end - self.new_end, 0)
        new_end = max(self.new_end, later.old_end) + later.new_end - later.old_end
        return Splice(min(self.first, later.first), self.old_end + beyond, new_end)


class Split:
    """A text and its segments. ``far_sighted`` are those whose end depends on text far beyond them."""

    __slots__ = ("far_sighted", "lines", "segments")

    def __init__(self, lines: LineIndex, segments: Segments, far_sighted: Sequence[int]) -> None:
        self.lines: Final = lines
        self.segments: Final = segments
        self.far_sighted: Final = far_sighted

    def edited(self, lines: LineIndex, span: TextSpan, length: int) -> tuple[Split, Splice]:
        """The segments of ``lines``, in which ``length`` characters replaced ``span``; and what changed."""
        if not self.segments or len(self.far_sighted) > _MOST_FAR_SIGHTED:
            return self._matched(split_text(lines))
        first = self._first_before(self.segments.index_at(span.start), span.start)
        delta, unchanged = length - (span.end - span.start), span.start + length
        following = max(self.segments.index_from(span.end), first + 1)
        if following < len(self.segments):
            start = self.segments.start(following) + delta
            line = lines.line_and_column(unchanged)[0]
            if line == lines.line_and_column(start)[0]:
                # Where a statement ends may depend on whether it is the first on its line, and on its column.
                following += 1
                if _indentation(lines, start) != _indentation(self.lines, start - delta):
                    following = self._first_below(following, lines, line, delta)
        split, change = self._resplit(lines, first, following, delta, unchanged, span)
        splice = change
        looked_at = TextSpan(first, splice.new_end)
        position = rounds = 0
        while True:
            index = min(change.first, len(split.segments) - 1)  # what is before it may have scanned it
            before = split._first_before(index, span.start)
            if change.changes and change.first < first + _BEFORE and before < first:
                first = before
            elif position < len(split.far_sighted):
                index = split.far_sighted[position]
                position += 1
                if looked_at.start <= index < looked_at.end:
                    continue
                first = max(0, index - _BEFORE)
            else:
                return split, splice
            again, change = split._resplit(lines, first, index + 1, 0, span.start + length)
            if change.changes:
                rounds += 1
                if rounds > _MOST_FAR_SIGHTED:
                    return self._matched(split_text(lines))
                split, splice = again, splice.then(change)
                looked_at = TextSpan(first, change.new_end)
                position = 0  # what was scanned before may have looked as far as to here

    def _first_below(self, index: int, lines: LineIndex, line: int, delta: int) -> int:
        """The first of the segments from ``index`` on that begins below a line, ``delta`` further on than it did."""
        while index < len(self.segments) and lines.line_and_column(self.segments.start(index) + delta)[0] == line:
            index += 1
        return index

    def _first_before(self, index: int, edited: int) -> int:
        """The first of the segments up to ``index`` that may be others now, where the text is from ``edited`` on.

        The brace that ends a head tells where it ends, however the text goes on behind it, but for an arrow.
        """
        first = max(0, index - _BEFORE)
        for number in range(index, first, -1):
            if self.segments.start(number) + _BEFORE_ARROWHEAD < edited and self.segments[number - 1].is_whole_head:
                return number
        return first

    def opened(self, lines: LineIndex) -> Split:
        """The segments of ``lines``, where these are those of the empty text."""
        return self._resplit(lines, 0, 0, lines.length, lines.length)[0]

    def _matched(self, made: Split) -> tuple[Split, Splice]:
        """A text that was split anew: the segments at its ends that stayed the same are the old ones."""
        old, new = self.segments, list(made.segments)
        first, after = _kept(list(old), new)
        end = len(new) - after
        segments = old.spliced(first, len(old) - after, new[first:end])
        return Split(made.lines, segments, made.far_sighted), Splice(first, len(old) - after, end)

    def _resplit(
        self, lines: LineIndex, first: int, following: int, delta: int, unchanged: int, edit: TextSpan | None = None
    ) -> tuple[Split, Splice]:
        """Split anew from segment ``first`` to at least ``following``, which lies ``delta`` further on than it did.

        From the offset ``unchanged`` on, the text is what it was; before it, too, where the range ``edit`` of the old
        one is given, but for that.
        """
        old = self.segments
        cutting = SegmentCutter(lines, old, first, following, delta, unchanged)
        if edit is not None:
            cutting.take_known(edit)
        cutting.run()
        made, following = cutting.made, cutting.following
        if edit is not None:
            self._share_tokens_around(edit, made, old.start(first), delta)
        before, after = _kept(old[first:following], made)
        names = cutting.names[_name_count(made[:before]) : len(cutting.names) - _name_count(made[len(made) - after :])]
        made = made[before : len(made) - after]
        splice = Splice(first + before, following - after, first + before + len(made), names)
        segments = old.spliced(splice.first, splice.old_end, made)
        shift = splice.new_end - splice.old_end
        far_sighted = [index for index in self.far_sighted if index < splice.first]
        far_sighted += [splice.first + at - before for at in cutting.far_sighted if before <= at < before + len(made)]
        far_sighted += [index + shift for index in self.far_sighted if index >= splice.old_end]
        return Split(lines, segments, far_sighted), splice

    def _share_tokens_around(self, edit: TextSpan, made: Sequence[Segment], position: int, delta: int) -> None:
        """Give the head or data type that was edited, of those ``made`` from ``position`` on, tokens of the old one."""
        number = self.segments.index_at(edit.start)
        old, start = self.segments[number], self.segments.start(number)
        for segment in made:
            if position >= start:
                if position == start and isinstance(old, CutSegment) and isinstance(segment, CutSegment):
                    segment.take_tokens_around(old, edit.start - start, edit.end + delta - start, delta)
                return
            position += segment.length


def _name_count(segments: Sequence[Segment]) -> int:
    """How many names of values are in those that are known by their forms."""
    return sum([segment.form.names for segment in segments if segment.form is not None])


def _kept(old: Sequence[Segment], new: Sequence[Segment]) -> tuple[int, int]:
    """How many segments at the beginning, and how many of the others at the end, stayed the same."""
    before = 0
    for one, other in zip(old, new, strict=False):
        if not is_same(one, other):
            break
        before += 1
    after = 0
    for one, other in zip(reversed(old[before:]), reversed(new[before:]), strict=False):
        if not is_same(one, other):
            break
        after += 1
    return before, after


def _indentation(lines: LineIndex, offset: int) -> int:
    """That of the line with an offset."""
    return PlacesOnLines(lines, int).of(offset).indentation


def split_text(lines: LineIndex) -> Split:
    """Split a text from its beginning."""
    return Split(lines, Segments(), ()).opened(lines)


def split(text: str, is_expression: bool = False) -> list[Segment]:
    """The segments of a text, which put together are the text; all of it is cut into pieces, to be parsed.

    With ``is_expression``, it is a body without braces around it.
    """
    lexed = lex(text)
    offsets = list(accumulate(map(len, lexed.pieces), initial=0))
    places = PlacesOnLines(LineIndex(text), offsets.__getitem__)
    kinds, pieces = lexed.kinds, lexed.pieces
    splitter = Splitter(kinds, places, is_expression)
    segments: list[Segment] = []
    position, in_body, count = 0, is_expression, len(kinds)
    while position < count:
        cut = splitter.cut(position, in_body, segments[-1] if segments else None)
        end = cut.end
        in_body = cut.in_body or is_expression
        own = kinds[position:end]
        is_far = cut.far_sighted or is_open(own, pieces[position:end])
        segments.append(CutSegment(cut.role, pieces[position:end], own, in_body, is_far, cut.is_short))
        position = end
    return segments
