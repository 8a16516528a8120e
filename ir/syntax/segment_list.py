"""The segments of a text, in blocks that the texts before and after an edit share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Final

from ..cancellation import check_cancelled
from ..collections.block_list import BlockList, common_beginning, common_ends
from ..text.text_difference import common_lengths
from .kind_patterns import BRACE, NEXT_TOP, after_comments, is_whole_binding
from .statements import Segment

__all__ = ["Segments"]


class _Block(list[Segment]):
    """Some consecutive segments, and what is cached of them, which holds wherever they stand."""

    __slots__ = ("_bindings", "_braces", "starts")

    def __init__(self, segments: Sequence[Segment]) -> None:
        super().__init__(segments)
        self.starts: Final = list(accumulate([len(segment.text) for segment in segments], initial=0))
        """Where each begins in the block, and where the last one ends."""
        self._braces: tuple[int, int, bool] | None = None
        self._bindings: int | None = None

    @property
    def bindings(self) -> int:
        """How many whole bindings it begins with."""
        if self._bindings is None:
            self._bindings = next(
                (number for number, segment in enumerate(self) if not is_whole_binding(segment.kinds)), len(self)
            )
        return self._bindings

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


_FEW: Final = 16
"""In so many segments at most, an edit is looked for letter by letter."""


class Segments(BlockList[Segment]):
    """The segments of a text, which put together are the text."""

    __slots__ = ("_offsets",)

    block_type = _Block
    _blocks: Sequence[_Block]

    def _take(self, blocks: Sequence[list[Segment]]) -> None:
        super()._take(blocks)
        self._offsets = list(accumulate([block.starts[-1] for block in self._blocks], initial=0))

    def count_braces(self) -> None:
        """Count the braces of every block before that is asked for."""
        for block in self._blocks:
            check_cancelled()
            _ = block.braces

    def common_beginning(self, other: Segments) -> int:
        """How many segments at the beginning of both are the same, and stand in the same places: in shared blocks."""
        shared = common_beginning(self._blocks, other._blocks)
        return self.block_start(shared)

    def common_end(self, other: Segments) -> int:
        """How many segments at the end of both are the same, in shared blocks."""
        shared = common_beginning(self._blocks[::-1], other._blocks[::-1])
        return len(self) - self.block_start(len(self._blocks) - shared)

    def differing(self, earlier: Segments) -> tuple[int, int]:
        """The offsets in an earlier text between which this one differs from it: the edit that lies between them.

        What follows is that many code points further on as this text is longer.
        """
        shared, behind = common_ends(self._blocks, earlier._blocks)
        old, new = (each[shared : len(each) - behind] for each in (earlier._blocks, self._blocks))
        start, end = earlier._offsets[shared], earlier._offsets[len(earlier._blocks) - behind]
        if min(len(old), len(new)) > 2:
            first, last = common_beginning(old[0], new[0]), common_beginning(old[-1][::-1], new[-1][::-1])
            starts = old[-1].starts
            return start + old[0].starts[first], end - starts[-1] + starts[len(old[-1]) - last]
        one, other = list(chain.from_iterable(old)), list(chain.from_iterable(new))
        first, last = common_ends(one, other)
        start += sum([segment.length for segment in one[:first]])
        end -= sum([each.length for each in one[len(one) - last :]])
        if max(len(one), len(other)) - first - last > _FEW:
            return start, end
        before, after = (
            "".join([each.text for each in segments[first : len(segments) - last]]) for segments in (one, other)
        )
        same, same_end = common_lengths(before, after)
        return start + same, end - same_end

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

    def starts(self, indices: Iterable[int]) -> Iterator[int]:
        """What :meth:`start` gives for some segments, which are in order."""
        first = end = offset = 0
        starts: Sequence[int] = ()
        for index in indices:
            if index >= end:
                number = self.block_number(index)
                first, starts, offset = self.block_start(number), self._blocks[number].starts, self._offsets[number]
                end = first + len(starts) - 1
            yield offset + starts[index - first]

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

    def after_bindings(self, first: int, count: int) -> tuple[str, bool]:
        """The kinds of ``count`` segments from the first on after ``first`` that is no whole binding.

        Also tells whether these are the last.
        """
        index, end = first, len(self)
        while index < end:
            number = self.block_number(index)
            block, start = self._blocks[number], self.block_start(number)
            if index == start:
                index += block.bindings
            else:
                here = enumerate(block[index - start :], index)
                index = next((at for at, one in here if not is_whole_binding(one.kinds)), start + len(block))
            if index < start + len(block):
                break
        return "".join([segment.kinds for segment in self[index : index + count]]), index + count >= end
