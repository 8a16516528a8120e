"""``ConvertLayout``."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..infrastructure.operators import require_operators
from .conversion import convert_layouts


@declare_pass(opt_level=3, required=("InferType", "CanonicalizeOps"))
class ConvertLayout(FunctionPass):
    """Bring operators into the layouts that are asked for, with as few transforms in between as possible.

    Each operator named in ``desired_layouts`` takes the first layout for its data and the next for its weight or its
    regions; ``default`` there is the usual one beside the data's. Operators that can work in any layout pass the new
    one on, with their axes moved; before the others, and at the results, values are transformed back. Operators that
    are not named, or that have no conversion, stay. In a Python program, ``passes.layout_conversion.LayoutConfig``
    counts the convolutions and leaves some alone.

    Source of the rule: ``src/relay/transforms/convert_layout.cc``, ``transform_layout.h``.

    Before (desired_layouts={"nn.conv2d": ["NHWC", "default"]})::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {
          %0 = nn.conv2d(%x, %weight, channels=4, kernel_size=[3, 3]);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32])
            -> Tensor[(1, 4, 6, 6), float32] {
          %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
          %1 = layout_transform(%weight, src_layout="OIHW", dst_layout="HWIO");
          %2 = nn.conv2d(%0, %1, padding=[0, 0, 0, 0], channels=4, kernel_size=[3, 3], data_layout="NHWC",
                         kernel_layout="HWIO");
          %3 = nn.relu(%2);
          layout_transform(%3, src_layout="NHWC", dst_layout="NCHW")
        }
    """

    desired_layouts: Mapping[str, tuple[str, ...]] = option(
        doc='For each operator the layouts of its data and of its weight: `{"nn.conv2d": ["NHWC", "default"]}`.'
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with operators in their desired layouts.

        Raises:
            PassError: there is no operator of a name, or no such layout of it.
        """
        require_operators(self.desired_layouts)
        return convert_layouts(function, self.desired_layouts)
