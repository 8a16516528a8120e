"""``tvm.relay.expr_functor``."""

from __future__ import annotations

from ...functors import TvmExprFunctor, TvmExprMutator, TvmExprVisitor

__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor"]

ExprFunctor = TvmExprFunctor
ExprMutator = TvmExprMutator
ExprVisitor = TvmExprVisitor
