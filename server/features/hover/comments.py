"""Comments that are about a value: its type, its layers, where it stood in another text."""

from __future__ import annotations

from dataclasses import replace

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, Token, TokenRole
from relay_lsp.ir.semantic.type_comments import TYPE_COMMENT, type_of_comment
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type

from ..documentation.markdown import code_span
from ..documentation.type_words import type_words
from ..provenance.values import stated_around, value_at, value_expr
from .contents import Hover
from .signatures import folded_type, one_line

__all__ = ["comment_hover"]


def comment_hover(snapshot: Snapshot, offset: int, comment: Token) -> Hover | None:
    """The value that a comment is about, at the name of a layer in it or at the whole; for a type, whether it is true.

    ``None`` for a comment that is about no value.
    """
    names = [source.span for value in stated_around(snapshot, offset) for source in value.sources]
    span = next((name for name in names if name.contains(offset)), comment.span)
    about = _about(snapshot, comment) or _stated(snapshot, offset)
    if about is None:
        return None
    words, type = about
    shown = Hover(span, words if type is None else f"{words}: {folded_type(type)}")
    match = TYPE_COMMENT.match(comment.text)
    if match is None:
        return shown
    return replace(shown, documentation=_compared(match[1].strip(), type))


def _compared(written: str, inferred: Type | None) -> str:
    """What a type comment says beside the type that is inferred."""
    if inferred is None:
        return f"The comment says {code_span(written)}. The type is not known: something is wrong above."
    if written == type_words(inferred) or type_of_comment(written) == inferred:
        return "The comment says the type that is inferred."
    return f"The comment says {code_span(written)}, which is not the type that is inferred."


def _stated(snapshot: Snapshot, offset: int) -> tuple[str, Type | None] | None:
    """The value that a comment names the layers of."""
    value = value_at(snapshot, offset)
    if value is None:
        return None
    expr = value_expr(snapshot, value)
    return one_line(snapshot, value), snapshot.type_of(expr) if expr is not None else None


def _about(snapshot: Snapshot, comment: Token) -> tuple[str, Type | None] | None:
    """What stands before a comment of TVM's printer: a parameter, a name that is bound, or an expression; its type."""
    if TYPE_COMMENT.match(comment.text) is None:
        return None
    start = snapshot.word_start(comment.span.start)
    last = next((token for token in snapshot.tokens(start, start + 1) if token.role is not TokenRole.COMMENT), None)
    if last is None or last.span.end > comment.span.start:
        return None
    symbol = _declared(snapshot, last)
    if symbol is not None:
        return symbol.name, symbol.type
    expr = snapshot.expr_before(last.span.end)
    span = snapshot.span_of(expr) if expr is not None else None
    return None if expr is None or span is None else (one_line(snapshot, span), snapshot.type_of(expr))


def _declared(snapshot: Snapshot, last: Token) -> Symbol | None:
    """The parameter or bound name whose declaration ends with a token, its type included."""
    if last.declaration:
        return snapshot.symbol_at(last.span.start)
    nodes = snapshot.node_at(last.span.end - 1)
    annotation = next((node.span for node in nodes if node.kind == "annotation"), None)
    if annotation is None or annotation.end != last.span.end:
        return None
    around = next((node.span for node in nodes if node.kind in ("parameter", "let_binding", "free_variable")), None)
    declared = snapshot.symbols_in(TextSpan(around.start, annotation.start)) if around is not None else ()
    return declared[0] if declared else None
