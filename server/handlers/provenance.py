"""Where values come from and where they went, for clients that show it: requests of our own."""

from __future__ import annotations

from collections.abc import Sequence

from ..documents.documents import Document
from ..features.provenance.history import RemovedValue, ValueEvent
from ..features.provenance.provenance import ValueOrigin, function_at, origins_of
from ..features.provenance.values import value_at
from ..lsp.answers import FateAnswer, OriginEntry, ProvenanceAnswer, RemovedEntry, ValueEventEntry
from ..lsp.methods import FATE, PROVENANCE
from ..lsp.protocol import RelayLanguageServer
from .addresses import folder_of, origin_address
from .arguments import field_of, position_in
from .views import refusal, view_with_layers

__all__ = ["register"]


async def on_provenance(server: RelayLanguageServer, params: object) -> ProvenanceAnswer | None:
    """The origin of the value at a position: layers and places, and the steps that touched it.

    ``{range, text, origins: [{name, line, column, target?}], events: [{pass, id, before: [text, …], ranges}]}``; every
    span of a sequential span is an origin of its own, with a ``target`` to open where there is such a file. An event's
    ``id`` is that of its step in the history, and its ranges lie in the text before that step. On a function's name
    there is also ``removed: [{pass, id, text, range}]``: the values that passes took out of it, each in the text before
    the step that did.
    """
    uri = str(field_of(params, "textDocument", "uri"))
    seen = await view_with_layers(server, uri)
    if seen is None:
        return None
    offset = seen.converter.offset(position_in(field_of(params, "position")))
    span = value_at(seen.snapshot, offset)
    function = function_at(seen.snapshot, offset)
    if span is None and function and (name := seen.snapshot.token_at(offset)) is not None:
        span = name.span
    if span is None:
        return None
    folder = folder_of(uri)
    history, lines = server.state.history, seen.snapshot.lines
    removed = history.removed(seen.document, function) if function else ()
    past = history.past(uri, lines, span)
    origins = origins_of(seen.snapshot, span) or past.origins
    answer: ProvenanceAnswer = {
        "range": seen.converter.plain_range(span),
        "text": seen.snapshot.lines.part(span.start, span.end),
        "origins": [_plain_origin(origin, origin_address(folder, origin)) for origin in origins],
        "events": _plain_events(server, seen.document, past.events),
    }
    if function:
        answer["removed"] = _plain_removed(server, seen.document, removed)
    return answer


def _plain_origin(origin: ValueOrigin, target: str | None) -> OriginEntry:
    plain: OriginEntry = {"name": origin.source, "line": origin.line, "column": origin.column}
    if target is not None:
        plain["target"] = target
    return plain


def _plain_events(
    server: RelayLanguageServer, document: Document, events: Sequence[ValueEvent]
) -> list[ValueEventEntry]:
    plain: list[ValueEventEntry] = []
    for event in events:
        steps = server.state.history.steps_since(document, event.step)
        then = server.converter_of(document.uri, steps[0].before) if steps else None
        described: ValueEventEntry = {
            "pass": event.pass_name,
            "id": event.step,
            "before": list(event.before),
            "ranges": [then.plain_range(source) for source in event.sources] if then is not None else [],
        }
        if event.by_hand:
            described["kind"] = "edit"
        plain.append(described)
    return plain


def _plain_removed(
    server: RelayLanguageServer, document: Document, removed: tuple[RemovedValue, ...]
) -> list[RemovedEntry]:
    plain: list[RemovedEntry] = []
    for value in removed:
        then = server.converter_of(document.uri, server.state.history.steps_since(document, value.step)[0].before)
        place = then.plain_range(value.span)
        plain.append({"pass": value.pass_name, "id": value.step, "text": value.text, "range": place})
    return plain


async def on_fate(server: RelayLanguageServer, params: object) -> FateAnswer | None:
    """Where a value of an earlier text went: ``id`` is the step of the history, ``position`` is in the text before it.

    ``{range, text, places: [range in the buffer, …], events: [{pass, id, before, ranges}], removedBy: pass | null}``.
    """
    uri, identity = str(field_of(params, "textDocument", "uri")), field_of(params, "id")
    document = server.state.documents.find(uri)
    if document is None:
        return None
    steps = server.state.history.steps_since(document, identity) if isinstance(identity, int) else ()
    if not steps:
        raise refusal("this step is not among those that led to the text")
    before = steps[0].before
    then = server.converter_of(uri, before)
    span_and_fate = await server.state.fate(uri, steps, then.offset(position_in(field_of(params, "position"))))
    if span_and_fate is None:
        return None
    span, fate = span_and_fate
    now = server.converter_for(document)
    return {
        "range": then.plain_range(span),
        "text": before[span.start : span.end],
        "places": [now.plain_range(place) for place in fate.spans],
        "events": _plain_events(server, document, fate.events),
        "removedBy": fate.removed_by,
    }


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(PROVENANCE)(on_provenance)
    server.feature(FATE)(on_fate)
