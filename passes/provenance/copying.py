"""Saying the same thing in another place: copies of expressions with other spans."""

from __future__ import annotations

from copy import copy

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.spans import AnySpan

__all__ = ["with_span"]


def with_span(expr: Expr, span: AnySpan | None) -> Expr:
    """A copy of ``expr`` that stands at ``span``, with its type and the same parts."""
    new = copy(expr)
    new.span = span
    return new
