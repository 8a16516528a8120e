"""``DefuseOps``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import post_order

from ..binding import bind
from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from ..provenance import ExprMutator


@declare_pass(opt_level=3, required=("InferType",))
class DefuseOps(FunctionPass):
    """Undo ``FuseOps``: put the body of a function that is called where it stands in the place of the call.

    Source of the rule: ``src/relay/transforms/defuse_ops.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = fn (%p0: Tensor[(4), float32], Primitive=1) {
            nn.relu(%p0)
          };
          %0(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          nn.relu(%x)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every such call replaced.

        Raises:
            PassError: a called function has two parameters of one name, or names a variable besides its parameters.
        """
        return _DefuseOps().visit_function(function)


class _DefuseOps(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        function = post.op
        if not isinstance(function, Function):
            return post
        names = [param.name_hint for param in function.params]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PassError(f"two parameters of the called function have the name %{twice}", place=pre)
        # TVM puts arguments in the place of every variable by its name, and has none for any but the parameters.
        other = next((expr for expr in post_order(function.body) if _is_other_variable(expr, names)), None)
        if isinstance(other, Var):
            raise PassError(
                f"the called function names %{other.name_hint}, which is none of its parameters; DefuseOps takes "
                "functions such as FuseOps makes (ToGraphNormalForm puts values in the place of let variables)",
                place=other,
            )
        return bind(function.body, dict(zip(function.params, post.args, strict=True)))


def _is_other_variable(expr: Expr, names: list[str]) -> bool:
    return isinstance(expr, Var) and expr.name_hint not in names
