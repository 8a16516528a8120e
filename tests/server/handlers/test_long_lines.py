"""The layers of a text that was just opened, or that has long lines, are read beside the event loop, and never asked of
a text that is no more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.navigation.references import references
from relay_lsp.server.features.provenance.stated import StatedBlock, stated_blocks
from relay_lsp.server.handlers import navigation, views
from relay_lsp.server.handlers.navigation import on_references
from relay_lsp.server.lsp.message_codec import Plain
from relay_lsp.server.serving.application import create_server

URI = "file:///model.relay"
_PARAMETERS = ", ".join(f"%p{number}: float32 /* layer.{number} */" for number in range(3_000))
LONG = f'#[version = "0.0.5"]\ndef @main({_PARAMETERS}) {{\n  %p0\n}}\n'


SHORT = '#[version = "0.0.5"]\ndef @main(%p: float32 /* layer.1 */) {\n  %p\n}\n'


async def _read_layers(text: str, *, edited: bool, again: bool = False) -> None:
    server = create_server(trusted=False)
    try:
        document = server.state.documents.open(URI, text, 1)
        seen = await views.view(server, URI)
        assert seen is not None
        reading = asyncio.create_task(views.layers_read(server, seen))
        await asyncio.sleep(0)
        if edited:
            document.lines = LineIndex(f"{text}//\n")
        await reading
        if again:
            server.state.history.layer_index(URI, document.lines)
            await views.layers_read(server, seen)
    finally:
        server.has_left = True
        server.state.shut_down()


@pytest.mark.parametrize(("text", "again"), [(LONG, False), (SHORT, True)], ids=["long lines", "just opened"])
def test_layers_are_read_by_another_thread(monkeypatch: pytest.MonkeyPatch, text: str, again: bool) -> None:
    threads: list[int] = []

    def read(lines: LineIndex) -> Sequence[StatedBlock]:
        threads.append(threading.get_ident())
        return stated_blocks(lines)

    monkeypatch.setattr(views, "stated_blocks", read)
    asyncio.run(_read_layers(text, edited=False, again=again))
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()


def test_what_was_edited_meanwhile_is_asked_for_again() -> None:
    with pytest.raises(JsonRpcException, match="the text has changed since"):
        asyncio.run(_read_layers(LONG, edited=True))


def test_the_places_of_an_operator_are_looked_for_by_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def found(snapshot: Snapshot, offset: int, *, include_definition: bool) -> Sequence[TextSpan]:
        threads.append(threading.get_ident())
        return references(snapshot, offset, include_definition=include_definition)

    def read(lines: LineIndex) -> Sequence[StatedBlock]:
        threads.append(threading.get_ident())
        return stated_blocks(lines)

    async def ask() -> object:
        server = create_server(trusted=False)
        try:
            server.state.documents.open(URI, SHORT.replace("  %p\n", "  %0 = nn.relu(%p);\n  nn.relu(%0)\n"), 1)
            context, place = types.ReferenceContext(include_declaration=True), types.Position(2, 10)
            return await on_references(server, types.ReferenceParams(context, types.TextDocumentIdentifier(URI), place))
        finally:
            server.has_left = True
            server.state.shut_down()

    monkeypatch.setattr(views, "stated_blocks", read)
    monkeypatch.setattr(navigation, "references", found)
    answer = asyncio.run(ask())
    assert isinstance(answer, Plain)
    assert len(answer.value) == 2
    assert len(threads) == 2
    assert threading.get_ident() not in threads
