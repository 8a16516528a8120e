"""A pass that is chosen from the menu of code actions: its edit is for the text that it was worked out from."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types

from relay_lsp.server.documents.documents import Change
from relay_lsp.server.documents.positions import Position, Range
from relay_lsp.server.handlers.code_actions import on_code_action_resolve
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.serving.application import create_server

URI = "file:///model.relay"
TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(8), float32]) {
  %0 = nn.relu(%x);
  %1 = nn.relu(%x);
  add(%0, %1)
}
"""


async def test_what_is_typed_while_the_history_is_written_leaves_the_edit_that_of_the_text_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = create_server()
    server.state.documents.open(URI, TEXT, 1)
    typed = Change("// typed\n", Range(Position(0, 0), Position(0, 0)))

    async def run(job: Any, **_: Any) -> Any:
        return job.run(lambda _: None)

    async def remember(*_: Any) -> None:
        server.state.documents.change(URI, [typed], 2)

    monkeypatch.setattr(server.state.worker, "run", run)
    monkeypatch.setattr(server.state.passes, "remember", remember)
    action = types.CodeAction("", data={"uri": URI, "version": 1, "passes": ["EliminateCommonSubexpr"]})
    edit = (await on_code_action_resolve(server, action)).edit
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1
    assert [each.range.start.line for each in change.edits] == [2, 4]
    server.abandon_background()
    server.state.shut_down()


async def test_a_run_that_the_user_cancels_is_not_shown_as_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    server = create_server()
    document = server.state.documents.open(URI, TEXT, 1)
    states: list[str] = []

    async def cancelled(*_: Any, **__: Any) -> Any:
        raise asyncio.CancelledError

    monkeypatch.setattr(server.state.worker, "run", cancelled)
    monkeypatch.setattr(server.state.client, "status", lambda state, _: states.append(state))
    with pytest.raises(asyncio.CancelledError):
        await server.state.passes.run(document, [PassCall("FuseOps")])
    assert states == ["working", "ready"]
    server.abandon_background()
    server.state.shut_down()
