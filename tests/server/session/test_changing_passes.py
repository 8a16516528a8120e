"""Which passes a menu offers, and what it does not wait for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from relay_lsp.server.documents.documents import Document
from relay_lsp.server.session.changing_passes import ChangingPasses


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
