"""``DivToMul``."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Constant, Expr, Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import ExprMutator

_FLOATS = ("float16", "float32", "float64")


@declare_pass(opt_level=0, required=("InferType", "FoldConstant"))
class DivToMul(FunctionPass):
    """Multiply by the inverse of a constant instead of dividing by it.

    Only floats are inverted: an integer's inverse would be truncated to 0. A division by 0 stays, and so does one by a
    tensor that holds one. TVM inverts the first element of a tensor and leaves the others undefined; here every element
    is inverted, so that the meaning is kept. Source of the rule: ``src/relay/transforms/div_to_mul.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          divide(%x, 4f)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          multiply(%x, 0.25f)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every such division replaced."""
        return _DivToMul().visit_function(function)


class _DivToMul(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if post.op is not ops.get("divide"):
            return post
        divisor = post.args[1]
        if not isinstance(divisor, Constant) or divisor.dtype not in _FLOATS or np.any(divisor.data == 0):
            return post
        # TVM inverts in at least single precision and rounds once.
        wide = divisor.data.astype(np.float64)
        inverse = self.derive(Constant((1.0 / wide).astype(divisor.data.dtype)), divisor)
        return Call(ops.get("multiply"), (post.args[0], inverse))
