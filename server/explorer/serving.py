"""The explorer's page on this computer's loopback, for one user and one text.

Any page of any site that a browser shows may send requests here, and any program may connect. So every request must be
for this server by its own name (``Host``), come from its own page if it comes from one (``Origin``), and bring a token
that only the address has which the user is given.
"""

from __future__ import annotations

import hmac
import secrets
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import msgspec

from ..pass_calls import PassCallError, parse_pipeline

__all__ = ["ExplorerServer", "RunRequest", "RunTrace"]


class RunRequest(msgspec.Struct, frozen=True):
    """Which passes to run, in which context."""

    passes: list[str]
    level: Annotated[int, msgspec.Meta(ge=0, le=4)]
    config: list[str] = []
    """Options of the context, each ``KEY=VALUE``."""
    require: list[str] = []
    disable: list[str] = []


RunTrace = Callable[[RunRequest | None], str]
"""The lines of a trace of what is asked for; of what the command line named for ``None``."""

_LONGEST_REQUEST = 1 << 20
_SECONDS_OF_SILENCE = 60.0
"""How long a connection may be open without a whole request: each has a thread."""


class ExplorerServer(ThreadingHTTPServer):
    """Serves the page and the traces until it is shut down. ``address`` is for the browser."""

    daemon_threads = True

    def __init__(
        self,
        page: str,
        run: RunTrace,
        port: int = 0,
        *,
        passes: Callable[[], Sequence[object]] = lambda: (),
        text: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Take a port, a free one for 0.

        Args:
            page: the page that is served.
            run: gives traces.
            port: where to listen.
            passes: describes the passes that there are, as ``relay/passes`` does, for the page's form.
            text: the text as it is now; ``None`` where it cannot change.

        Raises:
            OSError: the port is in use, or may not be taken.
        """
        super().__init__(("127.0.0.1", port), _Handler)
        self.page = page
        self.token = secrets.token_urlsafe(32)
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self._run = run
        self.passes = passes
        self.text = text
        self._running = Lock()

    @property
    def address(self) -> str:
        """Where the page is, with the token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def trace(self, asked: RunRequest | None = None) -> str:
        """The lines of a trace; one run at a time."""
        with self._running:
            return self._run(asked)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a page that was closed before it had its answer."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]


class _Handler(BaseHTTPRequestHandler):
    server: ExplorerServer  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version = "relay-lsp"
    sys_version = ""
    timeout = _SECONDS_OF_SILENCE

    def do_GET(self) -> None:
        """The page, or the first trace."""
        address = urlsplit(self.path)
        if not self._is_admitted(parse_qs(address.query).get("token", [""])[0]):
            return
        if address.path == "/":
            self._answer(HTTPStatus.OK, self.server.page, "text/html")
        elif address.path == "/trace":
            self._answer_with_trace(None)
        elif address.path == "/passes":
            self._answer(HTTPStatus.OK, msgspec.json.encode(self.server.passes()).decode(), "application/json")
        elif address.path == "/text":
            self._answer_with_text()
        else:
            self._answer(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def do_POST(self) -> None:
        """Run other passes."""
        if not self._is_admitted(""):
            return
        size = self.headers.get("Content-Length", "")
        if urlsplit(self.path).path != "/run":
            self._answer(HTTPStatus.NOT_FOUND, "There is nothing here.")
        elif not (size.isascii() and size.isdigit()) or len(size) > 12 or int(size) > _LONGEST_REQUEST:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too long, or has no length.")
        else:
            self._run(self.rfile.read(int(size)))

    def _run(self, body: bytes) -> None:
        try:
            asked = msgspec.json.decode(body, type=RunRequest)
            parse_pipeline(asked.passes)
        except PassCallError as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
        except msgspec.DecodeError as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"The request cannot be read: {error}")
        else:
            self._answer_with_trace(asked)

    def _answer_with_text(self) -> None:
        """The text, unless the page has it already: it asks every second."""
        text = self.server.text()
        known = "" if text is None else f'"{sha256(text.encode()).hexdigest()}"'
        if text is None:
            self._answer(HTTPStatus.NOT_FOUND, "The text is not one of a file.")
        elif self.headers.get("If-None-Match") == known:
            self._answer(HTTPStatus.NOT_MODIFIED, "")
        else:
            self._answer(HTTPStatus.OK, text, tag=known)

    def _answer_with_trace(self, asked: RunRequest | None) -> None:
        try:
            lines = self.server.trace(asked)
        except ValueError as error:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        else:
            self._answer(HTTPStatus.OK, lines)

    def _is_admitted(self, token: str) -> bool:
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        token = self.headers.get("X-Relay-Token", token)
        if host not in self.server.hosts or (origin is not None and origin != f"http://{host}"):
            self._answer(HTTPStatus.FORBIDDEN, "This page is for the program that started it.")
            return False
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._answer(HTTPStatus.FORBIDDEN, "The address has no token, or an old one; use the one that was printed.")
            return False
        return True

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain", tag: str = "") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the address has the token in it."""
