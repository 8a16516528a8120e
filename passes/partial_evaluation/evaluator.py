"""An interpreter whose values are known in part, and which writes down what is left to do at run time.

TVM copies a function, variables and all, before each time that it runs it. Here the first run, with unknown arguments,
has the function itself, and only what is expanded where it is called is copied. So each variable has one value ever,
and the environment is one dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.evaluation import EvaluationError, evaluate_expr
from relay_lsp.ir.expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import IncompleteType, Type
from relay_lsp.ir.visitor import pattern_vars, post_order

from ..building import LetList, Steps, copies, run_steps
from ..fold_constant import require_code
from ..infrastructure import PassError
from ..provenance import current_record
from .values import (
    Fuel,
    KnownCallable,
    KnownData,
    KnownReference,
    KnownTensor,
    KnownTuple,
    PartialValue,
    Static,
    Store,
    fuel_of,
    meet,
)

__all__ = ["Evaluator"]

_EXPANSION = 20
"""How often the module's size may be expanded; no sensible program comes near."""
_LEAST_EXPANSION = 50_000


class Evaluator:
    """Evaluates the functions of a module, each with unknown arguments."""

    def __init__(self, module: IRModule) -> None:
        self._module = module
        self._record = current_record()
        self._time = 0
        self._environment: dict[Var, PartialValue] = {}
        self._store = Store()
        self._globals: dict[GlobalVar, PartialValue] = {}
        self._functions: dict[GlobalVar, Function] = dict(module.functions)
        self._original: dict[Function, Function] = {}
        """Of which function in the module a copy is."""
        self._fuel: dict[Function, Fuel] = {}
        size = len(post_order(*module.functions.values()))
        self._left_to_expand = max(_LEAST_EXPANSION, _EXPANSION * size)

    def evaluate(self) -> IRModule:
        """The module that is left to run."""
        for var in self._module.functions:
            run_steps(self._global(var))
        return self._module.with_functions(self._functions)

    def _value(self, static: Static | None, dynamic: Expr) -> PartialValue:
        self._time += 1
        return PartialValue(static, dynamic, self._time)

    def _unknown(self, value: Expr, lets: LetList, source: Expr) -> PartialValue:
        """A value that is computed at run time."""
        return self._value(None, lets.push(value, source))

    def _global(self, var: GlobalVar) -> Steps[PartialValue]:
        known = self._globals.get(var)
        if known is None:
            function = self._module[var]
            callee = KnownCallable(function, var)
            known = self._globals[var] = self._value(callee, var)
            self._functions[var] = yield self._residual(function, callee)
        return known

    def _visit(self, expr: Expr, lets: LetList, name: Var | None = None) -> Steps[PartialValue]:
        """The value of ``expr``; ``name`` is the variable that it is bound to."""
        while isinstance(expr, Let):
            self._environment[expr.var] = yield self._visit(expr.value, lets, expr.var)
            expr = expr.body
        if isinstance(expr, Var):
            return self._lookup(expr)
        if isinstance(expr, Constant):
            return self._value(KnownTensor(expr), lets.push(expr, expr))
        if isinstance(expr, (Op, Constructor)):
            return self._value(KnownCallable(expr, expr), expr)
        if isinstance(expr, GlobalVar):
            return (yield self._global(expr))
        if isinstance(expr, Function):
            return (yield self._function(expr, lets, name))
        if isinstance(expr, Call):
            return (yield self._call(expr, lets))
        if isinstance(expr, If):
            return (yield self._if(expr, lets))
        if isinstance(expr, Match):
            return (yield self._match(expr, lets))
        return (yield self._data(expr, lets))

    def _lookup(self, var: Var) -> PartialValue:
        value = self._environment.get(var)
        if value is None:
            raise PassError(f"{var!r} has no value here", place=var)
        return value

    def _data(self, expr: Expr, lets: LetList) -> Steps[PartialValue]:
        if isinstance(expr, Tuple):
            fields: list[PartialValue] = []
            for part in expr.fields:
                fields.append((yield self._visit(part, lets)))
            new = Tuple(tuple(each.dynamic for each in fields), expr.span)
            return self._value(KnownTuple(fields), lets.push(new, expr))
        if isinstance(expr, TupleGetItem):
            whole = yield self._visit(expr.tuple_value, lets)
            if isinstance(whole.static, KnownTuple):
                return whole.static.fields[expr.index]
            return self._unknown(TupleGetItem(whole.dynamic, expr.index, expr.span), lets, expr)
        if isinstance(expr, RefCreate):
            value = yield self._visit(expr.value, lets)
            reference = KnownReference()
            self._store.insert(reference, value)
            return self._value(reference, lets.push(RefCreate(value.dynamic, expr.span), expr))
        if isinstance(expr, RefWrite):
            cell = yield self._visit(expr.ref, lets)
            value = yield self._visit(expr.value, lets)
            if isinstance(cell.static, KnownReference):
                self._store.insert(cell.static, value)
            else:
                self._store.invalidate()
            written = lets.push(RefWrite(cell.dynamic, value.dynamic, expr.span), expr)
            return self._value(KnownTuple(()), written)
        if isinstance(expr, RefRead):
            cell = yield self._visit(expr.ref, lets)
            if isinstance(cell.static, KnownReference):
                held = self._store.lookup(cell.static)
                if held is not None:
                    return held
            return self._unknown(RefRead(cell.dynamic, expr.span), lets, expr)
        raise PassError(f"{expr!r} cannot be evaluated", place=expr)

    def _branch(self, expr: Expr) -> Steps[Expr]:
        """What is left of ``expr`` where it may not be run at all."""
        mark = self._store.enter()
        lets = LetList()
        value = yield self._visit(expr, lets)
        self._store.leave(mark)
        return lets.close(value.dynamic)

    def _if(self, expr: If, lets: LetList) -> Steps[PartialValue]:
        condition = yield self._visit(expr.cond, lets)
        if isinstance(condition.static, KnownTensor):
            holds = bool(condition.static.constant.data.reshape(-1)[0])
            return (yield self._visit(expr.true_branch if holds else expr.false_branch, lets))
        true_branch = yield self._branch(expr.true_branch)
        false_branch = yield self._branch(expr.false_branch)
        self._store.invalidate()
        return self._unknown(If(condition.dynamic, true_branch, false_branch, expr.span), lets, expr)

    def _match(self, expr: Match, lets: LetList) -> Steps[PartialValue]:
        data = yield self._visit(expr.data, lets)
        for clause in expr.clauses:
            matches = self._matches(clause.lhs, data)
            if matches is None:
                return (yield self._unknown_match(expr, data, lets))
            if matches:
                return (yield self._visit(clause.rhs, lets))
        raise PassError("no case of the match is for this value, which is known", place=expr)

    def _unknown_match(self, expr: Match, data: PartialValue, lets: LetList) -> Steps[PartialValue]:
        clauses: list[Clause] = []
        for clause in expr.clauses:
            for var in pattern_vars(clause.lhs):
                self._environment[var] = self._value(None, var)
            rhs = yield self._branch(clause.rhs)
            clauses.append(Clause(clause.lhs, rhs, clause.span))
        self._store.invalidate()
        return self._unknown(Match(data.dynamic, tuple(clauses), expr.complete, expr.span), lets, expr)

    def _matches(self, root: Pattern, data: PartialValue) -> bool | None:
        """Whether a pattern matches, its variables then having values; ``None`` where that is not known."""
        result: bool | None = True
        stack: list[tuple[Pattern, PartialValue]] = [(root, data)]
        while stack:
            pattern, value = stack.pop()
            if isinstance(pattern, PatternVar):
                self._environment[pattern.var] = value
            elif isinstance(pattern, (PatternConstructor, PatternTuple)):
                static = value.static
                if isinstance(static, KnownData) and isinstance(pattern, PatternConstructor):
                    if static.constructor.name_hint != pattern.constructor.name_hint:
                        return False
                    fields = static.fields
                elif isinstance(static, KnownTuple):
                    fields = static.fields
                else:
                    result = None
                    continue
                stack.extend(reversed(list(zip(pattern.patterns, fields, strict=False))))
        return result

    def _function(self, function: Function, lets: LetList, name: Var | None) -> Steps[PartialValue]:
        if name is None:
            name = Var("x")
            self._record.record(name, function)
        callee = KnownCallable(function, name)
        new = yield self._residual(function, callee)
        lets.bind(name, new, function)
        return self._value(callee, name)

    def _residual(self, function: Function, callee: KnownCallable) -> Steps[Function]:
        """What is left of a function whose arguments are not known."""
        mark = self._store.enter()
        self._store.invalidate()
        lets = LetList()
        params = function.params
        if function.is_primitive:
            # The function stays as it is inside of the one that calls it, which has parameters of its own.
            fresh = copies(function)
            params = tuple(cast("Var", fresh[param]) for param in params)
            result = self._unknown(Call(function, params), lets, function)
        else:
            args = [self._value(None, param) for param in params]
            result = yield self._run(function, callee, args, lets)
        self._store.leave(mark)
        body = lets.close(result.dynamic)
        new = Function(
            params,
            body,
            function.ret_type,
            function.type_params,
            function.attrs,
            function.span,
            function.virtual_device,
        )
        self._record.attribute(new, function)
        return new

    def _run(
        self, function: Function, callee: KnownCallable, args: Sequence[PartialValue], lets: LetList
    ) -> Steps[PartialValue]:
        """The body of a function, whose variables are its own, with these arguments."""
        original = self._original.get(function, function)
        outer = self._fuel.get(original)
        self._fuel[original] = meet(outer, fuel_of(args))[0]
        if isinstance(callee.name, Var):
            self._environment[callee.name] = self._value(callee, callee.name)
        self._environment.update(zip(function.params, args, strict=True))
        result = yield self._visit(function.body, lets)
        self._fuel[original] = outer
        return result

    def _call(self, call: Call, lets: LetList) -> Steps[PartialValue]:
        callee = yield self._visit(call.op, lets)
        args: list[PartialValue] = []
        for arg in call.args:
            args.append((yield self._visit(arg, lets)))
        static = callee.static
        if not isinstance(static, KnownCallable):
            self._store.invalidate()
            return self._unknown(_called(callee.dynamic, args, call), lets, call)
        target = static.callee
        if isinstance(target, Constructor):
            return self._value(KnownData(target, args), lets.push(Call(target, _dynamic(args), span=call.span), call))
        if isinstance(target, Op) or target.is_primitive:
            return (yield self._compute(target, args, call, lets))
        if not self._may_expand(target, args):
            return self._unknown(_called(static.name, args, call), lets, call)
        return (yield self._run(self._copy(target, call.type_args), static, args, lets))

    def _may_expand(self, function: Function, args: Sequence[PartialValue]) -> bool:
        original = self._original.get(function, function)
        return self._left_to_expand > 0 and meet(self._fuel.get(original), fuel_of(args))[1]

    def _copy(self, function: Function, type_args: Sequence[Type]) -> Function:
        """A copy with variables of its own, for these types."""
        missing = [IncompleteType() for _ in function.type_params[len(type_args) :]]
        made = copies(function, dict(zip(function.type_params, (*type_args, *missing), strict=False)))
        self._left_to_expand -= len(made)
        for old, new in made.items():
            if isinstance(old, Function) and isinstance(new, Function) and old is not new:
                self._original[new] = self._original.get(old, old)
        copy = made[function]
        assert isinstance(copy, Function)
        return copy

    def _compute(
        self, target: Op | Function, args: Sequence[PartialValue], call: Call, lets: LetList
    ) -> Steps[PartialValue]:
        """A call of an operator or a fused function: its result, where everything is known."""
        known: list[Expr] = []
        for arg in args:
            expr = None if _is_stateful(target) else (yield _reflected(arg))
            if expr is None:
                return self._unknown(_called(target, args, call), lets, call)
            known.append(expr)
        if isinstance(target, Op):
            require_code(target, call)
            if target.name.startswith(("memory.", "vm.")):
                raise PassError(
                    f"{target.name} of known arguments is to be evaluated, and only lowered modules have it: "
                    "run PartialEvaluate before the passes that allocate memory",
                    place=call,
                )
        try:
            value = evaluate_expr(Call(target, tuple(known), call.attrs, call.type_args))
        except EvaluationError:
            return self._unknown(_called(target, args, call), lets, call)
        return (yield self._reified(value, lets, call))

    def _reified(self, value: Any, lets: LetList, source: Expr) -> Steps[PartialValue]:
        if not isinstance(value, tuple):
            constant = Constant(np.asarray(value))
            return self._value(KnownTensor(constant), lets.push(constant, source))
        fields: list[PartialValue] = []
        parts = cast("tuple[Any, ...]", value)
        for part in parts:
            fields.append((yield self._reified(part, lets, source)))
        return self._value(KnownTuple(fields), lets.push(Tuple(_dynamic(fields)), source))


def _dynamic(values: Sequence[PartialValue]) -> tuple[Expr, ...]:
    return tuple(value.dynamic for value in values)


def _called(callee: Expr, args: Sequence[PartialValue], call: Call) -> Call:
    attrs: Attrs | None = call.attrs
    return Call(callee, _dynamic(args), attrs, call.type_args, call.span)


def _is_stateful(target: Op | Function) -> bool:
    if isinstance(target, Op):
        return target.stateful or target.kernel is None
    return any(isinstance(expr, Op) and (expr.stateful or expr.kernel is None) for expr in post_order(target))


def _reflected(value: PartialValue) -> Steps[Expr | None]:
    """The expression of a value that is known wholly; ``None`` for others."""
    if isinstance(value.static, KnownTensor):
        return value.static.constant
    if not isinstance(value.static, KnownTuple):
        return None
    fields: list[Expr] = []
    for part in value.static.fields:
        expr = yield _reflected(part)
        if expr is None:
            return None
        fields.append(expr)
    return Tuple(tuple(fields))
