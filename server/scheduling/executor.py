"""Threads of our own for what may take more than a moment, so that the event loop stays free to answer.

Each kind of work has one, so that it waits for nothing but its own kind; pygls's pool, which has room for a few slow
handlers, is not used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from relay_lsp.ir.cancellation import Cancellation, WorkCancelled

__all__ = ["SingleThread"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class SingleThread:
    """One thread that runs what it is given in order; what was cancelled before it began never runs."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """The result of ``function``, which runs on the thread."""
        return await asyncio.wrap_future(self._pool.submit(function, *args, **kwargs))

    async def run_cancellable(self, cancellation: Cancellation, work: Callable[[], Result]) -> Result | None:
        """The result of ``work``, which runs on the thread; ``None`` where it was cancelled."""

        def run() -> Result | None:
            try:
                return cancellation.run(work)
            except WorkCancelled:
                return None

        return await asyncio.wrap_future(self._pool.submit(run))

    def submit(self, function: Callable[Arguments, object], *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        """Run ``function`` some time soon, without waiting for it."""
        self._pool.submit(function, *args, **kwargs)

    def shutdown(self, *, finish: bool = False) -> None:
        """Take no more; what has not begun never will, unless it is to ``finish``."""
        self._pool.shutdown(wait=False, cancel_futures=not finish)
