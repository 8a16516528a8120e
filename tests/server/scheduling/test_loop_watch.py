"""What blocks the event loop goes to the log with its stack; what does not, does not."""

from __future__ import annotations

import asyncio
import logging
import sys
import time

import pytest

from relay_lsp.server.scheduling.loop_watch import new_event_loop

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
