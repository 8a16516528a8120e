"""Which let-bound values can be left out or moved, because nothing can tell the difference.

Source of the rule: ``PurityVisitor`` in ``src/relay/transforms/dead_code.cc``. What cannot be followed counts as
impure when called: parameters that are functions, functions taken out of tuples, references and data types, external
functions, and calls nested more than 25 deep.
"""

from __future__ import annotations

from typing import NamedTuple

from relay_lsp.ir.expressions import (
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import FuncType
from relay_lsp.ir.visitor import pattern_vars

from ..infrastructure import PassError
from ..provenance.trampoline import Computation, compute

__all__ = ["pure_bindings"]

MOST_NESTED_CALLS = 25


class Purity(NamedTuple):
    """Whether computing a value is free of effects, and, if the value is a function, whether calling it is."""

    evaluation: bool
    call: bool


_PURE = Purity(True, True)


def pure_bindings(module: IRModule) -> dict[Var, bool]:
    """For each variable bound in ``module``, whether computing its value is free of effects.

    Raises:
        PassError: a global name has no function.
    """
    analysis = _Analysis(module)
    for var, function in module.functions.items():
        if not function.is_primitive and not function.attrs.get("Extern"):
            analysis.analyse(var)
    return {var: purity.evaluation for var, purity in analysis.of_vars.items()}


class _Analysis:
    def __init__(self, module: IRModule) -> None:
        self.module = module
        self.of_vars: dict[Var, Purity] = {}
        self._of_globals: dict[GlobalVar, Purity] = {}
        self._memo: dict[Expr, Purity] = {}
        self._call_depth = 0

    def analyse(self, var: GlobalVar) -> None:
        """Follow everything that the function called ``var`` computes."""
        if var not in self._of_globals:
            self._of_globals[var] = _PURE
            self._of_globals[var] = compute(self.module.functions[var], self._start, self._memo)

    def _start(self, expr: Expr) -> Computation[Purity]:
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, Let):
            return self._let(expr)
        if isinstance(expr, Function):
            return self._function(expr)
        if isinstance(expr, GlobalVar):
            return self._global_var(expr)
        if isinstance(expr, If):
            return self._if(expr)
        if isinstance(expr, Match):
            return self._match(expr)
        if isinstance(expr, (Tuple, TupleGetItem, RefRead, RefWrite)):
            return self._parts(expr)
        return self._leaf(expr)

    def _leaf(self, expr: Expr) -> Computation[Purity]:
        if isinstance(expr, Op):
            return Purity(True, not expr.stateful)
        if isinstance(expr, Var):
            return Purity(True, self.of_vars.get(expr, _PURE).call)
        if isinstance(expr, RefCreate):
            # Making a cell shows only in what is read from it and written to it.
            return _PURE
        return _PURE
        yield

    def _global_var(self, expr: GlobalVar) -> Computation[Purity]:
        function = self.module.functions.get(expr)
        if function is None:
            raise PassError(f"there is no definition of {expr!r}", place=expr)
        if function.attrs.get("Extern"):
            return Purity(True, False)
        if expr not in self._of_globals:
            # A function that is being visited already, because it calls itself, counts as pure meanwhile.
            self._of_globals[expr] = _PURE
            self._of_globals[expr] = yield function
        return self._of_globals[expr]

    def _function(self, expr: Function) -> Computation[Purity]:
        for param in expr.params:
            self.of_vars[param] = Purity(True, _is_first_order(param))
        body = yield expr.body
        return Purity(True, body.evaluation and body.call)

    def _let(self, expr: Let) -> Computation[Purity]:
        all_values = True
        rest: Expr = expr
        while isinstance(rest, Let):
            self.of_vars[rest.var] = _PURE
            value = yield rest.value
            self.of_vars[rest.var] = value
            all_values = all_values and value.evaluation
            rest = rest.body
        body = yield rest
        return Purity(all_values and body.evaluation, body.call)

    def _call(self, expr: Call) -> Computation[Purity]:
        if self._call_depth >= MOST_NESTED_CALLS:
            return Purity(False, _is_first_order(expr))
        self._call_depth += 1
        callee = yield expr.op
        all_args = True
        for arg in expr.args:
            purity = yield arg
            all_args = all_args and purity.evaluation
        self._call_depth -= 1
        return Purity(all_args and callee.evaluation and callee.call, _is_first_order(expr) or callee.call)

    def _if(self, expr: If) -> Computation[Purity]:
        cond = yield expr.cond
        true_branch = yield expr.true_branch
        false_branch = yield expr.false_branch
        evaluation = cond.evaluation and true_branch.evaluation and false_branch.evaluation
        return Purity(evaluation, true_branch.call and false_branch.call)

    def _match(self, expr: Match) -> Computation[Purity]:
        data = yield expr.data
        evaluation, call = data.evaluation, True
        for clause in expr.clauses:
            for var in pattern_vars(clause.lhs):
                self.of_vars[var] = Purity(True, _is_first_order(var))
            rhs = yield clause.rhs
            evaluation, call = evaluation and rhs.evaluation, call and rhs.call
        return Purity(evaluation, call)

    def _parts(self, expr: Expr) -> Computation[Purity]:
        if isinstance(expr, Tuple):
            evaluation = True
            for item in expr.fields:
                purity = yield item
                evaluation = evaluation and purity.evaluation
            return Purity(evaluation, True)
        if isinstance(expr, TupleGetItem):
            whole = yield expr.tuple_value
            return Purity(whole.evaluation, _is_first_order(expr))
        if isinstance(expr, RefWrite):
            yield expr.ref
            yield expr.value
            return Purity(False, True)
        if isinstance(expr, RefRead):
            yield expr.ref
        return Purity(False, _is_first_order(expr))


def _is_first_order(expr: Expr) -> bool:
    return not isinstance(expr.checked_type, FuncType)
