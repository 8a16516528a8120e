"""Which values a ``match`` does not cover, and which of its arms no value reaches.

The patterns of all arms are read side by side, constructor by constructor, left to right, so that a value is split
only where some arm looks at it. Iterative: patterns may nest deeply.

Source of the rule: ``src/relay/analysis/match_exhaustion.cc`` (what counts as covered; the search is another one).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import merge
from typing import Final, TypeAlias

import msgspec

from ..expressions import Constructor, Match, Pattern, PatternConstructor, PatternTuple, PatternWildcard
from ..module import TypeData
from ..types import GlobalTypeVar

__all__ = ["unmatched_cases", "unreachable_arms"]

_MOST_CASES: Final = 64
_MOST_STEPS: Final = 100_000
_ROWS_IN_STEP: Final = 16
"""How many rows more make a step longer by another one."""

# A row is what remains to be compared of one arm: its pending patterns, first one first, as a linked list; each link
# knows whether it and all behind it take every value.
_Row: TypeAlias = "tuple[Pattern | None, _Row, bool] | None"
# The head of a value: a constructor, a number of tuple fields, or ``None`` for any value.
_Head: TypeAlias = "Constructor | int | None"
_Prefix: TypeAlias = "tuple[_Head, _Prefix] | None"


class _State(msgspec.Struct, frozen=True):
    rows: tuple[_Row, ...]
    prefix: _Prefix
    """The heads chosen so far, last one first: a value in pre-order."""
    pending: int
    """How many parts of the value are still to be chosen."""


def unmatched_cases(match: Match, type_definitions: Mapping[GlobalTypeVar, TypeData]) -> list[Pattern]:
    """Patterns for the values that no arm of ``match`` takes; none where it is exhaustive.

    At most 64 are given. A match that takes more than 100,000 steps to decide counts as exhaustive, as far as it
    was searched.
    """
    unmatched_cases: list[Pattern] = []
    stack = [_first_state(match)]
    steps = 0
    while stack and len(unmatched_cases) < _MOST_CASES and steps < _MOST_STEPS:
        steps += 1
        state = stack.pop()
        if not state.rows:
            unmatched_cases.append(_pattern(state))
            continue
        if state.pending == 0 or _takes_all(state.rows[0]):
            continue
        by_head = _RowsByHead(state.rows)
        steps += len(state.rows) // _ROWS_IN_STEP
        heads = _heads(state.rows, type_definitions)
        following = [_specialize(_State(by_head.rows(head), state.prefix, state.pending), head) for head in heads]
        stack.extend(reversed(following))
    return unmatched_cases


def unreachable_arms(match: Match, type_definitions: Mapping[GlobalTypeVar, TypeData]) -> list[int]:
    """The numbers of the arms that no value reaches, since earlier ones take all that they would; arms count from 0.

    None, where that takes more than 100,000 steps to decide. The patterns must be well typed.
    """
    stack = [(_first_state(match), tuple(range(len(match.clauses))))]
    waiting = set(range(len(match.clauses)))
    steps = 0
    while stack and waiting:
        steps += 1
        if steps > _MOST_STEPS:
            return []
        state, arms = stack.pop()
        if not state.rows:
            continue
        if _takes_all(state.rows[0]):
            waiting.discard(arms[0])
            continue
        by_head = _RowsByHead(state.rows)
        steps += len(state.rows) // _ROWS_IN_STEP
        for head in _heads(state.rows, type_definitions):
            places = by_head.places(head)
            kept = [_specialize(_State((state.rows[place],), None, state.pending), head).rows for place in places]
            rows = tuple(row[0] for row in kept if row)
            left = tuple(arms[place] for place, row in zip(places, kept, strict=True) if row)
            stack.append((_State(rows, None, state.pending - 1 + _arity(head)), left))
    return sorted(waiting)


class _RowsByHead:
    """The rows of a state by what their next pattern wants, so that each head is held against those it may fit only.

    Rows behind the first one that takes every value are left out: no value comes so far.
    """

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._rows = rows
        self._constructors: dict[str, list[int]] = {}
        self._others: list[int] = []
        for place, row in enumerate(rows):
            pattern = row[0] if row is not None else None
            if isinstance(pattern, PatternConstructor):
                self._constructors.setdefault(pattern.constructor.name_hint, []).append(place)
            else:
                self._others.append(place)
                if _takes_all(row):
                    break

    def places(self, head: _Head) -> Sequence[int]:
        """Which rows a value with this head may reach, in order."""
        wanted = self._constructors.get(head.name_hint, []) if isinstance(head, Constructor) else []
        return list(merge(wanted, self._others)) if wanted and self._others else wanted or self._others

    def rows(self, head: _Head) -> tuple[_Row, ...]:
        """These rows."""
        return tuple(self._rows[place] for place in self.places(head))


def _first_state(match: Match) -> _State:
    """All arms, of which nothing has been compared yet."""
    return _State(tuple(_row(clause.lhs, None) for clause in match.clauses), None, 1)


def _row(pattern: Pattern | None, rest: _Row) -> _Row:
    """A row with one pattern more at its beginning."""
    return pattern, rest, _takes_all(rest) and not isinstance(pattern, (PatternConstructor, PatternTuple))


def _takes_all(row: _Row) -> bool:
    """Whether what remains of an arm takes every value."""
    return row is None or row[2]


def _heads(rows: Sequence[_Row], type_definitions: Mapping[GlobalTypeVar, TypeData]) -> Sequence[_Head]:
    """How the next part of the value must be split for these rows."""
    for row in rows:
        assert row is not None
        pattern = row[0]
        if isinstance(pattern, PatternConstructor):
            data = type_definitions.get(pattern.constructor.belong_to)
            return data.constructors if data is not None else (pattern.constructor,)
        if isinstance(pattern, PatternTuple):
            return (len(pattern.patterns),)
    return (None,)


def _arity(head: _Head) -> int:
    if isinstance(head, Constructor):
        return len(head.inputs)
    return head or 0


def _specialize(state: _State, head: _Head) -> _State:
    """What remains once the next part of the value is ``head``."""
    arity = _arity(head)
    rows: list[_Row] = []
    for row in state.rows:
        assert row is not None
        pattern, rest, _ = row
        parts: Sequence[Pattern | None]
        if isinstance(pattern, PatternConstructor):
            if not isinstance(head, Constructor) or pattern.constructor.name_hint != head.name_hint:
                continue
            parts = pattern.patterns
        elif isinstance(pattern, PatternTuple):
            parts = pattern.patterns
        else:
            parts = (None,) * arity
        if len(parts) != arity:
            # A pattern of the wrong arity has its own error; it covers nothing.
            continue
        for part in reversed(parts):
            rest = _row(part, rest)
        rows.append(rest)
    return _State(tuple(rows), (head, state.prefix), state.pending - 1 + arity)


def _pattern(state: _State) -> Pattern:
    """The pattern that a pre-order of heads spells; parts not chosen are wildcards."""
    heads: list[_Head] = [None] * state.pending
    prefix = state.prefix
    while prefix is not None:
        heads.append(prefix[0])
        prefix = prefix[1]
    # ``heads`` is the pre-order reversed, so that the parts of a head are built when it is met.
    built: list[Pattern] = []
    for head in heads:
        if head is None:
            built.append(PatternWildcard())
            continue
        arity = _arity(head)
        parts = tuple(reversed(built[len(built) - arity :])) if arity else ()
        del built[len(built) - arity :]
        built.append(PatternTuple(parts) if isinstance(head, int) else PatternConstructor(head, parts))
    return built[0]
