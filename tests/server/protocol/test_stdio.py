"""The bytes on standard input and output, and what a server does with a client that breaks the protocol."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.server.protocol.conftest import COMMAND, URI


def frame(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def answers(*messages: object) -> list[dict[str, object]]:
    """What a server answers to these messages and to a farewell."""
    sent = b"".join(map(frame, [*messages, *FAREWELL]))
    done = subprocess.run(COMMAND, input=sent, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    return messages_in(done.stdout)


def messages_in(stream: bytes) -> list[dict[str, object]]:
    """The messages that follow one another in a stream."""
    messages: list[dict[str, object]] = []
    rest = stream
    while rest:
        header, _, rest = rest.partition(b"\r\n\r\n")
        length = int(header.split(b"\r\n")[0].split(b":")[1])
        messages.append(json.loads(rest[:length]))
        rest = rest[length:]
    return messages


INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
FAREWELL = [{"jsonrpc": "2.0", "id": 99, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]


def test_initialize_is_answered_exactly_once() -> None:
    messages = answers(INITIALIZE)
    assert [message.get("id") for message in messages] == [1, 99]


def test_what_an_opening_needs_is_loaded_before_the_client_has_said_anything() -> None:
    """An editor that starts the server first goes on loading its own side meanwhile."""
    command = [COMMAND[0], "-v", *COMMAND[1:]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        loaded = (line for line in server.stderr or () if line.startswith(b"import 'relay_lsp.server.handlers."))
        assert any(b"semantic_tokens" in line for line in loaded)
        output, _ = server.communicate(b"".join(map(frame, [INITIALIZE, *FAREWELL])), timeout=60)
    assert [message["id"] for message in messages_in(output)] == [1, 99]


def test_what_is_no_json_gets_an_error_and_ends_nothing() -> None:
    messages = answers(INITIALIZE, b"{not json")
    assert any("error" in message for message in messages)
    assert messages[-1]["id"] == 99


def test_parameters_of_the_wrong_kind_are_answered() -> None:
    wrong = {"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover", "params": {"position": "here"}}
    by_identifier = {message.get("id"): message for message in answers(INITIALIZE, wrong)}
    assert "error" in by_identifier[5]


def test_an_unknown_method_is_answered() -> None:
    unknown = {"jsonrpc": "2.0", "id": 5, "method": "relay/unheardOf", "params": {"uri": URI}}
    by_identifier = {message.get("id"): message for message in answers(INITIALIZE, unknown)}
    assert "error" in by_identifier[5]


def test_a_client_that_goes_away_without_a_word_ends_the_server() -> None:
    done = subprocess.run(COMMAND, input=frame(INITIALIZE), capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in done.stderr


def test_the_server_ends_while_it_looks_for_passes_to_offer() -> None:
    """What the menu is answered with, its cancellation, comes behind the answer to ``shutdown``, or not any more."""
    model = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  nn.relu(nn.relu(%x))\n}\n'
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": model}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    place = {"line": 2, "character": 4}
    asked = {"textDocument": {"uri": URI}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    menu = {"jsonrpc": "2.0", "id": 5, "method": "textDocument/codeAction", "params": asked}
    by_identifier = {message.get("id"): message for message in answers(INITIALIZE, opened, menu)}
    assert by_identifier[99]["result"] is None


def test_requests_that_are_not_answered_at_the_end_are_dropped_in_silence() -> None:
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": "def @main(%x: float32) { %x }" * 200}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    about = {"textDocument": {"uri": URI}}
    asked = [
        {"jsonrpc": "2.0", "id": number, "method": "textDocument/semanticTokens/full", "params": about}
        for number in range(2, 5)
    ]
    sent = b"".join(map(frame, [INITIALIZE, opened, *asked, *FAREWELL]))
    done = subprocess.run(COMMAND, input=sent, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


def test_messages_may_come_from_a_file(tmp_path: Path) -> None:
    conversation = tmp_path / "conversation"
    conversation.write_bytes(b"".join(map(frame, [INITIALIZE, *FAREWELL])))
    with conversation.open("rb") as source:
        done = subprocess.run(COMMAND, stdin=source, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert [message.get("id") for message in messages_in(done.stdout)] == [1, 99]
