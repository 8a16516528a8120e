"""Reads files of unknown origin: only plain files, and no more of them than the caller asks for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["Stamp", "read_regular", "stamp_of"]

Stamp = tuple[int, int]
"""When a file was last written, in nanoseconds, and its size in bytes."""


def stamp_of(path: Path) -> Stamp:
    """The state of a regular file, which a link may lead to.

    Raises:
        OSError: there is none, or it is a pipe, a device, a socket or a folder.
    """
    return _stamp(os.stat(path), path)


def read_regular(path: Path, largest: int) -> bytes:
    """The bytes of a regular file of at most ``largest``.

    A pipe is opened without waiting for its other end, and what was opened is examined: the name may mean something
    else by now than it did a moment ago. A file that grows while it is read is not read further.

    Raises:
        OSError: it cannot be read, is no regular file, or is too large.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        _stamp(os.fstat(descriptor), path)
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(f"{path} is larger than {largest} bytes")
    return content


def _stamp(status: os.stat_result, path: Path) -> Stamp:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path} is no regular file")
    return status.st_mtime_ns, status.st_size
