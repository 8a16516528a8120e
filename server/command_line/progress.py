"""What a long command is doing, in one line of the terminal that is gone when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from .terminal import columns_of
from .watched import note_work

__all__ = ["Working", "working"]

_QUIET_SECONDS = 0.5
"""Work that takes less says nothing."""

_CLEAR = "\r\x1b[K"


class Working:
    """Knows what is being done, and shows it where standard error is a terminal."""

    def __init__(self, doing: str) -> None:
        self.doing = doing
        note_work(doing)
        self._is_terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._is_shown = False

    def __call__(self, doing: str) -> None:
        """Say what is being done from now on."""
        self.doing = doing
        note_work(doing)
        if self._is_terminal and time.monotonic() - self._started > _QUIET_SECONDS:
            self._is_shown = True
            print(f"{_CLEAR}relay-lsp: {doing}"[: columns_of(sys.stderr)], end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the line away."""
        if self._is_shown:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


@contextmanager
def working(doing: str) -> Generator[Working]:
    """Show what the body of the ``with`` does, beginning with ``doing``; it is called with what it does next."""
    shown = Working(doing)
    try:
        yield shown
    finally:
        shown.done()
