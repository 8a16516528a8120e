"""What a server takes of memory in the course of time, and when that is a leak.

A server loads parts of itself late: the passes with numpy (some 20 MB), the handlers of rarer requests, the words of
operators. It does so once, on demand and in pauses. An editor that never pauses puts it off, and a server that lives
for two minutes then loads it in the second half of its life. So it is loaded before the first look: in what is measured
it would look like a leak in one server, and hide one in another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["MOST_GROWTH", "is_leak", "until_even"]

MOST_GROWTH: Final = 1.1
"""How many times as large a server may be in the end as after half of its time."""
_EVEN_LOOKS: Final = 4
"""So many looks in a row find a server that has loaded all as large as before; the first waits for the pause."""


def is_leak(sizes: Sequence[float]) -> bool:
    """Whether a server grew by more than a tenth in the second half of the time.

    ``sizes`` are its megabytes when all was loaded, and after each of equal parts of its time.
    """
    return sizes[-1] > sizes[len(sizes) // 2] * MOST_GROWTH


async def until_even(size: Callable[[], float], between: float = 0.5, at_most: float = 60.0) -> None:
    """Wait until a server that is left alone stays as large as it is, with ``between`` seconds from look to look.

    Gives up after ``at_most`` seconds: what still grows then is measured.
    """
    sizes: list[float] = []
    end = time.monotonic() + at_most
    while time.monotonic() < end and (len(sizes) < _EVEN_LOOKS or len(set(sizes[-_EVEN_LOOKS:])) > 1):
        await asyncio.sleep(between)
        sizes.append(size())
