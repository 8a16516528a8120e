"""Once the history is cleared, editors show nothing of it, and what happens next is followed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from relay_lsp.server.handlers.history import clear_history
from relay_lsp.server.serving.application import create_server

URI = "file:///model.relay"


async def test_lenses_are_asked_for_anew_and_open_documents_are_followed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = create_server()
    asked_for: list[str] = []
    server.begin({"workspace": {"codeLens": {"refreshSupport": True}}}, None)
    monkeypatch.setattr(server, "workspace_code_lens_refresh", lambda *_: asked_for.append("lenses"))
    server.state.configure({"history": {"folder": str(tmp_path)}})
    document = server.state.documents.open(URI, "def @main(%x: float32) { %x }", 1)
    await server.state.history.recall(URI, document.lines)
    asked_for.clear()

    async def followed() -> None:
        while server.state.history.at(URI, document.lines) is None:
            await asyncio.sleep(0.01)

    await clear_history(server)
    assert asked_for == ["lenses"]
    await asyncio.wait_for(followed(), 10)
    server.abandon_background()
    server.state.shut_down()
