"""Which passes a menu offers, and what it does not wait for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from relay_lsp.server.documents.documents import Document
from relay_lsp.server.serving.application import create_server
from relay_lsp.server.session.changing_passes import ChangingPasses
from relay_lsp.server.session.extensions import Loaded, LoadExtension


def test_the_menu_of_a_text_with_errors_waits_for_no_pass() -> None:
    nothing: Any = None  # neither the worker nor the analysis is asked
    passes = ChangingPasses(nothing, nothing, nothing, nothing, nothing, nothing)
    document = Document("file:///broken.relay", "def @main() { multiplie(1, 2) }")
    for wait in (True, False):
        assert asyncio.run(passes.of(document, wait=wait, has_errors=True)) == {}


def test_where_something_wrong_has_fixes_they_are_not_kept_waiting() -> None:
    document = Document("file:///stale.relay", "def @main(%x: float32) { %x }")

    async def run(*_: Any, **__: Any) -> list[str]:
        await asyncio.Event().wait()  # a worker that is busy
        return []

    async def menu() -> object:
        thread = SimpleNamespace(thread=SimpleNamespace(run=run))
        passes = ChangingPasses(*(cast("Any", each) for each in ([document], thread, None, None, None, None)))
        offered = await asyncio.wait_for(passes.of(document, wait=True, has_errors=False, has_fixes=True), 1)
        passes.cancel()
        return offered

    assert asyncio.run(menu()) == {}


async def test_the_menu_has_the_passes_of_an_extension_once_that_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(job: Any, **_: Any) -> object:
        is_load = isinstance(job, LoadExtension)
        return Loaded(passes=[cast("Any", {"name": "Mine", "options": []})]) if is_load else frozenset({"main"})

    workspace = create_server().state
    monkeypatch.setattr(workspace.worker, "run", run)
    workspace.extensions.is_trusted = True
    workspace.configure({"extensions": [str(tmp_path / "mine.py")]})
    document = workspace.documents.open("file:///model.relay", "def @main(%x: float32) { %x }", 1)
    assert "Mine" not in await workspace.changing_passes.of(document, wait=True, has_errors=False)
    await workspace.load_extensions()
    assert "Mine" in await workspace.changing_passes.of(document, wait=True, has_errors=False)
    workspace.shut_down()
