"""Definitions, layers and calls by name: of one document, and of the workspace."""

from __future__ import annotations

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import Snapshot

from ..features.layers.navigation import find_layers
from ..features.navigation.call_search import CallMatch, find_calls
from ..features.navigation.outline import OutlineItem, find_symbols, outline
from ..lsp.conversion import ProtocolConverter
from ..lsp.layer_outline import layer_information, layer_symbols, with_layers
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.whole_text import outline_entries, symbol_information
from .layer_views import layers_of_all_texts
from .views import view, view_with_layers

__all__ = ["register"]

_WORKSPACE_SYMBOLS = 200


async def on_document_symbol(
    server: RelayLanguageServer, params: types.DocumentSymbolParams
) -> Plain | list[types.SymbolInformation] | None:
    """The definitions of a document, and its layers."""
    seen = await view_with_layers(server, params.text_document.uri)
    if seen is None:
        return None
    settings = server.state.settings_for(seen.document.uri)
    index = server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)
    if server.supports("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"):
        entries = await outline_entries(seen.snapshot, seen.converter)
        if settings.outline_layers or settings.outline_by_layer:
            entries = await with_layers(entries, index, seen.converter, settings.outline_by_layer)
        return Plain(entries)
    items = outline(seen.snapshot)
    flat: list[types.SymbolInformation] = []
    stack: list[tuple[OutlineItem, str | None]] = [(item, None) for item in reversed(items)]
    while stack:
        item, container = stack.pop()
        flat.append(symbol_information(item, container, seen.converter))
        stack.extend((child, item.name) for child in reversed(item.children))
    return [*flat, *layer_symbols(index, seen.converter)] if settings.outline_layers else flat


async def on_workspace_symbol(
    server: RelayLanguageServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """The definitions that fit a query: in open documents, then in the files of the workspace's folders."""
    texts: list[tuple[Snapshot, ProtocolConverter]] = []
    for document in server.state.documents.of_workspace:
        seen = await view(server, document.uri)
        if seen is not None:
            texts.append((seen.snapshot, seen.converter))
    encoding = server.state.documents.encoding
    texts += (
        (snapshot, ProtocolConverter(uri, snapshot.lines, encoding)) for uri, snapshot in await server.state.unopened()
    )
    symbols: list[types.SymbolInformation] = []
    for snapshot, converter in texts:
        for symbol in find_symbols(snapshot.symbols, params.query):
            item = OutlineItem(symbol.name, "", symbol.kind, symbol.full_span, symbol.span)
            container = symbol.container.name if symbol.container is not None else None
            symbols.append(symbol_information(item, container, converter))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    for converter, index in await layers_of_all_texts(server):
        for name, values in find_layers(index, params.query):
            symbols.append(layer_information(name, values, converter))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    for snapshot, converter in texts:
        for match in find_calls(snapshot, params.query):
            function = snapshot.function_around(match.span.start)
            symbols.append(_call_information(match, function.name if function is not None else "", converter))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    return symbols


def _call_information(match: CallMatch, function: str, converter: ProtocolConverter) -> types.SymbolInformation:
    """A call for a search over several files, with its attributes and the function that it stands in."""
    container = f"{match.attributes} in {function}" if match.attributes else function
    return types.SymbolInformation(
        converter.location(match.span), match.words, types.SymbolKind.Operator, container_name=container
    )


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(on_document_symbol)
    server.feature(types.WORKSPACE_SYMBOL)(on_workspace_symbol)
