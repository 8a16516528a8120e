"""The layers of a known text carried to the text that was made of it by hand: what was left alone by blocks of lines,
the rest value by value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from relay_lsp.ir.spans import Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..features.layers.indexing import RememberedLayers
from .text_map import TextMap

__all__ = ["CarriedLayers", "KnownLayers", "StatedAlone"]

_Value = tuple[TextSpan, tuple[Span, ...]]


class KnownLayers:
    """Values of a text and where they came from, in the order of the text."""

    def __init__(self, lines: LineIndex, layers: Mapping[TextSpan, tuple[Span, ...]]) -> None:
        self.values: Sequence[_Value] = list(layers.items())
        self._starts = [span.start for span, _ in self.values]
        first = [lines.line_and_column(span.start)[0] for span, _ in self.values]
        self.on_lines = [
            value for value, line in zip(self.values, first, strict=True) if value[0].end >= lines.line_start(line + 1)
        ]
        """Those that reach over several lines."""

    def between(self, start: int, end: int) -> Sequence[_Value]:
        """Those that begin in a range."""
        return self.values[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


@dataclass(frozen=True)
class _CarriedBlock:
    known: KnownLayers
    old: TextSpan | None
    """Where its lines stand in the known text, if they are the same."""
    others: tuple[_Value, ...]
    """The values that were carried one by one."""
    cut: tuple[TextSpan, ...]
    """Where values stand in the known text that begin in these lines and end behind an edit."""

    @property
    def key(self) -> Hashable:
        return (self.old, self.others, self.cut)

    def values(self) -> RememberedLayers:
        if self.old is None:
            return self.others
        start, end = self.old
        whole = [
            (TextSpan(span.start - start, span.end - start), sources)
            for span, sources in self.known.between(start, end)
            if span not in self.cut
        ]
        return [*whole, *self.others]


class CarriedLayers:
    """What is known of the values of a text from the one that it was made of."""

    def __init__(self, known: KnownLayers, map: TextMap) -> None:
        self._known, self._map = known, map

    def values(self) -> RememberedLayers:
        """All values that are still there."""
        return self._values

    @cached_property
    def _values(self) -> RememberedLayers:
        return self._carried(self._known.values)

    def _carried(self, values: Sequence[_Value]) -> list[_Value]:
        placed = ((self._map.to_new(span), sources) for span, sources in values)
        return [(there.span, sources) for there, sources in placed if there is not None]

    def in_blocks(self, blocks: Sequence[TextSpan]) -> Sequence[_CarriedBlock]:
        """Those that begin in each block of lines of the text."""
        kept = [self._map.kept(block) for block in blocks]
        cut = self._cut(kept)
        others: list[list[_Value]] = [[] for _ in blocks]
        starts = [block.start for block in blocks]
        across = [value for values in cut for value in values]
        for span, sources in self._carried([*self._between(kept), *across]):
            number = max(bisect_right(starts, span.start) - 1, 0)
            there = TextSpan(span.start - starts[number], span.end - starts[number])
            others[number].append((there, sources))
        return [
            _CarriedBlock(self._known, old, tuple(more), tuple([span for span, _ in values]))
            for old, more, values in zip(kept, others, cut, strict=True)
        ]

    def _between(self, kept: Sequence[TextSpan | None]) -> list[_Value]:
        """The values that begin in no lines that are the same."""
        values: list[_Value] = []
        start = 0
        for old in kept:
            if old is not None:
                values += self._known.between(start, old.start)
                start = old.end
        return [*values, *self._known.between(start, self._map.old.length + 1)]

    def _cut(self, kept: Sequence[TextSpan | None]) -> list[list[_Value]]:
        """The values that begin in each block of lines that are the same, and end where they no longer are."""
        cut: list[list[_Value]] = [[] for _ in kept]
        numbers = [number for number, old in enumerate(kept) if old is not None]
        spans = [old for old in kept if old is not None]
        starts = [old.start for old in spans]
        reach = [old.end for old in spans]
        for index in reversed(range(len(spans) - 1)):
            if numbers[index] + 1 == numbers[index + 1] and spans[index].end == spans[index + 1].start:
                reach[index] = reach[index + 1]
        for value in self._known.on_lines:
            index = bisect_right(starts, value[0].start) - 1
            if index >= 0 and value[0].start < spans[index].end and value[0].end > reach[index]:
                cut[numbers[index]].append(value)
        return cut


class _Block(NamedTuple):
    key: Hashable

    def values(self) -> RememberedLayers:
        return ()


class StatedAlone:
    """What is known apart from comments of a known text whose comments say all that is known: nothing.

    Its blocks count as those of :class:`CarriedLayers`: undoing an edit makes none anew.
    """

    def values(self) -> RememberedLayers:
        """No values."""
        return ()

    def in_blocks(self, blocks: Sequence[TextSpan]) -> Sequence[_Block]:
        """No values in any block."""
        return [_Block((block, (), ())) for block in blocks]
