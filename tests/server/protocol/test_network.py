"""The same server over TCP and over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any

import pytest

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def serve(kind: str, port: int) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "relay_lsp.server", "serve", f"--{kind}", f"127.0.0.1:{port}"), stderr=PIPE
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


async def test_websocket() -> None:
    websockets = pytest.importorskip("websockets.asyncio.client")
    port = free_port()
    process = await serve("ws", port)
    connection = await patiently(lambda: websockets.connect(f"ws://127.0.0.1:{port}"))
    await connection.send(json.dumps(INITIALIZE).encode())
    answer = json.loads(await asyncio.wait_for(connection.recv(), 20))
    assert answer["result"]["serverInfo"]["name"] == "relay-lsp"
    await connection.close()
    await asyncio.wait_for(process.wait(), 20)


async def test_a_port_that_is_taken_is_said_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = await serve("tcp", taken.getsockname()[1])
        _, error = await process.communicate()
    assert process.returncode == 2
    assert b"cannot be listened on" in error
    assert b"Traceback" not in error
