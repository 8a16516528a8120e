"""``Conv2dToSparse2``."""

from __future__ import annotations

from typing import Any

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, is_call_to

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from ..provenance import ExprMutator


@declare_pass(opt_level=5, required=("DeadCodeElimination",))
class Conv2dToSparse2(FunctionPass):
    """Replace ``nn.conv2d`` by ``nn.sparse_conv2d`` where enough blocks of a constant weight are zeros.

    The weight, as a matrix of one row for each output channel, is cut into blocks, and those that hold something else
    than zeros are kept (BSR). Only convolutions without strides, of the layout and kernel size asked for, are looked
    at. Source of the rule: ``src/relay/transforms/convert_sparse_conv2d.cc``.

    Before (layout="NCHW", kernel_size=3, blocksize=(1, 1), sparsity_threshold=0.5)::

        def @main(%x: Tensor[(1, 2, 8, 8), float32], %w: Tensor[(4, 2, 3, 3), float32]) {
          nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3])
        }

    After::

        def @main(%x: Tensor[(1, 2, 8, 8), float32], %w: Tensor[(4, 2, 3, 3), float32]) {
          nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3])
        }
    """

    layout: str = option(doc="Layout of the data.", choices=("NHWC", "NCHW"))
    kernel_size: int = option(doc="Height and width of the kernel.", lower=1)
    blocksize: tuple[int, ...] = option(doc="Rows and columns of a block.")
    sparsity_threshold: float = option(doc="The least share of the weight that must lie in blocks of zeros.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with sparse convolutions.

        Raises:
            PassError: a block has not two sizes, or a constant weight is not of float32 or of four dimensions.
        """
        if len(self.blocksize) != 2 or min(self.blocksize) < 1:
            raise PassError(f"blocksize must be two positive numbers, not {self.blocksize}")
        return _Converter(self).visit_function(function)


class _Converter(ExprMutator):
    def __init__(self, options: Conv2dToSparse2) -> None:
        super().__init__()
        self._options = options

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        options, attrs = self._options, self._attrs_of(pre)
        weight = pre.args[1] if attrs is not None else None
        if not isinstance(weight, Constant):
            return post
        if weight.dtype != "float32" or weight.data.ndim != 4:
            raise PassError("a weight that is made sparse must be of float32 and four dimensions", place=pre)
        data = weight.data if options.layout == "NCHW" else np.moveaxis(weight.data, -1, 0)
        rows = data.reshape(data.shape[0], -1)
        blocks, columns, starts = _in_blocks(rows, options.blocksize[0], options.blocksize[1])
        if 1 - blocks.size / rows.size < options.sparsity_threshold:
            return post
        parts = [Constant(part) for part in (blocks, columns, starts)]
        for part in parts:
            self.record.record(part, weight)
        size = (options.kernel_size, options.kernel_size)
        return apply("nn.sparse_conv2d", post.args[0], *parts, layout=options.layout, kernel_size=size)

    def _attrs_of(self, call: Call) -> Any:
        """The attributes of a convolution that is asked for; ``None`` for any other call."""
        attrs: Any = call.attrs
        options = self._options
        if (
            not is_call_to(call, "nn.conv2d")
            or attrs.data_layout != options.layout
            or attrs.strides[0] != 1
            or not attrs.kernel_size
            or attrs.kernel_size[0] != options.kernel_size
        ):
            return None
        return attrs


def _in_blocks(matrix: NDArray, height: int, width: int) -> tuple[NDArray, NDArray, NDArray]:
    """The blocks that are not zeros, the block column of each, and where the blocks of each block row begin."""
    rows, columns = matrix.shape[0] // height, matrix.shape[1] // width
    cut = matrix[: rows * height, : columns * width].reshape(rows, height, columns, width).swapaxes(1, 2)
    kept = cut.any(axis=(2, 3))
    starts = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int32)
    return np.ascontiguousarray(cut[kept]), np.nonzero(kept)[1].astype(np.int32), starts
