"""Work on a whole text, cut into slices: between them, the event loop answers whoever else asks.

What a slice needs is remembered with the text, so a thread would bring nothing but locks; and threads of Python take
turns anyway.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["gathered", "go_on"]

Item = TypeVar("Item")

_SLICE_SECONDS = 0.002
"""How long the event loop may be kept busy in one go."""


async def gathered(items: Iterable[Item]) -> list[Item]:
    """What an iterator gives, each of which may take a moment to work out."""
    found: list[Item] = []
    started = time.perf_counter()
    for item in items:
        found.append(item)
        if time.perf_counter() - started > _SLICE_SECONDS:
            await asyncio.sleep(0)
            started = time.perf_counter()
    return found


def go_on(work: Iterator[object]) -> None:
    """Have work that can be left between its steps go on for the time of a slice.

    Raises:
        StopIteration: it is done; a generator's result is the value.
    """
    started = time.perf_counter()
    while time.perf_counter() - started < _SLICE_SECONDS:
        next(work)
