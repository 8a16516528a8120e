"""One plain function: its statements, and what each of its names stands for."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from ..collections.layered_map import LayeredMap
from ..diagnostics import Diagnostic
from ..syntax.scopes import SymbolKind, is_graph_name
from ..type_visitor import has_incomplete
from ..types import ERROR, FuncType, Type
from .heads import Head
from .late_constructors import NONE_LATE, LateConstructors
from .lints.unused import Mentions
from .statement_list import StatementList
from .typed_statement import TypedStatement

__all__ = ["Bindings", "FunctionStatements", "InferredParameter", "bindings_before"]

_BOUND: Final = "bound names"
"""The key of the names that a run of statements binds, in what is cached with the run."""

Bindings: TypeAlias = "LayeredMap[str, TypedStatement | tuple[TypedStatement, ...]]"
"""The statement that binds each name; where there are several, or it is a parameter's name, all of them in order."""


class InferredParameter(NamedTuple):
    """The type of what is open where it is declared or bound, and the order of the statement that determines it.

    That is a parameter without a type, a function of the module whose head leaves a type open, as this function calls
    it, or a value. The order is infinite where the statement needs another one for that.
    """

    type: Type
    order: float


class FunctionStatements(msgspec.Struct, frozen=True, eq=False):
    """The statements of one function: segments ``start`` to ``end``, and what each name stands for.

    Its closing brace is the segment after them, if it ``is_closed``.
    A name that is bound more than once, or is a parameter's, too, has all its statements in ``names``, and is in
    ``rebound``: the first value of a graph variable stays, each ``let`` counts up to the next, and a free variable is
    what a name means that is bound otherwise nowhere before. ``findings`` are what is wrong with the value of the
    function, with places in the last statement and in the head; ``type`` is that of its value. ``calls`` counts the
    statements that name each function of the module. ``late`` are the constructors of the types below it.
    ``hidden`` is the order of its first ``let``, and its name, where that is a parameter's: see :class:`.BoundNames`.
    ``declared_inside`` has the names of free variables that are declared in blocks: how many statements declare each,
    and how many of these mention it.
    ``inferred`` has what is open by itself and determined by statements. ``determined_late`` are the names in it that a
    statement uses, or binds, before the one that determines them, and the values that have other types for it.
    """

    head: Head
    start: int
    end: int
    names: Bindings
    rebound: frozenset[str]
    mentions: Mentions
    calls: Mapping[str, int]
    findings: tuple[Diagnostic, ...] = ()
    type: Type = ERROR
    is_closed: bool = True
    inferred: Mapping[str, InferredParameter] = msgspec.field(default_factory=dict[str, InferredParameter])
    determined_late: frozenset[str] = frozenset()
    late: LateConstructors = NONE_LATE
    hidden: tuple[float, str] | None = None
    declared_inside: Mapping[str, tuple[int, int]] = msgspec.field(default_factory=dict[str, tuple[int, int]])

    @staticmethod
    def of(head: Head, start: int, end: int, *, is_closed: bool, late: LateConstructors) -> FunctionStatements:
        """A function whose statements are not known yet."""
        mentions = Mentions()
        mentions.bind(head.parameters)
        return FunctionStatements(
            head, start, end, LayeredMap(), frozenset(), mentions, {}, is_closed=is_closed, late=late
        )

    @property
    def name(self) -> str:
        """The name, with its ``@``."""
        return self.head.name

    @property
    def parameters(self) -> Mapping[str, Type]:
        """The type of each parameter, as far as it is known."""
        if not self.inferred:
            return self.head.parameters
        own, inferred = self.head.parameters, self.inferred
        return {name: type if name not in inferred else inferred[name].type for name, type in own.items()}

    @property
    def last(self) -> int:
        """The last segment of the function: its closing brace, if there is one."""
        return self.end if self.is_closed else self.end - 1

    @property
    def checked_type(self) -> Type:
        """The type of the function; of the error type, as far as it could not be found."""
        types = self.head.types_in_order(self.parameters)
        return FuncType(types, self.head.result or self.type, self.head.type_parameters)

    def moved(self, by: int) -> FunctionStatements:
        """The same, that many segments further on."""
        return replace(self, start=self.start + by, end=self.end + by) if by else self

    def ending(self, end: int, *, is_closed: bool) -> FunctionStatements:
        """The same head, over other segments."""
        return replace(self, end=end, is_closed=is_closed)

    def binding(self, name: str) -> TypedStatement | None:
        """The statement that gives a name its value; of several with ``let``, the first."""
        bindings = self.names.get(name)
        return bindings[0] if isinstance(bindings, tuple) else bindings

    def bound_before(self, name: str, order: float) -> TypedStatement | None:
        """The statement before that of ``order`` that gives a name its value there."""
        bound = self.names.get(name)
        if isinstance(bound, tuple):
            if not is_graph_name(name):
                return self._bound_among(bound, name, order)
            bound = bound[0]
        return bound if bound is not None and bound.order < order else None

    def _bound_among(self, statements: Sequence[TypedStatement], name: str, order: float) -> TypedStatement | None:
        """Which of several statements gives a local name its value in that of ``order``."""
        before = [statement for statement in statements if statement.order < order]
        for statement in reversed(before):
            if statement.kind is SymbolKind.LET:
                return statement
        return before[0] if before and name not in self.head.parameters else None

    def graph_type(self, name: str) -> Type | None:
        """The type of a graph variable that it binds, as far as it is known; ``None`` where it binds no such."""
        statement = self.binding(name)
        if statement is None:
            return None
        return ERROR if has_incomplete(statement.type) else statement.type

    def later_type(self, statement: TypedStatement) -> Type | None:
        """The type that a later statement tells of the value that one binds."""
        name = statement.bound
        inferred = self.inferred.get(name) if name is not None and name not in self.head.parameters else None
        return None if inferred is None else inferred.type

    def type_before(self, name: str, order: float) -> Type | None:
        """The type that a name has in the statement of ``order``; ``None`` where it means nothing there."""
        statement = self.bound_before(name, order)
        if statement is not None:
            return statement.type
        parameters = self.head.parameters
        inferred = self.inferred.get(name) if self.inferred and (name[0] == "@" or name in parameters) else None
        return inferred.type if inferred is not None else parameters.get(name)


def bindings_before(
    states: StatementList,
    function: FunctionStatements,
    index: int,
    known: Container[str],
    wanted: re.Pattern[str] | None = None,
) -> Iterator[tuple[int, TypedStatement, str]]:
    """The statements of a function before a segment that bind a name, the last for each; but for ``known`` names.

    With ``wanted``, those that bind a name that it matches; where none does, statements are not analyzed.
    """
    seen: set[str] = set()
    start, end = function.start, min(index, function.end)
    for first, last, memo in reversed(list(states.runs(start, end))):
        if memo is None or (wanted is not None and wanted.search(_bound_in(states, first, last, memo)) is None):
            continue
        for earlier in range(min(last, end) - 1, max(first, start) - 1, -1):
            state = states[earlier]
            if state is None or (name := state.bound) is None or name in seen or name in known:
                continue
            seen.add(name)
            if wanted is None or wanted.match(name):
                yield earlier, state, name


def _bound_in(states: StatementList, first: int, last: int, memo: dict[object, object]) -> str:
    """The names that statements bind, a line each; cached with them."""
    lines = memo.get(_BOUND)
    if not isinstance(lines, str):
        names = [state.bound for state in states[first:last] if state is not None and state.bound is not None]
        lines = memo[_BOUND] = "\n".join(names)
    return lines
