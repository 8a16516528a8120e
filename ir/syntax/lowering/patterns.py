"""The patterns of the clauses of a match."""

from __future__ import annotations

from typing import Any

from ...expressions import Constructor, Pattern, PatternConstructor, PatternTuple, PatternVar, PatternWildcard, Var
from ..programs import Step
from ..scopes import SymbolKind
from ..suggestions import replacement
from ..units import SyntaxOrigin
from .context import LoweringContext

__all__ = ["PatternLowering"]


class PatternLowering(LoweringContext):
    """The actions of the rules that make patterns."""

    def _do_clause_head(self, step: Step, values: list[Any]) -> Pattern:
        return values[0]

    def _do_wildcard(self, step: Step, values: list[Any]) -> Pattern:
        return PatternWildcard()

    def _do_variable_pattern(self, step: Step, values: list[Any]) -> Pattern:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        self.origins[var] = SyntaxOrigin(self.unit, self.statement, step.node)
        self.scope.add(var.name_hint, self._define(SymbolKind.PATTERN_VAR, name, token, var))
        return PatternVar(var)

    def _do_constructor_pattern(self, step: Step, values: list[Any]) -> Pattern:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        constructor = self.names.constructors.get(name)
        if constructor is None:
            span = self.unit.span(token)
            near = self.names.nearest.closest(name, lambda: self.names.constructors)
            hint = f"; did you mean {near[0]}?" if near else ""
            is_name = step.node.first == step.node.last  # a variable has no fields
            fixes = [replacement(span, other) for other in (*near, *([f"%{name}"] if is_name else ()))]
            self.unresolved.append((self.unit, token))
            self.report("undefined-constructor", f"unknown constructor {name}{hint}", span, fixes)
            return PatternWildcard()
        self._use(token, constructor)
        assert isinstance(constructor.value, Constructor)
        if len(values) != len(constructor.value.inputs):
            assert self.statement.root is not None
            if self._is_mended(self.statement.root):
                return PatternWildcard()
        return PatternConstructor(constructor.value, tuple(values))

    def _do_tuple_pattern(self, step: Step, values: list[Any]) -> Pattern:
        return PatternTuple(tuple(values))
