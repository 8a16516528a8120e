"""Spans of a piece of a graph: give one to everything down to its inputs, or gather those that are there.

These are the two jobs of the ``SIBuilder`` that the discussion of TVM Explorer describes: after a front end or a pass
has made several expressions for one layer, they all get its span; and what was made from a subgraph gets all the spans
in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from relay_lsp.ir.expressions import Constructor, Expr
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import AnySpan, SequentialSpan
from relay_lsp.ir.visitor import children

__all__ = ["collect_spans", "fill_span", "with_span"]


def fill_span(roots: Iterable[Expr], span: AnySpan, inputs: Iterable[Expr] = ()) -> None:
    """Give ``span`` to everything from ``roots`` down to ``inputs``, exclusive, that has none yet."""
    for expr in _between(roots, inputs):
        if expr.span is None:
            expr.span = span


def collect_spans(roots: Iterable[Expr], inputs: Iterable[Expr] = ()) -> AnySpan | None:
    """The spans of everything from ``roots`` down to ``inputs``, exclusive, those of the roots first."""
    return SequentialSpan.of([expr.span for expr in _between(roots, inputs)])


def _between(roots: Iterable[Expr], inputs: Iterable[Expr]) -> Iterator[Expr]:
    seen = set(inputs)
    stack = list(roots)[::-1]
    while stack:
        expr = stack.pop()
        if expr in seen or isinstance(expr, (Op, Constructor)):
            continue
        seen.add(expr)
        yield expr
        stack.extend(reversed(children(expr)))


def with_span(expr: Expr, span: AnySpan | None) -> Expr:
    """A copy of ``expr`` that stands at ``span``, with its type and the same parts."""
    new = copy(expr)
    new.span = span
    return new
