"""Saying where each variable's life ends, with ``memory.kill``.

Source of the rule: ``src/relay/backend/vm/manifest_lifetimes.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Clause, Expr, Function, Let, Match, PatternVar, Var
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TupleType

from ..device_planning.annotations import device_copy_parts, ignoring_on_device
from ..infrastructure import PassError
from ..provenance import ExprMutator
from ..provenance.mutator import Descent
from .liveness import LiveVariables, walk_backwards

__all__ = ["manifest_lifetimes"]


def manifest_lifetimes(function: Function) -> Function:
    """``function`` without aliases, and with a ``memory.kill`` after the last use of each variable.

    Raises:
        PassError: the function is not in A-normal form, or has what the analysis of lifetimes does not know.
    """
    function = _AliasEliminator().visit_function(function)
    kills: dict[Let, Sequence[Var]] = {}

    def note(let: Let, reads: Sequence[Var], live: LiveVariables) -> None:
        kills[let] = [var for var in reads if var not in live]

    walk_backwards(function, note)
    return _KillInserter(kills).visit_function(function)


class _BindingMutator(ExprMutator):
    def _bound(self, old: Let, value: Expr, body: Expr) -> Expr:
        if value is old.value and body is old.body:
            return old
        new = Let(old.var, value, body, old.span)
        self.record.record(new, old)
        return new


class _AliasEliminator(_BindingMutator):
    """Puts the variable that holds a value in the place of each that is only another name for it."""

    def __init__(self) -> None:
        super().__init__()
        self.aliases: dict[Var, Var] = {}

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        """The variable itself where the name is an alias."""
        return self.aliases.get(pre, post)

    def descend(self, expr: Expr) -> Descent | None:
        """Names are known before they are used."""
        if isinstance(expr, Let):
            return self._let(expr)
        if isinstance(expr, Match):
            data = ignoring_on_device(expr.data)
            return self._match(expr, data) if isinstance(data, Var) else None
        return None

    def _match(self, match: Match, data: Var) -> Descent:
        original = self.aliases.get(data, data)
        clauses: list[Clause] = []
        for clause in match.clauses:
            if isinstance(clause.lhs, PatternVar):
                self.aliases[clause.lhs.var] = original
            rhs = yield clause.rhs
            clauses.append(clause if rhs is clause.rhs else Clause(clause.lhs, rhs, clause.span))
        if original is match.data and all(new is old for new, old in zip(clauses, match.clauses, strict=True)):
            return match
        return Match(original, tuple(clauses), match.complete, match.span)

    def _let(self, let: Let) -> Descent:
        bindings: list[tuple[Let, Expr]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            original = _aliased(expr.value)
            if original is None:
                bindings.append((expr, (yield expr.value)))
            else:
                self.aliases[expr.var] = self.aliases.get(original, original)
            expr = expr.body
        body = yield expr
        for old, value in reversed(bindings):
            body = self._bound(old, value, body)
        return body


def _aliased(value: Expr) -> Var | None:
    """The variable whose value ``value`` is, without a copy."""
    bare = ignoring_on_device(value)
    copied = device_copy_parts(bare)
    if copied is not None and isinstance(bare, Call):
        _, source, target = copied
        same = (source.device_type, source.virtual_device_id) == (target.device_type, target.virtual_device_id)
        bare = bare.args[0] if same else bare
    return bare if isinstance(bare, Var) else None


class _KillInserter(_BindingMutator):
    def __init__(self, kills: dict[Let, Sequence[Var]]) -> None:
        super().__init__()
        self.kills = kills

    def descend(self, expr: Expr) -> Descent | None:
        """Whole sequences of bindings at a time."""
        return self._let(expr) if isinstance(expr, Let) else None

    def _let(self, let: Let) -> Descent:
        bindings: list[tuple[Let, Expr]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            if expr not in self.kills:
                raise PassError("all let expressions should be outside of nested functions", place=expr)
            bindings.append((expr, (yield expr.value)))
            expr = expr.body
        body = yield expr
        for old, value in reversed(bindings):
            kills = self.kills[old]
            for var in reversed(kills):
                dead = Var("x", TupleType(()))
                body = self.derive(Let(dead, apply("memory.kill", var), body), old)
            body = self._bound(old, value, body)
        return body
