"""While a very long message is read, others are answered; and what is said of one document keeps its order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.protocol.conftest import COMMAND, URI
from tests.server.protocol.test_stdio import FAREWELL, INITIALIZE, answers, frame

INITIALIZED = {"jsonrpc": "2.0", "method": "initialized", "params": {}}

OTHER = "file:///workspace/other.relay"
SHORT = '#[version = "0.0.5"]\ndef @main(%x: float32) -> float32 {\n  nn.relu(%x)\n}\n'
LONG = SHORT + '// a line of a comment, "quoted" and 卷积\n' * 20_000
PLACE = {"line": 2, "character": 4}


def opening(uri: str, text: str, version: int = 1) -> dict[str, Any]:
    item = {"uri": uri, "languageId": "relay", "version": version, "text": text}
    return {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}


def opening_text_first(uri: str, text: str) -> dict[str, Any]:
    item = {"text": text, "version": 1, "languageId": "relay", "uri": uri}
    return {"params": {"textDocument": item}, "method": "textDocument/didOpen", "jsonrpc": "2.0"}


def change(uri: str, version: int, *changes: dict[str, Any]) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
    return {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}


def replacing(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": span, "text": text}


def about(uri: str, number: int, what: str = "hover", place: object = PLACE) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}, "position": place}
    return {"jsonrpc": "2.0", "id": number, "method": f"textDocument/{what}", "params": params}


def closing(uri: str) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}}
    return {"jsonrpc": "2.0", "method": "textDocument/didClose", "params": params}


def conversation(*messages: Any) -> dict[object, Any]:
    """The answers to messages, by the numbers of their requests, in the order of their coming.

    The messages are sent at once; of several lists, each when what came before is answered. Only when all answers are
    there the server is asked to end. That to a message that is no JSON has no number.
    """
    parts: list[list[Any]] = [list(messages)] if not messages or not isinstance(messages[0], list) else list(messages)
    results: dict[object, Any] = {}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(map(frame, [INITIALIZE, INITIALIZED])))
        for part in parts:
            wanted = {message["id"] for message in part if isinstance(message, dict) and "id" in message}
            wanted |= {None for message in part if isinstance(message, bytes)}
            server.stdin.write(b"".join(map(frame, part)))
            server.stdin.flush()
            while not wanted <= results.keys():
                length = 0
                while line := server.stdout.readline().strip():
                    length = int(line.partition(b":")[2]) if line.lower().startswith(b"content-length") else length
                message = json.loads(server.stdout.read(length))
                if "method" not in message:
                    results[message.get("id")] = message.get("result", message.get("error"))
        server.stdin.write(b"".join(map(frame, FAREWELL)))
        server.stdin.close()
        server.stdout.read()
    assert server.returncode == 0
    return results


def test_a_request_about_another_document_is_answered_before_a_long_one_has_been_read() -> None:
    for long in (opening(URI, LONG * 4), opening_text_first(URI, LONG * 4)):
        results = conversation(opening(OTHER, SHORT), about(OTHER, 4), long, about(URI, 5), about(OTHER, 6))
        assert list(results)[-2:] == [6, 5]
        assert "relu" in str(results[5])
        assert results[4] == results[6]


def test_what_is_said_of_a_document_keeps_its_order() -> None:
    edit = change(URI, 2, replacing(2, 2, 9, "tanh"))
    replaced = change(URI, 3, {"text": LONG.replace("nn.relu", "nn.softmax")})
    again = opening(URI, SHORT.replace("nn.relu", "sigmoid"), 4)
    scripts: list[tuple[str | None, list[Any]]] = [
        ("tanh", [opening(URI, LONG), edit]),
        ("softmax", [opening(URI, LONG), edit, replaced]),
        (None, [opening(URI, LONG), edit, closing(URI)]),
        ("sigmoid", [opening(URI, LONG), closing(URI), again]),
        ("softmax", [opening(URI, SHORT), replaced]),
    ]
    for word, script in scripts:
        result = conversation(*script, about(URI, 4))[4]
        assert result is None if word is None else word in str(result), script


def test_a_long_text_that_replaces_another_is_taken_whole() -> None:
    replaced = LONG.replace("quoted", "said", 1).replace("nn.relu", "nn.leaky_relu")
    results = conversation(
        opening(URI, LONG), change(URI, 2, {"text": replaced}, replacing(2, 2, 15, "tanh")), about(URI, 5)
    )
    assert "tanh" in str(results[5])


def test_a_search_of_all_documents_waits_for_the_one_that_is_being_read() -> None:
    search = {"jsonrpc": "2.0", "id": 4, "method": "workspace/symbol", "params": {"query": "main"}}
    results = conversation(opening(OTHER, SHORT), opening(URI, LONG), search)
    assert {item["location"]["uri"] for item in results[4]} == {OTHER, URI}


def test_a_cancellation_does_not_come_before_what_it_cancels() -> None:
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 4}}
    results = conversation(opening(URI, LONG), about(URI, 4), cancel, about(URI, 5))
    assert results[4]["code"] == -32800
    assert "relu" in str(results[5])


def test_a_long_message_that_is_no_json_gets_an_error_and_ends_nothing() -> None:
    malformed = b'{"method": "textDocument/didOpen", "x": "' + b"x" * 500_000 + b'\\q"}'
    results = conversation(malformed, opening(URI, SHORT), about(URI, 5))
    assert results[None]["code"] == -32700
    assert "relu" in str(results[5])


def test_a_long_message_with_the_wrong_parameters_ends_nothing() -> None:
    wrong = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": 3, "text": LONG}}}
    long_hover = about(URI, 4)
    long_hover["params"]["position"] = LONG
    results = conversation(wrong, long_hover, opening(URI, SHORT), about(URI, 5))
    assert "message" in results[4]
    assert "relu" in str(results[5])


def test_the_end_comes_in_its_turn_though_a_long_message_is_still_being_read() -> None:
    messages = answers(INITIALIZE, INITIALIZED, opening(URI, LONG), about(URI, 4))
    assert 99 in [message.get("id") for message in messages]


def test_a_client_that_reads_nothing_until_it_has_written_everything_is_answered() -> None:
    requests = [about(URI, number, "semanticTokens/full") for number in range(3, 43)]
    for request in requests:
        request["params"]["ignored"] = "more than fits into a pipe" * 4_000
    text = SHORT + "// a comment\n" * 10_000
    results = conversation([opening(URI, text), about(URI, 2, "semanticTokens/full")], requests)
    assert all(len(results[number]["data"]) == len(results[2]["data"]) > 50_000 for number in range(3, 43))


@pytest.mark.skipif(sys.platform != "linux", reason="asks for the memory of a process as Linux does")
def test_a_client_that_never_reads_is_waited_for_and_costs_no_memory() -> None:
    """Its answers would be 600 MB."""
    requests = b"".join(frame(about(URI, number, "semanticTokens/full")) for number in range(3, 4_003))
    opened = frame(INITIALIZE) + frame(INITIALIZED) + frame(opening(URI, SHORT + "// a comment\n" * 10_000))
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        server.stdin.write(opened)
        server.stdin.flush()
        os.set_blocking(server.stdin.fileno(), False)
        taken, since = 0, time.monotonic()
        while taken < len(requests) and time.monotonic() - since < 2:  # as long as it takes any
            try:
                taken += os.write(server.stdin.fileno(), requests[taken : taken + 65_536])
                since = time.monotonic()
            except BlockingIOError:
                time.sleep(0.05)
        resident = int(Path(f"/proc/{server.pid}/status").read_text().partition("VmRSS:")[2].split()[0])
        server.kill()
    assert resident < 200_000
