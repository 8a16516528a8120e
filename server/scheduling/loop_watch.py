"""A watch over the event loop: what keeps it busy for longer than it may goes to the log, with its stack.

The loop says when it has work and when it waits, by its selector; a thread looks at that now and then. While nothing
happens the thread sleeps, too. Threads that read texts look at it as well, and give way while the loop has work.
"""

from __future__ import annotations

import asyncio
import logging
import selectors
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Sequence

__all__ = ["MOST_SECONDS", "LoopWatch", "expect_work", "gives_way_to", "new_event_loop", "watch_event_loops"]

logger = logging.getLogger(__name__)

MOST_SECONDS = 0.05
"""How long the loop may be kept busy in one go."""

_SECONDS_AWAKE = 1.0
"""How long the watch goes on after the loop had work the last time."""

_LONGEST_WAY = 0.01
"""How long a thread gives way at a step of its work: as long as the answer to a request takes at most. A loop that has
work all the time shares the processor with it."""

_LOOK_SECONDS = 0.0003
"""How long such a thread sleeps before it looks again."""


class LoopWatch:
    """Reports what blocks a loop. ``work`` and ``rest`` are called by the loop, and cost next to nothing."""

    def __init__(self, most_seconds: float = MOST_SECONDS) -> None:
        self.blocked: list[float] = []
        """The seconds of what was reported, the last hundred."""
        self._most_seconds = most_seconds
        self._busy_since: float | None = None
        self.has_work = False
        """Whether the loop has something to do, or will have at once; between two turns it still has."""
        self._last_work = 0.0
        self._loop_thread = threading.get_ident()
        self._is_asleep = False
        self._awake = threading.Event()
        self._is_over = False
        threading.Thread(target=self._watch, name="relay-watch", daemon=True).start()

    def work(self) -> None:
        """The loop has something to do."""
        self.has_work = True
        self._busy_since = self._last_work = time.perf_counter()
        if self._is_asleep:
            self._awake.set()

    def rest(self, *, is_over: bool) -> None:
        """The loop looks for events; where its work is over, it waits for them."""
        self._busy_since = None
        self.has_work = not is_over

    def give_way(self) -> None:
        """Wait, on another thread, while the loop has work.

        Python's threads run one at a time. A loop that shares the processor with a thread that reads a text has to wait
        for its turn several times in each answer, each time until a search of a regular expression is through.
        """
        until = time.perf_counter() + _LONGEST_WAY
        while self.has_work and time.perf_counter() < until:
            time.sleep(_LOOK_SECONDS)

    def end(self) -> None:
        """Watch no more."""
        self._is_over = True
        self._awake.set()

    def _watch(self) -> None:
        while not self._is_over:
            if time.perf_counter() - self._last_work > _SECONDS_AWAKE and self._busy_since is None:
                self._is_asleep = True
                self._awake.wait()
                self._awake.clear()
                self._is_asleep = False
            time.sleep(self._most_seconds / 2)
            since = self._busy_since
            if since is not None and time.perf_counter() - since > self._most_seconds:
                self._report(since)

    def _report(self, since: float) -> None:
        """Log what the loop is at, and, when it is done, how long that took."""
        frame = sys._current_frames().get(self._loop_thread)  # pyright: ignore[reportPrivateUsage]
        stack = "".join(traceback.format_stack(frame, limit=12)) if frame is not None else "(unknown)\n"
        while self._busy_since == since and not self._is_over:
            time.sleep(self._most_seconds / 10)
        seconds = time.perf_counter() - since
        self.blocked[:] = [*self.blocked[-99:], seconds]
        milliseconds = seconds * 1000, self._most_seconds * 1000
        logger.info("the event loop was busy for %.0f ms; at %.0f ms with\n%s", *milliseconds, stack)


class _WatchedSelector(selectors.DefaultSelector):
    """Tells the watch when the loop waits."""

    watch: LoopWatch

    def select(self, timeout: float | None = None) -> Sequence[tuple[selectors.SelectorKey, int]]:  # type: ignore[override]
        self.watch.rest(is_over=timeout != 0)
        events = super().select(timeout)
        self.watch.work()
        return events


def new_event_loop() -> asyncio.AbstractEventLoop:
    """An event loop that is watched."""
    selector = _WatchedSelector()
    selector.watch = LoopWatch()
    loop = asyncio.SelectorEventLoop(selector)
    _watches[loop] = selector.watch
    return loop


_watches: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, LoopWatch] = weakref.WeakKeyDictionary()


def gives_way_to(loop: asyncio.AbstractEventLoop) -> Callable[[], None] | None:
    """What a thread calls at each step of its work to give way to a loop; ``None`` for one that is not watched."""
    watch = _watches.get(loop)
    return None if watch is None else watch.give_way


def expect_work(loop: asyncio.AbstractEventLoop) -> None:
    """A message has come for a loop, which takes it as soon as it has the processor."""
    watch = _watches.get(loop)
    if watch is not None:
        watch.has_work = True


class _WatchedLoops(asyncio.DefaultEventLoopPolicy):
    """Has :func:`asyncio.run` make loops that are watched."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return new_event_loop()


def watch_event_loops() -> None:
    """Watch the event loops that are made from now on; but for Windows, whose loops have no selector."""
    if sys.platform != "win32":
        asyncio.set_event_loop_policy(_WatchedLoops())  # pyright: ignore[reportDeprecated]
