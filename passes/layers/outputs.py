"""Which values leave their layer: those that other layers, or the result of the module's functions, use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, If, Let, Match, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import children, post_order

__all__ = ["layer_outputs"]

Layers = frozenset[str]

_OUTSIDE: Layers = frozenset()


def layer_outputs(module: IRModule, layers_of: Mapping[Expr, Layers]) -> Mapping[Expr, Sequence[str]]:
    """For each value the layers, by name, whose result it is.

    A use is looked for through everything that only hands a value on: names, blocks, parameters and results of
    functions that are called where they can be seen (fused ones among them), and tuples, projections and conditions
    that belong to no layer themselves. A call without a layer is a use from outside.
    """
    return _Uses(module, layers_of).outputs()


class _Uses:
    def __init__(self, module: IRModule, layers_of: Mapping[Expr, Layers]) -> None:
        self._layers_of = layers_of
        self._exprs = post_order(*module.functions.values())
        self._functions = dict(module.functions)
        self._bound = {expr.var: expr.value for expr in self._exprs if isinstance(expr, Let)}
        self._calls: dict[Function, list[Call]] = {}
        for expr in self._exprs:
            callee = self._callee(expr)
            if isinstance(expr, Call) and callee is not None:
                self._calls.setdefault(callee, []).append(expr)
        self._escaping = self._escaping_functions()
        self._params = {
            param: (function, index) for function in self._calls for index, param in enumerate(function.params)
        }

    def outputs(self) -> Mapping[Expr, Sequence[str]]:
        leaving: dict[Expr, set[str]] = {}
        uses = list(self._first_uses())
        seen = set(uses)
        while uses:
            expr, user = uses.pop()
            if outside := self._layers_of.get(expr, _OUTSIDE) - user:
                leaving.setdefault(expr, set()).update(outside)
            for part in self._handed_on(expr):
                if (part, user) not in seen:
                    seen.add((part, user))
                    uses.append((part, user))
        return {expr: sorted(layers) for expr, layers in leaving.items() if not isinstance(expr, (Let, Var))}

    def _first_uses(self) -> Iterable[tuple[Expr, Layers]]:
        """What is used, and the layers of what uses it."""
        for expr in self._exprs:
            if isinstance(expr, Function):
                if expr in self._escaping or expr not in self._calls:
                    yield expr.body, _OUTSIDE
            elif self._callee(expr) is None and not self._is_transparent(expr):
                layers = self._layers_of.get(expr, _OUTSIDE)
                yield from ((part, layers) for part in children(expr))

    def _handed_on(self, expr: Expr) -> Sequence[Expr]:
        """What is used where ``expr`` is."""
        if isinstance(expr, Let):
            return (expr.body,)
        if isinstance(expr, Var):
            if expr in self._bound:
                return (self._bound[expr],)
            if expr not in self._params:
                return ()
            function, index = self._params[expr]
            return [call.args[index] for call in self._calls[function] if index < len(call.args)]
        callee = self._callee(expr)
        if callee is not None:
            return (callee.body,)
        return children(expr) if self._is_transparent(expr) else ()

    def _is_transparent(self, expr: Expr) -> bool:
        if isinstance(expr, Let):
            return True
        return isinstance(expr, (Tuple, TupleGetItem, If, Match)) and not self._layers_of.get(expr)

    def _callee(self, expr: Expr) -> Function | None:
        """The function that ``expr`` calls, where it can be seen."""
        return self._function(expr.op) if isinstance(expr, Call) else None

    def _function(self, expr: Expr) -> Function | None:
        while isinstance(expr, Var) and expr in self._bound:
            expr = self._bound[expr]
        if isinstance(expr, GlobalVar):
            return self._functions.get(expr)
        return expr if isinstance(expr, Function) else None

    def _escaping_functions(self) -> set[Function]:
        """The functions that are used as values, so that their calls are not all known."""
        escaping: set[Function] = set()
        for expr in self._exprs:
            parts = expr.args if isinstance(expr, Call) else (expr.body,) if isinstance(expr, Let) else children(expr)
            escaping.update(function for part in parts if (function := self._function(part)) is not None)
        return escaping
