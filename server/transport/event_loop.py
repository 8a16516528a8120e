"""The event loop of a server over standard input and output, which has precedence over other threads.

See :mod:`.turns`. A loop that writes to sockets has not: each time it does, it would have to wait for its turn.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Coroutine
from typing import Any

from . import turns

__all__ = ["run"]


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in an event loop of its own, as ``asyncio.run`` does."""
    turns.waiting()
    if sys.platform == "win32":  # whose loop does not select; there it is like any other thread
        asyncio.run(main)
    elif sys.version_info >= (3, 11):
        with asyncio.Runner(loop_factory=_loop) as runner:
            runner.run(main)
    else:
        asyncio.set_event_loop_policy(_Policy())
        asyncio.run(main)


class _Policy(asyncio.DefaultEventLoopPolicy):
    """How Python 3.10 is told which loop to run."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return _loop()


def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(_Selector())


class _Selector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        turns.waiting()
        try:
            return super().select(timeout)
        finally:
            turns.at_work()
