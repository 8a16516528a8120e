"""A process that goes with the one that made it, however that ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Final

__all__ = ["end_with_parent"]

_PR_SET_PDEATHSIG: Final = 1


def end_with_parent(parent: int | None = None) -> None:
    """Have the system end us with our parent, on Linux alone; ``parent`` is its number, where we know it.

    Elsewhere, and where some line of Python runs now and then, the end of our input can do so.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent not in (None, os.getppid()):  # It ended before we asked for that.
        os._exit(1)
