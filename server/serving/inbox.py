"""Messages between the thread that reads them and the event loop that handles them, with room for so many."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, TypeAlias

from ..scheduling.loop_watch import expect_work
from .framing import StreamFault

if TYPE_CHECKING:
    from ..lsp.long_openings import LongOpening

__all__ = ["Inbox"]

_Message: TypeAlias = "bytes | LongOpening | StreamFault | None"

_ROOM = 64 << 20
"""Bytes that may wait. A client may write all that it has to say before it reads an answer, within reason; beyond that
it waits until we have come so far."""


class Inbox:
    """A queue from a thread to the event loop that it was made on."""

    def __init__(self, room: int = _ROOM) -> None:
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[_Message] = asyncio.Queue()
        self._room = room
        self._waiting = 0
        self._changed = threading.Condition()

    def put(self, message: _Message) -> bool:
        """Hand over a message, a fault or the end; waits for room. Tells whether anything is read any more."""
        with self._changed:
            while self._waiting > self._room:
                self._changed.wait()
            self._waiting += _size(message)
        expect_work(self._loop)
        try:
            self._loop.call_soon_threadsafe(self._messages.put_nowait, message)
        except RuntimeError:  # the loop is closed
            return False
        return True

    async def get(self) -> bytes | LongOpening | None:
        """The next message; ``None`` at the end.

        Raises:
            StreamFault: the stream cannot be read further.
        """
        message = await self._messages.get()
        with self._changed:
            self._waiting -= _size(message)
            self._changed.notify()
        if isinstance(message, StreamFault):
            raise message
        return message


def _size(message: _Message) -> int:
    if message is None or isinstance(message, StreamFault):
        return 0
    return len(message) if isinstance(message, bytes) else message.size
