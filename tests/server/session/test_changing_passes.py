"""Which passes a menu offers, and what it does not wait for."""

from __future__ import annotations

import asyncio
from typing import Any

from relay_lsp.server.documents.documents import Document
from relay_lsp.server.session.changing_passes import ChangingPasses


def test_the_menu_of_a_text_with_errors_waits_for_no_pass() -> None:
    nothing: Any = None  # neither the worker nor the analysis is asked
    passes = ChangingPasses(nothing, nothing, nothing, nothing, nothing, nothing)
    document = Document("file:///broken.relay", "def @main() { multiplie(1, 2) }")
    for wait in (True, False):
        assert asyncio.run(passes.of(document, wait=wait, has_errors=True)) == {}
