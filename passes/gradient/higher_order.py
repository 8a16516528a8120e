"""Reverse mode with references and closures: for functions with control flow, and with functions as values.

A tensor becomes a pair of its value and a reference to its gradient. A reference ``bp`` holds the function that runs
backwards; each operator puts a new one there, which passes the gradient of its result on to its arguments and then
calls the one from before.

Source of the rule: ``src/relay/transforms/higher_order_gradient.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.type_visitor import type_children, type_with_children
from relay_lsp.ir.types import FuncType, RelayRefType, TensorType, TupleType, Type
from relay_lsp.ir.visitor import children, pattern_vars, post_order, rename_pattern, with_children

from ..building import LetList, Steps, de_duplicate, run_steps
from ..features import Feature, refuse_features
from ..infrastructure import PassError
from ..normal_form.fill import Fill
from ..normal_form.scopes import BindingScopes
from ..provenance import ExprMutator, current_record
from . import rules as rules
from .registry import find_gradient
from .types import with_result_and_gradient

__all__ = ["higher_order_gradient"]

_CHECKPOINT = "annotation.checkpoint"
_UNIT = TupleType(())
_BACKWARD = RelayRefType(FuncType((), _UNIT))
"""The type of ``bp``."""


def higher_order_gradient(function: Function, module: IRModule) -> tuple[Function, Mapping[GlobalVar, Function]]:
    """``function`` with the gradients of its parameters, and the differentiated copies of what it calls.

    Raises:
        PassError: a value or a constant is shared without ``let``, an operator has no gradient, or a type is not
            differentiated.
    """
    refuse_features(module.functions.values(), {Feature.fGraph}, "what is differentiated")
    _refuse_shared_constants(function)
    if function.type_params:
        raise PassError("functions with type parameters are not differentiated", place=function)
    for param in function.params:
        if not isinstance(param.checked_type, TensorType):
            raise PassError(f"{param!r} is no tensor, and has no gradient", place=param)
    for expr in post_order(function):
        if isinstance(expr, Op) and expr.name != _CHECKPOINT and find_gradient(expr.name) is None:
            raise PassError(f"{expr.name} has no gradient", place=_call_of(function, expr), code="no-gradient")
    shared = _Shared(module)
    lets = LetList()
    bp = Var("bp", _BACKWARD)
    shared.record.record(bp, function)
    lets.bind(bp, _nothing_to_do(), function)
    reverse = run_steps(_Reverser(bp, shared).visit(function))
    pairs: list[Expr] = []
    for param in function.params:
        pair = Tuple((param, RefCreate(apply("zeros_like", param))))
        pairs.append(lets.push(pair, param))
    result_type = function.body.checked_type
    result = lets.push(Call(reverse, (*pairs, bp)), function)
    _start(result, result_type, lets, function.body)
    lets.push(Call(RefRead(bp), ()), function)
    gradients = Tuple(tuple(RefRead(TupleGetItem(pair, 1)) for pair in pairs))
    value = run_steps(_values(result, result_type, lets, function.body))
    new = with_result_and_gradient(function, lets.close(Tuple((value, gradients))))
    shared.record.attribute(new, function)
    while shared.waiting:
        var = shared.waiting.pop()
        shared.functions[shared.names[var]] = _global_gradient(module[var], var, shared)
    return new, shared.functions


def _refuse_shared_constants(function: Function) -> None:
    """Refuse a constant with two users: it gets one gradient, which they would share without ``let``.

    Source of the rule: the memo of ``ReverseAD`` and the check of its result, in
    ``src/relay/transforms/higher_order_gradient.cc``.
    """
    used: set[Expr] = set()
    for expr in post_order(function):
        for part in children(expr):
            if not isinstance(part, Constant):
                continue
            if part in used:
                raise PassError(
                    "two values are computed from this constant, and its gradient would be shared without let; bind it "
                    "by a let, as ToANormalForm does",
                    place=expr,
                )
            used.add(part)


def _call_of(function: Function, op: Op) -> Expr:
    return next((expr for expr in post_order(function) if isinstance(expr, Call) and expr.op is op), function)


def _nothing_to_do() -> Expr:
    return RefCreate(Function((), Tuple(()), _UNIT))


def _global_gradient(function: Function, var: GlobalVar, shared: _Shared) -> Function:
    copy = de_duplicate(function)
    reverse = run_steps(_Reverser(Var("bp", _BACKWARD), shared).visit(copy))
    assert isinstance(reverse, Function)
    shared.record.attribute(reverse, function)
    return reverse


def _start(result: Expr, type: Type | None, lets: LetList, source: Expr) -> None:
    """Set the gradient of the result to ones: of a tuple, that of its first tensor."""
    while isinstance(type, TupleType):
        if not type.fields:
            raise PassError("the result is empty, and has no gradient", place=source)
        result, type = lets.push(TupleGetItem(result, 0), source), type.fields[0]
    if not isinstance(type, TensorType):
        raise PassError("the result must be a tensor, or a tuple whose first field is one", place=source)
    lets.push(RefWrite(TupleGetItem(result, 1), apply("ones_like", TupleGetItem(result, 0))), source)


def _values(result: Expr, type: Type | None, lets: LetList, source: Expr) -> Steps[Expr]:
    """The result without the references to gradients."""
    if isinstance(type, TensorType):
        return TupleGetItem(result, 0)
    if not isinstance(type, TupleType):
        raise PassError("the result must be a tensor, or a tuple of tensors", place=source)
    fields: list[Expr] = []
    for index, field in enumerate(type.fields):
        part = lets.push(TupleGetItem(result, index), source)
        fields.append((yield _values(part, field, lets, source)))
    return Tuple(tuple(fields))


class _Shared:
    """What the differentiation of all functions has in common."""

    def __init__(self, module: IRModule) -> None:
        self.module = module
        self.record = current_record()
        self.vars: dict[Var, Var] = {}
        self.functions: dict[GlobalVar, Function] = {}
        self.names: dict[GlobalVar, GlobalVar] = {}
        self.waiting: list[GlobalVar] = []

    def name_of(self, var: GlobalVar) -> GlobalVar:
        """The name of the differentiated copy of a global function."""
        name = self.names.get(var)
        if name is None:
            name = self.names[var] = GlobalVar(self.module.unused_name(f"{var.name_hint}_grad"))
            self.record.record(name, var)
            self.waiting.append(var)
        return name


class _Reverser:
    """Rewrites the body of one function, whose steps backwards are chained in ``bp``."""

    def __init__(self, bp: Var, shared: _Shared) -> None:
        self._bp = bp
        self._shared = shared
        self._record = shared.record

    def visit(self, expr: Expr) -> Steps[Expr]:
        """What ``expr`` becomes."""
        new: Expr
        if isinstance(expr, Var):
            return self._var(expr)
        if isinstance(expr, GlobalVar):
            return self._shared.name_of(expr)
        if isinstance(expr, Constructor):
            return expr
        if isinstance(expr, Let):
            return (yield self._lets(expr))
        if isinstance(expr, Constant):
            lets = LetList()
            value = lets.push(expr, expr)
            new = lets.close(Tuple((value, RefCreate(apply("zeros_like", value)))))
        elif isinstance(expr, Function):
            new = yield self._function(expr)
        elif isinstance(expr, Call) and isinstance(expr.op, Op):
            new = yield (self._checkpoint(expr) if expr.op.name == _CHECKPOINT else self._operator(expr, expr.op))
        elif isinstance(expr, Call):
            args: list[Expr] = []
            for arg in expr.args:
                args.append((yield self.visit(arg)))
            if isinstance(expr.op, Constructor):
                new = Call(expr.op, tuple(args), expr.attrs, tuple(map(_reversed, expr.type_args)), expr.span)
            else:
                new = Call((yield self.visit(expr.op)), (*args, self._bp), span=expr.span)
        elif isinstance(expr, If):
            condition = TupleGetItem((yield self.visit(expr.cond)), 0)
            true_branch = yield self.visit(expr.true_branch)
            new = If(condition, true_branch, (yield self.visit(expr.false_branch)), expr.span)
        elif isinstance(expr, Match):
            new = yield self._match(expr)
        elif isinstance(expr, Op):
            raise PassError(f"{expr.name} is used as a value, and can only be called here", place=expr)
        else:
            parts: list[Expr] = []
            for part in children(expr):
                parts.append((yield self.visit(part)))
            new = with_children(expr, parts)
        self._record.attribute(new, expr)
        return new

    def _var(self, var: Var) -> Var:
        new = self._shared.vars.get(var)
        if new is None:
            annotation = var.type_annotation
            new = Var(var.name_hint, None if annotation is None else _reversed(annotation), var.span)
            self._record.record(new, var)
            self._shared.vars[var] = new
        return new

    def _lets(self, let: Let) -> Steps[Expr]:
        bound: list[tuple[Let, Expr]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            # A recursive function uses its variable before the binding is finished.
            self._var(expr.var)
            bound.append((expr, (yield self.visit(expr.value))))
            expr = expr.body
        result = yield self.visit(expr)
        for old, value in reversed(bound):
            result = Let(self._var(old.var), value, result, old.span)
            self._record.record(result, old)
        return result

    def _match(self, match: Match) -> Steps[Expr]:
        data = yield self.visit(match.data)
        clauses: list[Clause] = []
        for clause in match.clauses:
            renamed = {var: self._var(var) for var in pattern_vars(clause.lhs)}
            rhs = yield self.visit(clause.rhs)
            clauses.append(Clause(rename_pattern(clause.lhs, renamed), rhs, clause.span))
        return Match(data, tuple(clauses), match.complete, match.span)

    def _function(self, function: Function) -> Steps[Expr]:
        bp = Var("bp", _BACKWARD)
        self._record.record(bp, function)
        params = (*(self._var(param) for param in function.params), bp)
        body = yield _Reverser(bp, self._shared).visit(function.body)
        result = None if function.ret_type is None else _reversed(function.ret_type)
        return Function(params, body, result, function.type_params, function.attrs, function.span)

    def _operator(self, call: Call, op: Op) -> Steps[Expr]:
        rule = find_gradient(op.name)
        if rule is None:
            raise PassError(f"{op.name} has no gradient", place=call, code="no-gradient")
        lets = LetList()
        args: list[Var] = []
        for arg in call.args:
            args.append(lets.push((yield self.visit(arg)), call))
        values: list[Expr] = []
        for arg, old in zip(args, call.args, strict=True):
            values.append((yield self._lifted(_value_of, old, arg, lets, call)))
        original = Call(op, tuple(values), call.attrs, call.type_args, call.span)
        original.checked_type = call.checked_type
        forward = lets.push(original, call, call.checked_type)
        result = yield self._lifted(_with_reference, call, forward, lets, call)
        result = lets.push(result, call)
        before = lets.push(RefRead(self._bp), call)
        backward = LetList()
        gradients = rule(original, (yield self._lifted(_gradient_of, call, result, backward, call)))
        # What a gradient says of the call's result is computed already.
        known = ExprMutator()
        known.memo[original] = forward
        gradients = [known.visit(each) for each in gradients]
        if len(gradients) != len(args):
            raise PassError(f"{op.name} has {len(args)} arguments, and its gradient gives {len(gradients)}", place=call)
        for arg, old, gradient in zip(args, call.args, gradients, strict=True):
            yield _add_gradient(_type_of(old), arg, gradient, backward, call)
        step = Function((), backward.close(Call(before, ())), _UNIT)
        self._record.attribute(step, call)
        lets.push(RefWrite(self._bp, Fill(BindingScopes.of(step)).fill(step)), call)
        return lets.close(result)

    def _checkpoint(self, call: Call) -> Steps[Expr]:
        """Computes the argument plainly, and once more with gradients on the way back."""
        lets = LetList()
        inner = call.args[0]
        plain = yield self._plain(inner, lets, call)
        result = yield self._lifted(_with_reference, call, lets.push(plain, call), lets, call)
        result = lets.push(result, call)
        before = lets.push(RefRead(self._bp), call)
        again = LetList()
        bp = again.push(_nothing_to_do(), call)
        repeated = again.push((yield _Reverser(bp, self._shared).visit(de_duplicate(inner))), call)
        yield _transfer(_type_of(call), result, repeated, again, call)
        again.push(Call(RefRead(bp), ()), call)
        step = Function((), again.close(Call(before, ())), _UNIT)
        self._record.attribute(step, call)
        lets.push(RefWrite(self._bp, step), call)
        return lets.close(result)

    def _plain(self, inner: Expr, lets: LetList, source: Expr) -> Steps[Expr]:
        """``inner`` over the values of the variables that it takes from around it."""
        made: dict[Expr, Expr] = {}
        for expr in post_order(inner):
            parts = children(expr)
            if isinstance(expr, Var) and expr in self._shared.vars:
                made[expr] = yield self._lifted(_value_of, expr, self._shared.vars[expr], lets, source)
            else:
                made[expr] = with_children(expr, [made[part] for part in parts]) if parts else expr
        return made[inner]

    def _lifted(
        self, transform: Callable[[Expr], Expr], typed: Expr, value: Expr, lets: LetList, source: Expr
    ) -> Steps[Expr]:
        """``transform`` of each tensor in ``value``, whose type before differentiation is that of ``typed``."""
        return _lift(transform, _type_of(typed), value, lets, source)


def _type_of(expr: Expr) -> Type:
    type = expr.tensor_type if isinstance(expr, Constant) else expr.checked_type
    if type is None:
        raise PassError("the type of every value must be known", place=expr)
    return type


def _value_of(pair: Expr) -> Expr:
    return TupleGetItem(pair, 0)


def _gradient_of(pair: Expr) -> Expr:
    return RefRead(TupleGetItem(pair, 1))


def _with_reference(value: Expr) -> Expr:
    return Tuple((value, RefCreate(apply("zeros_like", value))))


def _unsupported(type: Type, source: Expr) -> PassError:
    return PassError(f"operators on values of type {type!r} are not differentiated", place=source)


def _lift(transform: Callable[[Expr], Expr], type: Type, value: Expr, lets: LetList, source: Expr) -> Steps[Expr]:
    if isinstance(type, TensorType):
        return lets.push(transform(value), source, type)
    if not isinstance(type, TupleType):
        raise _unsupported(type, source)
    fields: list[Expr] = []
    for index, field in enumerate(type.fields):
        part = lets.push(TupleGetItem(value, index), source)
        fields.append((yield _lift(transform, field, part, lets, source)))
    return lets.push(Tuple(tuple(fields)), source, type)


def _add_gradient(type: Type, arg: Expr, gradient: Expr, lets: LetList, source: Expr) -> Steps[None]:
    """Add a gradient to that of an argument."""
    if isinstance(type, TensorType):
        total = apply("add", RefRead(TupleGetItem(arg, 1)), gradient)
        lets.push(RefWrite(TupleGetItem(arg, 1), total), source)
        return
    if not isinstance(type, TupleType):
        raise _unsupported(type, source)
    for index, field in enumerate(type.fields):
        parts = lets.push(TupleGetItem(arg, index), source), lets.push(TupleGetItem(gradient, index), source)
        yield _add_gradient(field, parts[0], parts[1], lets, source)


def _transfer(type: Type, source_value: Expr, target: Expr, lets: LetList, source: Expr) -> Steps[None]:
    """Give ``target`` the gradient that ``source_value`` has."""
    if isinstance(type, TensorType):
        lets.push(RefWrite(TupleGetItem(target, 1), RefRead(TupleGetItem(source_value, 1))), source)
        return
    if not isinstance(type, TupleType):
        raise _unsupported(type, source)
    for index, field in enumerate(type.fields):
        parts = lets.push(TupleGetItem(source_value, index), source), lets.push(TupleGetItem(target, index), source)
        yield _transfer(field, parts[0], parts[1], lets, source)


def _reversed(root: Type) -> Type:
    """``root`` with a pair of value and reference for each tensor, and one more argument, ``bp``, for each function."""
    made: dict[int, Type] = {}
    stack: list[tuple[Type, bool]] = [(root, False)]
    while stack:
        current, expanded = stack.pop()
        if id(current) in made:
            continue
        parts = type_children(current)
        if isinstance(current, TensorType):
            made[id(current)] = TupleType((current, RelayRefType(current)))
        elif not parts:
            made[id(current)] = current
        elif not expanded:
            stack.append((current, True))
            stack.extend((part, False) for part in parts)
        else:
            new = [made[id(part)] for part in parts]
            if isinstance(current, FuncType):
                made[id(current)] = FuncType((*new[:-1], _BACKWARD), new[-1], current.type_params)
            else:
                made[id(current)] = type_with_children(current, new)
    return made[id(root)]
