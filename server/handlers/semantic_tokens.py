"""Semantic tokens: of a document, of its visible part, and as edits of those that were sent before."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.token_deltas import TokenBlock, join, token_blocks, tokens_in_range
from ..scheduling.time_slices import in_slices
from .views import View, early_or_refreshed_view, view

__all__ = ["register"]


async def on_semantic_tokens(server: RelayLanguageServer, params: types.SemanticTokensParams) -> Plain | None:
    """What each word of a document is."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    blocks = await _blocks(seen)
    return _all_tokens(blocks, server.tokens.keep(seen.document.uri, blocks))


async def _blocks(seen: View) -> list[TokenBlock]:
    return [block async for block in in_slices(token_blocks(seen.snapshot, seen.converter.encoding))]


def _all_tokens(blocks: Sequence[TokenBlock], result_id: str) -> Plain:
    return Plain({"data": join(blocks).numbers, "resultId": result_id})


async def on_semantic_tokens_delta(
    server: RelayLanguageServer, params: types.SemanticTokensDeltaParams
) -> Plain | None:
    """What has changed in that since the client asked last."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    blocks = await _blocks(seen)
    edit = server.tokens.edit_since(seen.document.uri, params.previous_result_id, blocks)
    result_id = server.tokens.keep(seen.document.uri, blocks)
    if edit is None:
        return _all_tokens(blocks, result_id)
    change = {"start": edit.start, "deleteCount": edit.delete_count, "data": edit.data}
    return Plain({"edits": [change] if edit.changes else [], "resultId": result_id})


async def on_semantic_tokens_range(
    server: RelayLanguageServer, params: types.SemanticTokensRangeParams
) -> Plain | None:
    """What each word of the visible part is."""
    seen = await early_or_refreshed_view(server, params.text_document.uri, params.range, "semanticTokens")
    if seen is None:
        return None
    span = seen.converter.span(params.range)
    begin = seen.converter.position(seen.snapshot.token_groups_start(span.start))
    place = (begin.line, begin.character)
    return Plain({"data": tokens_in_range(seen.snapshot, seen.converter.encoding, span.start, span.end, place)})


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL)(on_semantic_tokens)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)(on_semantic_tokens_delta)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)(on_semantic_tokens_range)
