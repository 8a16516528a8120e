"""The layers of a known text carried to the text that was made of it by hand: what was left alone by blocks of lines,
the rest value by value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from relay_lsp.ir.text.text_span import TextSpan

from ..features.layers.indexing import RememberedLayers
from .known_layers import KnownLayers, KnownValue
from .text_map import TextMap

__all__ = ["CarriedLayers", "StatedAlone"]


@dataclass(frozen=True)
class _CarriedBlock:
    known: KnownLayers
    old: TextSpan | None
    """Where its lines stand in the known text, if they are the same."""
    others: tuple[KnownValue, ...]
    """The values that were carried one by one."""
    cut: tuple[TextSpan, ...]
    """Where values stand in the known text that begin in these lines and end behind an edit."""

    @property
    def key(self) -> Hashable:
        # Two texts of a buffer may have the same words, of which different things are stored.
        return (self.known if self.known.has_stored else None, self.old, self.others, self.cut)

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

    def _carried(self, values: Sequence[KnownValue]) -> list[KnownValue]:
        placed = ((self._map.to_new(span), sources) for span, sources in values)
        return [(there.span, sources) for there, sources in placed if there is not None]

    def in_blocks(self, blocks: Sequence[TextSpan]) -> Sequence[_CarriedBlock]:
        """Those that begin in each block of lines of the text."""
        kept = [self._map.kept(block) for block in blocks]
        cut = self._cut(kept)
        others: list[list[KnownValue]] = [[] for _ in blocks]
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

    def _between(self, kept: Sequence[TextSpan | None]) -> list[KnownValue]:
        """The values that begin in no lines that are the same."""
        values: list[KnownValue] = []
        start = 0
        for old in kept:
            if old is not None:
                values += self._known.between(start, old.start)
                start = old.end
        return [*values, *self._known.between(start, self._map.old.length + 1)]

    def _cut(self, kept: Sequence[TextSpan | None]) -> list[list[KnownValue]]:
        """The values that begin in each block of lines that are the same, and end where they no longer are."""
        cut: list[list[KnownValue]] = [[] for _ in kept]
        for numbers, run in _runs(kept):
            starts = [old.start for number in numbers if (old := kept[number]) is not None]
            for value in self._known.reaching_out(*run):
                cut[numbers[bisect_right(starts, value[0].start) - 1]].append(value)
        return cut


def _runs(kept: Sequence[TextSpan | None]) -> Iterator[tuple[range, TextSpan]]:
    """The blocks, by number, that follow one another in both texts, and where they stand in the old one."""
    first, run = 0, None
    for number, old in enumerate((*kept, None)):
        if run is not None and old is not None and old.start == run.end:
            run = TextSpan(run.start, old.end)
            continue
        if run is not None:
            yield range(first, number), run
        first, run = number, old


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
        return [_Block((None, block, (), ())) for block in blocks]
