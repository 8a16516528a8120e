"""What is opened and closed leaves nothing: a server lives for days."""

from __future__ import annotations

import gc
from collections import Counter
from unittest import mock

import pytest

from relay_lsp.ir.semantic.module_analysis import ModuleAnalysis
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.documents import Change, Document
from relay_lsp.server.documents.positions import Encoding, Position, Range
from relay_lsp.server.features.diagnostics import diagnostics
from relay_lsp.server.session import background_analysis
from relay_lsp.server.session.background_analysis import BackgroundAnalysis

_KINDS = (Snapshot, ModuleAnalysis, Document)


def _text(number: int) -> str:
    lines = "".join(f"  %{place} = add(%{place - 1 if place else 'x'}, {number}f);\n" for place in range(50))
    return f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n{lines}  nn.rellu(%49)\n}}\n'


async def _open_edit_close(analysis: BackgroundAnalysis, number: int) -> None:
    document = Document("file:///a.relay", _text(number))
    snapshot = await analysis.snapshot(document)
    for version in range(2, 6):
        line = Position(version, 0)
        document.apply([Change(" }%"[version % 3], Range(line, line))], version, Encoding.UTF_8)
        analysis.superseded(document)
        snapshot = await analysis.snapshot(document)
        diagnostics(snapshot)
    document.apply([Change(_text(number + 1), None)], 6, Encoding.UTF_8)
    diagnostics(await analysis.snapshot(document))
    analysis.abandon(document)


def _living() -> Counter[type]:
    gc.collect()
    return Counter(type(each) for each in gc.get_objects() if isinstance(each, _KINDS))


@pytest.mark.parametrize("left_alone", [False, True], ids=["short", "long"])
async def test_texts_that_are_closed_leave_nothing(left_alone: bool) -> None:
    """A long text, which the search for garbage leaves out while it is open, is given back with everything else."""
    analysis = BackgroundAnalysis()
    length = 100 if left_alone else 1 << 30
    with mock.patch.object(background_analysis, "_LEFT_ALONE_TEXT", length):
        for number in range(3):
            await _open_edit_close(analysis, number)
        before, frozen = _living(), gc.get_freeze_count()
        for number in range(20):
            await _open_edit_close(analysis, number)
        assert gc.get_freeze_count() <= frozen
        after = _living()
    assert all(after[kind] <= before[kind] + 2 for kind in _KINDS), (before, after)
    analysis.shut_down()
