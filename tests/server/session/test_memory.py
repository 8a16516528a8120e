"""What is opened and closed leaves nothing: a server lives for days."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections import Counter
from unittest import mock

import pytest
from lsprotocol.types import (
    DidCloseTextDocumentParams,
    DidOpenTextDocumentParams,
    TextDocumentIdentifier,
    TextDocumentItem,
)

from relay_lsp.ir.semantic.module_analysis import ModuleAnalysis
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.documents import Change, Document
from relay_lsp.server.documents.positions import Encoding, Position, Range
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.handlers.synchronization import did_close, did_open, shutdown
from relay_lsp.server.serving.application import create_server
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


class _Client:
    """A client that reads nothing of what it is sent."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


async def test_a_client_that_never_pauses_has_no_closed_texts_kept_for_it() -> None:
    """What waits for a pause, such as the reading of layers, lets go of a document that is closed meanwhile."""
    server = create_server()
    server.protocol.set_writer(_Client())
    documents: list[weakref.ref[Document]] = []
    for number in range(5):
        uri = "file:///a.relay"
        did_open(server, DidOpenTextDocumentParams(TextDocumentItem(uri, "relay", 1, _text(number))))
        document = server.state.documents.find(uri)
        assert document is not None
        documents.append(weakref.ref(document))
        await server.state.analysis.snapshot(document)
        server.state.idle_time.note_message()
        del document
        did_close(server, DidCloseTextDocumentParams(TextDocumentIdentifier(uri)))
        await asyncio.sleep(0.01)
    gc.collect()
    living = [number for number, document in enumerate(documents[:-1]) if document() is not None]
    shutdown(server, None)
    assert living == []
