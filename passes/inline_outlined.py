"""``InlineOutlined``."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.expressions import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem
from ..ir.module import IRModule
from ..ir.visitor import post_order
from .infrastructure import ModulePass, PassContext, declare_pass
from .outlined import OUTLINED
from .provenance import ExprMutator


@declare_pass(opt_level=0)
class InlineOutlined(ModulePass):
    """Put back what ``OutLiner`` made into functions, and remove those functions.

    A function with the attribute ``Outlined`` is written out wherever it is called; one that is used in another way
    stays.

    Before::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @outlined_gelu_0(%x)
        }

        def @outlined_gelu_0(%i0: Tensor[(4), float32], Outlined="nn.gelu") -> Tensor[(4), float32] {
          %0 = exp(%i0);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = exp(%x);
          nn.relu(%0)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without outlined functions."""
        outlined = {var: function for var, function in module.functions.items() if OUTLINED in function.attrs}
        if not outlined:
            return module
        functions = dict(module.functions)
        for var in _callees_first(outlined):
            functions[var] = _Inliner(outlined).visit_function(outlined[var])
            outlined[var] = functions[var]
        for var, function in module.functions.items():
            if var not in outlined:
                functions[var] = _Inliner(outlined).visit_function(function)
        used = {
            expr
            for var, function in functions.items()
            if var not in outlined
            for expr in post_order(function)
            if isinstance(expr, GlobalVar)
        }
        kept = {var: function for var, function in functions.items() if var not in outlined or var in used}
        return module.with_functions(kept)


def _callees_first(outlined: Mapping[GlobalVar, Function]) -> list[GlobalVar]:
    """The outlined functions, each after those that it calls."""
    order: list[GlobalVar] = []
    seen: set[GlobalVar] = set()
    stack = [(var, False) for var in outlined]
    while stack:
        var, finished = stack.pop()
        if finished:
            order.append(var)
        elif var not in seen:
            seen.add(var)
            stack.append((var, True))
            called = [expr for expr in post_order(outlined[var]) if isinstance(expr, GlobalVar) and expr in outlined]
            stack.extend((other, False) for other in called if other not in seen)
    return order


class _Inliner(ExprMutator):
    def __init__(self, outlined: Mapping[GlobalVar, Function]) -> None:
        super().__init__()
        self._outlined = outlined

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A call of an outlined function."""
        function = self._outlined.get(post.op) if isinstance(post.op, GlobalVar) else None
        if function is None or len(function.params) != len(post.args):
            return post
        body = ExprMutator()
        body.memo.update(zip(function.params, post.args, strict=True))
        return body.visit(function.body)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """One of several results."""
        made = post.tuple_value
        if isinstance(made, Tuple) and made is not pre.tuple_value and isinstance(pre.tuple_value, Call):
            return made.fields[post.index]
        return post
