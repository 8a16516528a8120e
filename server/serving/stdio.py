"""Serving over standard input and output: ``initialize`` is answered before the heavy imports.

A client waits for that answer before it does anything else. It needs nothing but what the client sent, so it goes out
first; then pygls is imported and gets the same message, and its answer, which is equal, is dropped.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..lsp.capabilities import initialize_result
from .framing import HEADER_END, content_length, read_message

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

__all__ = ["serve_stdio"]

_CHUNK = 1 << 16


def serve_stdio() -> None:
    """Serve the client on standard input and output until it leaves."""
    source = sys.stdin.fileno()
    output = _StandardOutput(os.dup(sys.stdout.fileno()))
    # Printed text must not get between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = _first_message(partial(os.read, source))
    if first is not None:
        _serve(source, output, first, is_answered=_answer(first, output))


def _first_message(read: Callable[[int], bytes]) -> bytes | None:
    """The first message, and not a byte more; ``None`` at the end of the stream."""
    header = body = b""
    while not header.endswith(HEADER_END):
        byte = read(1)
        if not byte:
            return None
        header += byte
    missing = content_length(header)
    while missing:
        chunk = read(missing)
        if not chunk:
            return None
        body += chunk
        missing -= len(chunk)
    return body


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


def _serve(source: int, output: _StandardOutput, first: bytes, *, is_answered: bool) -> None:
    import asyncio

    from .application import create_server

    server = create_server()
    server.protocol.set_writer(_Discarded() if is_answered else output)

    async def serve() -> None:
        reader = asyncio.StreamReader()
        feed = partial(_feed, source, reader, asyncio.get_running_loop())
        server.protocol.receive(first)
        server.protocol.set_writer(output)
        threading.Thread(target=feed, name="relay-input", daemon=True).start()
        try:
            await server.protocol.receive_all(partial(read_message, reader))
        finally:
            await server.state.worker.close()

    try:
        asyncio.run(serve())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        server.state.shut_down()


def _feed(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Read a descriptor to its end, on a thread of its own.

    So a client that reads no answer until it has written everything does not wait for ever for a server that is
    writing. The thread may still wait when the process ends; on one of Python's buffered streams it would hold a lock
    that the interpreter wants then.
    """
    while True:
        try:
            chunk = os.read(source, _CHUNK)
        except ConnectionError:
            chunk = b""
        try:
            loop.call_soon_threadsafe(reader.feed_data, chunk) if chunk else loop.call_soon_threadsafe(reader.feed_eof)
        except RuntimeError:  # the loop is closed: the server is about to end
            return
        if not chunk:
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
