"""A long sequence of which an edit copies a part: the statements of a text, and what is known of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["BlockList", "common_beginning", "common_ends"]

T = TypeVar("T")

_BLOCK: Final = 256
_FEWEST: Final = 64
_COMPARED: Final = 1_024
"""So many elements are compared at once: two sequences may differ near their beginning, and be long."""


class BlockList(Sequence[T], Generic[T]):
    """An immutable sequence, kept in blocks: :meth:`spliced` shares all but those at the places it changes.

    With a hundred thousand statements, copying a list costs more than everything else that an edit does: each element
    is fetched from memory to count one more reference to it.
    """

    __slots__ = ("_blocks", "_ends", "_last")

    block_type: ClassVar[Any] = list
    """What makes a block of a list."""

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._take(self._cut(list(items)))

    def _take(self, blocks: Sequence[list[T]]) -> None:
        self._blocks = blocks
        self._ends = list(accumulate(map(len, blocks)))
        self._last: tuple[int, int, Sequence[T]] = (0, 0, ())  # what was read last: where it begins and ends

    @property
    def blocks(self) -> Sequence[Sequence[T]]:
        """The elements, block by block. Equal blocks of two sequences that one edit lies between are identical."""
        return self._blocks

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._blocks)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            assert step == 1
            return self._part(start, stop)
        if index < 0:
            index += len(self)
        start, end, block = self._last
        if not start <= index < end:
            number = bisect_right(self._ends, index)
            if index < 0 or number == len(self._ends):
                raise IndexError(index)
            block = self._blocks[number]
            end = self._ends[number]
            start = end - len(block)
            self._last = (start, end, block)
        return block[index - start]

    def _part(self, start: int, stop: int) -> list[T]:
        part: list[T] = []
        number = bisect_right(self._ends, start)
        while start < stop:
            block = self._blocks[number]
            base = self._ends[number] - len(block)
            part += block[start - base : stop - base]
            start = self._ends[number]
            number += 1
        return part

    def block_number(self, index: int) -> int:
        """The number of the block that has the element at ``index``; of the last block, for the end."""
        return min(bisect_right(self._ends, index), max(len(self._blocks) - 1, 0))

    def block_start(self, number: int) -> int:
        """The index of the first element of a block."""
        return self._ends[number - 1] if number else 0

    def spliced(self, start: int, stop: int, items: Sequence[T]) -> Self:
        """The sequence with ``items`` in the place of the elements ``start`` to ``stop``."""
        blocks, ends = self._blocks, self._ends
        made = self.__new__(type(self))
        if not blocks:
            made._take(self._cut(list(items)))
            return made
        first, last = self.block_number(start), self.block_number(max(stop - 1, start))
        middle = [
            *blocks[first][: start - self.block_start(first)],
            *items,
            *blocks[last][stop - ends[last] + len(blocks[last]) :],
        ]
        if len(middle) < _FEWEST and last + 1 < len(blocks):
            last += 1
            middle += blocks[last]
        made._take((*blocks[:first], *self._cut(middle), *blocks[last + 1 :]))
        return made

    def exchanged(self, start: int, stop: int, other: Self, first: int) -> Self:
        """The sequence with those of ``other`` from ``first`` on in the places ``start`` to ``stop``, in its blocks."""
        end = first + stop - start
        numbers = range(other.block_number(first) + 1, other.block_number(max(end - 1, first)))
        if not numbers:
            return self.spliced(start, stop, other[first:end])
        whole = [other._blocks[number] for number in numbers]
        low, high = other.block_start(numbers[0]), other.block_start(numbers[-1] + 1)
        before = self.spliced(start, stop, other[first:low])
        position = start + low - first
        number = before.block_number(position)
        inner = position - before.block_start(number)
        here = before._blocks[number]
        made = self.__new__(type(self))
        made._take(
            (
                *before._blocks[:number],
                *self._cut(here[:inner]),
                *whole,
                *self._cut([*other[high:end], *here[inner:]]),
                *before._blocks[number + 1 :],
            )
        )
        return made

    def with_blocks(self, blocks: Mapping[int, list[T]]) -> Self:
        """The sequence with other blocks, each as long as the one before, in the places of those of some numbers."""
        made = self.__new__(type(self))
        made._take([blocks.get(number, block) for number, block in enumerate(self._blocks)])
        return made

    def _cut(self, items: list[T]) -> tuple[list[T], ...]:
        if len(items) <= 2 * _BLOCK:
            return (self.block_type(items),) if items else ()
        return tuple([self.block_type(items[start : start + _BLOCK]) for start in range(0, len(items), _BLOCK)])


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many elements at the beginning of two sequences are the same objects."""
    shorter = min(len(one), len(other))
    for start in range(0, shorter, _COMPARED):
        same = list(map(is_, one[start : start + _COMPARED], other[start : start + _COMPARED]))
        if False in same:
            return start + same.index(False)
    return shorter


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """How many elements of two sequences are the same objects at their beginnings, and of the others at their ends."""
    first = common_beginning(one, other)
    return first, common_beginning(one[first:][::-1], other[first:][::-1])
