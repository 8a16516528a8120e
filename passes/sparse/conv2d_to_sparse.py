"""``Conv2dToSparse``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from .parameters import shapes_by_name, with_sparse_weights


@declare_pass(opt_level=4, required=("DeadCodeElimination",))
class Conv2dToSparse(FunctionPass):
    """Replace ``nn.conv2d`` by ``nn.sparse_conv2d`` where the weight is a parameter that has been made sparse.

    The weight in blocks (BSR) is three parameters instead of one, ``NAME.data``, ``NAME.indices`` and ``NAME.indptr``
    (with ``_`` in the text), which come last. Source of the rule: ``src/relay/transforms/convert_sparse_conv2d.cc``.

    Before (weight_name=("w",), weight_shape=((8, 16, 1, 8, 3),), layout="NHWC", kernel_size=1)::

        def @main(%x: Tensor[(1, 8, 8, 16), float32], %w: Tensor[(1, 1, 16, 32), float32]) {
          nn.conv2d(%x, %w, padding=[0, 0, 0, 0], channels=32, kernel_size=[1, 1], data_layout="NHWC",
                    kernel_layout="HWIO")
        }

    After::

        def @main(%x: Tensor[(1, 8, 8, 16), float32], %w_data: Tensor[(8, 16, 1), float32],
                  %w_indices: Tensor[(8), int32], %w_indptr: Tensor[(3), int32]) {
          nn.sparse_conv2d(%x, %w_data, %w_indices, %w_indptr, layout="NHWC", kernel_size=[1, 1])
        }
    """

    weight_name: tuple[str, ...] = option(doc="Names of the weights.")
    weight_shape: tuple[tuple[int, ...], ...] = option(
        doc="Of each weight the shape of its blocks (two or three numbers), and the lengths of indices and indptr."
    )
    layout: str = option(doc="Layout of the data.", choices=("NHWC", "NCHW"))
    kernel_size: int = option(doc="Height and width of the kernel.", lower=1)

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with sparse convolutions.

        Raises:
            PassError: the names and shapes of the weights do not agree.
        """
        shapes = shapes_by_name(self.weight_name, self.weight_shape, (4, 5))
        size = (self.kernel_size, self.kernel_size)
        return with_sparse_weights(
            function,
            "nn.conv2d",
            shapes,
            lambda data, weight: apply("nn.sparse_conv2d", data, *weight, layout=self.layout, kernel_size=size),
        )
