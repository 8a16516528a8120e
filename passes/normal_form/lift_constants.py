"""``LiftConstants``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Constant, Expr, Function, Let, Var
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import Descent, ExprMutator


@declare_pass(opt_level=0)
class LiftConstants(FunctionPass):
    """Bind every constant by ``let`` at the beginning of the function that uses it.

    Fused functions are left alone. Source of the rule: ``python/tvm/relay/transform/memory_plan.py``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          let %y = add(%x, 1f);
          multiply(%y, 2f)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %const0 = 1f;
          let %const1 = 2f;
          let %y = add(%x, %const0);
          multiply(%y, %const1)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its constants bound."""
        return _Lifter().visit_function(function)


class _Lifter(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self._constants: dict[Constant, Var] = {}
        self._count = 0

    def descend(self, expr: Expr) -> Descent | None:
        """Each function binds its own constants, also those that another uses as well."""
        if isinstance(expr, Function):
            return self._function(expr)
        return None

    def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:
        var = Var(f"const{self._count}")
        self._count += 1
        self.record.record(var, pre)
        self._constants[pre] = var
        return var

    def _function(self, function: Function) -> Descent:
        if function.is_primitive:
            return function
        outer, self._constants = self._constants, {}
        for constant in outer:
            self.memo.pop(constant, None)
        body = yield function.body
        for constant, var in reversed(self._constants.items()):
            body = Let(var, constant, body)
            self.record.record(body, constant)
            self.memo.pop(constant, None)
        self._constants = outer
        self.memo.update(outer.items())
        if body is function.body:
            return function
        return Function(
            function.params,
            body,
            function.ret_type,
            function.type_params,
            function.attrs,
            function.span,
            function.virtual_device,
        )
