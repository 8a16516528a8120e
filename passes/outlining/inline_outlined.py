"""``InlineOutlined``."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, cast

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Let, Match, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import pattern_vars, post_order

from ..infrastructure import ModulePass, PassContext, declare_pass
from ..provenance import Descent, ExprMutator
from .parts import OUTLINED


@declare_pass(opt_level=0)
class InlineOutlined(ModulePass):
    """Put back what ``OutLiner`` made into functions, and remove those functions.

    A function with the attribute ``Outlined`` is written out wherever it is called, its bindings among those of the
    caller; one that is used in another way stays.

    Before::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @outlined_gelu_0(%x)
        }

        def @outlined_gelu_0(%i0: Tensor[(4), float32], Outlined="nn.gelu") -> Tensor[(4), float32] {
          %0 = exp(%i0);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = exp(%x);
          nn.relu(%0)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without outlined functions."""
        outlined = {var: function for var, function in module.functions.items() if OUTLINED in function.attrs}
        if not outlined:
            return module
        functions = dict(module.functions)
        written_out: set[Function] = set()
        for var in _callees_first(outlined):
            functions[var] = _Inliner(outlined, written_out).visit_function(outlined[var])
            outlined[var] = functions[var]
        for var, function in module.functions.items():
            if var not in outlined:
                functions[var] = _Inliner(outlined, written_out).visit_function(function)
        used = {
            expr
            for var, function in functions.items()
            if var not in outlined
            for expr in post_order(function)
            if isinstance(expr, GlobalVar)
        }
        kept = {var: function for var, function in functions.items() if var not in outlined or var in used}
        return module.with_functions(kept)


def _callees_first(outlined: Mapping[GlobalVar, Function]) -> list[GlobalVar]:
    """The outlined functions, each after those that it calls."""
    order: list[GlobalVar] = []
    seen: set[GlobalVar] = set()
    stack = [(var, False) for var in outlined]
    while stack:
        var, finished = stack.pop()
        if finished:
            order.append(var)
        elif var not in seen:
            seen.add(var)
            stack.append((var, True))
            called = [expr for expr in post_order(outlined[var]) if isinstance(expr, GlobalVar) and expr in outlined]
            stack.extend((other, False) for other in called if other not in seen)
    return order


class _Inliner(ExprMutator):
    def __init__(self, outlined: Mapping[GlobalVar, Function], written_out: set[Function]) -> None:
        super().__init__()
        self._outlined = outlined
        self._written_out = written_out

    def descend(self, expr: Expr) -> Descent | None:
        """The bindings of a function that is called in a chain of bindings become part of the chain."""
        return self._chain(expr) if isinstance(expr, Let) else None

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A call of an outlined function."""
        function = self._called(pre)
        if function is None:
            return post
        return self._body(function, post.args).visit(function.body)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """One of several results."""
        made = post.tuple_value
        if isinstance(made, Tuple) and made is not pre.tuple_value and isinstance(pre.tuple_value, Call):
            return made.fields[post.index]
        return post

    def _chain(self, head: Let) -> Descent:
        bound: list[_Bound] = []
        rest: Expr = head
        while isinstance(rest, Let):
            call = _call_in(rest.value)
            if not self._has_bindings(call):
                bound.append(_Bound(rest.var, (yield rest.value), (rest,)))
                rest = rest.body
                continue
            assert call is not None
            results: list[Let] = []
            while isinstance(rest, Let) and _call_in(rest.value) is call:
                results.append(rest)
                rest = rest.body
            yield from self._write_out(call, results, bound)
        call = rest if isinstance(rest, Call) and self._has_bindings(rest) else None
        if call is not None:
            yield from self._write_out(call, (), bound)
        result = yield rest
        for item in reversed(bound):
            let = item.sources[0]
            if item.var is let.var and item.value is let.value and result is let.body:
                result = let
            else:
                result = self.derive(Let(item.var, item.value, result, let.span), *item.sources)
        return result

    def _write_out(self, call: Call, results: Sequence[Let], bound: list[_Bound]) -> Generator[Expr, Expr, None]:
        """Bind what the called function binds, under the names by which ``results`` bind it again."""
        function = self._called(call)
        assert function is not None
        args: list[Expr] = []
        for arg in call.args:
            args.append((yield arg))
        inlined = self._body(function, args)
        lets, result = _bindings(function.body)
        inner = {let.var for let in lets}
        again: dict[Expr, Let] = {}
        for let in results:
            part = _part_of(result, let.value)
            if part in inner and isinstance(part, Var):
                again.setdefault(part, let)
        for let in lets:
            sources = (let, again[let.var]) if let.var in again else (let,)
            if let.var in again:
                inlined.memo[let.var] = again[let.var].var
            var = inlined.memo.get(let.var, let.var)
            bound.append(_Bound(cast("Var", var), inlined.visit(let.value), sources))
        self.memo[call] = self.derive(inlined.visit(result), call)
        for let in results:
            if let not in again.values():
                bound.append(_Bound(let.var, (yield let.value), (let,)))

    def _called(self, call: Call | None) -> Function | None:
        """The outlined function that ``call`` calls, if it does."""
        function = self._outlined.get(call.op) if call is not None and isinstance(call.op, GlobalVar) else None
        return None if function is None or call is None or len(function.params) != len(call.args) else function

    def _has_bindings(self, call: Call | None) -> bool:
        """Whether ``call`` is of an outlined function that binds something, and has not been written out before."""
        function = self._called(call)
        return function is not None and isinstance(function.body, Let) and call not in self.memo

    def _body(self, function: Function, args: Sequence[Expr]) -> ExprMutator:
        """What gives the body of ``function`` for these arguments. A second copy of it binds variables of its own."""
        body = ExprMutator()
        if function in self._written_out:
            for var in _bound_below(function.body):
                body.memo[var] = Var(var.name_hint, var.type_annotation, var.span, var.virtual_device)
                self.record.record(body.memo[var], var)
        self._written_out.add(function)
        body.memo.update(zip(function.params, args, strict=True))
        return body


class _Bound(NamedTuple):
    var: Var
    value: Expr
    sources: tuple[Let, ...]


def _call_in(value: Expr) -> Call | None:
    """The call that a binding binds the result of, or one of its results."""
    made = value.tuple_value if isinstance(value, TupleGetItem) else value
    return made if isinstance(made, Call) else None


def _bindings(body: Expr) -> tuple[list[Let], Expr]:
    lets: list[Let] = []
    while isinstance(body, Let):
        lets.append(body)
        body = body.body
    return lets, body


def _part_of(result: Expr, value: Expr) -> Expr:
    """What ``value``, a call or a projection from it, is of the result of the function."""
    return result.fields[value.index] if isinstance(value, TupleGetItem) and isinstance(result, Tuple) else result


def _bound_below(root: Expr) -> list[Var]:
    """Every variable that is bound below ``root``."""
    bound_below: list[Var] = []
    for expr in post_order(root):
        if isinstance(expr, Let):
            bound_below.append(expr.var)
        elif isinstance(expr, Function):
            bound_below.extend(expr.params)
        elif isinstance(expr, Match):
            bound_below.extend(var for clause in expr.clauses for var in pattern_vars(clause.lhs))
    return bound_below
