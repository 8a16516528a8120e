"""Serving over standard input and output: ``initialize`` is answered before the heavy imports.

A client waits for that answer before it does anything else. It needs nothing but what the client sent, so it goes out
first; then the protocol library is loaded, is given the same message, and its own answer, which is equal, is dropped.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from ..lsp.capabilities import initialize_result
from ..transport.standard_streams import StandardInput, StandardOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..transport.message_queue import Body

__all__ = ["serve_stdio"]

_INITIALIZE = "initialize"


def serve_stdio() -> None:
    """Serve the client on standard input and output until it leaves."""
    source = StandardInput(sys.stdin.fileno())
    # What anything prints must not get between the messages.
    output = StandardOutput(os.dup(sys.stdout.fileno()), source)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = source.first()
    if first is not None:
        answered = _answer(first, output)
        _serve(source, output, first, answered)


def _answer(body: Body, output: StandardOutput) -> bool:
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
    output.write(b"Content-Length: %d\r\n\r\n%b" % (len(answer), answer))
    return True


def _serve(source: StandardInput, output: StandardOutput, first: Body, answered: bool) -> None:
    import asyncio

    from ..transport.event_loop import run
    from .application import create_server

    server = create_server()
    writer: Any = _DropFirst(output) if answered else output
    server.protocol.set_writer(writer)

    async def serve() -> None:
        arrived: asyncio.Queue[Body | None] = asyncio.Queue()

        def put(bodies: Sequence[Body | None]) -> None:
            for body in bodies:
                arrived.put_nowait(body)

        server.message_queue.take(first)
        source.start(put)
        try:
            await server.message_queue.serve(arrived.get)
        finally:
            await server.state.worker.close()

    try:
        run(serve())
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
