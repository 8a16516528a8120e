"""Inlay hints, and their documentation."""

from __future__ import annotations

from lsprotocol import types

from relay_lsp.ir.text.text_span import TextSpan

from ..features.hints.inlay_hints import (
    InlayHint,
    InlayHintKind,
    inlay_argument_names,
    inlay_documentation,
    inlay_hints,
    inlay_layers,
    inlay_remarks,
    inlay_shapes,
)
from ..features.passes.explanations import remark_words, remarks_between
from ..lsp.conversion import ProtocolConverter
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from .views import View, early_or_refreshed_view, layers_read, view

__all__ = ["register"]


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
        await layers_read(server, seen)
        index = server.state.history.layer_index(seen.document.uri, seen.snapshot.lines)
        shown += inlay_layers(seen.snapshot, span, index)
    if not seen.is_part:
        shown += inlay_remarks(seen.snapshot, span, server.state.remarks.of(seen.document))
    hints = [_hint(hint, seen.version, seen.converter) for hint in shown]
    if not server.supports("textDocument", "inlayHint", "resolveSupport"):
        for hint, item in zip(shown, hints, strict=True):
            _document_hint(server, seen, item, hint.subject)
    return hints


def _hint(hint: InlayHint, version: int, converter: ProtocolConverter) -> types.InlayHint:
    """An inlay hint; ``data`` is what resolving it starts from."""
    position = converter.position(hint.offset)
    edits = [types.TextEdit(types.Range(position, position), hint.label)] if hint.inserts else None
    is_argument = hint.kind is InlayHintKind.ARGUMENT
    return types.InlayHint(
        position,
        hint.label,
        types.InlayHintKind.Parameter if is_argument else types.InlayHintKind.Type,
        text_edits=edits,
        padding_right=is_argument or None,
        data={"uri": converter.uri, "version": version, "subject": hint.subject} if hint.subject else None,
    )


async def on_inlay_hint_resolve(server: RelayLanguageServer, hint: types.InlayHint) -> types.InlayHint:
    """The documentation of a hint under the pointer; none where the text has changed since."""
    data = fields_of(hint.data)
    seen = await view(server, str(data.get("uri")))
    if seen is not None and seen.version == data.get("version"):
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


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(on_inlay_hint)
    server.feature(types.INLAY_HINT_RESOLVE)(on_inlay_hint_resolve)
