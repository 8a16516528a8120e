"""Diagnostics for clients that fetch them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from lsprotocol import types

from relay_lsp.ir.diagnostics import Diagnostic

from ..features.diagnostics.diagnostics import diagnostics
from ..lsp.conversion import ProtocolConverter
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from .views import view

__all__ = ["register"]


def _report(
    converter: ProtocolConverter, reported: Sequence[Diagnostic], version: int | None, known: str | None
) -> dict[str, object]:
    """Diagnostics, or ``unchanged`` where the client has them already under this result id.

    The same text with the same findings has the same name.
    """
    name = f"{version}:{hash((converter.lines.text, tuple(item.message for item in reported))):x}"
    if name == known:
        return {"kind": "unchanged", "resultId": name}
    return {"kind": "full", "resultId": name, "items": [converter.diagnostic(item) for item in reported]}


async def on_document_diagnostic(server: RelayLanguageServer, params: types.DocumentDiagnosticParams) -> Plain:
    """The diagnostics of one document."""
    document = server.state.documents.find(params.text_document.uri)
    if document is not None and server.client_pulls:  # it is told to ask again when all is known
        version, converter = document.version, server.converter_for(document)
        early = await server.state.analysis.settled_diagnostics(document, server.state.diagnostics)
        if early is not None and document.version == version:
            return Plain(_report(converter, early, version, params.previous_result_id))
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return Plain({"kind": "full", "items": []})
    reported = server.state.diagnostics(seen.document, seen.snapshot)
    server.report_faults(seen.document, reported)
    return Plain(_report(seen.converter, reported, seen.version, params.previous_result_id))


async def on_workspace_diagnostic(server: RelayLanguageServer, params: types.WorkspaceDiagnosticParams) -> Plain:
    """The diagnostics of every open document, and of the files in the workspace's folders.

    A client that takes partial results gets each report as soon as it is there, and an empty list at the end.
    """
    known = {previous.uri: previous.value for previous in params.previous_result_ids}
    reports: list[dict[str, object]] = []
    done = 0
    server.tell_progress(params.work_done_token, {"kind": "begin", "title": "Relay: checking the workspace"})
    try:
        async for report in _reports(server, known):
            done += 1
            if params.partial_result_token is None:
                reports.append(report)
            else:
                server.tell_progress(params.partial_result_token, {"items": [report]})
            server.tell_progress(params.work_done_token, {"kind": "report", "message": f"{done} files"})
    finally:
        server.tell_progress(params.work_done_token, {"kind": "end"})
    return Plain({"items": reports})


async def _reports(server: RelayLanguageServer, known: dict[str, str]) -> AsyncIterator[dict[str, object]]:
    for document in server.state.documents.of_workspace:
        seen = await view(server, document.uri)
        if seen is not None:
            reported = server.state.diagnostics(seen.document, seen.snapshot)
            report = _report(seen.converter, reported, seen.version, known.get(document.uri))
            yield {"uri": document.uri, "version": seen.version, **report}
    for uri, snapshot in await server.state.unopened():
        settings = server.state.settings_for(uri)
        reported = await server.state.analysis.thread.run(
            diagnostics,
            snapshot,
            unused_values=settings.unused_values,
            unreachable_code=settings.unreachable_code,
            type_comments=settings.type_comments,
        )
        converter = ProtocolConverter(uri, snapshot.lines, server.state.documents.encoding)
        yield {"uri": uri, "version": None, **_report(converter, reported, None, known.get(uri))}


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)(on_document_diagnostic)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(on_workspace_diagnostic)
