"""``FastMath``."""

from __future__ import annotations

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import ExprMutator

_FAST = {"exp": "fast_exp", "erf": "fast_erf", "tanh": "fast_tanh", "nn.softmax": "nn.fast_softmax"}


@declare_pass(opt_level=4, required=("InferType",))
class FastMath(FunctionPass):
    """Use approximations of ``exp``, ``erf``, ``tanh`` and ``nn.softmax``.

    The approximations differ from the exact functions by a few units of the fifth digit; verification lets results be
    apart by 1 % of the largest element. Source of the rule: ``src/relay/transforms/fast_math.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          exp(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          fast_exp(%x)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every such call replaced."""
        return _FastMath().visit_function(function)


class _FastMath(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.fast = {ops.get(exact): ops.get(fast) for exact, fast in _FAST.items()}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        fast = self.fast.get(post.op)  # pyright: ignore[reportArgumentType]
        return post if fast is None else Call(fast, post.args, post.attrs)
