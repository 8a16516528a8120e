"""``Inline``."""

from __future__ import annotations

from typing import cast

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Let, Match, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import post_order

from .binding import bind
from .building import de_duplicate
from .infrastructure import ModulePass, PassContext, declare_pass
from .provenance import Descent, ExprMutator


@declare_pass(opt_level=1, name="InlineGlobals")
class Inline(ModulePass):
    """Put the bodies of functions marked ``Inline=1`` in the place of their calls, and drop those functions.

    A function is inlined where it calls no function that stays, itself included. One for a foreign code generator
    (``Compiler=…`` or ``Extern=1``) is put in as a function, not as its body. TVM handles only the first of several
    calls to one function; here every call is inlined. Source of the rule: ``src/relay/transforms/inline.cc``.

    Before::

        def @twice(%x: int32, Inline=1) {
          add(%x, %x)
        }

        def @main(%y: int32) {
          @twice(%y)
        }

    After::

        def @main(%y: int32) -> int32 {
          add(%y, %y)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with such calls replaced."""
        callees = {var: _callees(function) for var, function in module.functions.items()}
        called = set[GlobalVar]().union(*callees.values())
        inlined: dict[GlobalVar, Function] = {}
        for var in _callees_first(callees):
            if module.functions[var].attrs.get("Inline") and not callees[var].difference(inlined):
                inlined[var] = module.functions[var]
        if not inlined:
            return module
        written: set[GlobalVar] = set()
        remaining = {
            var: function for var, function in module.functions.items() if var not in inlined or var not in called
        }
        return module.with_functions(
            {
                var: _Inliner(inlined, written).visit_function(function)
                if callees[var].intersection(inlined)
                else function
                for var, function in remaining.items()
            }
        )


def _callees(function: Function) -> set[GlobalVar]:
    return {expr for expr in post_order(function) if isinstance(expr, GlobalVar)}


def _callees_first(callees: dict[GlobalVar, set[GlobalVar]]) -> list[GlobalVar]:
    order: list[GlobalVar] = []
    seen: set[GlobalVar] = set()
    stack: list[tuple[GlobalVar, bool]] = [(var, False) for var in reversed(list(callees))]
    while stack:
        var, expanded = stack.pop()
        if expanded:
            order.append(var)
        elif var not in seen and var in callees:
            seen.add(var)
            stack.append((var, True))
            stack.extend((callee, False) for callee in sorted(callees[var], key=lambda callee: callee.name_hint))
    return order


def _binds(function: Function) -> bool:
    """Whether variables are bound in the body of a function."""
    return any(isinstance(expr, (Function, Let, Match)) for expr in post_order(function.body))


class _Inliner(ExprMutator):
    """Writes functions out where they are called, and what they call themselves only there: a thousand functions, each
    called by the next, are copied once and not once for each caller above."""

    def __init__(self, inlined: dict[GlobalVar, Function], written: set[GlobalVar]) -> None:
        super().__init__()
        self.inlined = inlined
        self.written = written

    def descend(self, expr: Expr) -> Descent | None:
        if isinstance(expr, GlobalVar) and expr in self.inlined:
            return self._as_function(self._with_own_variables(expr, is_value=True))
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar) and expr.op in self.inlined:
            function = self.inlined[expr.op]
            if not ("Compiler" in function.attrs or function.attrs.get("Extern")):
                return self._written_out(expr, self._with_own_variables(expr.op))
        return None

    def _with_own_variables(self, var: GlobalVar, *, is_value: bool = False) -> Function:
        """The function called ``var``; a copy where its variables stand somewhere else already."""
        function = self.inlined[var]
        if var not in self.written:
            self.written.add(var)
            return function
        return cast("Function", de_duplicate(function)) if is_value or _binds(function) else function

    def _as_function(self, function: Function) -> Descent:
        body = yield function.body
        return Function(function.params, body, function.ret_type, function.type_params, function.attrs)

    def _written_out(self, call: Call, function: Function) -> Descent:
        arguments: dict[Var, Expr] = {}
        for param, argument in zip(function.params, call.args, strict=True):
            new = arguments[param] = yield argument
            # What is finished is not examined again where it now stands.
            self.memo[new] = new
        return (yield bind(function.body, arguments))
