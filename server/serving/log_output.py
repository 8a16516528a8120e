"""The log on standard error, which a client may never read: a thread writes it, and nothing else waits for that."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import queue
import sys
import threading
import time

__all__ = ["log_to_standard_error"]

_MOST_WAITING = 10_000
"""Lines that may wait to be written; what comes then is left out, and counted."""

_LAST_SECONDS = 0.5
"""How long what is left may take to be written in the end."""


def log_to_standard_error(level: str) -> None:
    """Have everything from a level on, such as ``WARNING``, written to standard error by a thread of its own."""
    handler = _Handler()
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)


class _Handler(logging.Handler):
    """Gives lines to the thread."""

    def __init__(self) -> None:
        super().__init__()
        # A copy of the descriptor, without the locks of Python's stream: it is closed by nothing but the end.
        self._descriptor = os.dup(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2)
        self._waiting: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._left_out = 0
        threading.Thread(target=self._write, name="relay-log", daemon=True).start()
        atexit.register(self._write_rest)

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line, unless thousands wait already."""
        try:
            line = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        except Exception:  # a record whose arguments do not fit its words ends nothing
            line = f"{record.name}: {record.msg}\n".encode("utf-8", "backslashreplace")
        if self._left_out:
            note = f"({self._left_out} lines were left out: they were not read)\n".encode()
            line = note + line
        try:
            self._waiting.put_nowait(line)
            self._left_out = 0
        except queue.Full:
            self._left_out += 1

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # there is no reader any more
            while True:
                line = self._waiting.get()
                while line:
                    line = line[os.write(self._descriptor, line) :]
                self._waiting.task_done()

    def _write_rest(self) -> None:
        end = time.monotonic() + _LAST_SECONDS
        while self._waiting.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.01)
