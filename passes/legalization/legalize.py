"""``Legalize``."""

from __future__ import annotations

from contextlib import nullcontext

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..targets import Target
from .rules import legalize


@declare_pass(opt_level=1, required=("InferType",))
class Legalize(FunctionPass):
    """Replace operators by ones that can be compiled, such as quantised operators by plain ones.

    ``FTVMLegalize`` is for plain operators: transposed convolutions in ``NCHW``, gradients of weights as convolutions,
    and no clipping to the bounds that a requantisation keeps. ``FTVMQnnLegalize`` turns functions of one quantised
    tensor into tables, and transposed convolutions into plain ones. ``FTVMQnnCanonicalize`` turns every quantised
    operator into plain ones; ``tvm.relay.qnn.transform.CanonicalizeOps`` is that, and its ``Legalize`` the one before.

    For a target there is more: 8-bit ``nn.conv2d``, ``nn.dense`` and ``nn.batch_matmul`` in whole blocks where it has
    instructions for them, ``qnn.conv2d`` and ``qnn.dense`` in the dtypes that it multiplies, or in ``int16``, and
    ``qnn.requantize`` in ``float32`` where it has SSE4.1. What TVM pads for Tensor Cores and for Hexagon stays, and so
    do ``nn.matmul``, ``nn.bitserial_conv2d``, ``nn.bias_add`` and ``erf``.

    Source of the rule: ``src/relay/transforms/legalize.cc``, ``src/relay/qnn/op``,
    ``python/tvm/relay/qnn/op/legalizations.py``.

    Before (legalize_map_attr_name="FTVMQnnCanonicalize")::

        def @main(%x: Tensor[(4), int8]) {
          qnn.dequantize(%x, 0.5f, 3)
        }

    After::

        def @main(%x: Tensor[(4), int8]) -> Tensor[(4), float32] {
          %0 = cast(%x, dtype="int32");
          %1 = subtract(%0, 3);
          %2 = cast(%1, dtype="float32");
          multiply(%2, 0.5f)
        }
    """

    legalize_map_attr_name: str = option(
        default="FTVMLegalize",
        doc="The attribute that the rules are registered under.",
        choices=("FTVMLegalize", "FTVMQnnLegalize", "FTVMQnnCanonicalize"),
    )

    target: str = option(default="", doc="What the program is compiled for; by default the current target, if any.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with operators replaced."""
        with Target.parse(self.target) if self.target else nullcontext():
            return legalize(function, self.legalize_map_attr_name)
