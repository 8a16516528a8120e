"""What becomes of memory that is given back."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

__all__ = ["keep_freed_memory"]

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Parameters of ``mallopt`` (glibc, ``malloc.h``)."""

_KEPT: Final = 16 << 20
_LARGE: Final = 4 << 20


def keep_freed_memory() -> None:
    """Have the C library keep up to 16 MB that were freed, where that is glibc; blocks of more than 4 MB go back.

    By default it gives back every block of 128 kB and more. An answer of a megabyte is copied two or three times, and
    each copy into fresh memory costs a millisecond of page faults.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    set_option(_TRIM_THRESHOLD, _KEPT)
    set_option(_MMAP_THRESHOLD, _LARGE)
