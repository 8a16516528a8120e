"""What a command may take: passes of a user's may loop, or eat memory."""

from __future__ import annotations

import _thread
import argparse
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from .pipeline_arguments import SECONDS_WITH_EXTENSIONS
from .problems import EXIT_TROUBLE, CommandError
from .watched import note_end

__all__ = ["limited", "limited_command"]

_SECONDS_TO_STOP = 5.0
"""How long what is stopped may take to end, for cleaning up: a deep recursion is unwound call by call."""


@contextmanager
def limited_command(
    options: argparse.Namespace, doing: Callable[[], str], consequence: str = "the file is as it was"
) -> Generator[None]:
    """:func:`limited` by what the command line says; where it says nothing and code of the user's runs, by a minute.

    What the machine has no memory for is refused. Else the system would end a process of its choice, without a word:
    passes compute constants, and two lines of a text may ask for one of a terabyte.
    """
    seconds = options.timeout
    if seconds is None:
        seconds = SECONDS_WITH_EXTENSIONS if options.extensions else 0.0
        consequence = f"{consequence} (--timeout gives more time, 0 without end)" if seconds else consequence
    with _within_memory(), limited(seconds, doing, consequence):
        yield


@contextmanager
def limited(seconds: float, doing: Callable[[], str], consequence: str = "the file is as it was") -> Generator[None]:
    """Stop the body of the ``with`` after ``seconds``; 0 means no limit.

    ``doing`` names the work in the message, ``consequence`` says what follows from the stop. What is written in Python
    is stopped between two of its instructions, as Ctrl-C stops it; a process that does not let itself be stopped, or
    is in compiled code, is ended a tenth of the time and some seconds later.

    Raises:
        CommandError: it was stopped, or memory ran out.
    """
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        _interrupt_main_thread()
        ending.start()

    def end() -> None:
        _end(f"{doing()} was stopped after {seconds:g} seconds; {consequence}")

    ending = threading.Timer(0.1 * seconds + _SECONDS_TO_STOP, end)
    ending.daemon = True
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
        ending.cancel()


@contextmanager
def _within_memory() -> Generator[None]:
    """Let no more be allocated than there is memory; where the system does not say how much, there is no limit."""
    memory = _available_memory()
    if not memory:
        yield
        return
    import resource  # not on Windows

    limit, most = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY or memory < limit:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _available_memory() -> int:
    """How many bytes processes may still take before the system has none, as Linux tells; 0 elsewhere."""
    with suppress(OSError):
        match = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text("ascii"), re.MULTILINE)
        return int(match[1]) * 1024 if match else 0
    return 0


def _interrupt_main_thread() -> None:
    """Ctrl-C for the main thread; where there are signals it reaches one that sleeps, too."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _end(message: str) -> None:
    print(f"relay-lsp: {message}", file=sys.stderr)
    note_end(EXIT_TROUBLE)
    os._exit(EXIT_TROUBLE)


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
