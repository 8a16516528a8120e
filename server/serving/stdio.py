"""Serving over standard input and output: ``initialize`` is answered before the heavy imports.

A client waits for that answer before it does anything else. It needs nothing but what the client sent, so it goes out
first; then pygls is imported and gets the same message, and its answer, which is equal, is dropped.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, cast

from ..lsp.capabilities import initialize_result
from .framing import read_blocking

if TYPE_CHECKING:
    import asyncio
    from typing import BinaryIO

__all__ = ["serve_stdio"]


def serve_stdio() -> None:
    """Serve the client on standard input and output until it leaves."""
    # A reader of our own: the interpreter closes sys.stdin at its end, and would wait there for the reading thread.
    source = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115 - read until the process ends
    output = _StandardOutput(os.dup(sys.stdout.fileno()))
    # Printed text must not get between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = read_blocking(source)
    if first is not None:
        _serve(source, output, first, is_answered=_answer(first, output))


def _answer(body: bytes, output: _StandardOutput) -> bool:
    """Answer the message if it asks to initialize. Returns whether it did."""
    try:
        message = json.loads(body)
    except ValueError:
        return False
    if not isinstance(message, dict):
        return False
    request = cast("dict[str, Any]", message)
    if request.get("method") != "initialize" or "id" not in request:
        return False
    params = request.get("params")
    result = initialize_result(cast("dict[str, Any]", params) if isinstance(params, dict) else {})
    answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
    output.write(b"Content-Length: %d\r\n\r\n%b" % (len(answer), answer))
    return True


def _serve(source: BinaryIO, output: _StandardOutput, first: bytes, *, is_answered: bool) -> None:
    import asyncio

    from .application import create_server

    server = create_server()
    server.protocol.set_writer(_Discarded() if is_answered else output)

    async def serve() -> None:
        received: asyncio.Queue[bytes | None] = asyncio.Queue()
        arguments = (source, received, asyncio.get_running_loop())
        server.protocol.receive(first)
        server.protocol.set_writer(output)
        threading.Thread(target=_feed, args=arguments, name="relay-input", daemon=True).start()
        try:
            await server.protocol.receive_all(received.get)
        finally:
            await server.state.worker.close()

    try:
        asyncio.run(serve())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        server.state.shut_down()


def _feed(source: BinaryIO, received: asyncio.Queue[bytes | None], loop: asyncio.AbstractEventLoop) -> None:
    """Read all messages, on a thread of its own.

    So a client that reads no answer until it has written everything does not wait for ever for a server that is
    writing.
    """
    body: bytes | None = b""
    while body is not None:
        try:
            body = read_blocking(source)
        except ConnectionError:
            body = None
        try:
            loop.call_soon_threadsafe(received.put_nowait, body)
        except RuntimeError:  # the loop is closed: the server is about to end
            return


class _StandardOutput:
    """Where answers are written; what is written after it was closed is dropped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_closed = False

    def write(self, data: bytes) -> None:
        left = memoryview(b"" if self._is_closed else data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            os.close(self._descriptor)


class _Discarded:
    """Where the second answer to ``initialize`` goes."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...
