"""Layers in the outline of a text: entries of their own, so that they are found by name, or groups of the values."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from lsprotocol import types

from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Position, Range, offset_of
from ..features.layers.layer_index import LayerIndex, LayerValue
from ..scheduling.time_slices import in_slices
from .conversion import ProtocolConverter
from .structures import OutlineEntry

__all__ = ["layer_information", "layer_symbols", "with_layers"]

_NOTHING_MORE = re.compile(r"(?:\s|;|/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)*\Z")


async def with_layers(
    entries: Sequence[OutlineEntry], index: LayerIndex, converter: ProtocolConverter, is_grouped: bool
) -> list[OutlineEntry]:
    """An outline with the layers of each function in it. ``is_grouped``, the values of a layer stand under it, and a
    value of several layers under these together."""
    outline: list[OutlineEntry] = []
    starts = [value.span.start for value in index.values]
    for entry in entries:
        span = _span(entry.range, converter)
        values = index.values[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        outline.append(await _with_layers(entry, values, converter, is_grouped) if values else entry)
    return outline


def layer_symbols(index: LayerIndex, converter: ProtocolConverter) -> Iterator[types.SymbolInformation]:
    """The layers of a text in a list, each at its first value."""
    for name, values in index.by_layer.items():
        yield layer_information(name, values, converter)


def layer_information(name: str, values: Sequence[LayerValue], converter: ProtocolConverter) -> types.SymbolInformation:
    """A layer for a search over several files, at its first value."""
    return types.SymbolInformation(
        converter.location(values[0].span), name, types.SymbolKind.Module, container_name=_words(len(values))
    )


def _words(count: int) -> str:
    return "a value" if count == 1 else f"{count} values"


async def _with_layers(
    function: OutlineEntry, values: Sequence[LayerValue], converter: ProtocolConverter, is_grouped: bool
) -> OutlineEntry:
    layers: dict[str, list[LayerValue]] = {}
    for value in values:
        for name in (_together(value),) if is_grouped else value.layers:
            layers.setdefault(name, []).append(value)
    children: list[OutlineEntry] = []
    members: dict[str, list[OutlineEntry]] = {}
    starts = [value.span.start for value in values]
    async for child in in_slices(function.children):
        value = _value_of(child, values, starts, converter) if is_grouped else None
        (children if value is None else members.setdefault(_together(value), [])).append(child)
    async for entry in in_slices(_entries(layers, members, converter)):
        children.append(entry)
    children.sort(key=lambda child: _in_order(child.range.start))
    return OutlineEntry(
        *(function.name, function.detail, function.kind, function.range, function.selection_range), children
    )


def _together(value: LayerValue) -> str:
    return " + ".join(value.layers)


def _entries(
    layers: Mapping[str, Sequence[LayerValue]],
    members: Mapping[str, list[OutlineEntry]],
    converter: ProtocolConverter,
) -> Iterator[OutlineEntry]:
    for name, values in layers.items():
        children = members.get(name, [])
        ranges = [converter.plain_range(value.span) for value in values]
        first = ranges[0]
        ranges += [child.range for child in children]
        whole = Range(
            min((each.start for each in ranges), key=_in_order), max((each.end for each in ranges), key=_in_order)
        )
        yield OutlineEntry(name, _words(len(values)), types.SymbolKind.Module.value, whole, first, children)


def _in_order(position: Position) -> tuple[int, int]:
    return position.line, position.character


def _value_of(
    entry: OutlineEntry, values: Sequence[LayerValue], starts: Sequence[int], converter: ProtocolConverter
) -> LayerValue | None:
    """The value that an entry is the definition of, if it came from layers."""
    span = _span(entry.range, converter)
    for value in values[bisect_left(starts, span.start) : bisect_left(starts, span.end)]:
        if value.span.end <= span.end and _NOTHING_MORE.match(converter.lines.part(value.span.end, span.end)):
            return value
    return None


def _span(range: Range, converter: ProtocolConverter) -> TextSpan:
    start, end = (offset_of(converter.lines, place, converter.encoding) for place in (range.start, range.end))
    return TextSpan(start, end)
