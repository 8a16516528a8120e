"""The origins of a value in its comments: spans and framework layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind, Token, TokenRole
from relay_lsp.ir.span_comments import sources_in
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["ValueOrigin", "function_at", "origins_at", "origins_in"]

_STATEMENT_ENDS = frozenset(";{}")


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """A place in a named source; ``line`` and ``column`` are 1-based, and 0 for a layer, which has none."""

    source: str
    line: int
    column: int
    span: TextSpan
    """The part of the comment that names this place."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


def origins_in(comment: str, start: int = 0) -> Iterator[ValueOrigin]:
    """The origins that a comment at the offset ``start`` names, each once."""
    for span, begin, end in sources_in(comment):
        yield ValueOrigin(span.source_name.name, span.line, span.column, TextSpan(start + begin, start + end))


def origins_at(snapshot: Snapshot, offset: int) -> tuple[ValueOrigin, ...]:
    """The origins of the expression at ``offset``; where it has none, those of its statement."""
    expr = snapshot.expr_at(offset)
    span = snapshot.span_of(expr) if expr is not None else None
    if span is not None and span.contains(offset):
        origins = _origins(_comments_after(snapshot, span.end))
        if origins:
            return origins
    return _origins(_comments_at_the_end(snapshot, offset))


def function_at(snapshot: Snapshot, offset: int) -> str:
    """The function, such as ``@main``, whose name stands at ``offset``; empty where none does."""
    symbol = snapshot.symbol_at(offset)
    return symbol.name if symbol is not None and symbol.kind is SymbolKind.FUNCTION else ""


def _origins(comments: Iterator[Token] | list[Token]) -> tuple[ValueOrigin, ...]:
    return tuple(
        dict.fromkeys(origin for comment in comments for origin in origins_in(comment.text, comment.span.start))
    )


def _comments_after(snapshot: Snapshot, offset: int) -> Iterator[Token]:
    """The comments that follow directly on ``offset``."""
    for token in snapshot.tokens(offset):
        if token.span.start < offset:
            continue
        if token.role is not TokenRole.COMMENT:
            return
        yield token


def _comments_at_the_end(snapshot: Snapshot, offset: int) -> list[Token]:
    """The comments at the end of the statement around ``offset``, before its ``;``."""
    comments: list[Token] = []
    for token in snapshot.tokens(offset):
        if token.role is TokenRole.COMMENT:
            comments.append(token)
        elif token.text in _STATEMENT_ENDS:
            break
        else:
            comments.clear()
    return comments
