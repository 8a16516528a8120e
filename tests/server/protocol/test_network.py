"""The same server over TCP and over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  nn.rellu(%x)
}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def serve(kind: str, port: int, *more: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "relay_lsp.server", "serve", f"--{kind}", f"127.0.0.1:{port}", *more), stderr=PIPE
    )


async def patiently(connect: Any) -> Any:
    """Connect as soon as the server listens."""
    for _ in range(200):
        try:
            return await connect()
        except OSError:
            await asyncio.sleep(0.05)
    raise AssertionError("the server does not listen")


async def test_tcp() -> None:
    port = free_port()
    process = await serve("tcp", port)
    reader, writer = await patiently(lambda: asyncio.open_connection("127.0.0.1", port))
    body = json.dumps(INITIALIZE).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    length = int(header.split(b"\r\n")[0].split(b":")[1])
    answer = json.loads(await reader.readexactly(length))
    assert answer["result"]["capabilities"]["hoverProvider"]
    writer.close()
    await asyncio.wait_for(process.wait(), 20)


LONG = BROKEN.replace("nn.rellu", "nn.relu") + "// a line of a comment\n" * 40_000
OPENED = {"jsonrpc": "2.0", "method": "textDocument/didOpen"}


def opening(uri: str, text: str) -> dict[str, Any]:
    return {**OPENED, "params": {"textDocument": {"uri": uri, "languageId": "relay", "version": 1, "text": text}}}


def hovering(uri: str, number: int) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 4}}
    return {"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": params}


async def test_a_long_text_over_tcp_and_the_end_right_behind_it() -> None:
    port = free_port()
    process = await serve("tcp", port)
    reader, writer = await patiently(lambda: asyncio.open_connection("127.0.0.1", port))

    def send(*messages: Any) -> None:
        bodies = [json.dumps(message).encode() for message in messages]
        writer.write(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))

    async def answer_to(number: int) -> Any:
        while True:
            header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            message = json.loads(await reader.readexactly(int(header.split(b"\r\n")[0].split(b":")[1])))
            if message.get("id") == number and "method" not in message:
                return message["result"]

    send(INITIALIZE, opening("file:///a.relay", LONG), hovering("file:///a.relay", 2))
    assert "nn.relu" in str(await answer_to(2))
    shutdown = {"jsonrpc": "2.0", "id": 3, "method": "shutdown"}
    send(opening("file:///b.relay", LONG), shutdown, {"jsonrpc": "2.0", "method": "exit"})
    assert await answer_to(3) is None
    await asyncio.wait_for(process.wait(), 20)


@pytest_asyncio.fixture
async def websocket() -> AsyncIterator[Callable[..., Any]]:
    """A server on a WebSocket, as a function that connects a client to it."""
    websockets = pytest.importorskip("websockets.asyncio.client")
    port = free_port()
    process = await serve("ws", port, "--origin", "https://vscode.dev")

    async def connect(**options: Any) -> Any:
        return await patiently(lambda: websockets.connect(f"ws://127.0.0.1:{port}", max_size=None, **options))

    yield connect
    process.terminate()
    await asyncio.wait_for(process.wait(), 20)


async def ask(connection: Any, method: str, params: Any, identity: int = 1) -> Any:
    """The result of a request; what the server sends meanwhile is passed over."""
    await connection.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}))
    while True:
        frame = await asyncio.wait_for(connection.recv(), 20)
        assert isinstance(frame, str), "a browser takes text"
        message = json.loads(frame)
        if message.get("id") == identity and "method" not in message:
            return message["result"]


async def tell(connection: Any, method: str, params: Any = None) -> None:
    await connection.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


async def open_document(connection: Any, text: str) -> Any:
    """Start a session, open a document, and give its diagnostics."""
    await ask(connection, "initialize", {"capabilities": {}})
    await tell(connection, "initialized", {})
    item = {"uri": "file:///model.relay", "languageId": "relay", "version": 0, "text": text}
    await tell(connection, "textDocument/didOpen", {"textDocument": item})
    return (await ask(connection, "textDocument/diagnostic", {"textDocument": {"uri": item["uri"]}}, 2))["items"]


async def test_each_client_of_a_websocket_has_its_own_documents(websocket: Callable[..., Any]) -> None:
    first, second = await websocket(), await websocket()
    assert [item["code"] for item in await open_document(first, BROKEN)] == ["undefined-operator"]
    assert await open_document(second, BROKEN.replace("nn.rellu", "nn.relu")) == []
    await first.close()
    await second.close()


async def test_a_page_that_is_reloaded_is_served_again(websocket: Callable[..., Any]) -> None:
    left_without_a_word = await websocket()
    await open_document(left_without_a_word, BROKEN)
    await left_without_a_word.close()
    polite = await websocket()
    await open_document(polite, BROKEN)
    await ask(polite, "shutdown", None, 3)
    await tell(polite, "exit")
    await asyncio.wait_for(polite.wait_closed(), 20)
    again = await websocket()
    assert len(await open_document(again, BROKEN)) == 1
    await again.close()


async def test_a_text_of_several_megabytes_arrives(websocket: Callable[..., Any]) -> None:
    connection = await websocket()
    comment = "// " + "x" * 77 + "\n"
    assert len(await open_document(connection, BROKEN + comment * 40_000)) == 1
    await connection.close()


@pytest.mark.parametrize(
    ("origin", "is_served"),
    [("http://127.0.0.1:8080", True), ("https://vscode.dev", True), ("https://elsewhere.example", False)],
)
async def test_only_pages_that_may_are_served(websocket: Callable[..., Any], origin: str, is_served: bool) -> None:
    exceptions = pytest.importorskip("websockets.exceptions")
    try:
        connection = await websocket(origin=origin)
    except exceptions.InvalidStatus:
        assert not is_served
        return
    assert is_served
    await connection.close()


async def test_a_port_that_is_taken_is_said_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = await serve("tcp", taken.getsockname()[1])
        _, error = await process.communicate()
    assert process.returncode == 2
    assert b"cannot be listened on" in error
    assert b"Traceback" not in error


async def test_a_long_text_over_a_websocket_and_a_client_that_says_goodbye_right_behind_it(
    websocket: Callable[..., Any],
) -> None:
    connection = await websocket()
    await ask(connection, "initialize", {"capabilities": {}})
    await connection.send(json.dumps(opening("file:///a.relay", LONG)))
    assert "nn.relu" in str(await ask(connection, "textDocument/hover", hovering("file:///a.relay", 2)["params"], 2))
    await connection.send(json.dumps(opening("file:///b.relay", LONG)))
    await ask(connection, "shutdown", None, 3)
    await connection.send(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
    await connection.close()
    another = await websocket()
    assert await ask(another, "initialize", {"capabilities": {}})
    await another.close()
