"""Expressions that differ from what they were made from only in their inputs."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, TupleGetItem

__all__ = ["is_rebuilt"]


def is_rebuilt(expr: Expr, sources: Sequence[Expr]) -> bool:
    """Whether an expression is what it was made from, but for what it is applied to: that its inputs are new is
    nothing that a pass did to it."""
    if len(sources) != 1 or type(sources[0]) is not type(expr):
        return False
    (source,) = sources
    if isinstance(expr, Call) and isinstance(source, Call):
        return _have_equal_attributes(expr, source) and len(expr.args) == len(source.args)
    if isinstance(expr, TupleGetItem) and isinstance(source, TupleGetItem):
        return expr.index == source.index
    return True


def _have_equal_attributes(call: Call, source: Call) -> bool:
    return call.op is source.op and (call.attrs is source.attrs or call.attrs == source.attrs)
