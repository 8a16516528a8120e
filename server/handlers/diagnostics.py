"""Diagnostics for clients that fetch them."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ...ir.diagnostics import Diagnostic
from ..protocol import RelayLanguageServer
from .language import View, view

__all__ = ["register"]


def _found(server: RelayLanguageServer, seen: View) -> Sequence[Diagnostic]:
    return server.state.diagnostics(seen.document, seen.snapshot)


def _name(seen: View, found: Sequence[Diagnostic]) -> str:
    """A name for a result: the same text with the same findings of passes has the same name."""
    return f"{seen.document.version}:{hash((seen.snapshot.text, tuple(item.message for item in found))):x}"


async def on_document_diagnostic(
    server: RelayLanguageServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """The diagnostics of one document."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    found = _found(server, seen)
    name = _name(seen, found)
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
    items = [seen.converter.diagnostic(item) for item in found]
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=name)


async def on_workspace_diagnostic(
    server: RelayLanguageServer, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """The diagnostics of every open document."""
    known = {previous.uri: previous.value for previous in params.previous_result_ids}
    reports: list[types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport] = []
    for document in server.state.documents:
        seen = await view(server, document.uri)
        if seen is None:
            continue
        found = _found(server, seen)
        name = _name(seen, found)
        if known.get(document.uri) == name:
            reports.append(
                types.WorkspaceUnchangedDocumentDiagnosticReport(
                    uri=document.uri, result_id=name, version=document.version
                )
            )
        else:
            items = [seen.converter.diagnostic(item) for item in found]
            reports.append(
                types.WorkspaceFullDocumentDiagnosticReport(
                    uri=document.uri, items=items, result_id=name, version=document.version
                )
            )
    return types.WorkspaceDiagnosticReport(items=reports)


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)(on_document_diagnostic)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(on_workspace_diagnostic)
