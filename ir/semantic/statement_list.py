"""The statements of a text in their places, in blocks that know which names they depend on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, ClassVar, Final, TypeAlias

from ..cancellation import check_cancelled
from ..collections.block_list import BlockList
from ..syntax.suggestions import close_to_any
from .block_report import NOTHING_REPORTED, BlockReport, report_of
from .cache_regions import CacheBlock
from .lints.unused import Effect
from .typed_statement import TypedStatement

__all__ = ["StatementList", "between", "replaced"]

Memo: TypeAlias = "dict[object, object]"


class _Block(list["TypedStatement | None"]):
    """Some consecutive statements, and the names that they depend on."""

    __slots__ = ("_dependents", "_has_no_effect", "_names", "_report", "_runs", "memo", "words_memo")

    def __init__(self, states: Sequence[TypedStatement | None]) -> None:
        super().__init__(states)
        self.memo: Final[Memo] = {}
        self.words_memo: Memo = {}
        """What callers cache of the words of the statements, whatever these mean."""
        self._names: frozenset[str] | None = None
        self._dependents: dict[str, Sequence[int]] = {}
        self._runs: list[tuple[int, int, Memo | None]] | None = None
        self._has_no_effect: bool | None = None
        self._report: BlockReport | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every name whose type tells that of a statement here, and perhaps some that told it before an edit: to look
        at a few statements in vain costs less than to ask all of them again."""
        if self._names is None:
            self._names = frozenset([name for state in self if state is not None for name in state.depends_on])
        return self._names

    @property
    def has_no_effect(self) -> bool:
        """Whether evaluating none of the statements changes anything else."""
        if self._has_no_effect is None:
            lowered = {state.lowered for state in self if state is not None}
            self._has_no_effect = all(each.effect is Effect.NONE for each in lowered)
        return self._has_no_effect

    @property
    def report(self) -> BlockReport:
        """What there is to say about the statements."""
        if self._report is None:
            self._report = report_of(self)
        return self._report

    def dependents(self, name: str) -> Sequence[int]:
        """Which statements here depend on a name, in order; a function may ask for each of a thousand, at each key."""
        if name not in self.names:
            return ()
        known = self._dependents.get(name)
        if known is None:
            known = [at for at, state in enumerate(self) if state is not None and name in state.depends_on]
            self._dependents[name] = known
        return known

    def may_name(self, name: str) -> bool:
        """Whether a statement here may depend on a name; to find that out for sure costs more than a search."""
        return self._names is None or name in self._names

    def replaced(self, start: int, indices: Sequence[int], made: Mapping[int, TypedStatement]) -> _Block:
        """The block, which begins at ``start``, with those of some indices typed anew."""
        block = _Block(self)
        block.words_memo = self.words_memo
        are_alike = True
        for index in indices:
            are_alike = are_alike and type(made[index]) is type(block[index - start]) is TypedStatement
            block[index - start] = made[index]
        if are_alike:
            # A statement that nothing is said about depends on what its text names.
            block._names, block._dependents, block._report = self._names, self._dependents, self._report
        elif self._names is not None:
            block._names = self._names.union(*[made[index].depends_on for index in indices])
        return block

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

    def find_names(self) -> None:
        """Find which names every block depends on, what is reported in it and whether it has effects, beforehand."""
        for block in self._blocks:
            check_cancelled()
            _ = block.names, block.report, block.has_no_effect

    def reports(self, start: int, end: int) -> Iterator[tuple[int, BlockReport]]:
        """What is reported in each block that has some of the statements from ``start`` to ``end``, where anything is.

        Comes with where the block begins.
        """
        blocks = self._blocks
        for number in range(self.block_number(start), self.block_number(end - 1) + 1) if start < end else ():
            report = blocks[number].report
            if report is not NOTHING_REPORTED:
                yield self.block_start(number), report

    def reported(self, start: int, end: int) -> Sequence[int]:
        """The statements from ``start`` to ``end`` that are reported (:attr:`.TypedStatement.is_reported`)."""
        return between([first + at for first, report in self.reports(start, end) for at in report.at], start, end)

    def looking_outside(
        self, start: int, end: int, *, are_heads_changed: bool, changed_parameters: Collection[str]
    ) -> Sequence[int]:
        """Those of :meth:`reported` that use graph variables of other functions.

        Also, where the heads of other functions changed, those that call; where ``changed_parameters`` of their own
        came, went or have another type, those that use a name which means nothing, and may mean one of these.
        """
        indices: set[int] = set()
        reports = list(self.reports(start, end))
        used = {name for _, report in reports for name in report.used_beside_undefined} if changed_parameters else ()
        close = close_to_any(used, changed_parameters)
        for first, report in reports:
            indices.update([first + at for at in report.outer])
            if are_heads_changed:
                indices.update([first + at for at in report.calling])
            if not close.isdisjoint(report.used_beside_undefined):
                indices.update([first + at for at, uses in report.undefined.items() if not close.isdisjoint(uses)])
        return between(sorted(indices), start, end)

    def suggests(self, names: Collection[str]) -> set[str]:
        """Those of some names that were probably meant with one that means nothing."""
        suggested: set[str] = set()
        for _, report in self.reports(0, len(self)):
            suggested.update(report.suggested.intersection(names))
        return suggested

    def has_undefined(self, start: int, end: int) -> bool:
        """Whether a statement from ``start`` to ``end`` uses a name that means nothing."""
        return any(start <= first + at < end for first, report in self.reports(start, end) for at in report.undefined)

    def may_be_explained_by(self, names: Collection[str], start: int, end: int) -> bool:
        """Whether what is at fault from ``start`` to ``end``, or near, may be right where names of the module change.

        These are names of types and constructors; another one of them may be meant by a word at fault, too.
        """
        return any(report.may_be_explained_by(names) for _, report in self.reports(start, end))

    def have_no_effect(self, start: int, end: int) -> bool:
        """Whether no block with statements from ``start`` to ``end`` has one whose evaluation changes anything else."""
        return all(block.has_no_effect for _, _, block in self.parts(start, end))

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
        disjoint, blocks, ends = names.isdisjoint, self._blocks, self._ends
        for number in range(self.block_number(start), len(blocks)) if start < end else ():
            if names and not disjoint(blocks[number].names):
                first, last = max(self.block_start(number), start), min(ends[number], end)
                for index, state in enumerate(self[first:last], first):
                    if state is not None and not (disjoint(state.uses) and disjoint(state.depends_on)):
                        yield index, state
            if ends[number] >= end:
                return

    def is_depended_on(self, name: str, start: int, end: int) -> bool:
        """Whether a statement from ``start`` to ``end`` depends on a name."""
        for number in range(self.block_number(start), self.block_number(end - 1) + 1) if start < end else ():
            first = self.block_start(number)
            if between(self._blocks[number].dependents(name), start - first, end - first):
                return True
        return False

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, _Block]]:
        """The statements from ``start`` to ``end``, block by block: from one to another, and the block they are in."""
        if start >= end:
            return
        for number in range(self.block_number(start), self.block_number(end - 1) + 1):
            first, block = self.block_start(number), self._blocks[number]
            yield max(start, first), min(end, first + len(block)), block

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
        memos, words = [block.memo for block in self._blocks], [block.words_memo for block in self._blocks]
        return map(CacheBlock, chain((0,), self._ends), self._ends, memos, words, repeat(True))


def _order(state: TypedStatement | None) -> float:
    assert state is not None
    return state.order


def between(indices: Sequence[int], start: int, end: int) -> Sequence[int]:
    """Those of some ordered indices that lie from ``start`` to ``end``."""
    return indices[bisect_left(indices, start) : bisect_left(indices, end)]


def replaced(states: StatementList, made: Mapping[int, TypedStatement]) -> StatementList:
    """The statements with some of them typed anew: their text is the same."""
    blocks: dict[int, list[TypedStatement | None]] = {}
    indices = sorted(made)
    for first, stop, block in states.parts(indices[0], indices[-1] + 1) if indices else ():
        here = between(indices, first, stop)
        if here:
            number = states.block_number(first)
            blocks[number] = block.replaced(states.block_start(number), here, made)
    return states.with_blocks(blocks) if blocks else states
