"""A cache of bounded size: what was least recently used is evicted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

__all__ = ["LruMap"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruMap(Generic[K, V]):
    """A dictionary in two generations of at most ``limit`` keys each.

    What is asked for or put in belongs to the young one. When that is full it becomes the old one, and what was old
    and has not been asked for since is forgotten. So the last ``limit`` keys are always there, and at most twice as
    many.
    """

    __slots__ = ("_old", "_young", "limit")

    def __init__(self, limit: int) -> None:
        self.limit: Final = limit
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """The value of a key, or ``None``."""
        value = self._young.get(key)
        if value is None and key in self._old:
            value = self[key] = self._old[key]
        return value

    def get_all(self, keys: Iterable[K]) -> list[V | None]:
        """The value of each of some keys, or ``None``."""
        keys = list(keys)
        values = list(map(self._young.get, keys))
        if None in values:
            values = [self.get(key) if value is None else value for key, value in zip(keys, values, strict=True)]
        return values

    def only(self, wanted: Callable[[V], bool]) -> LruMap[K, V]:
        """Another, of the values that are wanted."""
        made = LruMap[K, V](self.limit)
        made._young = {key: value for key, value in self._young.copy().items() if wanted(value)}
        made._old = {key: value for key, value in self._old.copy().items() if wanted(value)}
        return made

    def __contains__(self, key: K) -> bool:
        return key in self._young or key in self._old

    def __setitem__(self, key: K, value: V) -> None:
        if len(self._young) >= self.limit and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())
