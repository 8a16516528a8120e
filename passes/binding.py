"""Putting expressions in the place of variables (TVM's ``relay.bind``)."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.expressions import Expr, Var
from .provenance import ExprMutator

__all__ = ["bind"]


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
