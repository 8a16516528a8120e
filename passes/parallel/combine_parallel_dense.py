"""``CombineParallelDense``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.dense import DenseAttrs
from relay_lsp.ir.types import Dim

from ..construction import tensor_type
from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from .combine_parallel_op_batch import ParallelOpBatchCombiner
from .combiner import Branch, ParallelOpCombiner


@declare_pass(opt_level=4, required=("InferType",))
class CombineParallelDense(FunctionPass):
    """Join ``nn.dense`` calls of one input: into one ``nn.batch_matmul``, or into one ``nn.dense`` with more units.

    A batch needs weights of one shape; the other way needs only that they have the same number of inputs. Elementwise
    operators that follow each call alike are joined too. Source of the rule:
    ``src/relay/transforms/combine_parallel_dense.cc``, ``combine_parallel_op_batch.cc``.

    Before (min_num_branches=2)::

        def @main(%x: Tensor[(2, 4), float32], %v: Tensor[(3, 4), float32], %w: Tensor[(3, 4), float32]) {
          (nn.dense(%x, %v, units=None), nn.dense(%x, %w, units=None))
        }

    After::

        def @main(%x: Tensor[(2, 4), float32], %v: Tensor[(3, 4), float32], %w: Tensor[(3, 4), float32]) {
          %0 = (%x, %x);
          %1 = (%v, %w);
          %2 = stack(%0);
          %3 = stack(%1);
          %4 = nn.batch_matmul(%2, %3, transpose_b=True);
          %5 = split(%4, indices_or_sections=2);
          %6 = %5.0;
          %7 = %5.1;
          (squeeze(%6, axis=[0]), squeeze(%7, axis=[0]))
        }
    """

    min_num_branches: int = option(default=3, doc="Join only where there are at least so many calls.", lower=1)
    to_batch: bool = option(default=True, doc="Make a batch_matmul; otherwise one dense with all the units.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with parallel calls joined.

        Raises:
            PassError: a size that must be known to join or to cut is not.
        """
        combiner = _ToBatch if self.to_batch else _ToDense
        return combiner("nn.dense", self.min_num_branches).combine(function)


class _ToBatch(ParallelOpBatchCombiner):
    def __init__(self, op_name: str, min_num_branches: int) -> None:
        super().__init__(op_name, min_num_branches, "nn.batch_matmul")

    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        same_dtype = attrs_of(lhs, DenseAttrs).out_dtype == attrs_of(rhs, DenseAttrs).out_dtype
        return same_dtype and tensor_type(lhs.args[1]).shape == tensor_type(rhs.args[1]).shape

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        data, weight = (
            apply("stack", Tuple(tuple(branch[0].args[index] for branch in branches)), axis=0) for index in (0, 1)
        )
        out_dtype = attrs_of(branches[0][0], DenseAttrs).out_dtype
        return apply("nn.batch_matmul", data, weight, out_dtype=out_dtype, transpose_a=False, transpose_b=True)


def _known(dim: Dim, place: Expr) -> int:
    if not isinstance(dim, int):
        raise PassError("a size that must be known to join these calls is not", place=place)
    return dim


class _ToDense(ParallelOpCombiner):
    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        same_dtype = attrs_of(lhs, DenseAttrs).out_dtype == attrs_of(rhs, DenseAttrs).out_dtype
        return same_dtype and tensor_type(lhs.args[1]).shape[1] == tensor_type(rhs.args[1]).shape[1]

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        first = branches[0][0]
        weights = tuple(branch[0].args[1] for branch in branches)
        units = sum(_known(tensor_type(weight).shape[0], weight) for weight in weights)
        weight = apply("concatenate", Tuple(weights), axis=0)
        out_dtype = attrs_of(first, DenseAttrs).out_dtype
        return apply("nn.dense", first.args[0], weight, units=units, out_dtype=out_dtype)

    def is_argument_compatible(self, lhs: Call, rhs: Call, index: int) -> bool:
        a, b = tensor_type(lhs.args[index]), tensor_type(rhs.args[index])
        if a.dtype != b.dtype or a.ndim != b.ndim:
            return False
        if tensor_type(lhs).ndim < a.ndim or tensor_type(rhs).ndim < b.ndim:
            return False
        return a.shape[:-1] == b.shape[:-1]

    def combined_following(self, data: Expr, branches: Sequence[Branch], depth: int, parent: int) -> Call:
        call = branches[0][depth]
        args: list[Expr] = []
        for index, first in enumerate(call.args):
            if index == parent:
                args.append(data)
                continue
            axis = max(tensor_type(first).ndim - 1, 0)
            parts = Tuple(tuple(_widened(branch[depth], index, parent, axis) for branch in branches))
            args.append(apply("concatenate", parts, axis=axis))
        return Call(call.op, tuple(args), call.attrs)

    def outputs(self, data: Expr, branches: Sequence[Branch], depth: int) -> list[Expr]:
        outputs: list[Expr] = []
        start = 0
        for branch in branches:
            shape = tensor_type(branch[depth]).shape
            units = _known(tensor_type(branch[0]).shape[1], branch[0])
            # A following operator may have moved the units to another axis.
            axis = next((i for i in reversed(range(len(shape))) if shape[i] == units), None)
            if axis is None:
                raise PassError("no axis of the result is that of the units", place=branch[depth])
            begin, end = [0] * len(shape), [-1] * len(shape)
            begin[axis], end[axis] = start, units
            start += units
            slice_of = {"begin": tuple(begin), "end": tuple(end), "strides": (1,) * len(shape)}
            outputs.append(apply("strided_slice", data, **slice_of, slice_mode="size", axes=None))
        return outputs


def _widened(call: Call, index: int, parent: int, axis: int) -> Expr:
    """An argument with its last axis as long as the units, so that the joined one broadcasts as each did."""
    arg = call.args[index]
    shape = tensor_type(arg).shape
    units = _known(tensor_type(call.args[parent]).shape[-1], call)
    if not shape:
        arg = apply("expand_dims", arg, axis=-1, num_newaxis=1)
        return apply("repeat", arg, repeats=units, axis=axis)
    if units > 1 and _known(shape[-1], arg) == 1:
        return apply("repeat", arg, repeats=units, axis=axis)
    return arg
