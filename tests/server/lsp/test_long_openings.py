"""A long text is read in pieces while it arrives, and is the text that the client sent."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from relay_lsp.server.lsp.long_openings import LongOpening, read_long

TEXT = (
    '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) {\n  nn.relu(%x) /* "\\n" \\\\n \t é 🙂 */\r\n}\n'
    * 1_000
)


def _read(body: bytes, available: int | None = None) -> bytes | LongOpening | None:
    stream = io.BytesIO(body if available is None else body[:available])
    answer = read_long(stream.read, len(body))
    assert not stream.read(1)
    return answer


def _opening(text: str, **fields: Any) -> dict[str, Any]:
    item = {"uri": "file:///a.relay", "languageId": "relay", "version": 3, "text": text}
    return {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}, **fields}


def _turned(value: Any) -> Any:
    """The same objects with their fields in the opposite order, as some clients write them."""
    return {name: _turned(each) for name, each in reversed(value.items())} if isinstance(value, dict) else value


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.rstrip(),
        TEXT.replace("\n", "\\\n"),
        "x" * 40_000 + "\n" + TEXT,
        TEXT * 20,
        '"' + "\\" * 30_001,
        "\n" * 50_000,
    ],
    ids=["lines", "no line end at the end", "backslashes", "a long line", "long", "no line end", "empty lines"],
)
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("is_ascii", [False, True])
def test_the_text_is_the_clients(text: str, is_turned: bool, is_ascii: bool):
    message = _turned(_opening(text)) if is_turned else _opening(text)
    body = json.dumps(message, ensure_ascii=is_ascii).encode()
    answer = _read(body)
    assert isinstance(answer, LongOpening)
    assert answer.lines.text == text
    assert answer.fields == _opening("")
    assert answer.size == len(body)


def test_blanks_and_escapes_of_a_client_are_read():
    body = json.dumps(_opening(TEXT), indent=2).replace("textDocument/didOpen", "textDocument\\/didOpen").encode()
    answer = _read(body)
    assert isinstance(answer, LongOpening)
    assert answer.lines.text == TEXT


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"contentChanges": [{"text": TEXT}]}},
        {"jsonrpc": "2.0", "params": {"text": TEXT}, "method": "textDocument/didOpen"},
        {"jsonrpc": "2.0", "params": {"contentChanges": [{"text": TEXT}]}, "method": "textDocument/didChange"},
        {"jsonrpc": "2.0", "id": 1, "result": [TEXT]},
        _opening("\ud800" + TEXT),
        _opening("x" * 3_000_000),
    ],
    ids=["a change", "another place", "a change, named last", "an answer", "half a surrogate pair", "one long line"],
)
def test_any_other_message_is_left_as_it_came(message: dict[str, Any]):
    body = json.dumps(message).encode()
    assert _read(body) == body


@pytest.mark.parametrize(
    "damage", [(b"\\n", b"\n"), (b"\\n", b"\\q"), (b"nn.relu", b"nn\xff"), (b'"}}', b'" }'), (b'"}}', b"}}")]
)
def test_what_is_no_json_is_left_to_be_refused(damage: tuple[bytes, bytes]):
    body = json.dumps(_opening(TEXT)).encode().replace(*damage)
    assert _read(body) == body


@pytest.mark.parametrize("available", [0, 10, 40_000, -3])
def test_a_stream_that_ends_before_the_message_does_gives_none(available: int):
    assert _read(json.dumps(_opening(TEXT)).encode(), available) is None
