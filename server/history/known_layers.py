"""Where the values of a known text came from, read block by block: what is never asked for is never read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..features.provenance.stated import StatedBlock, stated_blocks

if TYPE_CHECKING:
    from ..worker.pass_changes import SpanLayers

__all__ = ["KnownLayers", "KnownValue"]

KnownValue = tuple[TextSpan, tuple[Span, ...]]
"""The place of a value, and where the value came from."""


@dataclass(frozen=True)
class _Block:
    """The values that begin in some lines, in the order of the text; offsets are those of the whole text."""

    values: Sequence[KnownValue]
    starts: Sequence[int]
    on_lines: Sequence[KnownValue]
    """Those that reach over several lines."""
    reach: int
    """Where the last of those ends."""


class KnownLayers:
    """The values of a text of which something is known, in the order of the text.

    Args:
        lines: the text. What its comments say of a value comes before what is stored.
        stored: the values with the names, lines and columns of where they came from.
    """

    def __init__(self, lines: LineIndex, stored: SpanLayers) -> None:
        self._lines = lines
        self._stored = sorted(stored)
        self.has_stored = bool(stored)
        """Whether more is known of the text than what its comments say."""
        self._sources: dict[tuple[str, int, int], Span] = {}
        self._blocks: dict[int, _Block] = {}

    @property
    def is_read(self) -> bool:
        """Whether the comments of the text have been read; the first question about a value waits for all of them."""
        return "_stated" in self.__dict__

    @cached_property
    def _stated(self) -> Sequence[StatedBlock]:
        return stated_blocks(self._lines)

    @cached_property
    def _bases(self) -> Sequence[int]:
        return [block.start for block in self._stated]

    def __bool__(self) -> bool:
        return bool(self._stored) or any(block.values or block.reaching for block in self._stated)

    def read(self) -> Iterator[None]:
        """Read ahead, block by block: what is asked later is there already."""
        for number in range(len(self._stated)):
            self._block(number)
            yield

    @property
    def values(self) -> Sequence[KnownValue]:
        """All values."""
        return [value for number in range(len(self._stated)) for value in self._block(number).values]

    def between(self, start: int, end: int) -> Sequence[KnownValue]:
        """The values that begin in a range."""
        values: list[KnownValue] = []
        for number in self._touched(start, end):
            block = self._block(number)
            values += block.values[bisect_left(block.starts, start) : bisect_left(block.starts, end)]
        return values

    def reaching_out(self, start: int, end: int) -> Iterator[KnownValue]:
        """The values on several lines that begin in a range and end behind it."""
        for number in self._touched(start, end):
            block = self._block(number)
            if block.reach > end:
                yield from (value for value in block.on_lines if start <= value[0].start < end < value[0].end)

    def before(self, offset: int) -> Iterator[KnownValue]:
        """The values that begin at an offset or before it, the last one first."""
        for number in reversed(range(bisect_right(self._bases, offset))):
            block = self._block(number)
            yield from reversed(block.values[: bisect_right(block.starts, offset)])

    def _touched(self, start: int, end: int) -> range:
        """The numbers of the blocks that a range touches."""
        return range(max(bisect_right(self._bases, start) - 1, 0), bisect_left(self._bases, end) if start < end else 0)

    def _block(self, number: int) -> _Block:
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = self._read_block(number)
        return block

    def _read_block(self, number: int) -> _Block:
        stated, base = self._stated[number], self._bases[number]
        end = base + len(stated.text)
        layers: dict[TextSpan, tuple[Span, ...]] = {}
        # An empty range sorts before all that begin where it does.
        for first, last, sources in self._stored[
            bisect_left(self._stored, (base, base, ())) : bisect_left(self._stored, (end, end, ()))
        ]:
            layers[TextSpan(first, last)] = tuple([self._source(source) for source in sources])
        for value in stated.all_values:
            layers[value.span.shifted(base)] = tuple([each.source for each in value.sources])
        values = sorted(layers.items(), key=lambda item: (item[0].start, -item[0].end))
        on_lines = [value for value in values if _is_on_lines(stated, value[0])]
        reach = max((span.end for span, _ in on_lines), default=0)
        return _Block(values, [span.start for span, _ in values], on_lines, reach)

    def _source(self, source: tuple[str, int, int]) -> Span:
        span = self._sources.get(source)
        if span is None:
            name, line, column = source
            span = self._sources[source] = Span(SourceName(name), line, line, column, column)
        return span


def _is_on_lines(block: StatedBlock, span: TextSpan) -> bool:
    """Whether a value that begins in a block reaches over the end of its line."""
    start, end = span.start - block.start, span.end - block.start
    return end > len(block.text) or block.text.find("\n", start, end) >= 0
