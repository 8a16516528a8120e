"""The time in which a client pauses: for work that no request waits for yet."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Final

from .executor import SingleThread

__all__ = ["IdleTime"]

_PAUSE_SECONDS = 0.5
"""How long no message may have come or gone before a client is said to pause."""

_BREATH_SECONDS = 0.001
"""How long the event loop is left to messages between two pieces of work: to take one, it needs several turns."""

_NO_MORE: Final = object()
"""In the place of a piece of work that there is not."""


class IdleTime:
    """Tells when a client pauses. Requests count as much as changes: their answers are waited for."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def note_message(self) -> None:
        """Take note that a message came or goes."""
        self._last = time.monotonic()

    async def wait(self) -> None:
        """Wait until the client pauses."""
        while (left := self._last + _PAUSE_SECONDS - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def work_off(self, pieces: Iterable[object], thread: SingleThread | None = None) -> None:
        """Go through pieces of work that take a moment each, whenever the client pauses.

        Those that take longer are for a ``thread``. They wait for pauses all the same: Python's threads run one at a
        time, and each key would take several times as long.
        """
        left = iter(pieces)
        await self.wait()
        while True:
            piece = next(left, _NO_MORE) if thread is None else await thread.run(next, left, _NO_MORE)
            if piece is _NO_MORE:
                return
            await asyncio.sleep(_BREATH_SECONDS)
            await self.wait()
