"""Requests that lead from a name or a layer to its definition and its uses."""

from __future__ import annotations

import sys

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import Snapshot

from ..features.navigation.definition import DefinitionTarget, definition, type_definition
from ..features.navigation.references import highlights, references
from ..lsp.conversion import ProtocolConverter
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.structures import HighlightEntry, LocationEntry
from .layer_views import layer_under, layers_of_all_texts
from .models import node_definition
from .views import early_view, view

__all__ = ["register"]

_READ = types.DocumentHighlightKind.Read.value
_WRITE = types.DocumentHighlightKind.Write.value

_HIGHLIGHTED_AT_ONCE = 1_000_000
"""How many characters a text may have whose names are looked for on the event loop: in 10 MB, to find all uses of a
constructor takes a second."""


async def on_definition(
    server: RelayLanguageServer, params: types.DefinitionParams
) -> types.Location | list[types.Location] | list[types.LocationLink] | None:
    """Where the name under the cursor is defined; of a layer's name, or of what has none, the node of the model."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    target = definition(seen.snapshot, offset)
    if target is None:
        return await node_definition(server, seen, offset) or None
    if server.supports("textDocument", "definition", "linkSupport"):
        return [_link(target, seen.converter)]
    return seen.converter.location(target.span)


async def on_type_definition(
    server: RelayLanguageServer, params: types.TypeDefinitionParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """Where the data types in the type of what is under the cursor are defined."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    targets = type_definition(seen.snapshot, seen.converter.offset(params.position))
    if server.supports("textDocument", "typeDefinition", "linkSupport"):
        return [_link(target, seen.converter) for target in targets]
    return [seen.converter.location(target.span) for target in targets]


def _link(target: DefinitionTarget, converter: ProtocolConverter) -> types.LocationLink:
    """A definition, with the word that leads to it."""
    return types.LocationLink(
        target_uri=converter.uri,
        target_range=converter.range(target.full_span),
        target_selection_range=converter.range(target.span),
        origin_selection_range=converter.range(target.origin) if target.origin is not None else None,
    )


async def on_references(server: RelayLanguageServer, params: types.ReferenceParams) -> Plain | None:
    """Where the name under the cursor is used."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    layer = await layer_under(server, seen, offset)
    if layer is None or not layer.is_name:
        with_definition = params.context.include_declaration
        # A dtype stands at 200,000 places of a long text, which take seconds.
        places = await server.state.analysis.thread.run(
            _reference_entries, seen.snapshot, seen.converter, offset, with_definition
        )
        if layer is None or places:
            return Plain(places)
    entries: list[LocationEntry] = []
    for converter, index in await layers_of_all_texts(server):
        entries += converter.location_entries(index.spans_of(layer.names))
    return Plain(entries)


def _reference_entries(
    snapshot: Snapshot, converter: ProtocolConverter, offset: int, include_definition: bool
) -> list[LocationEntry]:
    return converter.location_entries(references(snapshot, offset, include_definition=include_definition))


async def on_highlight(server: RelayLanguageServer, params: types.DocumentHighlightParams) -> Plain | None:
    """Where the name under the cursor is read and written; while a long text is being read, at its beginning."""
    seen = await early_view(server, params.text_document.uri, params.position)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    layer = await layer_under(server, seen, offset)
    if layer is not None:
        index = server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)
        places = seen.converter.plain_ranges(index.spans_of(layer.names))
        return Plain([HighlightEntry(place) for place in places])
    # The first that is asked for loads numpy, for a tenth of a second.
    if seen.snapshot.lines.length <= _HIGHLIGHTED_AT_ONCE and "numpy" in sys.modules:
        return Plain(_highlight_entries(seen.snapshot, seen.converter, offset))
    thread = server.state.analysis.thread
    return Plain(await thread.run(_highlight_entries, seen.snapshot, seen.converter, offset))


def _highlight_entries(snapshot: Snapshot, converter: ProtocolConverter, offset: int) -> list[HighlightEntry]:
    """The places of the name at an offset."""
    highlighted = highlights(snapshot, offset)
    ranges = converter.plain_ranges(highlighted.spans)
    if not highlighted.written:
        return [HighlightEntry(range, _READ) for range in ranges]
    return [
        HighlightEntry(range, _WRITE if span.start in highlighted.written else _READ)
        for range, span in zip(ranges, highlighted.spans, strict=True)
    ]


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(on_definition)
    server.feature(types.TEXT_DOCUMENT_TYPE_DEFINITION)(on_type_definition)
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(on_references)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(on_highlight)
