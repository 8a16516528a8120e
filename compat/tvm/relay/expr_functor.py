"""``tvm.relay.expr_functor``."""

from __future__ import annotations

from ...functors import TvmExprMutator, TvmExprVisitor

__all__ = ["ExprMutator", "ExprVisitor"]

ExprMutator = TvmExprMutator
ExprVisitor = TvmExprVisitor
