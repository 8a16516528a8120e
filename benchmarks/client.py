"""A client of the language server protocol with as little of its own in the way as can be: bytes, JSON, a clock."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

__all__ = ["URI", "Client"]

URI = "file:///benchmark/model.relay"
_PROCESS_CLOCK = 2
"""What marks the clock of a process's processor time, beside its id, as ``clock_getcpuclockid`` of Linux has it."""
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "completion": {"completionItem": {"snippetSupport": True}},
        "codeAction": {"resolveSupport": {"properties": ["edit"]}},
    },
    "workspace": {"semanticTokens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True}},
}


class Client:
    """One server and one document."""

    def __init__(
        self,
        command: Sequence[str] = (),
        uri: str = URI,
        language: str = "relay",
        record: Callable[[int, str], AbstractContextManager[None]] | None = None,
    ) -> None:
        self._record = record
        self.uri = uri
        self.language = language
        self.started = time.perf_counter()
        command = command or (sys.executable, "-m", "relay_lsp.server", "serve")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._arrived: queue.SimpleQueue[tuple[float, dict[str, Any]]] = queue.SimpleQueue()
        self._last_id = 0
        self._others = 0
        self.version = 0
        self.publications = 0
        self.published_at = 0.0
        """When the last of them came."""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            body = stream.read(length)
            moment = time.perf_counter()
            self._arrived.put((moment, json.loads(body)))

    def send(self, *messages: dict[str, Any]) -> float:
        """Send messages at once; gives the time at which they had left."""
        stream = self._process.stdin
        assert stream is not None
        data = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            data += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        moment = time.perf_counter()
        stream.write(data)
        stream.flush()
        return moment

    def wait(self, accept: Callable[[dict[str, Any]], bool], seconds: float = 300) -> tuple[float, dict[str, Any]]:
        """The first message that is wanted, with the time of its arrival. Requests of the server are answered: an edit
        counts as applied, though the document stays as it is."""
        while True:
            moment, message = self._arrived.get(timeout=seconds)
            if "method" in message and "id" in message:
                is_edit = message["method"] == "workspace/applyEdit"
                self.send({"id": message["id"], "result": {"applied": True} if is_edit else None})
            if message.get("method") == "textDocument/publishDiagnostics":
                self.publications += 1
                self.published_at = moment
            if accept(message):
                return moment, message

    def initialize(self) -> float:
        """Seconds from the start of the process to the answer."""
        self.request("initialize", processId=None, rootUri=None, capabilities=_CAPABILITIES)
        elapsed = time.perf_counter() - self.started
        self.send({"method": "initialized", "params": {}})
        return elapsed

    def request(self, method: str, **params: Any) -> tuple[float, Any]:
        """Seconds that an answer took, and the answer."""
        self._last_id += 1
        identity = self._last_id
        sent = self.send({"id": identity, "method": method, "params": params})
        moment, message = self.wait(lambda message: message.get("id") == identity and "method" not in message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return moment - sent, message["result"]

    def ask(self, method: str, **params: Any) -> tuple[float, Any]:
        """A request about the document."""
        return self.request(f"textDocument/{method}", textDocument={"uri": self.uri}, **params)

    def open(self, text: str) -> tuple[float, list[Any]]:
        """Seconds until the diagnostics of an opened text came, and the diagnostics."""
        return self.published(self.send(self._opening(text)))

    def _opening(self, text: str) -> dict[str, Any]:
        self.version += 1
        item = {"uri": self.uri, "languageId": self.language, "version": self.version, "text": text}
        return {"method": "textDocument/didOpen", "params": {"textDocument": item}}

    def open_and_ask(self, text: str, method: str, **params: Any) -> float:
        """Seconds from opening a text to the answer of a request that is made right behind it."""
        sent = self.send(self._opening(text))
        self.ask(method, **params)
        return time.perf_counter() - sent

    def open_other(self, text: str) -> dict[str, str]:
        """Open another text, and do not wait for it; gives what names it in requests."""
        self._others += 1
        identifier = {"uri": f"{self.uri}.{self._others}"}
        item = {**identifier, "languageId": self.language, "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        return identifier

    def settle(self) -> None:
        """Wait until all of the document is analysed and published.

        What it asks costs nothing where all is known. Diagnostics may leave the server a turn of its loop after the
        answer, so it asks once more.
        """
        self._ask_below({"uri": self.uri})
        self._ask_below({"uri": self.uri})

    def _ask_below(self, identifier: dict[str, str]) -> None:
        """Ask about a place below the text, which is answered when all of it is known."""
        below = {"line": 1_000_000, "character": 0}
        self.request("textDocument/definition", textDocument=identifier, position=below)

    def close_other(self, identifier: dict[str, str]) -> None:
        """Close that text, once all of it has been read."""
        self._ask_below(identifier)
        self.send({"method": "textDocument/didClose", "params": {"textDocument": identifier}})

    def replace(self, text: str) -> tuple[float, list[Any]]:
        """As :meth:`edit`, for a server that wants the whole text each time."""
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        changes = [{"text": text}]
        params = {"textDocument": document, "contentChanges": changes}
        return self.published(self.send({"method": "textDocument/didChange", "params": params}))

    def edit(self, *changes: tuple[int, int, int, int, str]) -> tuple[float, list[Any]]:
        """Seconds from the last of these changes, a message each, to the diagnostics of the text after them."""
        return self.published(self.change(*changes))

    def change(self, *changes: tuple[int, int, int, int, str]) -> float:
        """Send changes, a message each, and do not wait for what comes of them; gives when they had left."""
        return self.send(*[self._change([change]) for change in changes])

    def change_places(self, changes: Sequence[tuple[int, int, int, int, str]]) -> float:
        """As :meth:`change`, in one message, as an editor sends what is typed with several cursors."""
        return self.send(self._change(changes))

    def _change(self, changes: Iterable[tuple[int, int, int, int, str]]) -> dict[str, Any]:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        content = [{"range": span(*place), "text": text} for *place, text in changes]
        return {"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": content}}

    def recorded(self, name: str) -> AbstractContextManager[None]:
        """A block while which the server is profiled under a name, if it is at all."""
        return nullcontext() if self._record is None else self._record(self._process.pid, name)

    def published(self, sent: float) -> tuple[float, list[Any]]:
        """Seconds from a moment to the diagnostics of the text as it is now, and the diagnostics."""
        moment, message = self.wait(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"].get("version") == self.version
                and message["params"]["uri"] == self.uri
            )
        )
        return moment - sent, message["params"]["diagnostics"]

    @property
    def resident_bytes(self) -> int:
        """The memory that the server's process holds (Linux only; 0 elsewhere)."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return 0
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

    @property
    def cpu_seconds(self) -> float:
        """The processor time that the server's process has taken, to the microsecond (Linux only; 0 elsewhere)."""
        if not sys.platform.startswith("linux"):
            return 0
        return time.clock_gettime(~self._process.pid << 3 | _PROCESS_CLOCK)

    def close(self) -> None:
        """End the server."""
        self.request("shutdown")
        self.send({"method": "exit"})
        self._process.wait(30)


def span(line: int, character: int, end_line: int, end_character: int) -> dict[str, Any]:
    """A range as the protocol has it."""
    return {
        "start": {"line": line, "character": character},
        "end": {"line": end_line, "character": end_character},
    }
