"""``AlterOpLayout``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..targets import Target, current_target
from .rules import alter_op_layouts


@declare_pass(opt_level=3, required=("InferType",))
class AlterOpLayout(FunctionPass):
    """Bring operators into the layouts that the target computes fastest, with few transforms in between.

    For ``llvm`` convolutions in ``NCHW`` get their channels in blocks, as many as a vector holds, and dense layers
    their weight packed into tiles; ``-mcpu`` says how long vectors are. Arm processors take the weight in blocks. Other
    operators follow where they can; before the others, and at the results, values are transformed back.

    These are the layouts that TVM chooses without a tuning log; with one it may choose other blocks, and algorithms
    such as Winograd's. For GPUs it chooses none without. Without a target, operators stay in their layouts.

    Source of the rule: ``src/relay/transforms/alter_op_layout.cc``, ``python/tvm/topi/x86/conv2d_alter_op.py``,
    ``dense_alter_op.py``, ``python/tvm/topi/arm_cpu/conv2d_alter_op.py``.

    Before (target="llvm")::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %weight: Tensor[(8, 4, 3, 3), float32]) {
          %0 = nn.conv2d(%x, %weight, channels=8, kernel_size=[3, 3]);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %weight: Tensor[(8, 4, 3, 3), float32])
            -> Tensor[(1, 8, 6, 6), float32] {
          %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c");
          %1 = layout_transform(%weight, src_layout="OIHW", dst_layout="OIHW4i4o");
          %2 = nn.contrib_conv2d_NCHWc(%0, %1, padding=[0, 0, 0, 0], channels=8, kernel_size=[3, 3],
                                       data_layout="NCHW4c", kernel_layout="OIHW4i4o", out_layout="NCHW4c");
          %3 = nn.relu(%2);
          layout_transform(%3, src_layout="NCHW4c", dst_layout="NCHW")
        }
    """

    target: str = option(default="", doc="What the program is compiled for; by default the current target, if any.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with operators in the target's layouts."""
        return alter_op_layouts(function, Target.parse(self.target) if self.target else current_target())
