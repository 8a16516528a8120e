"""``CombineParallelOpBatch``, and what it shares with the dense layers that become a batch."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply

from ..construction import tensor_type
from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..infrastructure.operators import require_operators
from .combiner import Branch, ParallelOpCombiner

__all__ = ["CombineParallelOpBatch", "ParallelOpBatchCombiner"]


@declare_pass(opt_level=4, required=("InferType",))
class CombineParallelOpBatch(FunctionPass):
    """Join calls of one operator on one input, with arguments of the same types, into one call over a batch.

    Each argument of the joined call is a stack of those of the calls. Elementwise operators that follow each call alike
    are joined too. Source of the rule: ``src/relay/transforms/combine_parallel_op_batch.cc``.

    Before (op_name="nn.relu", batch_op_name="nn.relu", min_num_branches=2)::

        def @main(%x: Tensor[(2, 4), float32]) {
          (nn.relu(%x), nn.relu(%x))
        }

    After::

        def @main(%x: Tensor[(2, 4), float32]) {
          %0 = (%x, %x);
          %1 = stack(%0, axis=0);
          %2 = nn.relu(%1);
          %3 = split(%2, indices_or_sections=2, axis=0);
          %4 = %3.0;
          %5 = %3.1;
          (squeeze(%4, axis=[0]), squeeze(%5, axis=[0]))
        }
    """

    op_name: str = option(doc="The operator whose calls are joined.")
    batch_op_name: str = option(doc="The operator that works on the batch.")
    min_num_branches: int = option(default=3, doc="Join only where there are at least so many calls.", lower=1)

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with parallel calls joined.

        Raises:
            PassError: there is no such operator.
        """
        require_operators((self.op_name, self.batch_op_name))
        return ParallelOpBatchCombiner(self.op_name, self.min_num_branches, self.batch_op_name).combine(function)


class ParallelOpBatchCombiner(ParallelOpCombiner):
    """Joins calls by stacking their arguments."""

    def __init__(self, op_name: str, min_num_branches: int, batch_op_name: str) -> None:
        super().__init__(op_name, min_num_branches)
        self.batch_op_name = batch_op_name

    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        """Whether the arguments have the same types."""
        return len(lhs.args) == len(rhs.args) and all(
            tensor_type(a) == tensor_type(b) for a, b in zip(lhs.args, rhs.args, strict=True)
        )

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        """The operator for batches, of stacks, with default attributes."""
        op = ops.get(self.batch_op_name)
        args = (
            apply("stack", Tuple(tuple(branch[0].args[index] for branch in branches)), axis=0)
            for index in range(len(branches[0][0].args))
        )
        return Call(op, tuple(args), op.default_attrs())

    def is_argument_compatible(self, lhs: Call, rhs: Call, index: int) -> bool:
        """Whether the arguments have the same type."""
        return tensor_type(lhs.args[index]) == tensor_type(rhs.args[index])

    def combined_following(self, data: Expr, branches: Sequence[Branch], depth: int, parent: int) -> Call:
        """The same operator on stacks."""
        call = branches[0][depth]
        args: list[Expr] = []
        for index in range(len(call.args)):
            parts = Tuple(tuple(_as_row(branch[depth].args[index]) for branch in branches if index != parent))
            args.append(data if index == parent else apply("stack", parts, axis=0))
        return Call(call.op, tuple(args), call.attrs)

    def outputs(self, data: Expr, branches: Sequence[Branch], depth: int) -> list[Expr]:
        """The slices of the batch."""
        parts = apply("split", data, indices_or_sections=len(branches), axis=0)
        return [apply("squeeze", TupleGetItem(parts, index), axis=(0,)) for index in range(len(branches))]


def _as_row(expr: Expr) -> Expr:
    """A vector as a matrix of one row, so that it broadcasts against a batch."""
    return apply("expand_dims", expr, axis=0, num_newaxis=1) if tensor_type(expr).ndim == 1 else expr
