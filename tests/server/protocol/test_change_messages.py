"""A change is read without the library's conversion, and means what it would with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from relay_lsp.server.transport.change_messages import change_notification
from tests.server.protocol.conftest import URI, Editor


def change(*changes: Any, **others: Any) -> dict[str, Any]:
    params = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": list(changes)}
    return {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params, **others}


def at(line: Any, character: Any) -> dict[str, Any]:
    return {"line": line, "character": character}


def replaced(text: Any, start: Any, end: Any, **others: Any) -> dict[str, Any]:
    return {"range": {"start": start, "end": end}, "text": text, **others}


@pytest.mark.parametrize(
    "message",
    [
        change(replaced("nn.relu(%x)", at(1, 2), at(1, 9))),
        change(replaced("", at(0, 0), at(4, 0)), replaced("é🎈\n", at(0, 0), at(0, 0))),
        change(replaced("a", at(1, 2), at(1, 3), rangeLength=1)),
        change(replaced("a", at(1, 2), at(1, 3), rangeLength=None)),
        change({"text": "def @main() { 1 }"}),
        change(),
    ],
    ids=["a letter", "two", "with a length", "with no length", "all of the text", "none"],
)
def test_it_says_what_the_library_says(message: dict[str, Any]) -> None:
    expected = default_converter().structure(message, types.DidChangeTextDocumentNotification)
    assert change_notification(json.loads(json.dumps(message))) == expected


@pytest.mark.parametrize(
    "message",
    [
        change(replaced("a", at("one", 2), at(1, 3))),
        change(replaced("a", at(-1, 2), at(1, 3))),
        change(replaced(1, at(1, 2), at(1, 3))),
        change(replaced("a", None, at(1, 3))),
        change({"range": None, "text": "a"}),
        change("a"),
        change({}),
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": None},
        {"jsonrpc": "2.0", "method": "textDocument/didChange"},
        {"method": "textDocument/didChange", "params": change()["params"]},
        change(id=1),
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": change()["params"]},
        [],
    ],
    ids=lambda message: json.dumps(message)[-60:],
)
def test_what_is_not_as_it_should_be_is_left_to_the_library(message: Any) -> None:
    assert change_notification(message) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_a_change_with_a_fault_changes_nothing(editor: Editor) -> None:
    editor.open('#[version = "0.0.5"]\ndef @main(%x: float32) {\n  add(%x, %x)\n}\n')
    editor.client.protocol._send_data(change(replaced("%y", None, at(2, 12))))  # no client of the library would
    editor.change("%x", (2, 10), (2, 12))
    assert await editor.diagnostics() == []
