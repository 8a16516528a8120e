"""Who may talk to a server that listens on a port: clients that know its token, so many, soon enough.

Everything on a computer, and every page that a browser on it shows, reaches a port. The token is what the other ways in
ask for, too: it goes with the request ``initialize``, as ``initializationOptions.token``, so that every editor that
connects to a port can give it; it is in no address, which would be logged.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

__all__ = ["TOKEN_VARIABLE", "Admission", "NotAdmitted", "is_loopback"]

TOKEN_VARIABLE: Final = "RELAY_LSP_TOKEN"
"""The environment variable that the token is taken from; without it one is made, and shown once."""

MOST_CLIENTS: Final = 8
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
    """Counts clients, and looks at their first message."""

    token: str
    clients: int = 0

    @classmethod
    def from_environment(cls) -> tuple[Admission, bool]:
        """With the token of the environment, or a new one; tells whether it is new."""
        given = os.environ.get(TOKEN_VARIABLE, "")
        return cls(given or secrets.token_urlsafe(24)), not given

    def enter(self) -> None:
        """A client connects.

        Raises:
            NotAdmitted: there are as many as are served at once.
        """
        if self.clients >= MOST_CLIENTS:
            raise NotAdmitted(f"{MOST_CLIENTS} clients are served already")
        self.clients += 1

    def leave(self) -> None:
        """A client that had entered has left."""
        self.clients -= 1

    def check(self, body: bytes) -> None:
        """Look at the first message of a client, which must be ``initialize``, with the token.

        Raises:
            NotAdmitted: it is something else, or the token is missing or wrong. Which of these is not said.
        """
        if len(body) > LONGEST_FIRST_MESSAGE or not hmac.compare_digest(_token_in(body), self.token.encode()):
            raise NotAdmitted(
                "the first message must be initialize, with the server's token as initializationOptions.token"
            )


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
