"""Work on a whole text, cut into slices: between them, the event loop answers other messages.

What a slice needs is cached with the text, so a thread would only add locks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

__all__ = ["in_slices"]

Item = TypeVar("Item")

_SLICE_SECONDS = 0.002
"""How long the event loop may be kept busy in one go."""


async def in_slices(items: Iterable[Item]) -> AsyncIterator[Item]:
    """The same items, each of which may take a moment to work out; after each slice, the event loop goes on."""
    started = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - started > _SLICE_SECONDS:
            await asyncio.sleep(0)
            started = time.perf_counter()
