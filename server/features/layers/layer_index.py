"""Every value of a text with the layers that it came from, and every layer with its values.

An index consists of those of blocks of lines, in which offsets are counted from where the block begins: what an edit
leaves alone is shared with the index of the text before it, wherever it stands now.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["LayerBlock", "LayerCount", "LayerIndex", "LayerValue"]

_LOOKED_BACK = 64
"""How many values before a range are examined for the one around it."""


class LayerValue(NamedTuple):
    """A value that came from layers, by name; ``places`` is where comments name them, one for each, if they do."""

    span: TextSpan
    layers: tuple[str, ...]
    places: tuple[TextSpan, ...] = ()

    def shifted(self, by: int) -> LayerValue:
        """The same value ``by`` code points further on."""
        places = tuple([place.shifted(by) for place in self.places])
        return LayerValue(TextSpan(self.span.start + by, self.span.end + by), self.layers, places)


class LayerCount(NamedTuple):
    """A layer and how many values came from it."""

    name: str
    values: int


class LayerBlock:
    """The values that begin in some lines, in their order; offsets are counted from the beginning of the lines."""

    def __init__(self, values: Iterable[LayerValue] = ()) -> None:
        self.values = tuple(value for value in values if value.layers)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where each value begins."""
        return [value.span.start for value in self.values]

    @cached_property
    def reach(self) -> int:
        """Where the last of the values ends."""
        return max((value.span.end for value in self.values), default=0)

    @cached_property
    def by_layer(self) -> Mapping[str, Sequence[LayerValue]]:
        """The values of each layer."""
        layers: dict[str, list[LayerValue]] = {}
        for value in self.values:
            for layer in value.layers:
                layers.setdefault(layer, []).append(value)
        return layers


class LayerIndex:
    """The values of one text that came from layers, in the order of the text.

    Args:
        blocks: where each block of lines begins, and its values.
    """

    def __init__(self, blocks: Sequence[tuple[int, LayerBlock]] = ()) -> None:
        self._blocks = [(base, block) for base, block in blocks if block.values]
        self._bases = [base for base, _ in self._blocks]

    def __bool__(self) -> bool:
        """Whether any value came from a layer."""
        return bool(self._blocks)

    def read(self) -> Iterator[None]:
        """Sort the values by their layers ahead, block by block."""
        for _, block in self._blocks:
            _ = block.by_layer, block.reach
            yield

    @cached_property
    def values(self) -> Sequence[LayerValue]:
        """All values."""
        return [value.shifted(base) for base, block in self._blocks for value in block.values]

    @property
    def names(self) -> Sequence[str]:
        """The layers, in the order in which the text comes to them."""
        return list(dict.fromkeys(name for _, block in self._blocks for name in block.by_layer))

    @cached_property
    def by_layer(self) -> Mapping[str, Sequence[LayerValue]]:
        """The values of each layer; the layers in the order in which the text comes to them."""
        layers: dict[str, list[LayerValue]] = {}
        for base, block in self._blocks:
            for name, values in block.by_layer.items():
                layers.setdefault(name, []).extend([value.shifted(base) for value in values])
        return layers

    def values_of(self, layer: str) -> Sequence[LayerValue]:
        """The values of one layer; none where there is no such layer."""
        return [value.shifted(base) for base, block in self._blocks for value in block.by_layer.get(layer, ())]

    def spans_of(self, layers: Sequence[str]) -> list[TextSpan]:
        """The ranges of the values that came from one of some layers, in the order of the text."""
        spans = [
            TextSpan(value.span.start + base, value.span.end + base)
            for layer in layers
            for base, block in self._blocks
            for value in block.by_layer.get(layer, ())
        ]
        return spans if len(layers) == 1 else sorted(set(spans))

    def within(self, span: TextSpan) -> Sequence[LayerValue]:
        """The values that begin in a range and end in it."""
        values: list[LayerValue] = []
        first = max(bisect_right(self._bases, span.start) - 1, 0)
        for base, block in self._blocks[first : bisect_right(self._bases, span.end)]:
            start, end = bisect_left(block.starts, span.start - base), bisect_right(block.starts, span.end - base)
            values += [value.shifted(base) for value in block.values[start:end] if value.span.end <= span.end - base]
        return values

    def touching(self, span: TextSpan) -> Sequence[LayerValue]:
        """The values of which a part stands in a range, such as a function of which the range is some lines."""
        values: list[LayerValue] = []
        for base, block in self._blocks[: bisect_right(self._bases, span.end)]:
            if base + block.reach > span.start:
                end = bisect_right(block.starts, span.end - base)
                values += [value.shifted(base) for value in block.values[:end] if base + value.span.end > span.start]
        return values

    def around(self, span: TextSpan) -> LayerValue | None:
        """The innermost value that a range lies in."""
        for base, value in islice(self._before(span.start), _LOOKED_BACK):
            if value.span.end + base >= span.end:
                return value.shifted(base)
        return None

    def _before(self, offset: int) -> Iterator[tuple[int, LayerValue]]:
        """The values that begin at an offset or before it, the last one first, each with where its block begins."""
        for base, block in reversed(self._blocks[: bisect_right(self._bases, offset)]):
            for value in reversed(block.values[: bisect_right(block.starts, offset - base)]):
                yield base, value

    def counts_around(self, spans: Iterable[TextSpan]) -> tuple[LayerCount, ...]:
        """The layers of the values that some ranges lie in, the one with most values first."""
        values = {value for span in spans if (value := self.around(span)) is not None}
        counter = Counter(layer for value in sorted(values) for layer in value.layers)
        return tuple(LayerCount(name, count) for name, count in counter.most_common())

    def counts(self, span: TextSpan) -> tuple[LayerCount, ...]:
        """The layers of what stands in a range, the one with most values first."""
        counter = Counter(layer for value in self.within(span) for layer in value.layers)
        return tuple(LayerCount(name, count) for name, count in counter.most_common())
