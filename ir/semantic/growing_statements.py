"""The statements of a text, and which of them are reported, while its functions are analyzed, one after another.

Each splice of a :class:`.StatementList` copies a block of 256. A text of ten thousand functions of one statement each
would copy each block a hundred times, so what follows closely is put in together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from .statement_list import StatementList, replaced, reported_among
from .typed_statement import TypedStatement

__all__ = ["GrowingStatements"]

_NEAR: Final = 256
"""How many segments may be between two functions whose statements are put in together."""


class GrowingStatements:
    """Statements in their places, some of which change."""

    __slots__ = ("_first", "_made", "_states", "reported")

    def __init__(self, states: StatementList, reported: Sequence[int]) -> None:
        self._states = states
        self.reported = [*reported]
        """Those with diagnostics or unused values, and those that depend on other functions; in order."""
        self._first = 0
        """Where what is to be put in begins."""
        self._made: list[TypedStatement | None] = []

    def put(self, start: int, made: Sequence[TypedStatement | None], reported: Sequence[int] = ()) -> None:
        """Put statements in the places of as many segments from ``start`` on; some of these are ``reported``."""
        self._report(start, start + len(made), reported)
        end = self._first + len(self._made)
        if not self._made or not 0 <= start - end <= _NEAR:
            self._put_in()
            self._first = end = start
        self._made += self._states[end:start]
        self._made += made

    def take(self, start: int, stop: int, other: StatementList, first: int, reported: Sequence[int]) -> None:
        """Put the statements of another text from ``first`` on in their places, with what callers cache of them."""
        self._put_in()
        self._states = self._states.exchanged(start, stop, other, first)
        self._report(start, stop, reported)

    def replace(self, made: Mapping[int, TypedStatement]) -> None:
        """Put statements that were typed anew in the places of others."""
        if made:
            self._states = replaced(self.states, made)
            self.reported = self.reported_with(made)

    def reported_with(self, made: Mapping[int, TypedStatement]) -> list[int]:
        """Those that are reported once some were typed anew."""
        return sorted([*(index for index in self.reported if index not in made), *reported_among(made)])

    @property
    def states(self) -> StatementList:
        """All of them, as they are now."""
        if self._made:
            self._put_in()
        return self._states

    def _report(self, start: int, end: int, reported: Sequence[int]) -> None:
        first, last = bisect_left(self.reported, start), bisect_left(self.reported, end)
        if reported or last > first:
            self.reported[first:last] = reported

    def _put_in(self) -> None:
        if self._made:
            self._states = self._states.spliced(self._first, self._first + len(self._made), self._made)
            self._made = []
