"""``QnnCanonicalize``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .rules import legalize


@declare_pass(opt_level=1, required=("InferType",))
class QnnCanonicalize(FunctionPass):
    """Turn quantised operators into plain ones: ``Legalize`` with ``FTVMQnnCanonicalize``.

    The second half of TVM's ``qnn.Legalize``, and its ``qnn.transform.CanonicalizeOps``.

    Source of the rule: ``src/relay/qnn/pass/legalize.cc``, ``src/relay/qnn/op``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          qnn.quantize(%x, 0.5f, 3, out_dtype="int8")
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), int8] {
          %0 = divide(%x, 0.5f);
          %1 = round(%0);
          %2 = cast(3, dtype="float32");
          %3 = add(%1, %2);
          %4 = clip(%3, a_min=-128f, a_max=127f);
          cast(%4, dtype="int8")
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function without quantised operators."""
        return legalize(function, "FTVMQnnCanonicalize")
