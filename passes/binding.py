"""Putting expressions in the place of variables (TVM's ``relay.bind``), and names in the place of global names."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.ir.expressions import Expr, GlobalVar, Var

from .provenance import ExprMutator

__all__ = ["Renamer", "bind"]


class _Binder(ExprMutator):
    def __init__(self, arguments: Mapping[Var, Expr]) -> None:
        super().__init__()
        self.arguments = arguments

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        return self.arguments.get(pre, post)


def bind(body: Expr, arguments: Mapping[Var, Expr]) -> Expr:
    """``body`` with each variable of ``arguments`` replaced; what uses none of them stays the same object.

    Source of the rule: ``src/relay/ir/expr_functor.cc`` (``Bind``).
    """
    return _Binder(arguments).visit(body)


class Renamer(ExprMutator):
    """Replaces global names."""

    def __init__(self, renamed: Mapping[GlobalVar, GlobalVar]) -> None:
        super().__init__()
        self.renamed = renamed

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        """The new name, or the old one."""
        return self.renamed.get(pre, post)
