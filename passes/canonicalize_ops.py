"""``CanonicalizeOps``."""

from __future__ import annotations

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.dense import BiasAddAttrs
from relay_lsp.ir.types import TensorType

from .construction import expand_bias_to_match_axis
from .infrastructure import FunctionPass, PassContext, declare_pass
from .provenance import ExprMutator


@declare_pass(opt_level=3, required=("InferType",))
class CanonicalizeOps(FunctionPass):
    """Replace ``nn.bias_add`` by a broadcasting ``add``.

    Source of the rule: ``src/relay/transforms/canonicalize_ops.cc``.

    Before::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %b: Tensor[(4), float32]) {
          nn.bias_add(%x, %b)
        }

    After::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %b: Tensor[(4), float32]) -> Tensor[(1, 4, 8, 8), float32] {
          %0 = expand_dims(%b, axis=1, num_newaxis=2);
          add(%x, %0)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function without ``nn.bias_add``."""
        return _BiasAddSimplifier().visit_function(function)


class _BiasAddSimplifier(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        data = pre.args[0].checked_type if pre.op is ops.get("nn.bias_add") else None
        if not isinstance(data, TensorType):
            return post
        axis = attrs_of(post, BiasAddAttrs).axis
        bias = expand_bias_to_match_axis(post.args[1], data.ndim, (axis % data.ndim,))
        return apply("add", post.args[0], bias)
