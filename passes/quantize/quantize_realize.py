"""``QuantizeRealize``."""

from __future__ import annotations

import dataclasses

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import DataType

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance.record import current_record
from .configuration import shared_option
from .forwarding import ForwardRewriter
from .realization import RealizationOptions, RealizationRules


@declare_pass(opt_level=1)
class QuantizeRealize(FunctionPass):
    """Compute on integers what is computed on floats with quantisation simulated.

    ``simulated_quantize`` becomes a product, ``round`` and ``clip``, or a shift where integers go from one scale to
    another; layers compute on integers of few bits into integers of many. What has no rule gets floats again, by a cast
    and a product with the scale. ``QuantizeCalibrate`` must have run.

    Source of the rule: ``src/relay/quantize/realize.cc``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = relay.op.annotation.simulated_quantize(%x, 0.0625f, -127f, 127f, kind=1);
          %1 = relay.op.annotation.simulated_quantize(%w, 0.03125f, -127f, 127f, kind=2);
          nn.dense(%0, %1, units=2)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = multiply(%x, 16f);
          %1 = round(%0);
          %2 = clip(%1, a_min=-127f, a_max=127f);
          %3 = multiply(%w, 32f);
          %4 = round(%3);
          %5 = clip(%4, a_min=-127f, a_max=127f);
          %6 = cast(%2, dtype="int8");
          %7 = cast(%5, dtype="int8");
          %8 = nn.dense(%6, %7, units=2, out_dtype="int32");
          %9 = cast(%8, dtype="float32");
          multiply(%9, 0.001953125f)
        }
    """

    dtype_input: DataType = shared_option("dtype_input")
    dtype_weight: DataType = shared_option("dtype_weight")
    dtype_activation: DataType = shared_option("dtype_activation")
    nbit_activation: int = shared_option("nbit_activation")
    global_scale: float = shared_option("global_scale")
    round_for_shift: bool = shared_option("round_for_shift")
    rounding: str = shared_option("rounding")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function on integers.

        Raises:
            PassError: a scale is not known, scales do not fit together, or quantised values are joined with others.
        """
        options = RealizationOptions(**{field.name: getattr(self, field.name) for field in dataclasses.fields(self)})
        rules = RealizationRules(options, current_record().remarks)
        return ForwardRewriter(rules.by_operator, function).visit_function(function)
