"""For ranges of one text, the ranges of another that they came from, in little memory: a long history has millions."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

__all__ = ["SpanOriginMap"]

Origin = tuple[int, int, Sequence[tuple[int, int]]]

_SHIFT = 32


class SpanOriginMap(Sequence[Origin]):
    """The ranges in order, each with its sources."""

    def __init__(self, origins: Iterable[Origin]) -> None:
        self._keys = array("q")
        self._sources = array("q")
        self._ends = array("q", (0,))
        """How many sources the ranges up to each have together."""
        for start, end, sources in sorted(origins):
            key = _packed(start, end)
            if self._keys and self._keys[-1] == key:
                self._ends.pop()
                self._keys.pop()
            self._sources.extend(_packed(*source) for source in sources)
            self._keys.append(key)
            self._ends.append(len(self._sources))

    def sources(self, span: tuple[int, int]) -> Sequence[tuple[int, int]] | None:
        """Where a range came from; ``None`` where nothing is known of it."""
        key = _packed(*span)
        index = bisect_left(self._keys, key)
        if index == len(self._keys) or self._keys[index] != key:
            return None
        return self._sources_at(index)

    def _sources_at(self, index: int) -> tuple[tuple[int, int], ...]:
        return tuple(map(_unpacked, self._sources[self._ends[index] : self._ends[index + 1]]))

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> Origin: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Origin]: ...
    def __getitem__(self, index: int | slice) -> Origin | Sequence[Origin]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        return *_unpacked(self._keys[index]), self._sources_at(index)

    def __iter__(self) -> Iterator[Origin]:
        return (self[index] for index in range(len(self)))


def _packed(start: int, end: int) -> int:
    return start << _SHIFT | end


def _unpacked(key: int) -> tuple[int, int]:
    return key >> _SHIFT, key & ((1 << _SHIFT) - 1)
