"""What a command may take: passes of a user's may loop, or eat memory."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from .problems import CommandError

__all__ = ["limited"]


@contextmanager
def limited(seconds: float, doing: Callable[[], str]) -> Generator[None]:
    """Stop what is done inside after ``seconds``; 0 is for ever. ``doing`` says what that was.

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
    if seconds > 0:
        timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if not is_late.is_set():
            raise
        raise CommandError(f"{doing()} was stopped after {seconds:g} seconds; the file is as it was") from None
    except MemoryError:
        raise CommandError(f"memory ran out in {doing()}; the file is as it was") from None
    finally:
        timer.cancel()
