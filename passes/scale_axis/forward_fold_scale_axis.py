"""``ForwardFoldScaleAxis``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .forward import fold_forward


@declare_pass(opt_level=3, required=("InferType",))
class ForwardFoldScaleAxis(FunctionPass):
    """Move a multiplication along channels into the weight of the convolution or dense layer after it.

    On the way may be sums, which are divided by the scale, and ``nn.relu`` and ``nn.leaky_relu``, through which only
    constants that are not negative pass. Source of the rule: ``src/relay/transforms/fold_scale_axis.cc``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %s: Tensor[(4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = multiply(%x, %s);
          nn.dense(%0, %w, units=2)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %s: Tensor[(4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = multiply(%w, %s);
          nn.dense(%x, %0, units=2)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with scales moved forwards."""
        return fold_forward(function)
