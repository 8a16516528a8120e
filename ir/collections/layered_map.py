"""A large dictionary of which an edit copies only what changed lately: what the names of a function stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, filterfalse
from typing import Any, Final, Generic, TypeVar

__all__ = ["LayeredMap"]

K = TypeVar("K", bound=str)
V = TypeVar("V")

_FEWEST_RECENT: Final = 1024
_RECENT_SHARE: Final = 64
_GONE: Final = object()
"""The value of a key that was taken out lately."""


class LayeredMap(Generic[K, V]):
    """A dictionary that a :meth:`copy` shares, and another one before it with what changed since it was made.

    Once that is not small any more (a thousand keys, or a 64th of all), a later copy puts the two together. No value is
    ``None``.

    The code that fills one may change it; once handed on, it is only read and copied.
    """

    __slots__ = ("_above", "_is_shared", "_recent", "_settled")

    def __init__(self) -> None:
        self._settled: dict[K, V] = {}
        self._recent: dict[K, Any] = {}
        self._is_shared = False
        self._above: tuple[K, Sequence[K]] | None = None
        """A key that was asked for, and the settled ones that are greater."""

    def copy(self) -> LayeredMap[K, V]:
        """One with the same keys and values."""
        made = LayeredMap[K, V]()
        made._settled, made._recent = self._settled, self._recent.copy()
        self._is_shared = made._is_shared = True
        made._above = self._above
        made.settle_if_large()
        return made

    def settle_if_large(self) -> None:
        """What a copy would do: where much has changed, this is no more than was done already."""
        if len(self._recent) > max(_FEWEST_RECENT, len(self._settled) // _RECENT_SHARE):
            self.settle()

    def settle(self) -> None:
        """Put together what changed lately and the rest, where there is the time for it."""
        if self._is_shared:
            self._settled, self._is_shared = self._settled.copy(), False
        self._settled.update(self._recent)
        for key in [key for key, value in self._recent.items() if value is _GONE]:
            del self._settled[key]
        self._recent, self._above = {}, None

    def get(self, key: K) -> V | None:
        """The value of a key, or ``None``."""
        value = self._recent.get(key)
        if value is None:
            return self._settled.get(key)
        return None if value is _GONE else value

    def __iter__(self) -> Iterator[K]:
        """The keys."""
        recent = self._recent
        return chain(
            filterfalse(recent.__contains__, self._settled),
            [key for key, value in recent.items() if value is not _GONE],
        )

    def keys_above(self, low: K) -> Iterator[K]:
        """The keys that are greater than one, which is mostly the same; they may be few among a hundred thousand."""
        if self._above is None or self._above[0] != low:
            self._above = low, [key for key in self._settled if key > low]
        recent = self._recent
        return chain(
            filterfalse(recent.__contains__, self._above[1]),
            (key for key, value in recent.items() if value is not _GONE and key > low),
        )

    def __contains__(self, key: K) -> bool:
        return self.get(key) is not None

    def __setitem__(self, key: K, value: V) -> None:
        self._recent[key] = value

    def __delitem__(self, key: K) -> None:
        if key in self._settled:
            self._recent[key] = _GONE
        else:
            self._recent.pop(key, None)

    def update(self, items: Mapping[K, V]) -> None:
        """Set some keys."""
        self._recent.update(items)

    def among(self, keys: Collection[K]) -> set[K]:
        """Those of some keys that are there."""
        members, recent = self._settled.keys() & keys, self._recent
        for key in recent.keys() & keys:
            if recent[key] is _GONE:
                members.discard(key)
            else:
                members.add(key)
        return members
