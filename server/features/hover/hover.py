"""The hover at the cursor: type and documentation, where the value came from, and what passes did to it.

The hover is data first; :func:`~.rendering.render` makes Markdown of it.
"""

from __future__ import annotations

from dataclasses import replace

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, Token, TokenRole
from relay_lsp.ir.syntax.tokens import INFIX_OPERATORS
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import DataType, FuncType

from ..documentation.markdown import plain
from ..documentation.operator_documentation import operator_documentation
from ..provenance.provenance import ValuePast, origins_of
from ..provenance.values import bound_value, value_at, value_expr
from .attributes import attribute_hover, metadata_hover, shape_hover
from .comments import comment_hover
from .contents import Hover
from .directives import directive_hover
from .signatures import folded_type, function_signature, one_line

__all__ = ["hover"]


_NO_PAST = ValuePast()


def hover(snapshot: Snapshot, offset: int, past: ValuePast = _NO_PAST) -> Hover | None:
    """The hover at ``offset``. ``past`` is what is recorded of the value that is meant there."""
    token = snapshot.token_at(offset)
    if token is None:
        return None
    bare = _token_hover(snapshot, offset, token)
    value = value_at(snapshot, offset)
    if bare is None or value is None or token.role is TokenRole.DTYPE:
        return bare
    stated = origins_of(snapshot, value)
    return replace(bare, origins=stated or tuple(past.origins), events=tuple(past.events))


def _token_hover(snapshot: Snapshot, offset: int, token: Token) -> Hover | None:
    """What is known of a token without the history of the value that it stands for."""
    if token.role is TokenRole.COMMENT:
        return comment_hover(snapshot, offset, token)
    if token.role is TokenRole.DIRECTIVE:
        return directive_hover(token)
    if token.role is TokenRole.DTYPE:
        return Hover(token.span, token.text, _dtype_documentation(token.text))
    if token.role is TokenRole.OP_NAME:
        return _operator_hover(snapshot, token)
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        symbol = _defined_by(snapshot, token)
    if symbol is not None:
        return _symbol_hover(snapshot, symbol, token)
    of_attribute = attribute_hover(snapshot, token) or metadata_hover(snapshot, token)
    return of_attribute or shape_hover(snapshot, token) or _expression_hover(snapshot, token)


_DEFINING_WORDS = ("def", "let", "free_var", "type")
"""The keywords that the name which they define follows."""

_OF_HEAD = ("header", "parameters", "result_type", "arrow")


def _defined_by(snapshot: Snapshot, token: Token) -> Symbol | None:
    """What a keyword defines, and the function whose head a bracket or sign is part of."""
    if token.text in _DEFINING_WORDS:
        return next(iter(snapshot.symbols_in(TextSpan(token.span.end, token.span.end + 2))), None)
    nodes = snapshot.node_at(token.span.start)
    if not nodes or nodes[0].kind not in _OF_HEAD or nodes[-1].kind != "statement":
        return None
    head = next((node.span for node in nodes if node.kind == "header"), None)
    defined = snapshot.symbols_in(TextSpan(head.start, head.start + len("def  "))) if head is not None else ()
    return defined[0] if defined else None


def _symbol_hover(snapshot: Snapshot, symbol: Symbol, token: Token) -> Hover:
    documentation = _comment_above(snapshot, symbol)
    if symbol.kind is SymbolKind.CONSTRUCTOR:
        made = symbol.type.ret_type if isinstance(symbol.type, FuncType) else symbol.type
        of_type = "" if made is None else f": {folded_type(made)}"
        return Hover(token.span, _first_line(snapshot, symbol) + of_type, documentation)
    if symbol.kind in _TYPE_SYMBOLS:
        return Hover(token.span, _first_line(snapshot, symbol), documentation)
    if symbol.kind is SymbolKind.FUNCTION:
        return Hover(token.span, function_signature(snapshot, symbol), documentation)
    headline = _SYMBOL_HEADLINES.get(symbol.kind, "{name}").format(name=symbol.name)
    type = snapshot.type_of(symbol) or symbol.type
    if type is not None:
        headline = f"{headline}: {folded_type(type)}"
    if symbol.kind in _BOUND and (value := bound_value(snapshot, symbol)) is not None:
        headline += f"\n  = {one_line(snapshot, value)}"
    return Hover(token.span, headline, documentation)


_SYMBOL_HEADLINES = {SymbolKind.LET: "let {name}", SymbolKind.FREE_VAR: "free_var {name}"}
_TYPE_SYMBOLS = (SymbolKind.TYPE, SymbolKind.TYPE_PARAMETER)
_BOUND = (SymbolKind.LET, SymbolKind.GRAPH)


def _first_line(snapshot: Snapshot, symbol: Symbol) -> str:
    text = snapshot.lines.part(symbol.full_span.start, symbol.full_span.end)
    return text.partition("\n")[0].rstrip(" {,")


def _operator_hover(snapshot: Snapshot, token: Token) -> Hover:
    type = snapshot.type_at(token.span.start)
    headline = token.text if type is None else f"{token.text}: {type!r}"
    op = ops.find(token.text)
    documentation = operator_documentation(op) if op is not None else ""
    return Hover(token.span, headline, documentation)


def _expression_hover(snapshot: Snapshot, token: Token) -> Hover | None:
    """The expression that a token stands for, as it is written, with its type.

    That is a literal or a constant of the metadata; for a keyword, bracket or sign, the whole of which it is a part.
    """
    annotated = _annotated(snapshot, token)
    if annotated is not None:
        return _symbol_hover(snapshot, annotated, token)
    value = value_at(snapshot, token.span.start)
    expr = snapshot.expr_at(token.span.start)
    span = snapshot.span_of(expr) if expr is not None else None
    if value is not None and span != value:  # of a sign that binds: the value that is bound
        expr = value_expr(snapshot, value)
    type = snapshot.type_of(expr) if expr is not None else None
    if value is None and (expr is None or type is None):
        return None
    text = one_line(snapshot, value) if value is not None else token.text
    documentation = (
        _constant_documentation(expr) if isinstance(expr, Constant) else _infix_documentation(snapshot, token)
    )
    return Hover(token.span, text if type is None else f"{text}: {folded_type(type)}", documentation)


def _infix_documentation(snapshot: Snapshot, token: Token) -> str:
    """About the operator that a sign between two values stands for."""
    nodes = snapshot.node_at(token.span.start)
    op = ops.find(INFIX_OPERATORS.get(token.text, "")) if nodes and nodes[0].kind == "infix" else None
    return "" if op is None else f"`{token.text}` is `{op.name}`. {operator_documentation(op)}"


def _annotated(snapshot: Snapshot, token: Token) -> Symbol | None:
    """The name in front of the type that a bracket, arrow or word is part of."""
    nodes = snapshot.node_at(token.span.start)
    for index, node in enumerate(nodes[:-1]):
        if node.kind == "annotation":
            named = snapshot.symbols_in(TextSpan(nodes[index + 1].span.start, node.span.start))
            return named[-1] if named else None
    return None


def _constant_documentation(constant: Constant) -> str:
    data = constant.data
    if not data.size:
        return "An empty constant."
    if constant.is_scalar:
        return ""
    values = ", ".join(f"{value:g}" if hasattr(value, "__float__") else str(value) for value in data.flat[:6])
    more = ", …" if data.size > 6 else ""
    return f"A constant of {data.size} values: {values}{more}"


def _dtype_documentation(name: str) -> str:
    dtype = DataType(name)
    if not dtype.is_valid:
        return ""
    kinds = {
        "float": "IEEE floating-point number",
        "int": "signed integer",
        "uint": "unsigned integer",
        "bfloat": "brain floating-point number",
        "bool": "truth value",
        "handle": "pointer",
        "void": "nothing",
    }
    lanes = f", {dtype.lanes} lanes" if dtype.lanes > 1 else ""
    return f"{kinds.get(dtype.code, 'custom number')}, {dtype.bits} bits{lanes}"


def _comment_above(snapshot: Snapshot, symbol: Symbol) -> str:
    """The ``//`` comments on the lines directly above a definition, as people document functions."""
    line, _ = snapshot.lines.line_and_column(symbol.span.start)
    comments: list[str] = []
    while line > 0:
        line -= 1
        text = snapshot.lines.line(line).strip()
        if not text.startswith("//"):
            break
        comments.append(text.lstrip("/ "))
    return "  \n".join(plain(comment) for comment in reversed(comments))
