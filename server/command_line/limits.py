"""What a command may take: passes of a user's may loop, or eat memory."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from .problems import EXIT_TROUBLE, CommandError

__all__ = ["ended_after", "limited"]


@contextmanager
def limited(seconds: float, doing: Callable[[], str], consequence: str = "the file is as it was") -> Generator[None]:
    """Stop the body of the ``with`` after ``seconds``; 0 means no limit.

    ``doing`` names the work in the message, ``consequence`` says what follows from the stop. What is written in Python
    is stopped between two of its instructions, as Ctrl-C stops it.

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
        raise CommandError(f"{doing()} was stopped after {seconds:g} seconds; {consequence}") from None
    except MemoryError:
        raise CommandError(f"memory ran out in {doing()}; {consequence}") from None
    finally:
        timer.cancel()


@contextmanager
def ended_after(seconds: float, message: str) -> Generator[None]:
    """End the process with ``message`` where the body of the ``with`` takes longer than ``seconds``; 0 means no limit.

    For the runtime of another framework: it is compiled code, which no interruption reaches before it returns, and
    which may go on for ever. Give more seconds than to :func:`limited`, which leaves the process as it should.
    """

    def end() -> None:
        print(f"relay-lsp: {message}", file=sys.stderr, flush=True)
        sys.stdout.flush()
        os._exit(EXIT_TROUBLE)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    if seconds > 0:
        timer.start()
    try:
        yield
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
