"""Ends the process when its client has left, whatever its threads are doing."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..lsp.protocol import RelayLanguageServer

__all__ = ["GRACE_SECONDS", "Ending", "watch_client"]

GRACE_SECONDS = 2.0
"""How long a server may take to end by itself after ``exit``, the end of its input, or the end of its client."""

_WATCH_SECONDS = 0.5


class Ending:
    """Ends the process of a server some time after its client has left, if it has not ended by then."""

    def __init__(self, server: RelayLanguageServer) -> None:
        self._server = server
        self._has_begun = threading.Event()

    def begin(self) -> None:
        """The client has left, or is about to. On any thread; the event loop may be stuck."""
        if not self._has_begun.is_set():
            self._has_begun.set()
            threading.Thread(target=self._end_later, name="relay-ending", daemon=True).start()

    def _end_later(self) -> None:
        time.sleep(GRACE_SECONDS)
        worker = self._server.state.worker.process_id
        if worker is not None:
            with contextlib.suppress(OSError):
                os.kill(worker, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        os._exit(0 if self._server.protocol.lifecycle.is_shut_down else 1)


def watch_client(process_id: int | None, ended: Callable[[], None]) -> None:
    """Call ``ended``, on a thread, when the client's process is gone.

    Where there is no process of this number, the client runs on another machine or in a container, and the end of the
    input tells that it has left. So it does on Windows, where Python cannot ask for a process without ending it.
    """
    if process_id is None or sys.platform == "win32" or not _is_there(process_id):
        return

    def watch() -> None:
        while _is_there(process_id):
            time.sleep(_WATCH_SECONDS)
        ended()

    threading.Thread(target=watch, name="relay-client", daemon=True).start()


def _is_there(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
