"""The same server over TCP and over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.frontends.tflite.recorded import recordings

TOKEN = "a token of the tests"
CAPABLE = {"capabilities": {}, "initializationOptions": {"token": TOKEN}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CAPABLE}
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
        *(sys.executable, "-m", "relay_lsp.server", "serve", f"--{kind}", f"127.0.0.1:{port}", *more),
        stderr=PIPE,
        env={**os.environ, "RELAY_LSP_TOKEN": TOKEN},
    )


async def patiently(connect: Any) -> Any:
    """Connect as soon as the server listens."""
    for _ in range(200):
        try:
            return await connect()
        except OSError:
            await asyncio.sleep(0.05)
    raise AssertionError("the server does not listen")


@pytest.mark.parametrize("kind", ["tcp", "ws"])
async def test_which_port_was_free_is_said(kind: str) -> None:
    process = await serve(kind, 0)
    assert process.stderr is not None
    said = (await asyncio.wait_for(process.stderr.readline(), 20)).decode()
    words, port = said.rsplit(" ", 1)
    assert words == "relay-lsp: listening on 127.0.0.1, port"
    _, writer = await asyncio.open_connection("127.0.0.1", int(port))
    writer.close()
    process.kill()
    await process.wait()


async def test_tcp() -> None:
    port = free_port()
    process = await serve("tcp", port, "--once")
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
    process = await serve("tcp", port, "--once")
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
    await ask(connection, "initialize", CAPABLE)
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
    await ask(connection, "initialize", CAPABLE)
    await connection.send(json.dumps(opening("file:///a.relay", LONG)))
    assert "nn.relu" in str(await ask(connection, "textDocument/hover", hovering("file:///a.relay", 2)["params"], 2))
    await connection.send(json.dumps(opening("file:///b.relay", LONG)))
    await ask(connection, "shutdown", None, 3)
    await connection.send(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
    await connection.close()
    another = await websocket()
    assert await ask(another, "initialize", CAPABLE)
    await another.close()


async def converse(port: int, sent: bytes) -> bytes:
    """What a server on a TCP port answers to these bytes, until it closes the connection."""
    reader, writer = await patiently(lambda: asyncio.open_connection("127.0.0.1", port))
    writer.write(sent)
    answered = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    return answered


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def initialize_with(**options: Any) -> dict[str, Any]:
    return {**INITIALIZE, "params": {"capabilities": {}, "initializationOptions": options}}


async def test_who_has_no_token_is_not_served_and_the_listener_stays() -> None:
    port = free_port()
    process = await serve("tcp", port)
    try:
        (await patiently(lambda: asyncio.open_connection("127.0.0.1", port)))[1].close()
        for refused in (initialize_with(), initialize_with(token="guessed"), initialize_with(token=[TOKEN])):
            answer = await converse(port, framed(refused))
            assert b"token" in answer
            assert b"hoverProvider" not in answer
        post = b"POST / HTTP/1.1\r\nOrigin: https://elsewhere.example\r\nContent-Length: 5\r\n\r\n"
        assert b"HTTP, which is not spoken" in await converse(port, post + framed(INITIALIZE))
        leave = {"jsonrpc": "2.0", "method": "exit"}
        assert b"hoverProvider" in await converse(port, framed(INITIALIZE) + framed(leave))
        assert process.returncode is None
    finally:
        process.terminate()
        await process.wait()


async def test_no_more_than_eight_clients_are_served_at_once(websocket: Callable[..., Any]) -> None:
    exceptions = pytest.importorskip("websockets.exceptions")
    clients = [await websocket() for _ in range(8)]
    for client in clients:
        await ask(client, "initialize", CAPABLE)
    one_more = await websocket()
    await one_more.send(json.dumps(INITIALIZE))
    assert "8 clients" in await asyncio.wait_for(one_more.recv(), 20)
    with pytest.raises(exceptions.ConnectionClosed):
        await asyncio.wait_for(one_more.recv(), 20)
    for client in clients:
        await client.close()


async def test_connections_without_the_token_take_nobody_s_place() -> None:
    port = free_port()
    process = await serve("tcp", port)
    try:
        silent = [await patiently(lambda: asyncio.open_connection("127.0.0.1", port)) for _ in range(100)]
        leave = {"jsonrpc": "2.0", "method": "exit"}
        assert b"hoverProvider" in await converse(port, framed(INITIALIZE) + framed(leave))
        for _, writer in silent:
            writer.close()
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.parametrize("kind", ["tcp", "ws"])
async def test_a_first_message_is_not_read_further_than_one_may_be_long(
    kind: str, websocket: Callable[..., Any]
) -> None:
    long = json.dumps({**INITIALIZE, "params": {"trace": "x" * (2 << 20), **CAPABLE}})
    if kind == "ws":
        exceptions = pytest.importorskip("websockets.exceptions")
        client = await websocket()
        await client.send(long)
        with pytest.raises(exceptions.ConnectionClosed):
            await asyncio.wait_for(client.recv(), 20)
        return
    port = free_port()
    process = await serve("tcp", port)
    try:
        (await patiently(lambda: asyncio.open_connection("127.0.0.1", port)))[1].close()
        assert b"longer than 1 MB" in await converse(port, b"Content-Length: %d\r\n\r\n" % len(long))
    finally:
        process.terminate()
        await process.wait()


async def test_a_page_under_a_name_that_it_gave_to_this_computer_is_not_served(websocket: Callable[..., Any]) -> None:
    exceptions = pytest.importorskip("websockets.exceptions")
    await (await websocket()).close()
    with pytest.raises(exceptions.InvalidStatus):
        await websocket(additional_headers={"Host": "rebound.example:80"})


@pytest.mark.parametrize(("options", "is_trusted"), [((), False), (("--trusted",), True)])
async def test_trust_over_a_network_is_the_command_line_s_to_give(
    options: Sequence[str], is_trusted: bool, tmp_path: Path
) -> None:
    mark, history = tmp_path / "mark", tmp_path / "history"
    extension = tmp_path / "mine.py"
    extension.write_text(f"open({str(mark)!r}, 'w').close()\n")
    settings = {"extensions": [str(extension)], "history": {"folder": str(history)}, "folder": str(tmp_path)}
    port = free_port()
    process = await serve("tcp", port, "--once", *options)
    reader, writer = await patiently(lambda: asyncio.open_connection("127.0.0.1", port))
    writer.write(framed(initialize_with(token=TOKEN, trusted=True, **settings)))
    writer.write(framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
    writer.write(framed(opening("file:///model.relay", BROKEN)))
    if is_trusted:
        for _ in range(600):
            if mark.exists() and history.exists():
                break
            await asyncio.sleep(0.05)
    else:
        await asyncio.wait_for(reader.readuntil(b"a workspace that you trust"), 20)
        await asyncio.wait_for(reader.readuntil(b"publishDiagnostics"), 20)
        await asyncio.sleep(1)
    writer.close()
    await asyncio.wait_for(process.wait(), 20)
    assert mark.exists() == is_trusted
    assert history.exists() == is_trusted


@pytest.mark.parametrize(("options", "is_trusted"), [((), False), (("--trusted",), True)])
async def test_over_a_network_no_model_outside_of_the_open_folders_is_read_without_trust(
    options: Sequence[str], is_trusted: bool, tmp_path: Path
) -> None:
    opened = tmp_path / "opened"
    opened.mkdir()
    for folder in (tmp_path, opened):
        (folder / "model.tflite").write_bytes(next(recordings()).model)
    (opened / "link.tflite").symlink_to(tmp_path / "model.tflite")
    port = free_port()
    process = await serve("tcp", port, "--once", *options)
    reader, writer = await patiently(lambda: asyncio.open_connection("127.0.0.1", port))
    start = initialize_with(token=TOKEN)
    start["params"]["rootUri"] = opened.as_uri()
    writer.write(framed(start))
    writer.write(framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
    paths = (opened / "model.tflite", tmp_path / "model.tflite", opened / ".." / "model.tflite", opened / "link.tflite")
    for number, path in enumerate(paths, 10):
        asked = {"jsonrpc": "2.0", "id": number, "method": "relay/importModel", "params": {"uri": f"file://{path}"}}
        writer.write(framed(asked))
    answered: dict[int, Any] = {}
    while answered.keys() < set(range(10, 14)):
        header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        message = json.loads(await reader.readexactly(int(header.split(b"\r\n")[0].split(b":")[1])))
        if message.get("id") in range(10, 14) and "method" not in message:
            answered[message["id"]] = message
    writer.close()
    await asyncio.wait_for(process.wait(), 20)
    assert "def @main" in answered[10]["result"]["text"]
    for number in range(11, 14):
        if is_trusted:
            assert "def @main" in answered[number]["result"]["text"]
        else:
            assert "lies outside of the open folders" in answered[number]["error"]["message"]


async def test_other_computers_reach_a_port_only_where_that_is_meant() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "relay_lsp.server", "serve", "--ws", "0.0.0.0:0"), stderr=PIPE
    )
    _, error = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 2
    assert b"--allow-remote" in error
