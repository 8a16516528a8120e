"""Cuts a range of a text into segments, between old ones that stay."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Final, NamedTuple

from ..cancellation import check_cancelled
from ..text.line_index import LineIndex
from ..text.text_span import TextSpan
from .cuts import Beyond
from .extra_braces import PlacesOnLines
from .forms import AlikeStatements
from .kind_patterns import TO_BRACE, is_open
from .lexer import AROUND_EDIT, CUT_AGAIN, PieceReader, first_kept, first_unsure, lex, read_chunks
from .segment_list import Segments
from .segments import Splitter
from .statements import CutSegment, Segment, alike_segments

__all__ = ["SegmentCutter"]

_LOOK_AHEAD: Final = 64
"""How many segments beyond an edit are scanned first."""

_WINDOW: Final = 2_000
"""How much text is cut into pieces at first where a statement is not known by its form."""

_MANY_PIECES: Final = 200
"""Where a segment has fewer pieces than this, cutting its text again costs little."""

_META_NAME: Final = "meta"

_FEWEST_ALIKE: Final = 16
_MOST_ALIKE: Final = 256
"""Statements that are known by their forms are scanned together, more and more as long as all of them are."""

_MOST_UNLIKE: Final = 32
"""Where no statement has a form, so many are cut at most before the next is looked at for one."""


class _Taken(NamedTuple):
    """Which pieces were taken from old segments: the first ``before``, and from ``after`` those from ``old_after``.

    Where none begins behind the edit as one began there before, the last two are their numbers. The segments that both
    ends are in are ``reached``, each with the number of its first piece and its offset.
    """

    reached: Sequence[tuple[Segment, int, int]]
    before: int
    after: int
    old_after: int


class SegmentCutter:
    """Cuts a text into segments, from one that stayed where it was to one of those that moved by ``delta``.

    Statements that are like others that came before are known by their form. The rest is cut into pieces, a window of
    the text at a time, and the kinds of the pieces tell where segments end. What follows are the old segments, whose
    kinds are known: they are scanned, and not cut again. Of those that are cut again, the pieces of long ones are
    taken as they are, from the offset ``unchanged`` of the text on.
    """

    def __init__(self, lines: LineIndex, old: Segments, first: int, following: int, delta: int, unchanged: int) -> None:
        self._lines: Final = lines
        self._old: Final = old
        self._first: Final = first
        self._delta: Final = delta
        self._unchanged: Final = unchanged
        self._position = old.start(first)
        self._in_body = old[first - 1].in_body if first else False
        self._kinds = ""
        self._pieces: list[str] = []
        self._offsets = [-1]
        """Where the pieces of the window begin, and where the last one ends."""
        self._taken: _Taken | None = None
        self._reader = PieceReader(self._lines, self._position)
        self._reach = _WINDOW
        self._was_alike = True
        self._unlike = self._passed_over = 0
        """How many statements had no form since one had, and how many were not looked at for one since."""
        self._ahead = _LOOK_AHEAD
        self._rest: list[Segment] = []
        self._rest_starts: tuple[list[int], list[int]] | None = None
        """Which piece each of these begins with, counted from the window's first one, and where."""
        self._splitter: Splitter | None = None
        self.made: Final[list[Segment]] = []
        self.names: Final[list[str]] = []
        """The names of values in those of ``made`` that are known by their forms."""
        self.far_sighted: Final[list[int]] = []
        """Which of ``made`` end where text far beyond them tells."""
        self._go_on(following)

    def _go_on(self, following: int) -> None:
        """Cut as far as to the old segment ``following``."""
        self.following = following
        """The old segment that follows what is cut."""
        self._end = self._old.start(following) + self._delta
        self._splitter = None

    def _next_long(self, start: int) -> tuple[int, Segment | None]:
        """Where the first of the old segments with many pieces begins, from ``start`` on, and that; else the end."""
        old, delta = self._old, self._delta
        number = old.index_from(max(start, self._unchanged) - delta)
        for segment in old[number : self.following]:
            if len(segment.kinds) >= _MANY_PIECES:
                return old.start(number) + delta, segment
            number += 1
        return self._end, None

    def take_known(self, edit: TextSpan) -> None:
        """Take the pieces of the text around ``edit``, if there are many, from the old segments: the head of a network.

        The last ones before it are left out, since where a piece ends may depend on what follows it, and all from one
        on that depends on more. Those behind it are taken from where a piece begins that began there before.
        """
        start = self._position
        old = self._old[self._first : self.following] if edit.start > start else []
        if all(len(segment.kinds) < _MANY_PIECES for segment in old):
            return
        kinds = "".join([segment.kinds for segment in old])
        pieces = list(chain.from_iterable([segment.pieces for segment in old]))
        offsets = list(accumulate(map(len, pieces), initial=start))
        may_refer = any(_META_NAME in segment.text for segment in old)
        sure = first_unsure(kinds, pieces, 0, bisect_right(offsets, edit.start) - 1, may_refer=may_refer)
        count = max(sure - CUT_AGAIN, 0)
        self._kinds, self._pieces, self._offsets = kinds[:count], pieces[:count], offsets[: count + 1]
        changed_end = edit.end + self._delta
        self._taken = _Taken(self._reached(old, count), count, sys.maxsize, len(kinds))
        text = self._lines.part(offsets[count], changed_end + AROUND_EDIT)
        if _META_NAME in text:
            return
        lexed = lex(text)
        ends = list(accumulate(map(len, lexed.pieces), initial=offsets[count]))
        kept = first_kept(lexed, ends, changed_end, offsets, self._delta)
        if kept is not None:
            number, at = kept
            end = first_unsure(kinds, pieces, at, len(pieces), may_refer=may_refer)
            self._kinds += lexed.kinds[:number] + kinds[at:end]
            self._pieces += lexed.pieces[:number] + pieces[at:end]
            self._offsets += ends[1:number]
            self._offsets += [offset + self._delta for offset in offsets[at : end + 1]]
            self._taken = _Taken(self._reached(old, count, at), count, count + number, at)

    def run(self) -> None:
        """Fill ``made``."""
        old = self._old
        while True:
            while self._position < self._end:
                check_cancelled()
                if self._in_body and self._may_be_alike():
                    self._take_alike()
                if self._position < self._end:
                    self._cut()
            following = self.following
            if self._position > self._end:
                self._go_on(old.index_from(self._position - self._delta))
            elif following < len(old) and self._in_body != (following > 0 and old[following - 1].in_body):
                self._go_on(min(len(old), 2 * following - self._first))
            else:
                self._splitter = None  # it refers to us
                return

    def _may_be_alike(self) -> bool:
        """Whether the statement from here on may have a form: not where a brace comes before its semicolon.

        Where its pieces are not at hand, it may. The more statements had no form, the fewer are looked at for one.
        """
        if self._passed_over < min(self._unlike // 2, _MOST_UNLIKE):
            self._passed_over += 1
            return False
        self._passed_over = 0
        offsets = self._offsets
        index = bisect_left(offsets, self._position)
        if index == len(offsets) or offsets[index] != self._position or TO_BRACE.match(self._kinds, index) is None:
            return True
        self._was_alike = False
        return False

    def _take_alike(self) -> None:
        """Take the statements from here on that are known by their form."""
        position = self._position
        alike = AlikeStatements(self._lines.part, position, self._end)
        # Where the statement before had no form, the next may have none, and all that is scanned beyond it is looked
        # at again.
        count = _FEWEST_ALIKE if self._was_alike else 1
        are_more = True
        while are_more:
            check_cancelled()
            forms, statements, names = alike.take(count)
            self.made.extend(alike_segments(forms, statements))
            self.names.extend(names)
            position += sum(map(len, statements))
            are_more = len(forms) == count
            self._was_alike = bool(forms)
            self._unlike = 0 if forms else self._unlike + 1
            count = min(8 * count, _MOST_ALIKE)
        self._position = position

    def _cut(self) -> None:
        """Take one segment, whose end its pieces tell."""
        while True:
            offsets = self._offsets
            index = bisect_left(offsets, self._position)
            if index >= len(offsets) - 1 or offsets[index] != self._position:
                self._kinds, self._pieces, self._offsets, self._reach = "", [], [self._position], _WINDOW
                self._taken = None
                self._widen()
                continue
            try:
                cut = (self._splitter or self._look_ahead()).cut(index, self._in_body, self._segment_before)
            except Beyond:
                if offsets[-1] < self._end:
                    self._widen()
                else:
                    self._ahead *= 8
                    self._splitter = None
                continue
            if cut.end < len(offsets):
                break
            more, following = cut.end - len(self._pieces), self.following
            while more > 0:
                more -= len(self._old[following].kinds)
                following += 1
            self._go_on(following)
            self._widen()
        kinds, pieces = self._kinds[index : cut.end], self._pieces[index : cut.end]
        is_far = cut.far_sighted or is_open(kinds, pieces)
        if is_far:
            self.far_sighted.append(len(self.made))
        segment = CutSegment(cut.role, pieces, kinds, cut.in_body, is_far, cut.is_short)
        if self._taken is not None:
            self._take_tokens(segment, index, cut.end, self._taken)
        self.made.append(segment)
        self._position, self._in_body = offsets[cut.end], cut.in_body

    @property
    def _segment_before(self) -> Segment | None:
        """The segment that ends where the next one begins."""
        if self.made:
            return self.made[-1]
        return self._old[self._first - 1] if self._first else None

    def _take_tokens(self, segment: Segment, first: int, end: int, taken: _Taken) -> None:
        """Give a long segment the tokens that it has in common with an old one: those before the edit, and behind it.

        It has the former where it begins where the old one began, and the latter where both reach over the edit: not
        where only the brace behind a head was edited.
        """
        for old, start, offset in taken.reached:
            old_end = start + len(old.kinds)
            before = min(taken.before, end) - first if start == first < taken.before < old_end else 0
            left, old_left = end - taken.after, old_end - taken.old_after
            if not (0 < left <= old_left and first <= taken.after and start <= taken.old_after):
                left = old_left = 0
            if before or left:
                same = before, self._offsets[first + before] - self._offsets[first]
                moved = self._offsets[first] - offset
                segment.take_tokens(old, same, (old_left, left, self._delta - moved))
                return

    def _reached(self, old: Sequence[Segment], *pieces: int) -> list[tuple[Segment, int, int]]:
        """Those of consecutive old segments that these pieces are in, with the number and the offset of their first."""
        starts = list(accumulate([len(segment.kinds) for segment in old], initial=0))
        numbers = {bisect_right(starts, piece) - 1 for piece in pieces}
        return [
            (old[number], starts[number], self._old.start(self._first + number))
            for number in sorted(numbers)
            if number < len(old)
        ]

    def _widen(self) -> None:
        """Cut more text into pieces."""
        start = self._offsets[-1]
        end, long = self._next_long(start)
        if long is not None and start == end:
            self._kinds += long.kinds
            self._pieces += long.pieces
            self._offsets += list(accumulate(map(len, long.pieces), initial=start))[1:]
            self._splitter = None
            return
        if self._reader.position != start:
            self._reader = PieceReader(self._lines, start)
        for lexed in read_chunks(self._reader, min(start + self._reach, end)):
            self._kinds += lexed.kinds
            self._pieces += lexed.pieces
            self._offsets += list(accumulate(map(len, lexed.pieces), initial=self._offsets[-1]))[1:]
        self._reach *= 2
        self._splitter = None
        if self._offsets[-1] > self._end:
            self._go_on(self._old.index_from(self._offsets[-1] - self._delta))

    def _look_ahead(self) -> Splitter:
        """What cuts the pieces of the window; at the end of what is to be cut, it looks at the old segments, too."""
        old = self._old
        is_inside = self._offsets[-1] < self._end
        beyond = min(self.following + self._ahead, len(old))
        self._rest = [] if is_inside else old[self.following : beyond]
        self._rest_starts = None
        rest: Callable[[int], bool] | None = None
        after_bindings: Callable[[int], tuple[str, bool]] | None = None
        if is_inside:
            rest = _always
        elif beyond < len(old):
            rest, after_bindings = partial(old.close_brace, beyond), partial(old.after_bindings, beyond)
        kinds = self._kinds + "".join([segment.kinds for segment in self._rest])
        places = PlacesOnLines(self._lines, self._offset_of)
        self._splitter = Splitter(kinds, places, rest=rest, after_bindings=after_bindings)
        return self._splitter

    def _offset_of(self, piece: int) -> int:
        """Where a piece begins, of the window or of what follows it."""
        if piece < len(self._offsets):
            return self._offsets[piece]
        if self._rest_starts is None:
            counts = accumulate([len(segment.kinds) for segment in self._rest], initial=len(self._pieces))
            lengths = accumulate([segment.length for segment in self._rest], initial=self._offsets[-1])
            self._rest_starts = list(counts), list(lengths)
        counted, offsets = self._rest_starts
        at = bisect_right(counted, piece) - 1
        inside = self._rest[at].pieces[: piece - counted[at]] if at < len(self._rest) else ()
        return offsets[at] + sum(map(len, inside))


def _always(depth: int) -> bool:
    """Where there is more text to look at, what closes a brace may be in it."""
    return True
