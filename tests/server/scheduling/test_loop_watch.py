"""What blocks the event loop goes to the log with its stack; what does not, does not."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable

import pytest

from relay_lsp.server.scheduling.loop_watch import expect_work, gives_way_to, new_event_loop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows's loop has no selector to watch")


def a_slow_handler() -> None:
    time.sleep(0.3)


def test_what_blocks_the_loop_is_logged_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    async def serve() -> None:
        await asyncio.sleep(0.2)
        a_slow_handler()
        await asyncio.sleep(0.1)

    with caplog.at_level(logging.INFO):
        loop = new_event_loop()
        loop.run_until_complete(serve())
        loop.close()
    (entry,) = [record.getMessage() for record in caplog.records if "a_slow_handler" in record.getMessage()]
    assert "the event loop was busy for" in entry


def test_a_loop_that_waits_is_not_busy(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        loop = new_event_loop()
        loop.run_until_complete(asyncio.sleep(0.3))
        loop.close()
    assert "waits" not in caplog.text
    assert "asyncio.sleep" not in caplog.text


def test_a_thread_gives_way_while_the_loop_has_work_and_no_longer() -> None:
    """Without that, an answer waits several times until a search of a regular expression on a thread is through."""
    steps: list[float] = []

    def read(give_way: Callable[[], None]) -> None:
        for _ in range(50):
            give_way()
            steps.append(time.perf_counter())

    async def serve() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        give_way = gives_way_to(loop)
        assert give_way is not None
        expect_work(loop)
        thread = loop.run_in_executor(None, read, give_way)
        until = time.perf_counter() + 0.05
        while time.perf_counter() < until:
            await asyncio.sleep(0)  # between two turns the loop still has work
        while_at_work = len(steps)
        await thread
        return while_at_work, len(steps)

    loop = new_event_loop()
    while_at_work, at_last = loop.run_until_complete(serve())
    loop.close()
    assert at_last == 50
    assert while_at_work <= 6, "a step may wait 10 ms, so that a loop that never rests does not stop the reading"


def test_a_loop_that_is_not_watched_is_not_given_way_to() -> None:
    loop = asyncio.new_event_loop()
    assert gives_way_to(loop) is None
    expect_work(loop)
    loop.close()
