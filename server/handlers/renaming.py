"""Renaming of names and layers."""

from __future__ import annotations

from lsprotocol import types

from ..features.layers.navigation import rename_layer
from ..features.navigation.rename import RenameError, prepare_rename, rename
from ..lsp.protocol import RelayLanguageServer
from .layer_views import layer_under
from .views import refusal, unchanged_view

__all__ = ["register"]


async def on_prepare_rename(
    server: RelayLanguageServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """The name that would be changed."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None:
        return None
    server.refuse_doubtful(seen.document.uri)
    offset = seen.converter.offset(params.position)
    layer = await layer_under(server, seen, offset)
    if layer is not None and layer.is_name:
        return types.PrepareRenamePlaceholder(seen.converter.range(layer.span), layer.names[0])
    try:
        span, name = prepare_rename(seen.snapshot, offset)
    except RenameError as error:
        raise refusal(str(error)) from None
    return types.PrepareRenamePlaceholder(seen.converter.range(span), name)


async def on_rename(server: RelayLanguageServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that change a name."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None:
        return None
    server.refuse_doubtful(seen.document.uri)
    offset = seen.converter.offset(params.position)
    layer = await layer_under(server, seen, offset)
    if layer is not None and layer.is_name:
        return await _rename_layer(server, layer.names[0], params.new_name)
    try:
        edits = rename(seen.snapshot, offset, params.new_name)
    except RenameError as error:
        raise refusal(str(error)) from None
    return server.edit_of(seen.converter, edits, seen.version)


async def _rename_layer(server: RelayLanguageServer, name: str, new_name: str) -> types.WorkspaceEdit:
    """The edits of all open documents that name a layer."""
    if not new_name:
        raise refusal("a layer needs a name")
    changes: list[types.TextDocumentEdit] = []
    for document in server.state.documents.of_workspace:
        index = server.state.history.layer_index(document.uri, document.lines)
        edits = rename_layer(document.text, index, name, new_name)
        if edits:
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
            converter = server.converter_for(document)
            changes.append(types.TextDocumentEdit(identifier, list(server.text_edits_of(converter, edits))))
    return types.WorkspaceEdit(document_changes=list(changes))


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(on_prepare_rename)
    server.feature(types.TEXT_DOCUMENT_RENAME)(on_rename)
