"""Serving over standard input and output: ``initialize`` is answered before the heavy imports.

A client waits for that answer before it does anything else. It needs nothing but what the client sent, so it goes out
first; then the protocol library is loaded, is given the same message, and its own answer, which is equal, is dropped.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

from .capabilities import initialize_result
from .framing import HEADER_END, content_length

if TYPE_CHECKING:
    from .arrivals import Body

__all__ = ["serve_stdio"]

_INITIALIZE = "initialize"
_CHUNK = 1 << 16


def serve_stdio() -> None:
    """Serve the client on standard input and output until it leaves."""
    messages = _Messages(sys.stdin.fileno())
    # What anything prints must not get between the messages.
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = messages.next()
    if first is not None:
        answered = _answer(first, stdout)
        _serve(messages, stdout, first, answered)


class _Messages:
    """The messages of a stream, read from the descriptor itself.

    The thread that waits here may still do so when the process ends; on one of Python's buffered streams it would hold
    a lock that the interpreter wants then.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()

    def next(self) -> Body | None:
        """The body of the next message; ``None`` at the end of the stream."""
        while True:
            end = self._buffer.find(HEADER_END)
            if end < 0:
                chunk = self._read(_CHUNK)
                if not chunk:
                    return None
                self._buffer += chunk
                continue
            length = content_length(bytes(self._buffer[:end]))
            begun = end + len(HEADER_END)
            body = bytes(self._buffer[begun : begun + length])
            del self._buffer[: begun + length]
            if len(body) < length:
                # What is long is left in pieces: to put them together would hold up everybody for some milliseconds.
                pieces = [body]
                missing = length - len(body)
                while missing:
                    chunk = self._read(min(missing, _CHUNK))
                    if not chunk:
                        return None
                    pieces.append(chunk)
                    missing -= len(chunk)
                return pieces
            if body:
                return body

    def arrived(self) -> list[Body | None]:
        """The next message, and those that came along with it; the last one is ``None`` at the end of the stream."""
        bodies = [self.next()]
        while bodies[-1] is not None and self._has_another:
            bodies.append(self.next())
        return bodies

    @property
    def _has_another(self) -> bool:
        """Whether all of another message has been read already."""
        end = self._buffer.find(HEADER_END)
        if end < 0:
            return False
        length = content_length(bytes(self._buffer[:end]))
        return 0 < length <= len(self._buffer) - end - len(HEADER_END)

    def _read(self, size: int) -> bytes:
        return os.read(self._descriptor, size)


def _answer(body: Body, stdout: BinaryIO) -> bool:
    """Answer the message, if it asks to initialize, and tell whether it did."""
    try:
        message: Any = json.loads(body if isinstance(body, bytes) else b"".join(body))
    except ValueError:
        return False
    if not isinstance(message, dict) or message.get("method") != _INITIALIZE or "id" not in message:
        return False
    params = message.get("params")
    result = initialize_result(params if isinstance(params, dict) else {})
    answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
    stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(answer), answer))
    stdout.flush()
    return True


def _serve(messages: _Messages, stdout: BinaryIO, first: Body, answered: bool) -> None:
    import asyncio

    from pygls.io_ import StdoutWriter

    from .application import create_server

    server = create_server()
    writer: Any = StdoutWriter(stdout)
    server.protocol.set_writer(_DropFirst(writer) if answered else writer)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Body | None] = asyncio.Queue()

        def put(bodies: list[Body | None]) -> None:
            for body in bodies:
                arrived.put_nowait(body)

        def read() -> None:
            bodies: list[Body | None] = [b""]
            while bodies[-1] is not None:
                # A burst is handed on at once: between two calls, the event loop would begin to work on the first.
                bodies = messages.arrived()
                try:
                    loop.call_soon_threadsafe(put, bodies)
                except RuntimeError:  # the loop is closed: we are about to end
                    return

        server.arrivals.take(first)
        threading.Thread(target=read, name="relay-input", daemon=True).start()
        try:
            await server.arrivals.serve(arrived.get)
        finally:
            await server.state.worker.close()

    try:
        asyncio.run(serve())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        server.state.shut_down()


class _DropFirst:
    """A writer that drops the first message: the answer that was given already."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._dropped = False

    def write(self, data: bytes) -> Any:
        if not self._dropped:
            self._dropped = True
            return None
        return self._writer.write(data)

    def close(self) -> Any:
        return self._writer.close()
