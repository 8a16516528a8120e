"""``DefuseOps``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule

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
            PassError: a called function has two parameters of one name.
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
        return bind(function.body, dict(zip(function.params, post.args, strict=True)))
