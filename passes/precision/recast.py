"""``recast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import children

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..infrastructure.operators import require_operators
from ..main_function import replace_main
from ..provenance import ExprMutator


@declare_pass(opt_level=0, required=("InferType",))
class recast(ModulePass):  # noqa: N801 - TVM's name
    """Compute some operators of ``@main`` in another dtype, with a cast of each argument and one of the result.

    Values are cast hard, without scales: this is for measuring how fast an operator is in a dtype. Layers are counted
    from the inputs, along the way by which an operator is first reached from the result. Source of the rule:
    ``python/tvm/relay/transform/recast.py``.

    Before (dtype="float16", out_dtype="float16", ops=("nn.dense",))::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          nn.dense(%x, %w, units=2)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32] {
          %0 = cast(%x, dtype="float16");
          %1 = cast(%w, dtype="float16");
          %2 = nn.dense(%0, %1, units=2, out_dtype="float16");
          cast(%2, dtype="float32")
        }
    """

    dtype: str = option(doc="The dtype of the arguments.")
    out_dtype: str = option(doc="The dtype of the result, of operators that let choose it.")
    ops: tuple[str, ...] = option(default=("nn.conv2d",), doc="The operators.")
    skip_layers: tuple[int, ...] = option(
        default=(), doc="Numbers of layers that stay; negative ones count from the last layer."
    )

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with these operators in the other dtype.

        Raises:
            PassError: there is no ``@main``, or no such operator; or the module is ill-typed with the dtype.
        """
        require_operators(self.ops)
        return self.infer_types(replace_main(module, self._recast), context)

    def _recast(self, function: Function) -> Function:
        depths = layer_depths(function, self.ops)
        count = max(depths.values(), default=-1) + 1
        skipped = {layer + count if layer < 0 else layer for layer in self.skip_layers}
        chosen = {call for call, depth in depths.items() if count - depth - 1 not in skipped}
        return _Recaster(self, chosen).visit_function(function)


def layer_depths(root: Expr, names: Sequence[str]) -> dict[Call, int]:
    """How many of these operators lie between each call of one and the result."""
    depths: dict[Call, int] = {}
    seen: set[Expr] = set()
    stack: list[tuple[Expr, int]] = [(root, 0)]
    while stack:
        expr, depth = stack.pop()
        if expr in seen:
            continue
        seen.add(expr)
        if isinstance(expr, Call) and is_call_to(expr, *names):
            depths[expr] = depth
            depth += 1
        stack.extend((part, depth) for part in reversed(children(expr)))
    return depths


class _Recaster(ExprMutator):
    def __init__(self, options: recast, chosen: set[Call]) -> None:
        super().__init__()
        self._options = options
        self._chosen = chosen

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if pre not in self._chosen:
            return post
        args: tuple[Expr, ...] = post.args
        if is_call_to(post, "concatenate"):
            if not isinstance(args[0], Tuple):
                return post
            args = (Tuple(tuple(self._cast(field) for field in args[0].fields)),)
        else:
            args = tuple(self._cast(arg) for arg in args)
        attrs: Any = post.attrs
        dtype = pre.checked_type.dtype if isinstance(pre.checked_type, TensorType) else None
        if attrs is not None and "out_dtype" in attrs.fields():
            dtype = attrs.out_dtype or dtype
            attrs = attrs.replace(out_dtype=self._options.out_dtype)
        if dtype is None:
            raise PassError("only operators that give a tensor can be recast", place=pre)
        return apply("cast", Call(post.op, args, attrs, (), post.span), dtype=dtype)

    def _cast(self, value: Expr) -> Expr:
        return apply("cast", value, dtype=self._options.dtype)
