"""Serving over standard input and output: ``initialize`` is answered before the heavy imports are done.

A client waits for that answer before it does anything else. It needs nothing but what the client sent, so it goes out
first; then pygls gets the same message, and its answer, which is equal, is dropped. The imports begin before the
message has come: an editor that has started the server takes a while to load its own side.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, cast

from ..lsp.capabilities import initialize_result
from ..lsp.envelope import PARSE_ERROR, Lifecycle
from .framing import StreamFault, read_blocking

__all__ = ["serve_stdio"]


def serve_stdio() -> None:
    """Serve the client on standard input and output until it leaves."""
    # What is loaded stays; the workspace lets the collector work once that is done.
    gc.disable()
    # A reader of our own: the interpreter closes sys.stdin at its end, and would wait there for the reading thread.
    source = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115 - read until the process ends
    output = _StandardOutput(os.dup(sys.stdout.fileno()))
    # Printed text must not get between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    has_come = threading.Event()
    loading = threading.Thread(target=_load, args=(has_come,), name="relay-loading")
    loading.start()
    try:
        first = read_blocking(source)
    except StreamFault as fault:
        error = {"code": PARSE_ERROR, "message": f"{fault}; nothing more can be read"}
        output.write(_message({"jsonrpc": "2.0", "id": None, "error": error}))
        raise SystemExit(1) from None
    has_come.set()
    if first is not None:
        is_answered = isinstance(first, bytes) and _answer(first, output)
        loading.join()
        _session()(source, output, first, is_answered=is_answered)


def _session() -> Callable[..., None]:
    """What serves a client whose first message has been read; imports what every server needs."""
    from ..lsp.loading import load_protocol

    load_protocol()
    from .stdio_session import serve_messages

    return serve_messages


def _load(has_come: threading.Event) -> None:
    """Import what every server needs, and what answers the first requests unless a message ``has_come`` before.

    An error comes up once more where the module is used.
    """
    with contextlib.suppress(Exception):
        _session()
        from ..handlers.loading import load_handlers

        for _ in load_handlers():
            if has_come.is_set():
                return


def _answer(body: bytes, output: _StandardOutput) -> bool:
    """Answer the message if it asks to initialize. Returns whether it did."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(message, dict):
        return False
    request = cast("dict[str, Any]", message)
    if request.get("method") != "initialize" or "id" not in request:
        return False
    if Lifecycle().refusal(request) is not None or not isinstance(params := request.get("params"), dict):
        return False
    result = initialize_result(cast("dict[str, Any]", params))
    output.write(_message({"jsonrpc": "2.0", "id": request["id"], "result": result}))
    return True


def _message(content: object) -> bytes:
    body = json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


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
