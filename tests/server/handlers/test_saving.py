"""What a save starts ends with the document where only its diagnostics are wanted of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types

from relay_lsp.server.handlers.synchronization import did_close, did_save
from relay_lsp.server.serving.application import create_server

URI = "file:///model.relay"


@pytest.mark.parametrize(
    ("settings", "ends"),
    [({}, True), ({"applyOnSave": True}, False), ({"instruments": ["PrintAfterAll"]}, False)],
)
async def test_a_pipeline_that_runs_for_its_diagnostics_alone_ends_when_its_document_is_closed(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], ends: bool
) -> None:
    server = create_server()
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def run(*_: Any, **__: Any) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    monkeypatch.setattr(server.state.worker, "run", run)
    server.state.configure({"pipeline": ["FuseOps"], "history": {"enabled": False}, **settings})
    server.state.documents.open(URI, "def @main(%x: float32) { exp(%x) }", 1)
    document = types.TextDocumentIdentifier(URI)
    did_save(server, types.DidSaveTextDocumentParams(document))
    await asyncio.wait_for(begun.wait(), 10)
    did_close(server, types.DidCloseTextDocumentParams(document))
    await asyncio.sleep(0)
    assert cancelled.is_set() == ends
    server.abandon_background()
    server.state.shut_down()
