"""Statements that stand for others: which names these use, and which functions they call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Final

from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL
from .lowered_statement import LoweredStatement
from .typed_statement import TypedStatement

__all__ = ["StatementTemplate"]


class StatementTemplate:
    """A statement that stands for all that differ in names alone, and which of its names it uses.

    Of its names of values, it uses those at the places ``used``. They are those from ``first`` to ``end``, or those
    that ``uses`` gives, which also gives the ``functions`` that it names.
    """

    __slots__ = ("binds", "end", "first", "functions", "lowered", "used", "uses")

    def __init__(self, lowered: LoweredStatement, used: Sequence[int], binds: bool, functions: tuple[str, ...]) -> None:
        self.lowered: Final = lowered
        self.binds: Final = binds
        self.used: Final = used
        self.functions: Final = functions
        self.first: Final = used[0] if used else 0
        self.end: Final = self.first + len(used)
        are_in_a_row = used == list(range(self.first, self.end)) and not functions
        self.uses: Final = None if are_in_a_row else _uses(used, functions)

    def calling(self, functions: Sequence[str]) -> StatementTemplate:
        """The template of a statement that names other functions; they are given as often as they are written."""
        if not self.functions:
            return self
        kinds, texts, _ = self.lowered.unit.segment.tokens
        written = [text for kind, text in zip(kinds, texts, strict=True) if kind == GLOBAL]
        own = tuple([functions[written.index(name)] for name in self.lowered.functions])
        return self if own == self.functions else StatementTemplate(self.lowered, self.used, self.binds, own)

    def statement(self, segment: Segment, names: tuple[str, ...], start: int, end: int) -> TypedStatement:
        """A statement that differs in names alone; its own are those from ``start`` to ``end``."""
        uses = names[start + self.first : start + self.end] if self.uses is None else self.uses(names[start:end])
        return TypedStatement(segment, names[start] if self.binds else None, uses, self.lowered)


def _uses(used: Sequence[int], functions: tuple[str, ...]) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """What gives the names at some places of many, and ``functions``."""
    if not functions:
        return itemgetter(*used)
    return lambda names: (*[names[place] for place in used], *functions)
