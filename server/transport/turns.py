"""Whose turn it is: the event loop has precedence over the threads that read texts.

Python's threads run one at a time, and one that waits for its turn asks the other to stop after an interval. That is
short while the event loop waits for something, so that it can go on as soon as that is there; and long while it is at
work, so that an answer is worked out in one go. What others do meanwhile may wait: nobody looks at it yet.
"""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["at_work", "waiting"]

_WHILE_WAITING: Final = 0.0005
"""Seconds. Python's own 5 ms would be felt in every answer."""

_AT_WORK: Final = 0.02


def waiting() -> None:
    """The event loop waits, or calls what lets others have their turn: for a message, or until one is written."""
    sys.setswitchinterval(_WHILE_WAITING)


def at_work() -> None:
    """It goes on."""
    sys.setswitchinterval(_AT_WORK)
