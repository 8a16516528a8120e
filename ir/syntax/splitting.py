"""A text as its segments, and how an edit changes them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from ..block_list import BlockList
from ..source import LineIndex, TextSpan
from .lexer import WHITE_SPACE, Lexed, lex_chunks, lex_part
from .segments import BRACE, NEXT_TOP, Beyond, Splitter, after_comments
from .statements import Segment

__all__ = ["Segments", "Splice", "Split", "split", "split_text"]

_BEFORE: Final = 2
"""How many segments before an edit are split again: whether a brace closes a function depends on what follows it."""

_LOOK_AHEAD: Final = 64
"""How many segments beyond an edit are looked at first."""

_MOST_FAR_SIGHTED: Final = 16
"""Where more segments than this depend on text far beyond them, the whole text is split anew."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Which segments an edit replaced: ``first`` to ``old_end`` became ``first`` to ``new_end``."""

    first: int
    old_end: int
    new_end: int

    def then(self, later: Splice) -> Splice:
        """One that stands for this and then another."""
        beyond = max(later.old_end - self.new_end, 0)
        new_end = max(self.new_end, later.old_end) + later.new_end - later.old_end
        return Splice(min(self.first, later.first), self.old_end + beyond, new_end)


class _Block(list[Segment]):
    """Some consecutive segments, and what is remembered of them wherever they stand."""

    __slots__ = ("_braces", "starts")

    def __init__(self, segments: Sequence[Segment]) -> None:
        super().__init__(segments)
        self.starts: Final = list(accumulate([segment.length for segment in segments], initial=0))
        """Where each begins in the block, and where the last one ends."""
        self._braces: tuple[int, int, bool] | None = None

    @property
    def braces(self) -> tuple[int, int, bool]:
        """The change of the number of open braces, the lowest on the way, and whether anything ends every body."""
        if self._braces is None:
            change = lowest = 0
            stops = False
            for mark in BRACE.findall("".join([segment.kinds for segment in self])):
                if mark == "{":
                    change += 1
                elif mark == "}":
                    change -= 1
                    lowest = min(lowest, change)
                else:
                    stops = True
            self._braces = (change, lowest, stops)
        return self._braces


class Segments(BlockList[Segment]):
    """The segments of a text, which put together are the text."""

    __slots__ = ("_offsets",)

    block_type = _Block
    _blocks: Sequence[_Block]

    def _take(self, blocks: Sequence[list[Segment]]) -> None:
        super()._take(blocks)
        self._offsets = list(accumulate([block.starts[-1] for block in self._blocks], initial=0))

    @property
    def length(self) -> int:
        """How many code points they have together."""
        return self._offsets[-1]

    def start(self, index: int) -> int:
        """The offset at which a segment begins; one past the last is at the end."""
        if not self._blocks:
            return 0
        number = self.block_number(index)
        return self._offsets[number] + self._blocks[number].starts[index - self.block_start(number)]

    def index_at(self, offset: int) -> int:
        """The segment that an offset lies in, -1 for none; the last one, for an offset at or past the end."""
        if not self._blocks or offset < 0:
            return -1
        number = min(bisect_right(self._offsets, offset), len(self._blocks)) - 1
        block = self._blocks[number]
        within = bisect_right(block.starts, offset - self._offsets[number]) - 1
        return self.block_start(number) + min(within, len(block) - 1)

    def index_from(self, offset: int) -> int:
        """The first segment that begins at or after an offset; their number where none does."""
        index = self.index_at(offset)
        return index if index >= 0 and self.start(index) == offset else index + 1

    def close_brace(self, first: int, depth: int) -> bool:
        """Whether the segments from ``first`` on close the last of ``depth`` open braces, inside the same body."""
        index, count = first, len(self)
        while index < count:
            number = self.block_number(index)
            block, start = self._blocks[number], self.block_start(number)
            change, lowest, stops = block.braces
            if index == start and not stops and depth + lowest > 0:
                depth += change
            else:
                kinds = "".join([segment.kinds for segment in block[index - start :]])
                for mark in BRACE.finditer(kinds):
                    if mark[0] not in "{}":
                        return False
                    depth += 1 if mark[0] == "{" else -1
                    if not depth:
                        end = start + len(block)
                        kinds += "".join([segment.kinds for segment in self[end : end + 1]])
                        after = after_comments(kinds, mark.end())
                        return after < len(kinds) and not NEXT_TOP.match(kinds, after)
            index = start + len(block)
        return False


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
            return self._matched(_split(lines))
        first = max(0, self.segments.index_at(span.start) - _BEFORE)
        following = max(self.segments.index_from(span.end), first + 1)
        found, splice = self._resplit(lines, first, following, length - (span.end - span.start))
        looked_at = TextSpan(first, splice.new_end)
        position = 0
        while position < len(found.far_sighted):
            index = found.far_sighted[position]
            position += 1
            if looked_at.start <= index < looked_at.end:
                continue
            again, change = found._resplit(lines, index, index + 1, 0)
            if change.old_end > change.first or change.new_end > change.first:
                found, splice = again, splice.then(change)
                looked_at = TextSpan(index, change.new_end)
                position = bisect_right(found.far_sighted, index)
        return found, splice

    def _matched(self, made: Split) -> tuple[Split, Splice]:
        """A text that was split anew: the segments at its ends that stayed the same are the old ones."""
        old, new = self.segments, list(made.segments)
        first, after = _kept(list(old), new)
        end = len(new) - after
        segments = old.spliced(first, len(old) - after, new[first:end])
        return Split(made.lines, segments, made.far_sighted), Splice(first, len(old) - after, end)

    def _resplit(self, lines: LineIndex, first: int, following: int, delta: int) -> tuple[Split, Splice]:
        """Split anew from segment ``first`` to at least ``following``, which lies ``delta`` further on than it did."""
        old = self.segments
        offset = old.start(first)
        kinds, pieces = "", list[str]()
        ahead = _LOOK_AHEAD
        while True:
            lexed, offset = lex_part(lines, offset, old.start(following) + delta)
            kinds += lexed.kinds
            pieces += lexed.pieces
            if offset - delta > old.start(following):
                following = old.index_from(offset - delta)
                continue
            try:
                made = self._cut(lines, first, kinds, pieces, following, ahead)
            except Beyond:
                ahead *= 8
                continue
            if isinstance(made, list):
                break
            following = made
        before, after = _kept(old[first:following], made)
        made = made[before : len(made) - after]
        splice = Splice(first + before, following - after, first + before + len(made))
        segments = old.spliced(splice.first, splice.old_end, made)
        shift = splice.new_end - splice.old_end
        far_sighted = [index for index in self.far_sighted if index < splice.first]
        far_sighted += [splice.first + number for number, segment in enumerate(made) if segment.is_far_sighted]
        far_sighted += [index + shift for index in self.far_sighted if index >= splice.old_end]
        return Split(lines, segments, far_sighted), splice

    def _cut(
        self, lines: LineIndex, first: int, kinds: str, pieces: list[str], following: int, ahead: int
    ) -> list[Segment] | int:
        """The segments of the pieces; or, where one takes in more of the old segments, up to which to go on.

        Raises:
            Beyond: more than ``ahead`` of the old segments must be looked at.
        """
        old = self.segments
        rest = old[following : following + ahead]
        all_kinds = kinds + "".join([segment.kinds for segment in rest])
        beyond = following + len(rest)
        is_end = beyond == len(old)

        def offset_of(piece: int) -> int:
            if piece > len(pieces):
                lengths = [len(piece) for segment in rest for piece in segment.pieces]
                return old.start(first) + sum(map(len, pieces)) + sum(lengths[: piece - len(pieces)])
            return old.start(first) + sum(map(len, pieces[:piece]))

        indentation = _Indentation(lines, offset_of)
        splitter = Splitter(
            all_kinds,
            indentation.of,
            indentation.of_line,
            rest=None if is_end else lambda depth: old.close_brace(beyond, depth),
        )
        made: list[Segment] = []
        position, end = 0, len(kinds)
        in_body = old[first - 1].in_body if first else False
        while position < end:
            cut = splitter.cut(position, in_body)
            if cut.end > end:
                more = cut.end - end
                while more > 0:
                    more -= len(old[following].kinds)
                    following += 1
                return following
            part = pieces[position : cut.end]
            made.append(
                Segment(
                    cut.role,
                    kinds[position : cut.end],
                    part,
                    cut.in_body,
                    is_far=cut.far_sighted,
                    is_short=cut.is_short,
                )
            )
            position, in_body = cut.end, cut.in_body
        if following < len(old) and in_body != (following > 0 and old[following - 1].in_body):
            return min(len(old), 2 * following - first)
        return made


def _kept(old: Sequence[Segment], new: Sequence[Segment]) -> tuple[int, int]:
    """How many segments at the beginning, and how many of the others at the end, stayed the same."""
    before = 0
    for one, other in zip(old, new, strict=False):
        if not _is_same(one, other):
            break
        before += 1
    after = 0
    for one, other in zip(reversed(old[before:]), reversed(new[before:]), strict=False):
        if not _is_same(one, other):
            break
        after += 1
    return before, after


def _is_same(one: Segment, other: Segment) -> bool:
    return (
        one.pieces == other.pieces
        and one.role is other.role
        and one.in_body == other.in_body
        and one.is_far_sighted == other.is_far_sighted
        and one.is_short == other.is_short
    )


class _Pieces:
    """The pieces of a text, as they were found: chunk by chunk."""

    def __init__(self, chunks: Sequence[Lexed]) -> None:
        self._chunks: Final = [chunk.pieces for chunk in chunks]
        self._numbers: Final = list(accumulate([len(chunk.pieces) for chunk in chunks], initial=0))
        self._offsets: Final = list(accumulate([sum(map(len, chunk.pieces)) for chunk in chunks], initial=0))
        self._current = 0

    def part(self, start: int, end: int) -> list[str]:
        """The pieces from one to another, by number; quick where each part follows on the one before."""
        numbers, current = self._numbers, self._current
        if not numbers[current] <= start < numbers[current + 1]:
            current = self._current = bisect_right(numbers, start) - 1
        first = numbers[current]
        found = self._chunks[current][start - first : end - first]
        while end > numbers[current + 1]:
            current += 1
            found += self._chunks[current][: end - numbers[current]]
        return found

    def offset(self, piece: int) -> int:
        """Where a piece begins; their number stands for the end of the text."""
        chunk = min(bisect_right(self._numbers, piece), len(self._chunks)) - 1
        if chunk < 0:
            return 0
        return self._offsets[chunk] + sum(map(len, self._chunks[chunk][: piece - self._numbers[chunk]]))


def _split(lines: LineIndex, is_expression: bool = False) -> Split:
    chunks = list(lex_chunks(lines))
    kinds, pieces = "".join([chunk.kinds for chunk in chunks]), _Pieces(chunks)
    indentation = _Indentation(lines, pieces.offset)
    splitter = Splitter(kinds, indentation.of, indentation.of_line, is_expression)
    segments: list[Segment] = []
    position, in_body, count = 0, is_expression, len(kinds)
    while position < count:
        cut = splitter.cut(position, in_body)
        end = cut.end
        in_body = cut.in_body or is_expression
        part = pieces.part(position, end)
        segment = Segment(cut.role, kinds[position:end], part, in_body, None, cut.far_sighted, cut.is_short)
        segments.append(segment)
        position = end
    far_sighted = [number for number, segment in enumerate(segments) if segment.is_far_sighted]
    return Split(lines, Segments(segments), far_sighted)


def split_text(lines: LineIndex) -> Split:
    """Split a text from its beginning."""
    return _split(lines)


def split(text: str, is_expression: bool = False) -> list[Segment]:
    """The segments of a text, which put together are the text."""
    return list(_split(LineIndex(text), is_expression).segments)


class _Indentation:
    """Where pieces stand on their lines."""

    def __init__(self, lines: LineIndex, offset_of: Callable[[int], int]) -> None:
        self._lines: Final = lines
        self._offset_of: Final = offset_of

    def of(self, piece: int) -> int | None:
        """The column of a piece that is the first of its line."""
        line, column = self._lines.line_and_column(self._offset_of(piece))
        return column if not self._lines.line(line)[:column].strip(WHITE_SPACE) else None

    def of_line(self, piece: int) -> int:
        """The indentation of the line that a piece stands on."""
        line = self._lines.line(self._lines.line_and_column(self._offset_of(piece))[0])
        return len(line) - len(line.lstrip(" \t"))
