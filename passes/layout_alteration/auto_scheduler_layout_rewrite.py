"""``AutoSchedulerLayoutRewrite``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass


@declare_pass(opt_level=3, required=("InferType",))
class AutoSchedulerLayoutRewrite(FunctionPass):
    """Bring weights into the layouts that tuned schedules of the auto scheduler want; without tuning there are none.

    A schedule that was tuned says into which layout a weight is put before the kernel runs. No tuning logs are read
    here, so every function stays as it is, as it does in TVM without them. A build runs the pass where the option
    ``relay.backend.use_auto_scheduler`` is set.

    Source of the rule: ``src/relay/transforms/auto_scheduler_layout_rewrite.cc``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          nn.dense(%x, %w, units=2)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32] {
          nn.dense(%x, %w, units=2)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function as it is: no schedule was tuned."""
        return function
