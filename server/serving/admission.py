"""Who may talk to a server that listens on a port: clients that know its token, so many, soon enough.

Everything on a computer, and every page that a browser on it shows, reaches a port. The token is what the other ways in
ask for, too: it goes with the request ``initialize``, as ``initializationOptions.token``, so that every editor that
connects to a port can give it; it is in no address, which would be logged.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import secrets
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

__all__ = ["TOKEN_VARIABLE", "Admission", "NotAdmitted", "is_loopback"]

TOKEN_VARIABLE: Final = "RELAY_LSP_TOKEN"
"""The environment variable that the token is taken from; without it one is made, and shown once."""

MOST_CLIENTS: Final = 8
MOST_SILENT: Final = 32
"""Connections that have not shown the token yet. They take no client's place: any program can make them."""
SECONDS_TO_INITIALIZE: Final = 10.0
LONGEST_FIRST_MESSAGE: Final = 1 << 20

_LOOPBACK: Final = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[?::1\]?)(:\d+)?\Z")


class NotAdmitted(Exception):
    """A client that may not be served; the message says why."""


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port behind it, can be reached from this computer only."""
    return _LOOPBACK.match(host) is not None


@dataclass
class Admission:
    """Looks at the first message of clients, and counts those that are served."""

    token: str
    clients: int = 0
    _silent: list[asyncio.Future[bytes | None]] = field(default_factory=list[asyncio.Future[bytes | None]])
    """What is read of connections that have not shown the token, the one that has waited longest first."""

    @classmethod
    def from_environment(cls) -> tuple[Admission, bool]:
        """With the token of the environment, or a new one; tells whether it is new."""
        given = os.environ.get(TOKEN_VARIABLE, "")
        return cls(given or secrets.token_urlsafe(24)), not given

    async def admit(self, reading: Awaitable[bytes | None]) -> bytes | None:
        """The first message of a client, which is served from now on, until it leaves; ``None`` where it has left.

        Raises:
            NotAdmitted: it is none that may be served, or came too late.
        """
        first = asyncio.ensure_future(reading)
        if len(self._silent) >= MOST_SILENT:
            self._silent[0].cancel()
        self._silent.append(first)
        try:
            await asyncio.wait({first}, timeout=SECONDS_TO_INITIALIZE)
        finally:
            self._silent.remove(first)
            first.cancel()
        if not first.done() or first.cancelled():
            raise NotAdmitted("nothing was said in time")
        body = first.result()
        if body is not None:
            self._check(body)
            self.clients += 1
        return body

    def leave(self) -> None:
        """A client that was admitted has left."""
        self.clients -= 1

    def _check(self, body: bytes) -> None:
        """Look at the first message of a client, which must be ``initialize``, with the token.

        Raises:
            NotAdmitted: it is something else, or the token is missing or wrong, of which it is not said which; or there
                are as many clients as are served at once.
        """
        if len(body) > LONGEST_FIRST_MESSAGE or not hmac.compare_digest(_token_in(body), self.token.encode()):
            raise NotAdmitted(
                "the first message must be initialize, with the server's token as initializationOptions.token"
            )
        if self.clients >= MOST_CLIENTS:
            raise NotAdmitted(f"{MOST_CLIENTS} clients are served already")


def _token_in(body: bytes) -> bytes:
    import json

    try:
        current: object = json.loads(body)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(current, Mapping) or cast("Mapping[str, Any]", current).get("method") != "initialize":
        return b""
    for name in ("params", "initializationOptions", "token"):
        current = cast("Mapping[str, Any]", current).get(name) if isinstance(current, Mapping) else None
    return current.encode("utf-8", "surrogatepass") if isinstance(current, str) else b""
