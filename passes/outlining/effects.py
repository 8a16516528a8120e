"""Which expressions do more than give a value, so that their order counts."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, RefRead, RefWrite
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order, post_order_within

__all__ = ["Effects"]


class Effects:
    """What has an effect of its own in a module.

    Reading and writing references, stateful operators, and calls of what has an effect. Whatever is called without
    being an operator, a constructor, a function of the module or a function written out counts as having one.
    """

    def __init__(self, module: IRModule) -> None:
        self._acts_within: dict[Expr, bool] = {}
        """Of bodies and what is in them, whether it or a part of it has an effect."""
        callees: dict[GlobalVar, set[GlobalVar]] = {}
        self._impure: set[GlobalVar] = set()
        for var, function in module.functions.items():
            below = post_order(function)
            callees[var] = {expr for expr in below if isinstance(expr, GlobalVar)}
            if function.attrs.get("Extern") or any(self._acts_alone(expr) for expr in below):
                self._impure.add(var)
        callers: dict[GlobalVar, list[GlobalVar]] = {}
        for var, called in callees.items():
            for callee in called:
                callers.setdefault(callee, []).append(var)
                if callee not in module.functions:
                    self._impure.add(callee)
        stack = list(self._impure)
        while stack:
            for caller in callers.get(stack.pop(), ()):
                if caller not in self._impure:
                    self._impure.add(caller)
                    stack.append(caller)

    def of(self, expr: Expr) -> bool:
        """Whether computing ``expr`` does something besides computing its parts and giving a value."""
        if isinstance(expr, Call) and isinstance(expr.op, Function):
            return self._has_effect_within(expr.op.body)
        return self._acts(expr)

    def _has_effect_within(self, body: Expr) -> bool:
        """Whether something in a body has an effect. Bodies may hold those of all functions that were called before."""
        known = self._acts_within
        if body not in known:
            for expr in post_order_within(body, known.__contains__):
                if expr not in known:
                    known[expr] = self._acts(expr) or any(known[part] for part in children(expr))
        return known[body]

    def _acts(self, expr: Expr) -> bool:
        """Whether ``expr`` has an effect, besides those of a function that is written out in it."""
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            return expr.op in self._impure
        return self._acts_alone(expr)

    @staticmethod
    def _acts_alone(expr: Expr) -> bool:
        """Whether ``expr`` has an effect whatever the functions of the module do."""
        if isinstance(expr, Call):
            if isinstance(expr.op, Op):
                return expr.op.stateful
            return not isinstance(expr.op, (Constructor, GlobalVar, Function))
        return isinstance(expr, (RefRead, RefWrite))
