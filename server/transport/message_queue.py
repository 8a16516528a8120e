"""The messages of a client in their turn, while a very long one is still being read.

A message is handled when it arrives, in the order in which the client sent it. Only while a very long one is being read
(see :mod:`.long_messages`) may others be handled before it, and only where nobody can tell but by the time it takes:

- A request or notification about one document (``textDocument/…``) goes before those that are waiting if none of them
  may concern that document. So what is said of a document keeps its order: its opening, its changes, requests about it,
  its closing. Requests about another document are answered meanwhile, as the protocol allows (LSP 3.17, *Request,
  Notification and Response Ordering*), and as its changes and requests keep their order, too, from the same text.
- To resolve a completion needs no document.
- Everything else waits its turn. What may concern any document (a command, a search of the workspace, settings, the
  end) holds up all that comes after it. An answer to a request of ours or a cancellation holds up nothing; but an
  answer to an edit that we wanted comes after the change that it tells of, and a cancellation after what it cancels.

Which document a long message concerns is looked for at its beginning and its end, in front of its text and behind it;
where it is not to be found there, or the message is not an opening or a change, it may concern any.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..scheduling.time_slices import go_on
from .long_messages import DID_CHANGE, DID_OPEN, LONG_MESSAGE, LongTexts, Slices, reading

__all__ = ["Arrivals", "Body"]

Body = bytes | Sequence[bytes]
"""What a message says, in one piece or in several."""

_NOTHING: Final = frozenset[str]()
_RESOLVE_COMPLETION: Final = "completionItem/resolve"

_TURNS_OF_OTHERS: Final = 4

_OUTSIDE: Final = 4096
"""Where in a long message its document and method are looked for: in so many bytes at its beginning and its end."""

_MEMBER: Final = re.compile(rb'(?<!\\)"(uri|method)"\s*:\s*("(?:[^"\\]|\\.)*")')
r"""A member of an object. Inside a string, where the same may be written, a quote has a ``\\`` before it."""


@dataclass(frozen=True)
class _Waiting:
    """A message that waits for its turn: as it is, or to be read first.

    ``concern`` has the URIs of the documents that it is about; it is ``None`` where it may be about any.
    """

    concern: frozenset[str] | None
    message: Any = None
    reading: Slices[Any] | None = None


class Arrivals:
    """Hands the messages of one client on.

    ``handle`` is called with each message, ``refuse`` with what is wrong with one that is no JSON. Long texts of
    documents are in ``texts`` while their message is handled.
    """

    def __init__(
        self, handle: Callable[[Any], object], refuse: Callable[[ValueError], object], texts: LongTexts
    ) -> None:
        self._handle = handle
        self._refuse = refuse
        self._texts = texts
        self._waiting: deque[_Waiting] = deque()

    async def serve(self, receive: Callable[[], Awaitable[Body | None]]) -> None:
        """Handle the messages that ``receive`` gives until it gives ``None``; what has come before that is handled."""
        while True:
            body = await (receive() if not self._waiting else self._working_until(receive()))
            if body is None:
                break
            self.take(body)
        while self._waiting:
            self._work()

    async def _working_until(self, received: Awaitable[Body | None]) -> Body | None:
        """What comes next; until it comes, messages that wait are read and handled, a slice at a time."""
        coming = asyncio.ensure_future(received)
        try:
            while True:
                # Whoever waits for the event loop goes on several times before we do: a request is taken, its handler
                # runs, its answer is sent.
                for _ in range(_TURNS_OF_OTHERS):
                    await asyncio.sleep(0)
                if coming.done() or not self._waiting:
                    return await coming
                self._work()
        finally:
            coming.cancel()

    def take(self, body: Body) -> None:
        """Handle a message that has arrived, or have it wait for its turn."""
        pieces = [body] if isinstance(body, bytes) else body
        if sum(map(len, pieces)) >= LONG_MESSAGE:
            self._waiting.append(_Waiting(_concern_of_long(pieces), reading=reading(pieces, self._texts)))
            return
        try:
            message: Any = json.loads(b"".join(pieces))
        except ValueError as error:
            self._refuse(error)
            return
        concern, may_overtake = _concern_of(message)
        if self._waiting and not (may_overtake and self._is_free_of(concern)):
            self._waiting.append(_Waiting(concern, message))
        else:
            self._handle(message)

    def _is_free_of(self, concern: frozenset[str] | None) -> bool:
        """Whether nothing that waits is about one of these documents."""
        return concern is not None and all(
            each.concern is not None and concern.isdisjoint(each.concern) for each in self._waiting
        )

    def _work(self) -> None:
        """Read on in the first of those that wait, for a moment; handle it once it has been read."""
        first = self._waiting[0]
        message = first.message
        if first.reading is not None:
            try:
                go_on(first.reading)
                return
            except StopIteration as end:
                message = end.value
            except ValueError as error:
                self._waiting.popleft()
                self._refuse(error)
                return
        self._waiting.popleft()
        self._handle(message)
        self._texts.clear()


def _concern_of(message: Any) -> tuple[frozenset[str] | None, bool]:
    """What a message is about, and whether it may be handled before those that are about something else."""
    if not isinstance(message, dict):
        return None, False
    method = message.get("method")
    if not isinstance(method, str) or method.startswith("$/"):
        return _NOTHING, False
    if method == _RESOLVE_COMPLETION:
        return _NOTHING, True
    current: Any = message.get("params") if method.startswith("textDocument/") else None
    for part in ("textDocument", "uri"):
        current = current.get(part) if isinstance(current, dict) else None
    return (frozenset((current,)), True) if isinstance(current, str) else (None, False)


def _concern_of_long(pieces: Sequence[bytes]) -> frozenset[str] | None:
    """What a message that is not read yet is about."""
    members: dict[bytes, set[str]] = {b"uri": set(), b"method": set()}
    for region in (_first(pieces), _last(pieces)):
        for name, value in _MEMBER.findall(region):
            try:
                members[name].add(json.loads(value))
            except ValueError:
                return None
    uris, methods = members[b"uri"], members[b"method"]
    return frozenset(uris) if len(uris) == 1 and len(methods) == 1 and methods <= {DID_OPEN, DID_CHANGE} else None


def _first(pieces: Sequence[bytes]) -> bytes:
    found = b""
    for piece in pieces:
        found += piece[:_OUTSIDE]
        if len(found) >= _OUTSIDE:
            break
    return found[:_OUTSIDE]


def _last(pieces: Sequence[bytes]) -> bytes:
    found = b""
    for piece in reversed(pieces):
        found = piece[-_OUTSIDE:] + found
        if len(found) >= _OUTSIDE:
            break
    return found[-_OUTSIDE:]
