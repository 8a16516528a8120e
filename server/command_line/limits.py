"""What a command may take: passes of a user's may loop, or eat memory."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from .problems import CommandError

__all__ = ["limited"]


@contextmanager
def limited(seconds: float, doing: Callable[[], str]) -> Generator[None]:
    """Stop the body of the ``with`` after ``seconds``; 0 means no limit. ``doing`` names the work in the message.

    What is written in Python is stopped between two of its instructions, as Ctrl-C stops it.

    Raises:
        CommandError: it was stopped, or memory ran out.
    """
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    try:
        with _interruptible(is_late):
            if seconds > 0:
                timer.start()
            yield
    except KeyboardInterrupt:
        if not is_late.is_set():
            raise
        raise CommandError(f"{doing()} was stopped after {seconds:g} seconds; the file is as it was") from None
    except MemoryError:
        raise CommandError(f"memory ran out in {doing()}; the file is as it was") from None
    finally:
        timer.cancel()


@contextmanager
def _interruptible(is_late: threading.Event) -> Generator[None]:
    """Let an interruption that comes late reach the program though it ignores Ctrl-C, as one in the background does."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if is_late.is_set():
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
