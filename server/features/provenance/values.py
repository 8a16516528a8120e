"""Which value the cursor is on: that of a name where it is bound and where it is used, that of a comment, or the
expression around."""

from __future__ import annotations

import re

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

from .line_pieces import skip_comments
from .stated import StatedLayers, StatedSource, sources_behind, stated_layers

__all__ = ["bound_value", "layers_span", "stated_around", "value_at", "value_expr"]

_BINDS = (SymbolKind.GRAPH, SymbolKind.LET)
_NAME_BEGINS = 100
"""How far behind a `let` its name begins at most."""

_LONGEST_READ = 1 << 16
"""Characters of a statement whose comments are all read to know those of one value in it."""

_NO_VALUES = frozenset(
    (
        *("sequence", "arguments", "statement", "block", "header", "parameters"),
        *("graph_binding", "let_binding", "free_variable"),
    )
)
"""The nodes of the syntax that end with a value, or around it, and are none."""

_OF_BINDING = frozenset(("let", "=", ";", ":"))
_DEFINES = (SymbolKind.FUNCTION, SymbolKind.TYPE, SymbolKind.CONSTRUCTOR, SymbolKind.TYPE_PARAMETER)


def value_at(snapshot: Snapshot, offset: int) -> TextSpan | None:
    """Where the value stands that is meant at ``offset``; ``None`` where none is.

    A name stands for the value that it is bound to, wherever that is; ``let``, ``=`` and ``;`` for that of their
    statement; a comment for the value that it is about. A parameter stands for itself.
    """
    symbol = snapshot.symbol_at(offset)
    if symbol is not None:
        if symbol.kind in _BINDS:
            return bound_value(snapshot, symbol)
        if symbol.kind in _DEFINES:
            return None
    token = snapshot.token_at(offset)
    if token is None:
        return None
    if token.role is TokenRole.COMMENT:
        return _value_of_comment(snapshot, token)
    if token.text in _OF_BINDING and (binding := _binding_of(snapshot, token)) is not None:
        return bound_value(snapshot, binding)
    expr = snapshot.expr_at(offset)
    return snapshot.span_of(expr) if expr is not None else None


def layers_span(snapshot: Snapshot, offset: int) -> TextSpan | None:
    """The range of the function that is meant at ``offset``: by its name, by the name that it is bound to, by a call of
    that, or by ``fn``; ``None`` where no function is."""
    symbol = snapshot.symbol_at(offset)
    if symbol is not None and symbol.kind is SymbolKind.FUNCTION:
        return symbol.full_span
    if symbol is None or symbol.kind in _BINDS:
        value = value_at(snapshot, offset)
        if value is not None and _WRITTEN_FUNCTION.match(snapshot.lines.part(value.start, value.start + 3)):
            return value
    return None


_WRITTEN_FUNCTION = re.compile(r"fn\b")


def bound_value(snapshot: Snapshot, symbol: Symbol) -> TextSpan | None:
    """Where the value stands that a name of a graph value or of a ``let`` is bound to."""
    if symbol.kind is SymbolKind.GRAPH:
        expr = snapshot.expr_at(symbol.span.start)
        span = snapshot.span_of(expr) if expr is not None else None
        if span is not None:
            return span
    start = end = None
    is_bound = False
    for token in snapshot.tokens(symbol.span.end, symbol.full_span.end):
        if token.role is TokenRole.COMMENT or token.span.start < symbol.span.end:
            continue
        if not is_bound:
            is_bound = token.text == "="
            continue
        if token.text == ";" and token.span.end >= symbol.full_span.end:
            break
        start = token.span.start if start is None else start
        end = token.span.end
    return None if start is None or end is None else TextSpan(start, end)


def value_expr(snapshot: Snapshot, value: TextSpan) -> Expr | None:
    """The expression that is written at the range of a value."""
    for offset in (value.start, value.end - 1):
        expr = snapshot.expr_at(offset)
        if expr is not None and snapshot.span_of(expr) == value:
            return expr
    return None


def stated_around(snapshot: Snapshot, offset: int) -> list[StatedLayers]:
    """The values that comments speak of in the statement around ``offset`` and in the one before it.

    Of a head, and of a statement that is too long to be read for each question, those around ``offset`` alone, and as
    far as the parser reads it.
    """
    lines, own = snapshot.lines, snapshot.statement_span(offset)
    behind = _rest_of_line(snapshot, own.end)
    end = max(own.end, own.end + min(len(behind), skip_comments(behind, 0)))
    start = snapshot.statement_start(offset, 1)
    if end - start > _LONGEST_READ:
        start = own.start
    if end - start > _LONGEST_READ or _is_in_head(snapshot, offset):
        return _stated_behind(snapshot, snapshot.word_start(offset))
    return stated_layers(lines.part(start, end), start)


def _is_in_head(snapshot: Snapshot, offset: int) -> bool:
    return any(node.kind == "header" for node in snapshot.node_at(offset))


def _rest_of_line(snapshot: Snapshot, offset: int) -> str:
    line = snapshot.lines.line_and_column(offset)[0]
    return snapshot.lines.part(offset, snapshot.lines.line_start(line) + len(snapshot.lines.line(line)))


def _stated_behind(snapshot: Snapshot, offset: int) -> list[StatedLayers]:
    """The values around ``offset`` that comments directly behind them speak of, the innermost first."""
    spans = {node.span.end: node.span for node in snapshot.node_at(offset) if node.kind not in _NO_VALUES}
    values: list[StatedLayers] = []
    for span in spans.values():  # of those that end together the outermost: a parameter, not its type
        sources, ends_statement = sources_behind(_rest_of_line(snapshot, span.end))
        if sources:
            placed = tuple([StatedSource(source, place.shifted(span.end)) for source, place in sources])
            values.append(StatedLayers(span, placed, ends_statement))
    return values


def _value_of_comment(snapshot: Snapshot, comment: Token) -> TextSpan | None:
    for value in stated_around(snapshot, comment.span.start):
        if any(comment.span.start <= source.span.start < comment.span.end for source in value.sources):
            return value.span
    return None


def _binding_of(snapshot: Snapshot, token: Token) -> Symbol | None:
    """The name that a statement binds of which this token is a part, outside of its value."""
    start = snapshot.statement_start(token.span.start)
    around = [
        symbol
        for symbol in snapshot.symbols_in(TextSpan(start, token.span.end + _NAME_BEGINS))
        if symbol.kind in _BINDS and symbol.full_span.contains(token.span.start)
    ]
    if not around:
        return None
    symbol = min(around, key=lambda each: each.full_span.end - each.full_span.start)
    value = bound_value(snapshot, symbol)
    inside = value is not None and value.start <= token.span.start < value.end
    return None if inside else symbol
