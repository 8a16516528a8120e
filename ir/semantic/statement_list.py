"""The statements of a text in their places, in blocks that know which names they depend on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from ..collections.block_list import BlockList
from .cache_regions import CacheBlock
from .typed_statement import TypedStatement

__all__ = ["StatementList", "replaced"]

Memo: TypeAlias = "dict[object, object]"


class _Block(list["TypedStatement | None"]):
    """Some consecutive statements, and the names that they depend on."""

    __slots__ = ("_names", "_runs", "memo")

    def __init__(self, states: Sequence[TypedStatement | None]) -> None:
        super().__init__(states)
        self.memo: Final[Memo] = {}
        self._names: frozenset[str] | None = None
        self._runs: list[tuple[int, int, Memo | None]] | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every name whose type tells that of a statement here."""
        if self._names is None:
            self._names = frozenset([name for state in self if state is not None for name in state.depends_on])
        return self._names

    def may_name(self, name: str) -> bool:
        """Whether a statement here may depend on a name; to find that out for sure costs more than a search."""
        return self._names is None or name in self._names

    @property
    def runs(self) -> Sequence[tuple[int, int, Memo | None]]:
        """Statements that follow one another, from one to another, with what callers cache of them together.

        A segment that is no statement stands alone, and nothing is cached of it here.
        """
        if self._runs is None:
            self._runs = []
            start = 0
            for at in [*(at for at, state in enumerate(self) if state is None), len(self)]:
                if start < at:
                    self._runs.append((start, at, {}))
                if at < len(self):
                    self._runs.append((at, at + 1, None))
                start = at + 1
        return self._runs


class StatementList(BlockList["TypedStatement | None"]):
    """The statements of a text, by segment; other segments have none."""

    __slots__ = ()

    block_type: ClassVar[Any] = _Block
    _blocks: Sequence[_Block]

    def position(self, order: float, start: int, end: int) -> int:
        """The first statement from ``start`` to ``end``, which are all of one function, with at least this order."""
        blocks = self._blocks
        first, last = self.block_number(start), self.block_number(max(start, end - 1))
        if first < last:
            # All blocks but the first of them begin with a statement of the function.
            number = bisect_right(range(first + 1, last + 1), order, key=lambda number: _order(blocks[number][0]))
            first += number
            block_start = self.block_start(first)
            start, end = max(start, block_start), min(end, block_start + len(blocks[first]))
        block, base = blocks[first], self.block_start(first)
        return base + bisect_left(block, order, start - base, end - base, key=_order)

    def positions(self, states: Iterable[TypedStatement], start: int, end: int) -> Iterator[int]:
        """Where some statements of one function stand, which are given in their order."""
        index = start
        for state in states:
            if not (index < end and self[index] is state):
                index = self.position(state.order, index, end)
            yield index
            index += 1

    def using(self, names: set[str], start: int, end: int) -> Iterator[int]:
        """Where the statements of :meth:`dependents` stand."""
        return (index for index, _ in self.dependents(names, start, end))

    def dependents(self, names: set[str], start: int, end: int) -> Iterator[tuple[int, TypedStatement]]:
        """The statements from ``start`` to ``end`` that depend on one of some names, which may get more meanwhile."""
        disjoint = names.isdisjoint
        while start < end:
            number = self.block_number(start)
            last = min(self.block_start(number) + len(self._blocks[number]), end)
            if names and not names.isdisjoint(self._blocks[number].names):
                for index, state in enumerate(self[start:last], start):
                    if state is not None and not (disjoint(state.uses) and disjoint(state.depends_on)):
                        yield index, state
            start = last

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int, Memo | None]]:
        """The runs of statements of each block that have some of ``start`` to ``end``; see :attr:`_Block.runs`."""
        if start >= end:
            return
        for number in range(self.block_number(start), self.block_number(end - 1) + 1):
            first = self.block_start(number)
            for run_start, run_end, memo in self._blocks[number].runs:
                if first + run_end > start and first + run_start < end:
                    yield first + run_start, first + run_end, memo

    def runs_naming(self, name: str, start: int, end: int) -> Iterator[tuple[int, int, Memo | None]]:
        """The parts of runs from ``start`` to ``end`` in which a statement may depend on a name, which need not be.

        What callers cache of the run together is there for a whole one.
        """
        if start >= end:
            return
        for number in range(self.block_number(start), self.block_number(end - 1) + 1):
            block, base = self._blocks[number], self.block_start(number)
            if block.may_name(name):
                for run_start, run_end, memo in block.runs:
                    first, last = max(base + run_start, start), min(base + run_end, end)
                    if memo is not None and first < last:
                        yield first, last, memo if last - first == run_end - run_start else None

    def cache_blocks(self) -> Iterator[CacheBlock]:
        """Every block, with what callers cache of its statements."""
        start = 0
        for block in self._blocks:
            yield CacheBlock(start, start + len(block), block.memo, True)
            start += len(block)


def _order(state: TypedStatement | None) -> float:
    assert state is not None
    return state.order


def replaced(states: StatementList, made: Mapping[int, TypedStatement]) -> StatementList:
    """The statements with some of them replaced."""
    for number in sorted({states.block_number(index) for index in made}):
        start = states.block_start(number)
        block = list(states.blocks[number])
        for offset in range(len(block)):
            block[offset] = made.get(start + offset, block[offset])
        states = states.with_block(number, block)
    return states
