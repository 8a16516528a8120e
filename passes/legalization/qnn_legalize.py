"""``QnnLegalize``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .rules import legalize


@declare_pass(opt_level=1, required=("InferType",))
class QnnLegalize(FunctionPass):
    """Bring quantised operators into forms that suit the target: ``Legalize`` with ``FTVMQnnLegalize``.

    Functions of one quantised tensor become tables, transposed convolutions plain ones. For the current target, if
    there is one, products get the dtypes that it multiplies, as :class:`~.legalize.Legalize` says. The first half of
    TVM's ``qnn.Legalize``.

    Source of the rule: ``src/relay/qnn/pass/legalize.cc``, ``python/tvm/relay/qnn/op/legalizations.py``.

    Before::

        def @main(%x: Tensor[(1, 2, 4, 4), uint8], %weight: Tensor[(2, 2, 3, 3), uint8]) {
          qnn.conv2d_transpose(%x, %weight, 3, 8, 1f, 1f, channels=2, kernel_size=[3, 3], out_dtype="int32")
        }

    After::

        def @main(%x: Tensor[(1, 2, 4, 4), uint8], %weight: Tensor[(2, 2, 3, 3), uint8])
            -> Tensor[(1, 2, 6, 6), int32] {
          %0 = cast(%x, dtype="int16");
          %1 = cast(3, dtype="int16");
          %2 = cast(%weight, dtype="int16");
          %3 = cast(8, dtype="int16");
          %4 = subtract(%0, %1);
          %5 = subtract(%2, %3);
          nn.conv2d_transpose(%4, %5, channels=2, kernel_size=[3, 3], padding=[0, 0, 0, 0], out_dtype="int32")
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with quantised operators in other forms."""
        return legalize(function, "FTVMQnnLegalize")
