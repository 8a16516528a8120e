"""``BackwardFoldScaleAxis``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .backward import fold_backward


@declare_pass(opt_level=3, required=("InferType",))
class BackwardFoldScaleAxis(FunctionPass):
    """Move a multiplication along channels into the weight of the convolution or dense layer before it.

    On the way may be sums, whose other side is multiplied too, ``nn.bias_add``, and ``nn.relu`` and ``nn.leaky_relu``,
    through which only constants that are not negative pass; and nothing else may use what is on the way. Source of the
    rule: ``src/relay/transforms/fold_scale_axis.cc``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32], %s: Tensor[(2), float32]) {
          %0 = nn.dense(%x, %w, units=2);
          multiply(%0, %s)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32], %s: Tensor[(2), float32]) {
          %0 = expand_dims(%s, axis=1);
          %1 = multiply(%w, %0);
          nn.dense(%x, %1, units=2)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with scales moved backwards."""
        return fold_backward(function)
