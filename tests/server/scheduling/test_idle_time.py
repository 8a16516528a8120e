"""Work that no request waits for is done while the client pauses, and rests as soon as a message comes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from relay_lsp.server.scheduling import idle_time
from relay_lsp.server.scheduling.executor import SingleThread
from relay_lsp.server.scheduling.idle_time import IdleTime


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_time, "_PAUSE_SECONDS", 0.2)


@pytest.mark.parametrize("is_long", [False, True], ids=["on the event loop", "on a thread"])
def test_work_rests_from_a_message_until_the_next_pause(is_long: bool) -> None:
    done: list[int] = []
    thread = SingleThread("long-work")

    def pieces() -> Iterator[None]:
        for _ in range(10_000):
            done.append(threading.get_ident())
            yield

    async def serve() -> tuple[int, int]:
        idle = IdleTime()
        work = asyncio.ensure_future(idle.work_off(pieces(), thread if is_long else None))
        await asyncio.sleep(0)
        assert not done, "the server has just been started by its client"
        while len(done) < 5:
            await asyncio.sleep(0.01)
        idle.note_message()
        at_message = len(done)
        await asyncio.sleep(0.05)
        after_message = len(done)
        while len(done) <= after_message:
            await asyncio.sleep(0.01)
        work.cancel()
        return at_message, after_message

    at_message, after_message = asyncio.run(serve())
    thread.shutdown()
    assert after_message <= at_message + 1  # the piece that was being worked at
    assert (threading.get_ident() in done) is not is_long


def test_a_message_is_taken_between_two_pieces_of_work() -> None:
    order: list[str] = []
    messages: list[asyncio.Future[None]] = []

    async def serve() -> None:
        idle = IdleTime()
        await idle.wait()

        async def take_message() -> None:
            for _ in range(5):  # from the stream to the handler a message takes several turns of the event loop
                await asyncio.sleep(0)
            order.append("message")

        def pieces() -> Iterator[None]:
            order.append("first")
            messages.append(asyncio.ensure_future(take_message()))
            yield
            order.append("second")
            yield

        await idle.work_off(pieces())

    asyncio.run(serve())
    assert order == ["first", "message", "second"]
