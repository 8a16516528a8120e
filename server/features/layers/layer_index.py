"""Every value of a text with the layers that it came from, and every layer with its values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from relay_lsp.ir.spans import Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from .stated import StatedLayers, stated_layers_in

__all__ = ["LayerCount", "LayerIndex", "LayerValue", "RememberedLayers", "layer_index"]

_LOOKED_BACK = 64
"""How many values before a range are looked at for the one around it."""

RememberedLayers = Sequence[tuple[TextSpan, tuple[Span, ...]]]
"""Values of a text with what is remembered of where they came from."""


class LayerValue(NamedTuple):
    """A value that came from layers, by name; ``places`` is where comments name them, one for each, if they do."""

    span: TextSpan
    layers: tuple[str, ...]
    places: tuple[TextSpan, ...] = ()


class LayerCount(NamedTuple):
    """A layer and how many values came from it."""

    name: str
    values: int


class LayerIndex:
    """The values of one text that came from layers, in the order of the text."""

    def __init__(self, values: Sequence[LayerValue]) -> None:
        self.values = values

    @cached_property
    def by_layer(self) -> Mapping[str, Sequence[LayerValue]]:
        """The values of each layer; the layers in the order in which the text comes to them."""
        layers: dict[str, list[LayerValue]] = {}
        for value in self.values:
            for layer in value.layers:
                layers.setdefault(layer, []).append(value)
        return layers

    @cached_property
    def _starts(self) -> list[int]:
        return [value.span.start for value in self.values]

    def within(self, span: TextSpan) -> Sequence[LayerValue]:
        """The values that begin in a range and end in it."""
        first, last = bisect_left(self._starts, span.start), bisect_right(self._starts, span.end)
        return [value for value in self.values[first:last] if value.span.end <= span.end]

    def around(self, span: TextSpan) -> LayerValue | None:
        """The innermost value that a range lies in."""
        index = bisect_right(self._starts, span.start) - 1
        for value in reversed(self.values[max(0, index - _LOOKED_BACK) : index + 1]):
            if value.span.end >= span.end:
                return value
        return None

    def counts_around(self, spans: Iterable[TextSpan]) -> tuple[LayerCount, ...]:
        """The layers of the values that some ranges lie in, the one with most values first."""
        values = {value for span in spans if (value := self.around(span)) is not None}
        counter = Counter(layer for value in sorted(values) for layer in value.layers)
        return tuple(LayerCount(name, count) for name, count in counter.most_common())

    def counts(self, span: TextSpan) -> tuple[LayerCount, ...]:
        """The layers of what stands in a range, the one with most values first."""
        counter = Counter(layer for value in self.within(span) for layer in value.layers)
        return tuple(LayerCount(name, count) for name, count in counter.most_common())


def layer_index(lines: LineIndex, recorded: RememberedLayers = ()) -> LayerIndex:
    """The index of a text. What its comments say comes before what is remembered.

    Of what is recorded, a value inside of another on the same line counts only where its layers differ.
    """
    stated = stated_layers_in(lines)
    values = [_of_comments(value) for value in stated]
    if recorded:
        values += _beside(lines.text, stated, recorded)
        values.sort(key=lambda value: (value.span.start, -value.span.end))
    return LayerIndex([value for value in values if value.layers])


def _of_comments(value: StatedLayers) -> LayerValue:
    named = {source.source.source_name.name: source.span for source in value.sources if not source.source.line}
    return LayerValue(value.span, tuple(named), tuple(named.values()))


def _beside(text: str, stated: Sequence[StatedLayers], recorded: RememberedLayers) -> Iterable[LayerValue]:
    """What is remembered of values that no comment speaks of, nor of the line around them."""
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
