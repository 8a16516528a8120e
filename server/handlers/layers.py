"""Layers for clients that show them: colours, a table, and the way from one to the next. Requests of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lsprotocol import types

from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Range
from ..features.layers.colours import ColourBook, GroupColour
from ..features.layers.groups import GROUPINGS, group_values
from ..features.layers.layer_index import LayerIndex
from ..features.layers.navigation import layer_at, neighbouring_layer
from ..features.layers.table import layer_table
from ..features.provenance.history import ValueEvent
from ..features.provenance.values import value_at
from ..lsp.answers import ColourGroupEntry, ColoursAnswer, LayersAnswer, NeighbourAnswer
from ..lsp.methods import COLOURS, LAYERS, NEIGHBOUR
from ..lsp.protocol import RelayLanguageServer
from .arguments import field_of, position_in
from .views import View, refusal, view_with_layers

__all__ = ["register"]

_LARGEST_COUNT = 2**53 - 1
"""What a client reads of a number without loss; counts beyond, which only types that nest can reach, are this one."""


async def on_colours(server: RelayLanguageServer, books: ColourBook, params: object) -> ColoursAnswer | None:
    """A colour for each group of values: `{version, groups: [{name, background, solid, ruler, text, ranges}]}`.

    ``by`` is what the values of a group have in common (`layer`, `pass`, `operator`, `compiler` or `dtype`), ``theme``
    what the colours lie on (`light`, `dark`, `highContrast` or `highContrastLight`), and ``ranges`` the parts of the
    text that are wanted; without them it is all of it.
    """
    by, theme = field_of(params, "by"), str(field_of(params, "theme") or "light")
    if by not in GROUPINGS:
        raise refusal(f'"by" must be one of {", ".join(GROUPINGS)}, not {by!r}')
    seen = await view_with_layers(server, str(field_of(params, "textDocument", "uri")))
    if seen is None:
        return None
    index = _index(server, seen) if by == "layer" else LayerIndex()
    text = server.state.history.at(seen.document.uri, seen.snapshot.lines)

    def last_event(span: TextSpan) -> ValueEvent | None:
        return None if text is None else text.last_event(span)

    groups = group_values(seen.snapshot, _spans(seen, field_of(params, "ranges")), by, index, last_event)
    colours = {name: books.colour(by, name, theme) for name in groups}
    return {
        "version": seen.version,
        "groups": [
            _colour_group(name, colours[name], seen.converter.plain_ranges(spans)) for name, spans in groups.items()
        ],
    }


def _colour_group(name: str, colour: GroupColour, ranges: Sequence[Range]) -> ColourGroupEntry:
    background, solid, ruler, text = colour
    return {
        "name": name,
        "background": background,
        "solid": solid,
        "ruler": ruler,
        "text": text,
        "ranges": ranges,
    }


def _index(server: RelayLanguageServer, seen: View) -> LayerIndex:
    return server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)


def _spans(seen: View, ranges: object) -> list[TextSpan]:
    if not isinstance(ranges, (list, tuple)):
        return [TextSpan(0, seen.snapshot.lines.length)]
    spans: list[TextSpan] = []
    for each in cast("Sequence[object]", ranges):
        start, end = (position_in(field_of(each, side)) for side in ("start", "end"))
        spans.append(seen.converter.span(types.Range(start, end)))
    joined: list[TextSpan] = []
    for span in sorted(spans):
        # What two windows show of a text may be the same, and no value is drawn twice.
        if joined and span.start <= joined[-1].end:
            joined[-1] = TextSpan(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


async def on_layers(server: RelayLanguageServer, params: object) -> LayersAnswer | None:
    """The layers of a text with what each consists of.

    `{version, layers: [{name, ranges, operators: {name: count}, inputs: [type], outputs: [type], bytes, flops,
    uncounted: [operator]}]}`, in the order of the text; ``flops`` are those of all operators but the ``uncounted``.
    """
    seen = await view_with_layers(server, str(field_of(params, "textDocument", "uri")))
    if seen is None:
        return None
    rows = await server.state.analysis.thread.run(layer_table, seen.snapshot, _index(server, seen))
    return {
        "version": seen.version,
        "layers": [
            {
                "name": row.name,
                "ranges": seen.converter.plain_ranges(row.spans),
                "operators": dict(row.operators.most_common()),
                "inputs": row.inputs,
                "outputs": row.outputs,
                "bytes": min(row.bytes, _LARGEST_COUNT),
                "flops": min(row.flops, _LARGEST_COUNT),
                "uncounted": sorted(row.uncounted),
            }
            for row in rows
        ],
    }


async def on_neighbouring_layer(server: RelayLanguageServer, params: object) -> NeighbourAnswer | None:
    """The layer at a position, or the next or the previous one: `{layers: [name], range, ranges}`.

    ``direction`` is `next`, `previous` or `here`; ``ranges`` are all values of the layer, to be selected.
    """
    seen = await view_with_layers(server, str(field_of(params, "textDocument", "uri")))
    if seen is None:
        return None
    index = _index(server, seen)
    offset = seen.converter.offset(position_in(field_of(params, "position")))
    direction = field_of(params, "direction")
    here = layer_at(seen.snapshot, offset, lambda: index)
    # On a name, the value that it is bound to counts, if that stands in the same statement.
    value = value_at(seen.snapshot, offset)
    statement = seen.snapshot.statement_span(offset)
    is_here = value is not None and statement.start <= value.start and value.end <= statement.end
    around = index.around(value if value is not None and is_here else TextSpan(offset, offset))
    if direction == "here":
        names = here.names if here is not None else around.layers if around is not None else ()
        span = here.span if here is not None else around.span if around is not None else None
    else:
        start = around.span if around is not None else TextSpan(offset, offset)
        neighbour = neighbouring_layer(index, start, direction != "previous")
        names, span = (neighbour.layers, neighbour.span) if neighbour is not None else ((), None)
    if span is None:
        return None
    return {
        "layers": list(names),
        "range": seen.converter.plain_range(span),
        "ranges": seen.converter.plain_ranges(index.spans_of(names)),
    }


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    books = ColourBook()

    async def colours(server: RelayLanguageServer, params: object) -> ColoursAnswer | None:
        return await on_colours(server, books, params)

    server.feature(COLOURS)(colours)
    server.feature(LAYERS)(on_layers)
    server.feature(NEIGHBOUR)(on_neighbouring_layer)
