"""``EliminateCommonSubexpr``."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op

from .infrastructure import FunctionPass, PassContext, declare_pass, option
from .provenance import ExprMutator


@declare_pass(opt_level=3, required=("InferType",))
class EliminateCommonSubexpr(FunctionPass):
    """Compute once what is computed twice from the same values.

    Two calls of an operator are one where the attributes are equal and the arguments are the same expressions, equal
    scalar constants, or tuples of such; two projections are one where they take the same field of the same tuple.
    Calls of stateful operators and calls without arguments stay apart. Source of the rule:
    ``src/relay/transforms/eliminate_common_subexpr.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          %1 = add(%0, 1f);
          %2 = add(%0, 1f);
          add(%1, %2)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = nn.relu(%x);
          %1 = add(%0, 1f);
          add(%1, %1)
        }
    """

    fskip: Callable[[Expr], bool] | None = option(
        default=None, doc="Says of a call or projection whether it stays as it is; from Python only."
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with each value computed once."""
        return _Eliminator(self.fskip).visit_function(function)


class _Eliminator(ExprMutator):
    def __init__(self, fskip: Callable[[Expr], bool] | None) -> None:
        super().__init__()
        self._fskip = fskip
        self._seen: dict[Hashable, Expr] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A call that may have been seen before; what takes the place of its arguments has their types."""
        post.checked_type = pre.checked_type
        if not post.args or not isinstance(post.op, Op) or post.op.stateful:
            return post
        if self._fskip is not None and self._fskip(post):
            return post
        return self._seen.setdefault((post.op, post.attrs, tuple(map(_key, post.args))), post)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """A projection that may have been seen before."""
        post.checked_type = pre.checked_type
        if self._fskip is not None and self._fskip(post):
            return post
        return self._seen.setdefault((post.tuple_value, post.index), post)


def _key(argument: Expr) -> Hashable:
    """Equal for arguments that are interchangeable."""
    if isinstance(argument, Tuple):
        return ("tuple", *map(_scalar_key, argument.fields))
    return _scalar_key(argument)


def _scalar_key(argument: Expr) -> Hashable:
    if isinstance(argument, Constant) and argument.is_scalar:
        return (argument.dtype, argument.data.tobytes())
    return argument
