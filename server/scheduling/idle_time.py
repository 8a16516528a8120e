"""The time in which a client pauses: for work that no request waits for yet."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

__all__ = ["IdleTime"]

_PAUSE_SECONDS = 0.5
"""How long no message may have come or gone before a client is said to pause."""

_BREATH_SECONDS = 0.001
"""How long the event loop is left to messages between two pieces of work: to take one, it needs several turns."""


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

    async def work_off(self, pieces: Iterable[object]) -> None:
        """Go through pieces of work that take a moment each, whenever the client pauses."""
        await self.wait()
        for _ in pieces:
            await asyncio.sleep(_BREATH_SECONDS)
            await self.wait()
