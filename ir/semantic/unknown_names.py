"""Names that mean nothing in a function, and what may be meant by them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from ..collections.cached import cached
from ..diagnostics import Diagnostic, Severity
from ..inference import COUNTED
from ..syntax.scopes import is_graph_name
from ..syntax.statements import Segment
from ..syntax.suggestions import NearestNames, replacement
from ..syntax.tokens import VARIABLES
from .function_statements import FunctionStatements
from .heads import Head
from .lazy_findings import LazyFindings
from .lowered_statement import LoweredStatement
from .statement_list import StatementList
from .typed_statement import TypedStatement

__all__ = ["NEARBY", "UnknownNames", "undefined_names"]

NEARBY: Final = 256
"""How many statements before a misspelled name are searched for what was meant."""


class UnknownNames:
    """What may be meant by the unknown names of one function, in a module with the functions of some ``heads``."""

    def __init__(self, function: FunctionStatements, heads: Mapping[str, Head], nearest: NearestNames) -> None:
        self._function: Final = function
        self._heads: Final = heads
        self._nearest: Final = nearest
        self._nearby: Final = _NearbyNames(function.start)

    def closest(self, name: str, index: int, states: StatementList, placed: Sequence[TypedStatement]) -> list[str]:
        """The names that are closest to one in the statement at ``index``, the closest first.

        ``placed`` are the statements just before it that are not among ``states`` yet.
        """
        return self._nearest.closest(name, lambda: self._candidates(name, index, states, placed), count=3)

    def _candidates(
        self, name: str, index: int, states: StatementList, placed: Sequence[TypedStatement]
    ) -> Iterable[str]:
        if name[0] == "@":
            return self._heads
        is_graph = is_graph_name(name)
        nearby = self._nearby.before(index, states, placed)[is_graph]
        # A head may have a thousand parameters, and the statements below one that is damaged as many unknown names.
        return [*self._parameters[is_graph], *(bound for _, bound in nearby)]

    @cached
    def _parameters(self) -> tuple[Sequence[str], Sequence[str]]:
        """The parameters whose names are no graph variable's, and those whose names are."""
        names = self._function.head.parameters
        return _names_alike(names, is_graph=False), _names_alike(names, is_graph=True)


class _NearbyNames:
    """The names that the :data:`NEARBY` statements of a function before one of them bind.

    A parameter whose name is typed anew is unknown in thousands of statements, one after another: from one to the next,
    the names of those between them are added, which takes half of the time of working them out for each.
    """

    def __init__(self, start: int) -> None:
        self._start: Final = start
        self._states: StatementList | None = None
        self._end = start
        self._names: tuple[deque[tuple[int, str]], deque[tuple[int, str]]] = deque(), deque()
        """With the segments that bind them: those that are no graph variable's, and those that are."""

    def before(
        self, index: int, states: StatementList, placed: Sequence[TypedStatement]
    ) -> tuple[Iterable[tuple[int, str]], Iterable[tuple[int, str]]]:
        """The names before the statement at ``index``; see :meth:`UnknownNames.closest`."""
        first = max(self._start, index - NEARBY)
        if states is not self._states or not first <= self._end <= index:
            self._states, self._end, self._names = states, first, (deque(), deque())
        recent = placed[max(0, len(placed) - (index - self._end)) :]
        for at, state in enumerate((*states[self._end : index - len(recent)], *recent), self._end):
            if state is not None and state.bound:
                self._names[is_graph_name(state.bound)].append((at, state.bound))
        self._end = index
        for names in self._names:
            while names and names[0][0] < first:
                names.popleft()
        return self._names


def _names_alike(names: Iterable[str], *, is_graph: bool) -> Sequence[str]:
    """Those of some names that are those of graph variables, or those that are not."""
    return [name for name in names if name[1:2].isdigit() == is_graph]  # is_graph_name, for many names


def undefined_names(statement: TypedStatement, unknown: Mapping[str, Sequence[str]]) -> Sequence[Diagnostic]:
    """What is wrong with a statement that has ``unknown`` names, for each of which there is what may be meant.

    It is counted, and worked out where it is shown: a parameter may be used ten thousand times.
    """
    lowered = statement.own or statement.lowered
    uses = tuple([number for number, name in enumerate(statement.uses) if name in unknown])
    memo, key = lowered.memo, (undefined_names, uses)
    tokens = cast("Sequence[int] | None", memo.get(key))
    if tokens is None:
        tokens = memo[key] = _undefined(lowered, uses)
    return LazyFindings([COUNTED] * len(tokens), _named, statement.segment, tokens, unknown)


def _undefined(lowered: LoweredStatement, uses: Sequence[int]) -> Sequence[int]:
    """Where a statement has those of its placeholders that mean nothing."""
    placeholders = tuple(lowered.placeholders)
    unknown = {placeholders[number] for number in uses}
    lowering = lowered.lowering
    # A name that means nothing in one branch may be bound in another.
    known = {definition.token for definition in lowering.definitions}
    known.update(token for _, token, definition in lowering.uses if definition.unit is not None)
    kinds, texts, _ = lowered.unit.segment.tokens
    return [
        token
        for token, (kind, name) in enumerate(zip(kinds, texts, strict=True))
        if kind in VARIABLES and name in unknown and token not in known
    ]


def _named(segment: Segment, tokens: Sequence[int], unknown: Mapping[str, Sequence[str]]) -> Sequence[Diagnostic]:
    """What is wrong with the names at some tokens of a statement."""
    findings: list[Diagnostic] = []
    for token in tokens:
        name, span = segment.tokens[1][token], segment.span(token)
        near = unknown[name]
        hint = f"; did you mean {near[0]}?" if near else ""
        is_function = name[0] == "@"
        findings.append(
            Diagnostic(
                "undefined-global" if is_function else "undefined-variable",
                Severity.ERROR,
                f"{'the module has no function' if is_function else 'undefined variable'} {name}{hint}",
                span,
                fixes=tuple(replacement(span, other) for other in near),
            )
        )
    return findings
