"""Hover: what the language, the history and the model say of a place, put together."""

from __future__ import annotations

from dataclasses import replace

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import SymbolKind

from ..features.hover import hover, render
from ..features.passes.explanations import remark_words, remarks_on
from ..features.provenance.provenance import ValuePast, function_at
from ..features.provenance.values import layers_span, value_at
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from .addresses import folder_of, origin_address, step_command
from .models import node_documentation
from .views import early_view, layers_read

__all__ = ["register"]


async def on_hover(server: RelayLanguageServer, params: types.HoverParams) -> types.Hover | None:
    """Type, documentation, origin and passes of what is under the cursor."""
    seen = await early_view(server, params.text_document.uri, params.position)
    if seen is None:
        return None
    if not seen.is_part:
        await layers_read(server, seen)
    offset = seen.converter.offset(params.position)
    uri, history = seen.document.uri, server.state.history
    lines = seen.document.lines if seen.is_part else seen.snapshot.lines
    value = value_at(seen.snapshot, offset)
    past = history.past(uri, lines, value) if value is not None else ValuePast()
    content = hover(seen.snapshot, offset, past)
    if content is not None and (function := function_at(seen.snapshot, offset)):
        content = replace(content, removed=history.removed(seen.document, function))
    if content is not None and not seen.is_part:
        symbol = seen.snapshot.symbol_at(offset)
        if symbol is not None and symbol.kind is SymbolKind.PARAMETER:
            index = history.layer_index(uri, lines)
            # Thousands of statements may use it, which takes long to find out where no layer is named.
            content = replace(content, layers=index.counts_around(symbol.uses) if index else ())
        elif (span := layers_span(seen.snapshot, offset)) is not None:
            content = replace(content, layers=history.layer_index(uri, lines).counts(span))
    if content is not None and content.origins and (node := await node_documentation(server, seen, content.origins)):
        content = replace(content, documentation="\n\n".join(filter(None, (node, content.documentation))))
    if content is not None and value is not None and not seen.is_part:
        said = remark_words(remarks_on(server.state.remarks.of(seen.document), value))
        if said:
            content = replace(content, documentation="\n\n".join(filter(None, (said, content.documentation))))
    folder = folder_of(uri)
    if content is None:
        return None
    links_steps = fields_of(server.initialization_options).get("linksSteps") is True
    words = render(
        content,
        lambda origin: origin_address(folder, origin),
        lambda event: step_command(uri, event) if links_steps else None,
    )
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, words), seen.converter.range(content.span))


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(on_hover)
