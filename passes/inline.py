"""``Inline``."""

from __future__ import annotations

from ..ir.expressions import Call, Expr, Function, GlobalVar
from ..ir.module import IRModule
from ..ir.visitor import post_order
from .binding import bind
from .infrastructure import ModulePass, PassContext, declare_pass
from .provenance import ExprMutator


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
        functions = dict(module.functions)
        inlined: dict[GlobalVar, Function] = {}
        for var in _callees_first(callees):
            if callees[var].intersection(inlined):
                functions[var] = _Inliner(inlined).visit_function(functions[var])
            remaining = callees[var].difference(inlined)
            if functions[var].attrs.get("Inline") and not remaining:
                inlined[var] = functions[var]
        if not inlined:
            return module
        return module.with_functions(
            {var: function for var, function in functions.items() if var not in inlined or var not in called}
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
            stack.extend((callee, False) for callee in sorted(callees[var], key=lambda found: found.name_hint))
    return order


class _Inliner(ExprMutator):
    def __init__(self, inlined: dict[GlobalVar, Function]) -> None:
        super().__init__()
        self.inlined = inlined

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        function = self.inlined.get(pre)
        if function is None:
            return post
        return Function(function.params, function.body, function.ret_type, function.type_params, function.attrs)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if not isinstance(pre.op, GlobalVar) or pre.op not in self.inlined:
            return post
        function = self.inlined[pre.op]
        if "Compiler" in function.attrs or function.attrs.get("Extern"):
            return post
        return bind(function.body, dict(zip(function.params, post.args, strict=True)))
