"""A function of the module in continuation-passing style.

TVM converts by functions of functions, which nest as deep as the module. Here an expression is converted in the order
of evaluation: what it binds is appended to the current *block*, and what is left of it is returned. The block is folded
from its end once its last value is known. An explicit stack of generators takes the place of Python's.

Source of the rule: ``src/relay/transforms/to_cps.cc``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import (
    Call,
    Clause,
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
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.type_visitor import type_children, type_with_children
from relay_lsp.ir.types import FuncType, Type, TypeVar
from relay_lsp.ir.visitor import pattern_vars, post_order, rename_pattern

from ..building import Steps, run_steps
from ..infrastructure import PassError
from ..provenance import Record, current_record

__all__ = ["CpsConverter"]


@dataclass(eq=False)
class _Block:
    """What is bound on the way to a value, first to last: each entry puts itself around what follows it."""

    entries: list[tuple[Callable[[Expr], Expr], Expr]] = field(
        default_factory=list["tuple[Callable[[Expr], Expr], Expr]"]
    )

    def add(self, source: Expr, wrap: Callable[[Expr], Expr]) -> None:
        self.entries.append((wrap, source))

    def close(self, result: Expr, record: Record) -> Expr:
        """``result`` inside everything that the block binds."""
        for wrap, source in reversed(self.entries):
            result = wrap(result)
            record.attribute(result, source)
        return result


class CpsConverter:
    """Converts functions of ``module``; what they call is converted too, and collected in ``functions``."""

    def __init__(self, module: IRModule) -> None:
        self.functions: dict[GlobalVar, Function] = {}
        """The converted counterparts of the global functions that were called, under ``NAME_cps``."""
        self.module = module
        self._record = current_record()
        self._names: dict[GlobalVar, GlobalVar] = {}
        self._waiting: list[GlobalVar] = []

    def convert(self, function: Function) -> Function:
        """``function`` in continuation-passing style, typed by inference as it was before.

        Raises:
            PassError: it calls a fused function.
        """
        converted = self._convert(function)
        while self._waiting:
            var = self._waiting.pop()
            self.functions[self._names[var]] = self._convert(self.module[var])
        return converted

    def _convert(self, function: Function) -> Function:
        answer = TypeVar(_unused_type_name("answer", function))
        converted = _FunctionConverter(self, answer, self._record).convert(function)
        return Function(
            converted.params,
            converted.body,
            converted.ret_type,
            (*converted.type_params, answer),
            converted.attrs,
            converted.span,
            converted.virtual_device,
        )

    def converted_name(self, var: GlobalVar) -> GlobalVar:
        """The name of the converted counterpart of a global function, which is converted later if it has not been."""
        name = self._names.get(var)
        if name is None:
            name = self._names[var] = GlobalVar(self.module.unused_name(f"{var.name_hint}_cps"))
            self._record.record(name, var)
            self._waiting.append(var)
        return name


def _unused_type_name(name: str, function: Function) -> str:
    """``name``, with a number behind it where ``function`` has a type parameter called so: it may be in this style."""
    functions = [expr for expr in post_order(function) if isinstance(expr, Function)]
    taken = {var.name for each in functions for var in each.type_params}
    numbered = (f"{name}{number or ''}" for number in itertools.count())
    return next(each for each in numbered if each not in taken)


class _FunctionConverter:
    """Converts one global function and those inside it, which share its type of answers."""

    def __init__(self, converter: CpsConverter, answer: TypeVar, record: Record) -> None:
        self._converter = converter
        self._answer = answer
        self._record = record
        self._vars: dict[Var, Var] = {}
        self._block = _Block()

    def convert(self, function: Function) -> Function:
        for expr in post_order(function):
            if isinstance(expr, Var):
                new = Var(expr.name_hint, self._type(expr, expr.checked_type), expr.span)
                self._record.record(new, expr)
                self._vars[expr] = new
        converted = run_steps(self._function(function))
        assert isinstance(converted, Function)
        return converted

    def _type(self, place: Expr, type: Type | None) -> Type:
        if type is None:
            raise PassError("the type of every variable must be known", place=place)
        return _in_cps(type, self._answer)

    def _visit(self, expr: Expr) -> Steps[Expr]:
        """How ``expr`` is converted."""
        if isinstance(expr, Let):
            return self._lets(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, Function):
            return self._function(expr)
        if isinstance(expr, (If, Match)):
            return self._branches(expr)
        return self._parts(expr)

    def _atom(self, expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return self._vars.get(expr, expr)
        if isinstance(expr, GlobalVar):
            return self._converter.converted_name(expr)
        return expr

    def _parts(self, expr: Expr) -> Steps[Expr]:
        new: Expr
        if isinstance(expr, Tuple):
            fields: list[Expr] = []
            for part in expr.fields:
                fields.append((yield self._visit(part)))
            new = Tuple(tuple(fields), expr.span)
        elif isinstance(expr, TupleGetItem):
            new = TupleGetItem((yield self._visit(expr.tuple_value)), expr.index, expr.span)
        elif isinstance(expr, RefCreate):
            new = RefCreate((yield self._visit(expr.value)), expr.span)
        elif isinstance(expr, RefRead):
            return self._bind(RefRead((yield self._visit(expr.ref)), expr.span), expr)
        elif isinstance(expr, RefWrite):
            ref = yield self._visit(expr.ref)
            return self._bind(RefWrite(ref, (yield self._visit(expr.value)), expr.span), expr)
        else:
            return self._atom(expr)
        self._record.attribute(new, expr)
        return new

    def _bind(self, value: Expr, source: Expr) -> Var:
        """The variable that ``value`` is bound to, by a ``let`` around what follows."""
        var = Var("x")
        self._record.record(var, source)
        self._record.attribute(value, source)
        self._block.add(source, lambda rest: Let(var, value, rest))
        return var

    def _continuation(self, source: Expr) -> tuple[Var, Callable[[Expr], Function]]:
        """The parameter of a function that does what follows, and how that function is made."""
        arg = Var("arg")
        self._record.record(arg, source)
        return arg, lambda rest: Function((arg,), rest)

    def _lets(self, expr: Let) -> Steps[Expr]:
        current: Expr = expr
        while isinstance(current, Let):
            value = yield self._visit(current.value)
            self._add_let(current, self._vars[current.var], value)
            current = current.body
        return (yield self._visit(current))

    def _add_let(self, source: Let, var: Var, value: Expr) -> None:
        self._block.add(source, lambda rest: Let(var, value, rest, source.span))

    def _call(self, call: Call) -> Steps[Expr]:
        callee: Expr = call.op
        plain = isinstance(callee, (Op, Constructor))
        if not plain:
            callee = yield self._visit(callee)
        args: list[Expr] = []
        for arg in call.args:
            args.append((yield self._visit(arg)))
        if plain:
            return self._bind(Call(callee, tuple(args), call.attrs, call.type_args, call.span), call)
        result, continuation = self._continuation(call)

        def wrap(rest: Expr) -> Expr:
            return Call(callee, (*args, continuation(rest)), call.attrs, call.type_args, call.span)

        self._block.add(call, wrap)
        return result

    def _function(self, function: Function) -> Steps[Expr]:
        if function.is_primitive:
            raise PassError("a fused function has no continuation-passing style: run DefuseOps first", place=function)
        result_type = function.checked_type
        if not isinstance(result_type, FuncType):
            raise PassError("the type of every function must be known", place=function)
        answer = self._answer
        k = Var("k", FuncType((self._type(function, result_type.ret_type),), answer))
        self._record.record(k, function)
        around, self._block = self._block, _Block()
        result = yield self._visit(function.body)
        body = self._close(function, k, result)
        self._block = around
        params = (*(self._vars[param] for param in function.params), k)
        new = Function(
            params, body, answer, function.type_params, function.attrs, function.span, function.virtual_device
        )
        self._record.attribute(new, function)
        return new

    def _close(self, source: Expr, k: Var, result: Expr) -> Expr:
        returned = Call(k, (result,))
        self._record.attribute(returned, source)
        return self._block.close(returned, self._record)

    def _branches(self, expr: If | Match) -> Steps[Expr]:
        """What follows becomes a function that every branch calls."""
        join = Var("x")
        self._record.record(join, expr)
        result, continuation = self._continuation(expr)
        around, self._block = self._block, _Block()
        chosen: Expr
        if isinstance(expr, If):
            cond = yield self._visit(expr.cond)
            outside = self._block
            branches: list[Expr] = []
            for branch in (expr.true_branch, expr.false_branch):
                self._block = _Block()
                branches.append(self._close(branch, join, (yield self._visit(branch))))
            chosen = If(cond, branches[0], branches[1], expr.span)
        else:
            data = yield self._visit(expr.data)
            outside = self._block
            clauses: list[Clause] = []
            for clause in expr.clauses:
                self._block = _Block()
                renamed = {var: self._vars[var] for var in pattern_vars(clause.lhs)}
                rhs = self._close(clause.rhs, join, (yield self._visit(clause.rhs)))
                clauses.append(Clause(rename_pattern(clause.lhs, renamed), rhs, clause.span))
            chosen = Match(data, tuple(clauses), expr.complete, expr.span)
        self._record.attribute(chosen, expr)
        whole = outside.close(chosen, self._record)
        self._block = around
        self._block.add(expr, lambda rest: Let(join, continuation(rest), whole))
        return result


def _in_cps(root: Type, answer: TypeVar) -> Type:
    """``root`` with every function in it, which gets one more argument, the continuation, and gives an answer."""
    if not type_children(root):
        return root
    made: dict[int, Type] = {}
    stack: list[tuple[Type, bool]] = [(root, False)]
    while stack:
        current, expanded = stack.pop()
        if id(current) in made:
            continue
        parts = type_children(current)
        if not expanded:
            stack.append((current, True))
            stack.extend((part, False) for part in parts)
            continue
        new = [made[id(part)] for part in parts]
        if isinstance(current, FuncType):
            continuation = FuncType((new[-1],), answer)
            made[id(current)] = FuncType((*new[:-1], continuation), answer, current.type_params)
        else:
            made[id(current)] = type_with_children(current, new)
    return made[id(root)]
