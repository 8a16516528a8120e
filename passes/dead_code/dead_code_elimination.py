"""``DeadCodeElimination``."""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.expressions import Expr, Function, GlobalVar, Let, Var
from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, declare_pass, option
from ..provenance import Descent, ExprMutator
from .purity import pure_bindings
from .usage import Usage


@declare_pass(opt_level=1, required=("InferType",))
class DeadCodeElimination(ModulePass):
    """Take away bindings whose values are not used.

    A binding stays if computing its value has an effect: it writes or reads a reference, calls a stateful operator, or
    calls what cannot be followed. Source of the rule: ``src/relay/transforms/dead_code.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          let %unused = nn.relu(%x);
          let %used = exp(%x);
          %used
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %used = exp(%x);
          %used
        }
    """

    inline_once: bool = option(default=False, doc="Whether the value of a binding that is used once moves to its use.")
    ignore_impurity: bool = option(default=False, doc="Whether every value counts as free of effects.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without what is not used."""
        pure = dict[Var, bool]() if self.ignore_impurity else pure_bindings(module)

        def is_pure(var: Var) -> bool:
            return pure.get(var, self.ignore_impurity)

        changed: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            eliminator = _Eliminator(Usage(function, is_pure), is_pure, self.inline_once)
            new = eliminator.visit_function(function)
            if new is not function:
                changed[var] = new
        return module.with_functions({**module.functions, **changed}) if changed else module


class _Eliminator(ExprMutator):
    def __init__(self, usage: Usage, is_pure: Callable[[Var], bool], inline_once: bool) -> None:
        super().__init__()
        self._usage = usage
        self._is_pure = is_pure
        self._inline_once = inline_once

    def descend(self, expr: Expr) -> Descent | None:
        """Only what binds a variable, and the variables whose value moves, need an order of their own."""
        if isinstance(expr, Let):
            return self._let(expr)
        if isinstance(expr, Var) and self._is_inlined(expr):
            return self._inlined(expr)
        return None

    def _let(self, expr: Let) -> Descent:
        if self._is_elided(expr.var):
            return (yield expr.body)
        value = yield expr.value
        body = yield expr.body
        if self._is_inlined(expr.var):
            return body
        return expr if value is expr.value and body is expr.body else Let(expr.var, value, body, expr.span)

    def _inlined(self, expr: Var) -> Descent:
        return (yield self._usage.values[expr])

    def _is_elided(self, var: Var) -> bool:
        return self._usage.uses.get(var) == 0 and self._is_pure(var)

    def _is_inlined(self, var: Var) -> bool:
        return self._inline_once and self._usage.uses.get(var) == 1 and self._is_pure(var)
