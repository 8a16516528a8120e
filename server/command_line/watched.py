"""A command that runs code of others, in a process of its own: where that code ends it, the end is said all the same.

A pass of a user's may call ``os._exit(0)``, which looks like success, or empty ``sys.modules``; a library that reads a
damaged model may crash; and where memory runs out the system ends whom it likes. None of these lets the process say
anything: the one that it was made by does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from .problems import EXIT_TROUBLE

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["note_end", "note_work", "watched"]

_SECONDS_TO_HEED: Final = 1.0
"""How long the command may take to heed Ctrl-C, which a terminal sends to both processes, and ``kill`` to one."""
_SIZE: Final = 4096
_HAS_ENDED, _CODE, _DOING = 0, 1, slice(2, _SIZE)
"""In the note: 1 where the command has come to its end, its exit code then, and what it is doing, in UTF-8."""

_note: mmap | None = None
"""What both processes see; it is there where a command is watched."""


def note_work(doing: str) -> None:
    """Note what a command is doing, for the case that its process is ended."""
    if _note is not None:
        room = _SIZE - _DOING.start
        _note[_DOING] = doing.encode("utf-8", "replace")[:room].ljust(room, b"\0")


def note_end(code: int) -> None:
    """Write out what the command has said, and note that it has come to its end, and with which exit code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # An extension may have closed them.
            stream.flush()
    if _note is not None:
        _note[_CODE] = code
        _note[_HAS_ENDED] = 1


def watched(command: Callable[[], int]) -> int:
    """The exit code of a command, or that of trouble where its process was ended, which is then said.

    On systems without ``fork`` the command runs in this process.
    """
    global _note
    if not hasattr(os, "fork"):
        return command()
    from mmap import mmap  # most commands are not watched, and need none of this

    from ..worker.parent import end_with_parent

    _note = mmap(-1, _SIZE)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # else both would write what waits
    watcher = os.getpid()
    process = os.fork()
    if process == 0:
        end_with_parent(watcher)
        os.register_at_fork(after_in_child=_be_silent)
        code = command()
        note_end(code)
        return code
    asked_to_end = _passing_signals_on(process)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if _note[_HAS_ENDED]:
        return max(code, _note[_CODE])  # Python's own end may add trouble, as where nobody reads what is written.
    if -code in asked_to_end:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(watcher, -code)
    doing = _note[_DOING].rstrip(b"\0").decode("utf-8", "replace")
    during = f" while it was at this: {doing}" if doing else ""
    print(f"relay-lsp: the process {_end_in_words(code)}{during}", file=sys.stderr)
    return EXIT_TROUBLE


def _be_silent() -> None:
    """In a copy that the code makes of the command's process: what is written is written once, by the original."""
    global _note
    _note = None
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _end_in_words(code: int) -> str:
    if code >= 0:
        return f"was ended by code that it ran, with the exit code {code},"
    if -code == signal.SIGKILL:
        return "was killed (SIGKILL), as the system does where memory runs out,"
    return f"crashed (signal {-code}, {signal.strsignal(-code)}), in compiled code or by code that it ran,"


def _passing_signals_on(process: int) -> set[int]:
    """Pass on to ``process`` what asks this one to end; the signals that came, as they come."""
    came: set[int] = set()

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)

    def pass_on(number: int, _frame: object) -> None:
        came.add(number)
        if number == signal.SIGINT:
            signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_HEED)
        else:
            send(number)

    def heed_late(_number: int, _frame: object) -> None:
        send(signal.SIGINT)

    signal.signal(signal.SIGALRM, heed_late)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    return came
