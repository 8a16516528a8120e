"""Requests about call hierarchies, linked names and layout while typing."""

from __future__ import annotations

from lsprotocol import types

from ..features.call_hierarchy import Calls, function_at, function_named, incoming, outgoing
from ..features.linked_editing import WORD, linked_ranges
from ..features.on_type_formatting import format_typed
from ..lsp.protocol import RelayLanguageServer
from .views import View, view

__all__ = ["register"]


async def on_prepare_call_hierarchy(
    server: RelayLanguageServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """The function under the cursor."""
    seen = await view(server, params.text_document.uri)
    function = function_at(seen.snapshot, seen.converter.offset(params.position)) if seen is not None else None
    return None if seen is None or function is None else [seen.converter.call_hierarchy_item(function)]


async def on_incoming_calls(
    server: RelayLanguageServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """The functions that call one."""
    seen = await view(server, params.item.uri)
    function = function_named(seen.snapshot, params.item.name) if seen is not None else None
    if seen is None or function is None:
        return None
    return [
        types.CallHierarchyIncomingCall(seen.converter.call_hierarchy_item(calls.function), _ranges(seen, calls))
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
        types.CallHierarchyOutgoingCall(seen.converter.call_hierarchy_item(calls.function), _ranges(seen, calls))
        for calls in outgoing(seen.snapshot, function)
    ]


def _ranges(seen: View, calls: Calls) -> list[types.Range]:
    return [seen.converter.range(place) for place in calls.places]


async def on_linked_editing_range(
    server: RelayLanguageServer, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    """The places of the local name under the cursor, to be changed together."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    spans = linked_ranges(seen.snapshot, seen.converter.offset(params.position))
    return types.LinkedEditingRanges([seen.converter.range(span) for span in spans], WORD) if spans else None


async def on_type_formatting(
    server: RelayLanguageServer, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    """The layout of what was just typed."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    return seen.converter.text_edits(format_typed(seen.snapshot, seen.converter.offset(params.position), params.ch))


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(on_prepare_call_hierarchy)
    server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)(on_incoming_calls)
    server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(on_outgoing_calls)
    server.feature(types.TEXT_DOCUMENT_LINKED_EDITING_RANGE)(on_linked_editing_range)
    server.feature(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING)(on_type_formatting)
