"""Where pygls is adapted: its two private names that we use, and messages that msgspec reads and writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol

from relay_lsp.server.documents.positions import Position, Range
from relay_lsp.server.lsp.message_codec import Plain
from relay_lsp.server.lsp.pygls_adapter import RelayProtocol
from relay_lsp.server.serving.application import create_server


class Sent:
    """A writer that keeps what is sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def write(self, data: bytes) -> None:
        header, _, body = data.partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
        self.bodies.append(body)

    def close(self) -> None: ...

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def protocol(sent: Sent) -> RelayProtocol:
    protocol = create_server().protocol
    protocol.set_writer(sent)
    protocol.lifecycle.note("initialize")
    return protocol


def test_pygls_sends_everything_through_the_one_method_that_is_replaced(protocol: RelayProtocol, sent: Sent):
    assert callable(JsonRPCProtocol.__dict__["_send_data"])
    assert "_send_data" not in LanguageServerProtocol.__dict__
    protocol.notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(types.MessageType.Log, "a notification"))
    protocol.send_request(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams([]), msg_id=7)
    protocol.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}')
    notification, request, response = sent.messages
    assert notification["params"] == {"type": 4, "message": "a notification"}
    assert request == {
        "jsonrpc": "2.0", "id": 7, "method": "workspace/configuration", "params": {"items": []},
    }  # fmt: skip
    assert response == {"jsonrpc": "2.0", "id": 1, "result": None}


def test_pygls_keeps_unanswered_requests_in_the_table_that_is_read(protocol: RelayProtocol, sent: Sent):
    unanswered = protocol._request_futures
    future = protocol.send_request(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams([]), msg_id=7)
    assert unanswered == {7: future}
    protocol.receive(b'{"jsonrpc": "2.0", "id": 7, "result": []}')
    assert future.done()
    assert unanswered == {}


def test_pygls_leaves_texts_and_folders_to_us(protocol: RelayProtocol):
    assert set(protocol.fm.builtin_features) == {
        types.INITIALIZED,
        types.SHUTDOWN,
        types.EXIT,
        types.SET_TRACE,
        types.WORKSPACE_EXECUTE_COMMAND,
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
    }


def test_a_plain_answer_is_encoded_as_it_is(protocol: RelayProtocol, sent: Sent):
    protocol.fm.feature("relay/plain")(lambda params: Plain({"range": Range(Position(1, 2), Position(3, 4))}))
    protocol.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "relay/plain", "params": {}}')
    (response,) = sent.messages
    assert response["result"] == {
        "range": {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}},
    }  # fmt: skip


@pytest.mark.parametrize("text", ["é🎈\n", '"\\\x00', "\ud83d", "\ud83d and \ude00"], ids=ascii)
def test_any_text_is_sent_and_received(protocol: RelayProtocol, sent: Sent, text: str):
    received: list[Any] = []
    protocol.fm.feature("relay/text")(lambda params: received.append(params.text))
    protocol.notify_plain("relay/text", {"text": text})
    for body in (sent.bodies[0], json.dumps(sent.messages[0], ensure_ascii=False).encode("utf-8", "surrogatepass")):
        protocol.receive(body)
        assert ascii(received.pop()) == ascii(text)


@pytest.mark.parametrize("body", [b"{not json", b'{"a": "\\q"}', b'{"a": "', b"\xff\xfe\xfd", b""], ids=repr)
def test_what_is_no_json_gets_an_error(protocol: RelayProtocol, sent: Sent, body: bytes):
    protocol.receive(body)
    (response,) = sent.messages
    assert response["id"] is None
    assert response["error"]["code"] == -32700


@pytest.mark.parametrize("body", [b"3", b"[]", b"{}", b"null", b'{"jsonrpc": "2.0"}'], ids=repr)
def test_json_that_is_no_message_gets_an_error(protocol: RelayProtocol, sent: Sent, body: bytes):
    protocol.receive(body)
    (response,) = sent.messages
    assert response["error"]["code"] == -32600


def test_a_request_that_is_answered_may_be_cancelled_without_a_warning(
    protocol: RelayProtocol, sent: Sent, caplog: pytest.LogCaptureFixture
):
    protocol.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/unheardOf"}')
    with caplog.at_level("WARNING"):
        protocol.receive(b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}')
    assert not caplog.records
    assert [message["id"] for message in sent.messages] == [1]


def test_a_fault_of_pygls_costs_its_message(protocol: RelayProtocol, sent: Sent, monkeypatch: pytest.MonkeyPatch):
    def fail(_message: object) -> None:
        raise TypeError("unhashable")

    with monkeypatch.context() as patched:
        patched.setattr(protocol, "handle_message", fail)
        protocol.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}')
        protocol.receive(b'{"jsonrpc": "2.0", "method": "exit"}')
    (answered,) = sent.messages
    assert (answered["id"], answered["error"]["code"]) == (1, -32603)
