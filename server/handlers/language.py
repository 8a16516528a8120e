"""Requests about the language: position to offset, the feature on the snapshot, its data to the protocol's types."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from ..features.call_hierarchy import function_around
from ..features.call_search import find_calls
from ..features.code_lens import LensKind, lenses, size_of
from ..features.completion import completions, documentation
from ..features.definition import definition, type_definition
from ..features.explanations import remark_words, remarks_between, remarks_on
from ..features.hover import ValuePast, hover
from ..features.inlay_hints import (
    InlayHint,
    inlay_argument_names,
    inlay_documentation,
    inlay_hints,
    inlay_layers,
    inlay_remarks,
    inlay_shapes,
)
from ..features.layers.indexing import layer_index
from ..features.layers.layer_index import LayerIndex
from ..features.layers.navigation import LayerAtCursor, find_layers, layer_at, rename_layer
from ..features.outline import OutlineItem, find_symbols, outline
from ..features.provenance import function_at
from ..features.references import highlights, references
from ..features.rename import RenameError, prepare_rename, rename
from ..features.selection import selection_ranges
from ..features.signature_help import signature_help
from ..features.values import layers_span, value_at
from ..lsp.capabilities import RUN_PIPELINE, SHOW_HISTORY
from ..lsp.conversion import ProtocolConverter
from ..lsp.layer_outline import layer_symbols, with_layers
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.structures import LocationEntry
from ..lsp.whole_text import fold_entries, outline_entries
from ..pass_calls import PassCallError, parse_pipeline
from .addresses import folder_of, origin_address, step_command
from .arguments import fields_of
from .models import node_definition, node_documentation
from .views import View, early_or_refreshed_view, early_view, refusal, view

__all__ = ["register"]

_WORKSPACE_SYMBOLS = 200


async def on_hover(server: RelayLanguageServer, params: types.HoverParams) -> types.Hover | None:
    """Type, documentation, origin and passes of what is under the cursor."""
    seen = await early_view(server, params.text_document.uri, params.position)
    if seen is None:
        return None
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
            content = replace(content, layers=history.layer_index(uri, lines).counts_around(symbol.uses))
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
    return seen.converter.hover(
        content,
        lambda origin: origin_address(folder, origin),
        lambda event: step_command(uri, event) if links_steps else None,
    )


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
        return [seen.converter.link(target)]
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
        return [seen.converter.link(target) for target in targets]
    return [seen.converter.location(target.span) for target in targets]


async def on_references(server: RelayLanguageServer, params: types.ReferenceParams) -> Plain | None:
    """Where the name under the cursor is used."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    layer = _layer_at(server, seen, offset)
    if layer is None or not layer.is_name:
        spans = references(seen.snapshot, offset, include_definition=params.context.include_declaration)
        if layer is None or spans:
            return Plain(seen.converter.location_entries(spans))
    entries: list[LocationEntry] = []
    for converter, index in await _layers_of_all_texts(server):
        entries += converter.location_entries(index.spans_of(layer.names))
    return Plain(entries)


def _layer_at(server: RelayLanguageServer, seen: View, offset: int) -> LayerAtCursor | None:
    """The layers that are meant at an offset, where no name of the program stands."""
    if seen.is_part or seen.snapshot.symbol_at(offset) is not None:
        return None
    return layer_at(seen.snapshot, offset, server.state.history.layer_index(seen.document.uri, seen.snapshot.lines))


async def _layers_of_all_texts(server: RelayLanguageServer) -> list[tuple[ProtocolConverter, LayerIndex]]:
    """The layers in open documents, then in the files of the workspace's folders."""
    encoding = server.state.documents.encoding
    texts: list[tuple[ProtocolConverter, LayerIndex]] = []
    for document in server.state.documents:
        index = server.state.history.layer_index(document.uri, document.lines)
        texts.append((server.converter_for(document), index))
    for uri, snapshot in await server.state.unopened():
        texts.append((ProtocolConverter(uri, snapshot.lines, encoding), layer_index(snapshot.lines)))
    return texts


async def on_highlight(server: RelayLanguageServer, params: types.DocumentHighlightParams) -> Plain | None:
    """Where the name under the cursor is read and written; while a long text is being read, at its beginning."""
    seen = await early_view(server, params.text_document.uri, params.position)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    layer = _layer_at(server, seen, offset)
    if layer is None:
        return Plain([seen.converter.highlight(item) for item in highlights(seen.snapshot, offset)])
    index = server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)
    return Plain(seen.converter.value_highlights(index.spans_of(layer.names)))


async def on_document_symbol(
    server: RelayLanguageServer, params: types.DocumentSymbolParams
) -> Plain | list[types.SymbolInformation] | None:
    """The definitions of a document, and its layers."""
    seen = await view(server, params.text_document.uri)
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
        flat.append(seen.converter.symbol_information(item, container))
        stack.extend((child, item.name) for child in reversed(item.children))
    return [*flat, *layer_symbols(index, seen.converter)] if settings.outline_layers else flat


async def on_workspace_symbol(
    server: RelayLanguageServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """The definitions that fit a query: in open documents, then in the files of the workspace's folders."""
    texts: list[tuple[Snapshot, ProtocolConverter]] = []
    for document in server.state.documents:
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
            symbols.append(converter.symbol_information(item, container))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    for converter, index in await _layers_of_all_texts(server):
        for name, values in find_layers(index, params.query):
            words = "a value" if len(values) == 1 else f"{len(values)} values"
            symbols.append(converter.layer_information(name, values[0].span, words))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    for snapshot, converter in texts:
        for match in find_calls(snapshot, params.query):
            function = function_around(snapshot, match.span.start)
            symbols.append(converter.call_information(match, function.name if function is not None else ""))
            if len(symbols) >= _WORKSPACE_SYMBOLS:
                return symbols
    return symbols


async def on_folding_range(server: RelayLanguageServer, params: types.FoldingRangeParams) -> Plain | None:
    """What can be folded away."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    lines_only = server.supports("textDocument", "foldingRange", "lineFoldingOnly")
    return Plain(await fold_entries(seen.snapshot, seen.converter, lines_only))


async def on_selection_range(
    server: RelayLanguageServer, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """How a selection at each of the positions grows."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offsets = [seen.converter.offset(position) for position in params.positions]
    return [seen.converter.selection_range(selection_ranges(seen.snapshot, offset)) for offset in offsets]


async def on_inlay_hint(server: RelayLanguageServer, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """What the text does not tell, in the visible part."""
    seen = await early_or_refreshed_view(server, params.text_document.uri, params.range, "inlayHint")
    if seen is None:
        return None
    span, settings = seen.converter.span(params.range), server.state.settings_for(seen.document.uri)
    shown: list[InlayHint] = []
    if settings.inlay_types:
        shown += inlay_hints(seen.snapshot, span)
    if settings.inlay_argument_names:
        shown += inlay_argument_names(seen.snapshot, span)
    if settings.inlay_shapes:
        shown += inlay_shapes(seen.snapshot, span)
    if settings.inlay_layers and not seen.is_part:
        index = server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)
        shown += inlay_layers(seen.snapshot, span, index)
    if not seen.is_part:
        shown += inlay_remarks(seen.snapshot, span, server.state.remarks.of(seen.document))
    hints = [seen.converter.inlay_hint(hint, seen.document.version) for hint in shown]
    if not server.supports("textDocument", "inlayHint", "resolveSupport"):
        for hint, item in zip(shown, hints, strict=True):
            _document_hint(server, seen, item, hint.subject)
    return hints


async def on_inlay_hint_resolve(server: RelayLanguageServer, hint: types.InlayHint) -> types.InlayHint:
    """The documentation of a hint that is looked at; none where the text has changed since."""
    data = fields_of(hint.data)
    seen = await view(server, str(data.get("uri")))
    if seen is not None and seen.document.version == data.get("version"):
        _document_hint(server, seen, hint, str(data.get("subject")))
    return hint


def _document_hint(server: RelayLanguageServer, seen: View, hint: types.InlayHint, subject: str) -> None:
    kind, _, line = subject.partition(":")
    if kind == "remarks":
        lines = seen.snapshot.lines
        start, end = lines.line_start(int(line)), lines.line_start(int(line) + 1)
        words = remark_words(remarks_between(server.state.remarks.of(seen.document), TextSpan(start, end)))
    else:
        words = inlay_documentation(seen.snapshot, subject)
    if words:
        hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, words)


async def on_completion(server: RelayLanguageServer, params: types.CompletionParams) -> Plain | None:
    """What can be written at the cursor."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offered = completions(seen.snapshot, seen.converter.offset(params.position))
    snippets = server.supports("textDocument", "completion", "completionItem", "snippetSupport")
    items = seen.converter.completions(offered.items, snippets)
    return Plain({"isIncomplete": offered.is_incomplete, "items": items})


def on_completion_resolve(server: RelayLanguageServer, item: types.CompletionItem) -> types.CompletionItem:
    """The documentation of a completion that is looked at."""
    words = documentation(item.data) if isinstance(item.data, str) else ""
    if words:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, words)
    return item


async def on_signature_help(
    server: RelayLanguageServer, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """The call around the cursor."""
    seen = await view(server, params.text_document.uri)
    signature = signature_help(seen.snapshot, seen.converter.offset(params.position)) if seen is not None else None
    return None if seen is None or signature is None else seen.converter.signature_help(signature)


async def on_prepare_rename(
    server: RelayLanguageServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """The name that would be changed."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    layer = _layer_at(server, seen, offset)
    if layer is not None and layer.is_name:
        return types.PrepareRenamePlaceholder(seen.converter.range(layer.span), layer.names[0])
    try:
        span, name = prepare_rename(seen.snapshot, offset)
    except RenameError as error:
        raise refusal(str(error)) from None
    return types.PrepareRenamePlaceholder(seen.converter.range(span), name)


async def on_rename(server: RelayLanguageServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that change a name."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    version = seen.document.version
    offset = seen.converter.offset(params.position)
    layer = _layer_at(server, seen, offset)
    if layer is not None and layer.is_name:
        return await _rename_layer(server, layer.names[0], params.new_name)
    try:
        edits = rename(seen.snapshot, offset, params.new_name)
    except RenameError as error:
        raise refusal(str(error)) from None
    return seen.converter.workspace_edit(edits, version)


async def _rename_layer(server: RelayLanguageServer, name: str, new_name: str) -> types.WorkspaceEdit:
    """The edits of all open documents that name a layer."""
    if not new_name:
        raise refusal("a layer needs a name")
    changes: list[types.TextDocumentEdit] = []
    for document in server.state.documents:
        index = server.state.history.layer_index(document.uri, document.lines)
        edits = rename_layer(document.text, index, name, new_name)
        if edits:
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
            converter = server.converter_for(document)
            changes.append(types.TextDocumentEdit(identifier, list(converter.text_edits(edits))))
    return types.WorkspaceEdit(document_changes=list(changes))


async def on_code_lens(server: RelayLanguageServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Lines above functions."""
    seen = await view(server, params.text_document.uri)
    if seen is None or not server.state.settings_for(seen.document.uri).code_lens:
        return None
    steps = await server.state.history.steps_to(seen.snapshot.text)
    code_lenses: list[types.CodeLens] = []
    made_by = [step.pass_name for step in steps if not step.details.by_hand]
    for lens in lenses(seen.snapshot, made_by, _pipeline_names(server, seen)):
        made = types.CodeLens(seen.converter.range(lens.span))
        argument = {"uri": seen.document.uri, **({"function": lens.function} if lens.function else {})}
        if lens.kind is LensKind.SIZE:
            made.data = {**argument, "version": seen.document.version}
        else:
            made.command = types.Command(lens.title, _LENS_COMMANDS[lens.kind], arguments=[argument])
        code_lenses.append(made)
    return code_lenses


def _pipeline_names(server: RelayLanguageServer, seen: View) -> list[str]:
    """The names of the passes of the pipeline for a text; none where it cannot be read."""
    with suppress(PassCallError):
        return [call.name for call in parse_pipeline(server.state.pipeline_for(seen.document))]
    return []


_LENS_COMMANDS = {LensKind.PIPELINE: RUN_PIPELINE, LensKind.HISTORY: SHOW_HISTORY}


async def on_code_lens_resolve(server: RelayLanguageServer, lens: types.CodeLens) -> types.CodeLens:
    """How large a function is. Where the text has changed since, the editor requests all lenses again by itself."""
    data = fields_of(lens.data)
    seen = await view(server, str(data.get("uri")))
    size = size_of(seen.snapshot, str(data.get("function"))) if seen is not None else None
    lens.command = types.Command(size or "", "")
    return lens


_HANDLERS: dict[str, Any] = {
    types.TEXT_DOCUMENT_HOVER: on_hover,
    types.TEXT_DOCUMENT_DEFINITION: on_definition,
    types.TEXT_DOCUMENT_TYPE_DEFINITION: on_type_definition,
    types.TEXT_DOCUMENT_REFERENCES: on_references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: on_highlight,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: on_document_symbol,
    types.WORKSPACE_SYMBOL: on_workspace_symbol,
    types.TEXT_DOCUMENT_FOLDING_RANGE: on_folding_range,
    types.TEXT_DOCUMENT_SELECTION_RANGE: on_selection_range,
    types.TEXT_DOCUMENT_INLAY_HINT: on_inlay_hint,
    types.INLAY_HINT_RESOLVE: on_inlay_hint_resolve,
    types.TEXT_DOCUMENT_COMPLETION: on_completion,
    types.COMPLETION_ITEM_RESOLVE: on_completion_resolve,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: on_signature_help,
    types.TEXT_DOCUMENT_PREPARE_RENAME: on_prepare_rename,
    types.TEXT_DOCUMENT_RENAME: on_rename,
    types.TEXT_DOCUMENT_CODE_LENS: on_code_lens,
    types.CODE_LENS_RESOLVE: on_code_lens_resolve,
}


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    for method, handler in _HANDLERS.items():
        server.feature(method)(handler)
