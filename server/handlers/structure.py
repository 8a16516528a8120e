"""Requests about what stands in what: folds, selections, calls between functions, linked names, typed layout."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import Symbol
from relay_lsp.ir.text.text_span import TextSpan

from ..features.navigation.call_hierarchy import Calls, function_at, function_named, incoming, outgoing
from ..features.navigation.linked_editing import WORD, linked_ranges
from ..features.on_type_formatting import format_typed
from ..features.selection import selection_ranges
from ..lsp.conversion import ProtocolConverter
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from ..lsp.whole_text import fold_entries
from .views import View, unchanged_view, view

__all__ = ["register"]


async def on_prepare_call_hierarchy(
    server: RelayLanguageServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """The function under the cursor."""
    seen = await view(server, params.text_document.uri)
    function = function_at(seen.snapshot, seen.converter.offset(params.position)) if seen is not None else None
    return None if seen is None or function is None else [_item(function, seen.converter)]


def _item(function: Symbol, converter: ProtocolConverter) -> types.CallHierarchyItem:
    """A function in a tree of calls. Its name is enough to find it again."""
    return types.CallHierarchyItem(
        name=function.name,
        kind=types.SymbolKind.Function,
        uri=converter.uri,
        range=converter.range(function.full_span.cover(function.span)),
        selection_range=converter.range(function.span),
        detail="" if function.type is None else repr(function.type),
    )


async def on_incoming_calls(
    server: RelayLanguageServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """The functions that call one."""
    seen = await view(server, params.item.uri)
    function = function_named(seen.snapshot, params.item.name) if seen is not None else None
    if seen is None or function is None:
        return None
    return [
        types.CallHierarchyIncomingCall(_item(calls.function, seen.converter), _ranges(seen, calls))
        for calls in incoming(seen.snapshot, function)
    ]


async def on_outgoing_calls(
    server: RelayLanguageServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """The functions that one calls."""
    seen = await view(server, params.item.uri)
    function = function_named(seen.snapshot, params.item.name) if seen is not None else None
    if seen is None or function is None:
        return None
    return [
        types.CallHierarchyOutgoingCall(_item(calls.function, seen.converter), _ranges(seen, calls))
        for calls in outgoing(seen.snapshot, function)
    ]


def _ranges(seen: View, calls: Calls) -> list[types.Range]:
    return [seen.converter.range(place) for place in calls.places]


async def on_linked_editing_range(
    server: RelayLanguageServer, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    """The places of the local name under the cursor, to be changed together."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None or seen.document.doubt:  # asked at each move of the cursor: no word each time
        return None
    spans = linked_ranges(seen.snapshot, seen.converter.offset(params.position))
    return types.LinkedEditingRanges([seen.converter.range(span) for span in spans], WORD) if spans else None


async def on_type_formatting(
    server: RelayLanguageServer, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    """The layout of what was just typed."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None or seen.document.doubt:  # asked while typing: no word each time
        return None
    return seen.converter.text_edits(format_typed(seen.snapshot, seen.converter.offset(params.position), params.ch))


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
    return [_selection_range(selection_ranges(seen.snapshot, offset), seen.converter) for offset in offsets]


def _selection_range(spans: Sequence[TextSpan], converter: ProtocolConverter) -> types.SelectionRange:
    """Ranges that grow around a place, the smallest outside."""
    innermost: types.SelectionRange | None = None
    for span in reversed(spans):
        innermost = types.SelectionRange(converter.range(span), innermost)
    return innermost or types.SelectionRange(converter.range(TextSpan(0, 0)))


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(on_prepare_call_hierarchy)
    server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)(on_incoming_calls)
    server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(on_outgoing_calls)
    server.feature(types.TEXT_DOCUMENT_LINKED_EDITING_RANGE)(on_linked_editing_range)
    server.feature(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING)(on_type_formatting)
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(on_folding_range)
    server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)(on_selection_range)
