"""Refactorings as code actions: offered with a name, worked out for the very version they were offered for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsprotocol import types

from relay_lsp.ir.text.text_span import TextSpan

from ..features.refactoring import Refactoring, RefactoringError, refactorings
from ..lsp.protocol import RelayLanguageServer
from .views import View, moved_on, refusal, view

__all__ = ["refactoring_actions", "resolve_refactoring"]


def refactoring_actions(server: RelayLanguageServer, seen: View, span: TextSpan) -> Iterator[types.CodeAction]:
    """What can be done with the selection. Clients that cannot ask for an edit later get it, or no action, now."""
    resolves = server.supports("textDocument", "codeAction", "resolveSupport")
    for item in refactorings(seen.snapshot, span, server.state.history.carried_origins(seen.document)):
        action = types.CodeAction(item.title, kind=item.kind)
        if resolves:
            action.data = {
                "uri": seen.document.uri,
                "version": seen.version,
                "refactoring": item.name,
                "start": span.start,
                "end": span.end,
            }
            yield action
            continue
        if seen.document.doubt:  # it is shown as one that cannot be chosen
            yield action
            continue
        try:
            action.edit = server.edit_of(seen.converter, item.edits(), seen.version, item.title)
        except RefactoringError:
            continue
        yield action


async def resolve_refactoring(
    server: RelayLanguageServer, action: types.CodeAction, data: Mapping[str, object]
) -> types.CodeAction:
    """The edit of the refactoring that was chosen.

    Raises:
        JsonRpcException: the text has changed since, or it cannot be done here.
    """
    seen = await view(server, str(data.get("uri")))
    if seen is None or seen.version != data.get("version"):
        raise moved_on()
    chosen = _find(server, seen, data)
    try:
        action.edit = server.edit_of(seen.converter, chosen.edits(), seen.version, chosen.title)
    except RefactoringError as error:
        raise refusal(f"{chosen.title}: {error}") from None
    return action


def _find(server: RelayLanguageServer, seen: View, data: Mapping[str, object]) -> Refactoring:
    start, end = data.get("start"), data.get("end")
    if isinstance(start, int) and isinstance(end, int):
        origins = server.state.history.carried_origins(seen.document)
        for item in refactorings(seen.snapshot, TextSpan(start, end), origins):
            if item.name == data["refactoring"]:
                return item
    raise refusal("there is no such refactoring at this place")
