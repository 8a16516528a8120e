"""Diagnostics for clients that fetch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from ...ir.diagnostics import Diagnostic
from ..conversion import Converter
from ..features.diagnostics import diagnostics
from ..protocol import Plain, RelayLanguageServer
from .language import View, view

__all__ = ["register"]


def _name(seen: View, found: Sequence[Diagnostic]) -> str:
    """A name for a result: the same text with the same findings of passes has the same name."""
    return f"{seen.document.version}:{hash((seen.snapshot.text, tuple(item.message for item in found))):x}"


def _report(server: RelayLanguageServer, seen: View, known: str | None) -> dict[str, Any]:
    """The diagnostics of a document, or word that they are what the client knows under this name."""
    found = server.state.diagnostics(seen.document, seen.snapshot)
    name = _name(seen, found)
    if name == known:
        return {"kind": "unchanged", "resultId": name}
    return {"kind": "full", "resultId": name, "items": [seen.converter.diagnostic(item) for item in found]}


async def on_document_diagnostic(server: RelayLanguageServer, params: types.DocumentDiagnosticParams) -> Plain:
    """The diagnostics of one document."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return Plain({"kind": "full", "items": []})
    return Plain(_report(server, seen, params.previous_result_id))


async def on_workspace_diagnostic(server: RelayLanguageServer, params: types.WorkspaceDiagnosticParams) -> Plain:
    """The diagnostics of every open document, and of the files in the workspace's folders."""
    known = {previous.uri: previous.value for previous in params.previous_result_ids}
    reports: list[dict[str, Any]] = []
    for document in server.state.documents:
        seen = await view(server, document.uri)
        if seen is not None:
            report = _report(server, seen, known.get(document.uri))
            reports.append({"uri": document.uri, "version": document.version, **report})
    for uri, snapshot in await server.state.unopened():
        found = await server.state.analysis.thread.run(diagnostics, snapshot)
        name = f"{hash((snapshot.text, len(found))):x}"
        if known.get(uri) == name:
            reports.append({"uri": uri, "version": None, "kind": "unchanged", "resultId": name})
            continue
        converter = Converter(uri, snapshot.lines, server.state.documents.encoding)
        items = [converter.diagnostic(item) for item in found]
        reports.append({"uri": uri, "version": None, "kind": "full", "resultId": name, "items": items})
    return Plain({"items": reports})


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)(on_document_diagnostic)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(on_workspace_diagnostic)
