"""Lowers a statement without the others: what it does not bind stands open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..expressions import Expr, GlobalVar, Var
from ..ops import operator as operators
from ..syntax.lowering import Lowering
from ..syntax.programs import Step
from ..syntax.scopes import Names, Scope
from ..syntax.units import SyntaxOrigin

__all__ = ["OpenLowering"]


class OpenLowering(Lowering):
    """Lowers one statement; a name that it does not bind becomes a placeholder."""

    def __init__(self, names: Names, guess: bool, lost_equals: bool) -> None:
        self.placeholders: dict[str, Var] = {}
        self.functions: dict[str, GlobalVar] = {}
        self.guess: Final = guess
        self.lost_equals: Final = lost_equals
        super().__init__(names, None)

    def begin_again(self, texts: list[str], origins: Mapping[Expr, SyntaxOrigin]) -> None:
        """Read another statement with the same names, of which some expressions are made already."""
        self._texts, self.origins = texts, {**origins}
        self.scope = Scope()
        for known in (self.diagnostics, self.definitions, self.graph, self.uses, self.unresolved, self.let_values):
            known.clear()

    def _do_name(self, step: Step, values: list[object]) -> object:
        if self.guess and not step.raw:
            name = self._text(step.node.first)
            near = () if operators.find(name) is not None else self._nearest_operators(name)
            operator = next(filter(None, map(operators.find, near)), None)
            if operator is not None:
                return operator
        return super()._do_name(step, values)

    def _do_local(self, step: Step, values: list[object]) -> Expr:
        name = self._text(step.node.first)
        if self.scope.find(name[1:]) is None:
            return self.placeholders.setdefault(name, Var(name[1:]))
        return super()._do_local(step, values)

    def _do_graph(self, step: Step, values: list[object]) -> Expr:
        name = self._text(step.node.first)
        binds = self.lost_equals and self.statement.token(step.node.first) == 0
        if not binds and int(name[1:]) not in self.graph:
            return self.placeholders.setdefault(name, Var(name[1:]))
        return super()._do_graph(step, values)

    def _do_global(self, step: Step, values: list[object]) -> Expr:
        name = self._text(step.node.first)
        return self._mark(self.functions.setdefault(name, GlobalVar(name[1:])), step.node)
