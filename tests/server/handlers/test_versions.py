"""An answer is for the version of the text that it was made of, also where the user types meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from relay_lsp.server.documents.documents import Change, Document
from relay_lsp.server.documents.positions import Position, Range
from relay_lsp.server.explorer import page
from relay_lsp.server.handlers.exploring import on_explore
from relay_lsp.server.handlers.layers import on_layers
from relay_lsp.server.handlers.renaming import on_rename
from relay_lsp.server.handlers.views import CONTENT_MODIFIED
from relay_lsp.server.lsp.protocol import RelayLanguageServer
from relay_lsp.server.serving.application import create_server

URI = "file:///model.relay"
TEXT = f"""#[version = "0.0.5"]
/* from model.onnx (onnx), sha256 {"0" * 64} */
def @main(%x: Tensor[(8), float32]) {{
  %0 = nn.relu(%x) /* span=conv1:0:0 */;
  add(%0, %x)
}}
"""
PARAMS = {"textDocument": {"uri": URI}}


class Typing:
    """A user who types a line at the top of the text while a request is at work."""

    def __init__(self, server: RelayLanguageServer) -> None:
        self.server = server
        self.document: Document = server.state.documents.open(URI, TEXT, 1)

    def during(self, work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let the line be typed once the method ``work`` of an object has done the first thing that it is asked for."""

        async def done(*arguments: Any, **named: Any) -> Any:
            result = await work(*arguments, **named)
            if self.document.version == 1:
                line = Change("// typed\n", Range(Position(0, 0), Position(0, 0)))
                self.server.state.documents.change(URI, [line], 2)
            return result

        monkeypatch.setattr(work.__self__, work.__name__, done)


@pytest_asyncio.fixture
async def typing() -> AsyncIterator[Typing]:
    server = create_server()
    yield Typing(server)
    await server.state.worker.close()
    server.state.shut_down()


async def test_a_name_is_not_looked_for_at_its_place_in_an_earlier_text(
    typing: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing.during(typing.server.state.analysis.snapshot, monkeypatch)
    params = types.RenameParams(types.TextDocumentIdentifier(URI), types.Position(3, 3), "%7")
    with pytest.raises(JsonRpcException) as refused:
        await on_rename(typing.server, params)
    assert refused.value.code == CONTENT_MODIFIED
    params.position = types.Position(4, 3)
    edit = await on_rename(typing.server, params)
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 2
    assert [each.range.start.line for each in change.edits] == [4, 5]


async def test_layers_have_the_version_of_the_text_that_has_them_there(
    typing: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on_layers(typing.server, PARAMS)  # after this, only the table is worked out by another thread
    typing.during(typing.server.state.analysis.thread.run, monkeypatch)
    for version, line in ((1, 3), (2, 4)):
        answer = await on_layers(typing.server, PARAMS)
        assert answer is not None
        assert answer["version"] == version
        (layer,) = answer["layers"]
        assert [each.start.line for each in layer["ranges"]] == [line]


async def test_a_request_that_waits_for_a_text_gets_the_one_that_it_has_by_then(
    typing: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing.during(typing.server.state.analysis.snapshot, monkeypatch)
    answer = await on_layers(typing.server, PARAMS)
    assert answer is not None
    assert answer["version"] == 2
    (layer,) = answer["layers"]
    assert [each.start.line for each in layer["ranges"]] == [4]


async def test_the_explorer_is_not_shown_a_later_text_than_it_is_told(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "index.html"
    built.write_text('<script type="text/plain" id="trace"></script>')
    monkeypatch.setattr(page, "_PAGE", built)
    typing.during(typing.server.state.models.find, monkeypatch)
    with pytest.raises(JsonRpcException) as refused:
        await on_explore(typing.server, PARAMS)
    assert refused.value.code == CONTENT_MODIFIED
