"""No text hurts: whatever it is, it gets its diagnostics in time that goes with its length, and never an exception."""

from __future__ import annotations

import time

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.hostile_texts import HOSTILE_TEXTS

_SECONDS = 5.0
"""Ten times what the slowest takes: before, these took from ten seconds to for ever."""


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
@pytest.mark.parametrize("size", [100, 1000])
def test_a_hostile_text_gets_its_diagnostics(name: str, size: int) -> None:
    text = HOSTILE_TEXTS[name](size)
    started = time.perf_counter()
    snapshot = Snapshot.open(text, "hostile.relay")
    for finding in snapshot.diagnostics:
        assert finding.span is None or 0 <= finding.span.start <= finding.span.end <= len(text)
        assert len(finding.message) < 5_000
    assert time.perf_counter() - started < _SECONDS


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_an_edit_of_a_hostile_text_is_followed(name: str) -> None:
    text = HOSTILE_TEXTS[name](200)
    middle = len(text) // 2
    edited = Snapshot.open(text, "hostile.relay").edit(TextSpan(middle, middle), " ")
    assert edited.diagnostics == Snapshot.open(edited.text, "hostile.relay").diagnostics


def test_what_is_no_text_can_be_asked_for_its_symbols() -> None:
    snapshot = Snapshot.open("def@length(%list%list\0", "hostile.relay")
    assert "not-text" in [finding.code for finding in snapshot.diagnostics]
    assert "@length" not in [symbol.name for symbol in snapshot.scope_at(5)]
