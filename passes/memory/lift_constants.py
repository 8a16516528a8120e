"""``LiftConstants``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Constant, Expr, Function, Let, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import with_children

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept


@declare_pass(opt_level=0)
class LiftConstants(FunctionPass):
    """Bind every constant of a function to a variable at its beginning; fused functions keep theirs.

    Source of the rule: ``LiftConst`` in ``python/tvm/relay/transform/memory_plan.py``.

    Before::

        def @main(%x: float32) {
          let %a = add(%x, 1f);
          multiply(%a, 2f)
        }

    After::

        def @main(%x: float32) -> float32 {
          let %const0 = 1f;
          let %const1 = 2f;
          let %a = add(%x, %const0);
          multiply(%a, %const1)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its constants at its beginning; itself where it has none, or is fused."""
        if function.is_primitive:
            return function
        lifter = _ConstantLifter()
        body = lifter.visit(function.body)
        for var, constant in reversed(lifter.constants):
            body = Let(var, constant, body)
            lifter.record.record(body, constant)
        if body is function.body:
            return function
        new = with_children(function, (*function.params, body))
        assert isinstance(new, Function)
        return new


class _ConstantLifter(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.constants: list[tuple[Var, Constant]] = []

    def descend(self, expr: Expr) -> Descent | None:
        """Fused functions are not entered."""
        return kept(expr) if isinstance(expr, Function) and expr.is_primitive else None

    def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:
        """A variable in its place."""
        var = Var(f"const{len(self.constants)}")
        self.constants.append((var, pre))
        return var
