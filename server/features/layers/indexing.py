"""The index of the layers of a text, from its comments and from what is recorded of it, block by block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, Protocol

from relay_lsp.ir.spans import Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..provenance.stated import StatedBlock, StatedLayers, stated_blocks, stated_layers
from .layer_index import LayerBlock, LayerIndex, LayerValue

__all__ = ["LayerIndexer", "RecordedBlock", "RecordedLayers", "RememberedLayers", "layer_index"]

RememberedLayers = Sequence[tuple[TextSpan, tuple[Span, ...]]]
"""Values of a text with what is recorded of where they came from."""


class RecordedBlock(Protocol):
    """What is recorded of the values that begin in a block of lines."""

    @property
    def key(self) -> Hashable:
        """Two blocks of the same words and of one key have the same values."""
        ...

    def values(self) -> RememberedLayers:
        """The values, their offsets counted from the beginning of the block."""
        ...


class RecordedLayers(Protocol):
    """What is recorded of the values of a text."""

    def values(self) -> RememberedLayers:
        """All of them."""
        ...

    def in_blocks(self, blocks: Sequence[TextSpan]) -> Sequence[RecordedBlock]:
        """Those that begin in each of the blocks of lines of which the text consists."""
        ...


class LayerIndexer:
    """Makes the indices of the texts that a buffer has one after the other, of which most is the same."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, LayerBlock] = {}
        """The blocks of the last index."""

    def index(self, lines: LineIndex, recorded: RecordedLayers) -> LayerIndex:
        """The index of a text. What its comments say comes before what is recorded."""
        stated = stated_blocks(lines)
        spans = [TextSpan(block.start, block.start + len(block.text)) for block in stated]
        used: dict[Hashable, LayerBlock] = {}
        blocks: list[tuple[int, LayerBlock]] = []
        for block, known in zip(stated, recorded.in_blocks(spans), strict=True):
            key = (block.key, known.key)
            made = self._blocks.get(key) or used.get(key)
            used[key] = made if made is not None else _block(block, known)
            blocks.append((block.start, used[key]))
        self._blocks = used
        return LayerIndex(blocks)


class _Nothing(NamedTuple):
    key: None = None

    def values(self) -> RememberedLayers:
        return ()


_NOTHING = _Nothing()


def _block(block: StatedBlock, known: RecordedBlock) -> LayerBlock:
    return LayerBlock(_values(block.text, block.all_values, known.values()))


def layer_index(lines: LineIndex, recorded: RememberedLayers = ()) -> LayerIndex:
    """The index of a text by itself. What its comments say comes before what is recorded."""
    if not recorded:
        return LayerIndex([(block.start, _block(block, _NOTHING)) for block in stated_blocks(lines)])
    return LayerIndex([(0, LayerBlock(_values(lines.text, stated_layers(lines.text), recorded)))])


def _values(text: str, stated: Sequence[StatedLayers], recorded: RememberedLayers) -> Iterable[LayerValue]:
    """The values that comments or the history know, in order.

    Of what is recorded, a value inside of another on the same line counts only where its layers differ.
    """
    values = [_of_comments(value) for value in stated]
    if recorded:
        values += _beside(text, stated, recorded)
        values.sort(key=lambda value: (value.span.start, -value.span.end))
    return values


def _of_comments(value: StatedLayers) -> LayerValue:
    named = {source.source.source_name.name: source.span for source in value.sources if not source.source.line}
    return LayerValue(value.span, tuple(named), tuple(named.values()))


def _beside(text: str, stated: Sequence[StatedLayers], recorded: RememberedLayers) -> Iterable[LayerValue]:
    """What is recorded of values that no comment speaks of, nor of the line around them."""
    ends = {value.span.end for value in stated}
    outer: list[LayerValue] = []
    spoken_of = [value.span for value in stated if "\n" not in text[value.span.start : value.span.end]]
    starts = [span.start for span in spoken_of]
    for span, sources in sorted(recorded, key=lambda item: (item[0].start, -item[0].end)):
        layers = tuple(source.source_name.name for source in sources if not source.line)
        if not layers or span.end in ends:
            continue
        index = bisect_right(starts, span.start) - 1
        if index >= 0 and spoken_of[index].end >= span.end:
            continue
        while outer and outer[-1].span.end <= span.start:
            outer.pop()
        value = LayerValue(span, layers)
        if outer and outer[-1].layers == layers and "\n" not in text[outer[-1].span.start : span.start]:
            continue
        outer.append(value)
        yield value
