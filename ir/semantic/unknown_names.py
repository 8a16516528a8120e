"""Names that mean nothing in a function, and what may be meant by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..collections.cached import cached
from ..diagnostics import Diagnostic, Severity
from ..syntax.scopes import is_graph_name
from ..syntax.suggestions import NearestNames, replacement
from ..syntax.tokens import GLOBAL, VARIABLES
from .function_statements import FunctionStatements
from .heads import Head
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
        first = max(self._function.start, index - NEARBY)
        recent = placed[max(0, len(placed) - (index - first)) :]
        before = states[first : index - len(recent)]
        nearby = [state.bound for state in (*before, *recent) if state is not None and state.bound]
        is_graph = is_graph_name(name)
        # A head may have a thousand parameters, and the statements below one that is damaged as many unknown names.
        return [*self._parameters[is_graph], *_names_alike(nearby, is_graph=is_graph)]

    @cached
    def _parameters(self) -> tuple[Sequence[str], Sequence[str]]:
        """The parameters whose names are no graph variable's, and those whose names are."""
        names = self._function.head.parameters
        return _names_alike(names, is_graph=False), _names_alike(names, is_graph=True)


def _names_alike(names: Iterable[str], *, is_graph: bool) -> Sequence[str]:
    """Those of some names that are those of graph variables, or those that are not."""
    return [name for name in names if name[1:2].isdigit() == is_graph]  # is_graph_name, for many names


def undefined_names(statement: TypedStatement, unknown: Mapping[str, Sequence[str]]) -> Iterator[Diagnostic]:
    """What is wrong with a statement that has ``unknown`` names, for each of which there is what may be meant."""
    kinds, texts, _ = statement.segment.tokens
    lowering = (statement.own or statement.lowered).lowering
    # A name that means nothing in one branch may be bound in another.
    known = {definition.token for definition in lowering.definitions}
    known.update(token for _, token, definition in lowering.uses if definition.unit is not None)
    for token, (kind, name) in enumerate(zip(kinds, texts, strict=True)):
        if kind in VARIABLES and name in unknown and token not in known:
            span = statement.segment.span(token)
            near = unknown[name]
            hint = f"; did you mean {near[0]}?" if near else ""
            is_function = kind == GLOBAL
            yield Diagnostic(
                "undefined-global" if is_function else "undefined-variable",
                Severity.ERROR,
                f"{'the module has no function' if is_function else 'undefined variable'} {name}{hint}",
                span,
                fixes=tuple(replacement(span, other) for other in near),
            )
