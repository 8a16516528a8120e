"""A client that breaks the protocol gets the code that the specification has for it, and the server goes on."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest

from tests.server.protocol.conftest import COMMAND, URI
from tests.server.protocol.test_stdio import FAREWELL, INITIALIZE, answers, frame, messages_in

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002


def errors(*messages: object) -> list[tuple[object, Any]]:
    """The ids and codes of the errors that are answered to messages of an initialized client, which is served on."""
    found = answers(INITIALIZE, *messages)
    assert found[-1] == {"jsonrpc": "2.0", "id": 99, "result": None}
    return [(message["id"], error["code"]) for message in found if isinstance(error := message.get("error"), dict)]


def test_bodies_that_are_no_messages() -> None:
    bodies = (b"null", b"5", b"true", b'"x"', b"[]", b"{}", b"[" * 5000 + b"]" * 5000, b"{not json", b"\xff\xfe")
    assert errors(*bodies) == [
        *[(None, INVALID_REQUEST)] * 6,
        *[(None, PARSE_ERROR)] * 3,
    ]


def test_requests_of_a_wrong_form() -> None:
    hover = {"jsonrpc": "2.0", "method": "textDocument/hover"}
    position = {"textDocument": {"uri": URI}, "position": {"line": -1, "character": "x"}}
    assert errors(
        {**hover, "id": None},
        {**hover, "id": {}},
        {**hover, "id": 5, "method": 5},
        {**hover, "id": 6, "jsonrpc": "1.0"},
        {**hover, "id": 7, "method": "relay/unheardOf"},
        {**hover, "id": 8, "params": 5},
        {**hover, "id": 9, "params": position},
        {**hover, "id": 10},
        {**hover, "params": 5},
    ) == [
        (None, INVALID_REQUEST),
        (None, INVALID_REQUEST),
        (5, INVALID_REQUEST),
        (6, INVALID_REQUEST),
        (7, METHOD_NOT_FOUND),
        (8, INVALID_PARAMS),
        (9, INVALID_PARAMS),
        (10, INVALID_PARAMS),
    ]


@pytest.mark.parametrize("identity", [{}, [], {"id": 1}, None, 1.5])
def test_what_names_no_request_and_no_progress_cancels_nothing(identity: object) -> None:
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": identity}}
    stop = {"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {"token": identity}}
    assert errors(cancel, stop, {**cancel, "id": 7}) == [(7, INVALID_PARAMS)]


def test_a_message_is_refused_at_the_first_of_a_hundred_thousand_faults() -> None:
    many = {"jsonrpc": "2.0", "id": 5, "method": "textDocument/selectionRange"}
    watched = {"jsonrpc": "2.0", "method": "workspace/didChangeWatchedFiles", "params": {"changes": "a" * 500_000}}
    begun = time.monotonic()
    assert errors(watched, {**many, "params": {"textDocument": {"uri": URI}, "positions": [7] * 500_000}}, watched) == [
        (5, INVALID_PARAMS)
    ]
    assert (
        time.monotonic() - begun < 20.0
    )  # half a second; where all faults are gathered, the end of the input comes first


@pytest.mark.parametrize("depth", [300, 900])
def test_parameters_nested_too_deeply_are_the_client_s_fault(depth: int) -> None:
    data: Any = 1
    for _ in range(depth):
        data = [data]
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "x", "odd": data}]}
    assert errors(
        {"jsonrpc": "2.0", "id": 5, "method": "codeLens/resolve", "params": {"range": place, "data": data}},
        {"jsonrpc": "2.0", "id": 6, "method": "completionItem/resolve", "params": {"label": "x", "data": data}},
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change},
    ) == [(5, INVALID_PARAMS), (6, INVALID_PARAMS)]


def test_a_change_that_cannot_be_read_leaves_a_text_that_may_be_another() -> None:
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": "def @main() { () }\n"}
    negative = {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": negative, "text": "x"}]}
    messages: list[Any] = answers(
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}},
        *[{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change}] * 2,
    )
    (said,) = (message["params"]["message"] for message in messages if message.get("method") == "window/showMessage")
    assert "may not be the one in the editor: a change of it could not be read. Close the file" in said


def test_an_answer_with_the_id_of_ones_own_pending_request_is_left_aside() -> None:
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": "def @main() { () }\n" * 3000}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    asked = {
        "jsonrpc": "2.0", "id": 5, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": URI}},
    }  # fmt: skip
    for_nothing = {"jsonrpc": "2.0", "id": [], "error": 5}
    answered = answers(INITIALIZE, opened, asked, {"jsonrpc": "2.0", "id": 5, "result": None}, for_nothing)
    assert {message["id"] for message in answered if "id" in message} >= {1, None, 99}


def test_what_comes_before_initialize_and_after_shutdown_is_refused() -> None:
    hover = {"jsonrpc": "2.0", "method": "textDocument/hover", "params": {}}
    shutdown, leave = FAREWELL
    sent = [{**hover, "id": 1}, {"jsonrpc": "2.0", "method": "initialized", "params": {}}, {**INITIALIZE, "id": 2}]
    sent += [{**INITIALIZE, "id": 3}, shutdown, {**hover, "id": 4}, leave]
    done = subprocess.run(COMMAND, input=b"".join(map(frame, sent)), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    codes = {message["id"]: message.get("error", {"code": 0})["code"] for message in messages_in(done.stdout)}  # type: ignore[index]
    assert codes == {1: NOT_INITIALIZED, 2: 0, 3: INVALID_REQUEST, 99: 0, 4: INVALID_REQUEST}


@pytest.mark.parametrize("capabilities", [{"general": {"positionEncodings": 5}}, {"textDocument": 5}, 5])
def test_capabilities_of_a_wrong_form_do_not_leave_a_client_waiting(capabilities: object) -> None:
    initialize = {**INITIALIZE, "params": {"processId": None, "rootUri": None, "capabilities": capabilities}}
    found = answers(initialize)
    assert [message.get("id") for message in found] == [1, 99]
    assert "error" not in found[-1]


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "does not end"),
        (b"Content-Length: " + b"9" * 500 + b"\r\n\r\n", "longer than 256 MB"),
        (b"Content-Length: -5\r\n\r\n", "no number"),
        (b"Content-Type: x\r\n\r\n", "no Content-Length"),
        (b"x" * 1_000_000, "does not end"),
    ],
    ids=["digits", "length", "negative", "missing", "endless"],
)
def test_a_header_that_cannot_be_read_ends_the_stream_with_a_word(header: bytes, reason: str) -> None:
    check_end(header, reason)


def test_so_does_one_in_the_middle_of_a_conversation() -> None:
    check_end(frame(INITIALIZE) + b"x" * 1_000_000, "does not end")


def check_end(sent: bytes, reason: str) -> None:
    done = subprocess.run(COMMAND, input=sent, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == b""
    last = messages_in(done.stdout)[-1]
    assert last["id"] is None
    assert reason in json.dumps(last["error"])
