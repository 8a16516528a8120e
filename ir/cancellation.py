"""Work on a text that is not wanted any more ends at its next step: the text moved on, or the client left.

The work asks at its steps (a function, a part of the text, a statement that is read for itself), where nothing that
outlives it is half done. What it has kept with parts of the text by then is whole, and stays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["Cancellation", "WorkCancelled", "check_cancelled"]

Result = TypeVar("Result")


class WorkCancelled(BaseException):
    """The work is not wanted any more. No error: what contains errors lets it through."""


class _Current(threading.local):
    """What may cancel the work of this thread."""

    cancellation: Cancellation | None = None


_current: Final = _Current()


class Cancellation:
    """Cancels work, from any thread. ``pause`` is called at each step of the work, which goes on when it returns."""

    def __init__(self, pause: Callable[[], object] | None = None) -> None:
        self.is_cancelled = False
        self._pause: Final = pause

    def cancel(self) -> None:
        """Have the work end at its next step."""
        self.is_cancelled = True

    def step(self) -> None:
        """A step of the work.

        Raises:
            WorkCancelled: it was cancelled.
        """
        if self._pause is not None:
            self._pause()
        if self.is_cancelled:
            raise WorkCancelled

    def run(self, work: Callable[[], Result]) -> Result:
        """The result of ``work``, on this thread.

        Raises:
            WorkCancelled: it was cancelled.
        """
        outer, _current.cancellation = _current.cancellation, self
        try:
            check_cancelled()
            return work()
        finally:
            _current.cancellation = outer


def check_cancelled() -> None:
    """A step of work that may be cancelled.

    Raises:
        WorkCancelled: it was.
    """
    cancellation = _current.cancellation
    if cancellation is not None:
        cancellation.step()
