"""``DenseToSparse``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from .parameters import shapes_by_name, with_sparse_weights


@declare_pass(opt_level=4, required=("DeadCodeElimination",))
class DenseToSparse(FunctionPass):
    """Replace ``nn.dense`` by ``nn.sparse_dense`` where the weight is a parameter that has been made sparse.

    The weight in blocks (BSR) is three parameters instead of one, ``NAME.data``, ``NAME.indices`` and ``NAME.indptr``
    (with ``_`` in the text), which come last. Source of the rule: ``src/relay/transforms/convert_sparse_dense.cc``.

    Before (weight_name=("w",), weight_shape=((2, 16, 1, 2, 3),))::

        def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(32, 64), float32]) -> Tensor[(1, 32), float32] {
          nn.dense(%x, %w, units=None)
        }

    After::

        def @main(%x: Tensor[(1, 64), float32], %w_data: Tensor[(2, 16, 1), float32], %w_indices: Tensor[(2), int32],
                  %w_indptr: Tensor[(3), int32]) -> Tensor[(1, 32), float32] {
          nn.sparse_dense(%x, %w_data, %w_indices, %w_indptr)
        }
    """

    weight_name: tuple[str, ...] = option(doc="Names of the weights.")
    weight_shape: tuple[tuple[int, ...], ...] = option(
        doc="Of each weight the shape of its blocks (three numbers), and the lengths of its indices and of indptr."
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with sparse products.

        Raises:
            PassError: the names and shapes of the weights do not agree.
        """
        shapes = shapes_by_name(self.weight_name, self.weight_shape, (5,))
        return with_sparse_weights(
            function, "nn.dense", shapes, lambda data, weight: apply("nn.sparse_dense", data, *weight)
        )
