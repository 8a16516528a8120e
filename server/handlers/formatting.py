"""Requests to put the layout of a document right, or of parts of it."""

from __future__ import annotations

from lsprotocol import types

from relay_lsp.ir.formatting import format_edits, format_range

from ..lsp.protocol import RelayLanguageServer
from .views import moved_on, unchanged_view, view

__all__ = ["register"]


async def on_formatting(
    server: RelayLanguageServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """The layout of a document put right.

    Raises:
        JsonRpcException: the text has changed meanwhile.
    """
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    edits = await server.state.analysis.thread.run(format_edits, seen.snapshot.text)
    if seen.document.version != seen.version:
        raise moved_on()
    return server.text_edits_of(seen.converter, edits)


async def on_range_formatting(
    server: RelayLanguageServer, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    """The layout of a part put right."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None:
        return None
    return server.text_edits_of(seen.converter, format_range(seen.snapshot, seen.converter.span(params.range)))


async def on_ranges_formatting(
    server: RelayLanguageServer, params: types.DocumentRangesFormattingParams
) -> list[types.TextEdit] | None:
    """The layout of several parts put right (LSP 3.18)."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None:
        return None
    edits = (edit for part in params.ranges for edit in format_range(seen.snapshot, seen.converter.span(part)))
    return server.text_edits_of(seen.converter, dict.fromkeys(edits))


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(on_formatting)
    server.feature(types.TEXT_DOCUMENT_RANGE_FORMATTING)(on_range_formatting)
    server.feature(types.TEXT_DOCUMENT_RANGES_FORMATTING)(on_ranges_formatting)
