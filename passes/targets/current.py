"""The target that the innermost ``with target:`` of this thread has set."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .target import Target

__all__ = ["current_target", "entered"]


class _Entered(threading.local):
    def __init__(self) -> None:
        self.targets: list[Target] = []


_entered = _Entered()


def entered() -> list[Target]:
    """The targets that this thread is inside of, outermost first."""
    return _entered.targets


def current_target() -> Target | None:
    """The innermost target that this thread is inside of; ``None`` outside of any."""
    return _entered.targets[-1] if _entered.targets else None
