"""The statements of a text while its functions are analyzed, one after another.

Each splice of a :class:`.StatementList` copies a block of 256. A text of ten thousand functions of one statement each
would copy each block a hundred times, so what follows closely is put in together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .statement_list import StatementList, replaced
from .typed_statement import TypedStatement

__all__ = ["GrowingStatements"]

_NEAR: Final = 256
"""How many segments may be between two functions whose statements are put in together."""


class GrowingStatements:
    """Statements in their places, some of which change."""

    __slots__ = ("_first", "_made", "_states")

    def __init__(self, states: StatementList) -> None:
        self._states = states
        self._first = 0
        """Where what is to be put in begins."""
        self._made: list[TypedStatement | None] = []

    def put(self, start: int, made: Sequence[TypedStatement | None]) -> None:
        """Put statements in the places of as many segments from ``start`` on."""
        end = self._first + len(self._made)
        if not self._made or not 0 <= start - end <= _NEAR:
            self._put_in()
            self._first = end = start
        self._made += self._states[end:start]
        self._made += made

    def take(self, start: int, stop: int, other: StatementList, first: int) -> None:
        """Put the statements of another text from ``first`` on in their places, with what callers cache of them."""
        self._put_in()
        self._states = self._states.exchanged(start, stop, other, first)

    def replace(self, made: Mapping[int, TypedStatement]) -> None:
        """Put statements that were typed anew in the places of others."""
        if made:
            self._states = replaced(self.states, made)

    @property
    def states(self) -> StatementList:
        """All of them, as they are now."""
        if self._made:
            self._put_in()
        return self._states

    def _put_in(self) -> None:
        if self._made:
            self._states = self._states.spliced(self._first, self._first + len(self._made), self._made)
            self._made = []
