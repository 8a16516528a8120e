"""``CombineParallelBatchMatmul``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.dense import BatchMatmulAttrs

from ..construction import tensor_type
from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from .combiner import Branch, ParallelOpCombiner


@declare_pass(opt_level=4, required=("InferType",))
class CombineParallelBatchMatmul(FunctionPass):
    """Join ``nn.batch_matmul`` calls of one left operand into one, and cut its result apart.

    Only calls with ``transpose_a=False, transpose_b=True`` are joined. Source of the rule:
    ``src/relay/transforms/combine_parallel_batch_matmul.cc``.

    Before (min_num_branches=2)::

        def @main(%x: Tensor[(1, 2, 4), float32], %v: Tensor[(1, 3, 4), float32], %w: Tensor[(1, 5, 4), float32]) {
          (nn.batch_matmul(%x, %v, transpose_b=True), nn.batch_matmul(%x, %w, transpose_b=True))
        }

    After::

        def @main(%x: Tensor[(1, 2, 4), float32], %v: Tensor[(1, 3, 4), float32], %w: Tensor[(1, 5, 4), float32]) {
          %0 = (%v, %w);
          %1 = concatenate(%0, axis=1);
          %2 = nn.batch_matmul(%x, %1, transpose_b=True);
          %3 = strided_slice(%2, begin=[0, 0, 0], end=[-1, -1, 3], strides=[1, 1, 1], slice_mode="size", axes=None);
          %4 = strided_slice(%2, begin=[0, 0, 3], end=[-1, -1, 5], strides=[1, 1, 1], slice_mode="size", axes=None);
          (%3, %4)
        }
    """

    min_num_branches: int = option(default=3, doc="Join only where there are at least so many calls.", lower=1)

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with parallel calls joined.

        Raises:
            PassError: a call to be joined has a number of columns that is not known.
        """
        return _BatchMatmulCombiner("nn.batch_matmul", self.min_num_branches).combine(function)


class _BatchMatmulCombiner(ParallelOpCombiner):
    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        a, b = attrs_of(lhs, BatchMatmulAttrs), attrs_of(rhs, BatchMatmulAttrs)
        if any(attrs.transpose_a or not attrs.transpose_b for attrs in (a, b)):
            return False
        right_a, right_b = tensor_type(lhs.args[1]), tensor_type(rhs.args[1])
        return (
            right_a.dtype == right_b.dtype
            and tensor_type(lhs).dtype == tensor_type(rhs).dtype
            and right_a.ndim == right_b.ndim == 3
            and right_a.shape[0] == right_b.shape[0]
            and a.out_dtype == b.out_dtype
        )

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        first = branches[0][0]
        weights = Tuple(tuple(branch[0].args[1] for branch in branches))
        return Call(first.op, (first.args[0], apply("concatenate", weights, axis=1)), first.attrs)

    def is_argument_compatible(self, lhs: Call, rhs: Call, index: int) -> bool:
        return True

    def combined_following(self, data: Expr, branches: Sequence[Branch], depth: int, parent: int) -> Call:
        call = branches[0][depth]
        args: list[Expr] = []
        for index in range(len(call.args)):
            parts = Tuple(tuple(branch[depth].args[index] for branch in branches))
            args.append(data if index == parent else apply("concatenate", parts, axis=-1))
        return Call(call.op, tuple(args), call.attrs)

    def outputs(self, data: Expr, branches: Sequence[Branch], depth: int) -> list[Expr]:
        outputs: list[Expr] = []
        start = 0
        for branch in branches:
            columns = tensor_type(branch[0].args[1]).shape[1]
            if not isinstance(columns, int):
                raise PassError("the number of columns is not known", place=branch[0])
            slice_of = {"begin": (0, 0, start), "end": (-1, -1, columns), "strides": (1, 1, 1)}
            outputs.append(apply("strided_slice", data, **slice_of, slice_mode="size", axes=None))
            start += columns
        return outputs
