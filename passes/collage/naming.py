"""The names of functions that are cut out.

Source of the rule: ``src/relay/transforms/compiler_function_utils.cc`` (``OutlineCompilerFunctions``).
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function

from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from .search import KernelNames

__all__ = ["named"]


def named(function: Function, names: KernelNames) -> Function:
    """``function`` with the name of each function for an external compiler in its attribute ``global_symbol``."""
    return _Namer(names).visit_function(function)


class _Namer(ExprMutator):
    def __init__(self, names: KernelNames) -> None:
        super().__init__()
        self._names = names

    def descend(self, expr: Expr) -> Descent | None:
        """What is cut out is not entered."""
        return kept(expr) if isinstance(expr, Function) and "Compiler" in expr.attrs else None

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """The call of a function with a name."""
        callee = post.op
        if not isinstance(callee, Function) or "Compiler" not in callee.attrs:
            return post
        attrs = {**callee.attrs, "global_symbol": self._names.name(callee)}
        new = Function(callee.params, callee.body, callee.ret_type, callee.type_params, attrs, callee.span)
        self.record.record(new, callee)
        return Call(new, post.args, post.attrs, post.type_args, post.span)
