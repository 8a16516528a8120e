"""What a command writes to: streams that are closed, cannot hold a character, or are full."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from typing import TextIO

__all__ = ["abandon_output", "cannot_be_written", "flush_streams", "make_streams_writable"]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def make_streams_writable() -> None:
    """Have every text find its way: to nowhere where the user has closed a stream, as UTF-8 into files and pipes.

    There our own commands read it again, whatever the locale is. A terminal that cannot show a character shows its
    number.
    """
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends
        elif isinstance(stream, TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def flush_streams() -> None:
    """Write out what waits, while an error can still be said.

    Raises:
        OSError: a stream cannot be written to.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def cannot_be_written(error: OSError) -> bool:
    """Whether an error is one of a stream without a name, such as standard output into a file on a full disk."""
    return error.filename is None and error.errno in _FULL


def abandon_output() -> None:
    """Send what waits to nowhere: Python would complain of it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
