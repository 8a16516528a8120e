"""``SplitArgs``."""

from __future__ import annotations

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply

from .infrastructure import FunctionPass, PassContext, declare_pass, option
from .provenance import ExprMutator


@declare_pass(opt_level=1, required=("InferType",))
class SplitArgs(FunctionPass):
    """Break a ``concatenate`` of many tensors into several, so that no kernel has too many arguments.

    The parts are kept apart by ``annotation.stop_fusion``. The module's attributes are carried over to each function,
    as TVM does. Source of the rule: ``src/relay/transforms/split_args.cc``.

    Before (max_function_args=3)::

        def @main(%a: Tensor[(1), float32], %b: Tensor[(1), float32], %c: Tensor[(1), float32]) {
          %0 = (%a, %b, %c);
          concatenate(%0)
        }

    After::

        def @main(%a: Tensor[(1), float32], %b: Tensor[(1), float32], %c: Tensor[(1), float32]) {
          %0 = (%a, %b);
          %1 = concatenate(%0);
          %2 = (%c,);
          %3 = concatenate(%2);
          %4 = annotation.stop_fusion(%1);
          %5 = annotation.stop_fusion(%3);
          %6 = (%4, %5);
          concatenate(%6)
        }
    """

    max_function_args: int = option(
        default=-1, doc="The most arguments and results that a kernel may have; below 0 no limit."
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with such calls broken up."""
        split = _ArgumentSplitter(self.max_function_args).visit_function(function)
        if not module.attrs:
            return split
        attrs = {**split.attrs, **module.attrs}
        return Function(
            split.params, split.body, split.ret_type, split.type_params, attrs, split.span, split.virtual_device
        )


class _ArgumentSplitter(ExprMutator):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        # One place is the result's.
        limit = self.most - 1
        if limit < 1 or post.op is not ops.get("concatenate") or not isinstance(post.args[0], Tuple):
            return post
        # As in TVM, what is broken up is the tuple before this pass, whose own parts stay whole.
        fields = pre.args[0].fields if isinstance(pre.args[0], Tuple) else post.args[0].fields
        if len(fields) < limit:
            return post
        parts = [fields[start : start + limit] for start in range(0, len(fields), limit)]
        joined = [Call(post.op, (Tuple(part, post.args[0].span),), post.attrs) for part in parts]
        stopped = tuple(apply("annotation.stop_fusion", part) for part in joined)
        return Call(post.op, (Tuple(stopped, post.args[0].span),), post.attrs, (), post.span)
