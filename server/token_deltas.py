"""The semantic tokens that clients have, so that after an edit only what differs need be sent."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["TokenEdit", "TokenMemory"]

_STRIDE = 5


@dataclass(frozen=True)
class TokenEdit:
    """In the list of numbers, ``delete_count`` from ``start`` on become ``data``."""

    start: int
    delete_count: int
    data: list[int]

    @property
    def changes(self) -> bool:
        """Whether it does anything."""
        return bool(self.delete_count or self.data)


class TokenMemory:
    """The last tokens that were sent for each document."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._sent: dict[str, tuple[str, list[int]]] = {}

    def keep(self, uri: str, data: list[int]) -> str:
        """Remember what is being sent; gives its name."""
        identity = str(next(self._ids))
        self._sent[uri] = (identity, data)
        return identity

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._sent.pop(uri, None)

    def edit_since(self, uri: str, identity: str, data: list[int]) -> TokenEdit | None:
        """The edit from what was sent under ``identity``; ``None`` where that is not remembered."""
        known, old = self._sent.get(uri, ("", []))
        if known != identity:
            return None
        limit = min(len(old), len(data)) // _STRIDE
        start = _greatest(limit, lambda count: old[: count * _STRIDE] == data[: count * _STRIDE]) * _STRIDE
        limit -= start // _STRIDE
        end = _greatest(limit, lambda count: not count or old[-count * _STRIDE :] == data[-count * _STRIDE :]) * _STRIDE
        return TokenEdit(start, len(old) - start - end, data[start : len(data) - end])


def _greatest(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to ``limit`` for which ``holds``; it must hold for every smaller one."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
