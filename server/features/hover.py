"""The hover at the cursor: type and documentation, where the value came from, and what passes did to it.

The hover is data first; :func:`render` makes Markdown of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import DataType

from .history import RemovedValue, ValueEvent
from .layers.layer_index import LayerCount
from .markdown import code_span, plain
from .operator_documentation import attribute_documentation, operator_documentation
from .provenance import ValueOrigin, origins_of
from .values import stated_around, value_at

__all__ = ["Hover", "ValuePast", "hover", "render"]

_LONGEST_HEADLINE = 400
_MOST_REMOVED = 10
_MOST_LAYERS = 12


@dataclass(frozen=True)
class Hover:
    """What is known of the token at ``span``."""

    span: TextSpan
    headline: str
    """Relay text: a declaration, or an expression with its type."""
    documentation: str = ""
    """Markdown."""
    origins: tuple[ValueOrigin, ...] = ()
    events: tuple[ValueEvent, ...] = ()
    removed: tuple[RemovedValue, ...] = ()
    """For a function, what passes removed from it."""
    layers: tuple[LayerCount, ...] = ()
    """For a function, fused or not, the layers of what is in it; for a parameter, those of what uses it."""


@dataclass(frozen=True)
class ValuePast:
    """What is remembered of a value: what passes did to it, and the layers that it came from."""

    events: Sequence[ValueEvent] = ()
    origins: Sequence[ValueOrigin] = ()


def hover(snapshot: Snapshot, offset: int, past: ValuePast = ValuePast()) -> Hover | None:
    """The hover at ``offset``. ``past`` is what is remembered of the value that is meant there."""
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
        return _comment_hover(snapshot, offset, token)
    if token.role is TokenRole.ATTRIBUTE:
        return _attribute_hover(snapshot, token)
    if token.role is TokenRole.DTYPE:
        return Hover(token.span, token.text, _dtype_documentation(token.text))
    if token.role is TokenRole.OP_NAME:
        return _operator_hover(snapshot, token)
    symbol = snapshot.symbol_at(offset)
    if symbol is not None:
        return _symbol_hover(snapshot, symbol, token)
    return _expression_hover(snapshot, offset, token) or _value_hover(snapshot, value_at(snapshot, offset), token.span)


def _comment_hover(snapshot: Snapshot, offset: int, comment: Token) -> Hover | None:
    """The value that a comment is about, at the name of a layer in it or at the whole."""
    names = [source.span for value in stated_around(snapshot, offset) for source in value.sources]
    span = next((name for name in names if name.contains(offset)), comment.span)
    return _value_hover(snapshot, value_at(snapshot, offset), span)


def _value_hover(snapshot: Snapshot, value: TextSpan | None, span: TextSpan) -> Hover | None:
    if value is None:
        return None
    type = snapshot.type_at(value.start)
    expr = snapshot.expr_at(value.start)
    if expr is None or snapshot.span_of(expr) != value:
        expr = snapshot.expr_at(value.end - 1)
        type = snapshot.type_of(expr) if expr is not None and snapshot.span_of(expr) == value else None
    text = " ".join(snapshot.lines.part(value.start, min(value.end, value.start + _LONGEST_HEADLINE)).split())
    return Hover(span, text if type is None else f"{text}: {type!r}")


def _symbol_hover(snapshot: Snapshot, symbol: Symbol, token: Token) -> Hover:
    headline = _SYMBOL_HEADLINES.get(symbol.kind, "{name}").format(name=symbol.name)
    type = snapshot.type_of(symbol) or symbol.type
    if symbol.kind in _TYPE_SYMBOLS:
        headline = _first_line(snapshot, symbol)
    elif type is not None:
        headline = f"{headline}: {type!r}"
    return Hover(token.span, headline, _comment_above(snapshot, symbol))


_SYMBOL_HEADLINES = {
    SymbolKind.FUNCTION: "def {name}",
    SymbolKind.LET: "let {name}",
    SymbolKind.FREE_VAR: "free_var {name}",
}

_TYPE_SYMBOLS = (SymbolKind.TYPE, SymbolKind.CONSTRUCTOR, SymbolKind.TYPE_PARAMETER)


def _first_line(snapshot: Snapshot, symbol: Symbol) -> str:
    text = snapshot.lines.part(symbol.full_span.start, symbol.full_span.end)
    return text.partition("\n")[0].rstrip(" {,")


def _operator_hover(snapshot: Snapshot, token: Token) -> Hover:
    type = snapshot.type_at(token.span.start)
    headline = token.text if type is None else f"{token.text}: {type!r}"
    op = ops.find(token.text)
    documentation = operator_documentation(op) if op is not None else ""
    return Hover(token.span, headline, documentation)


def _attribute_hover(snapshot: Snapshot, token: Token) -> Hover | None:
    call = snapshot.call_at(token.span.start)
    op = ops.find(call.op_name) if call is not None else None
    field = op.attrs_type.fields().get(token.text) if op is not None and op.attrs_type is not None else None
    if op is None or field is None:
        return None
    return Hover(token.span, f"{op.name}(…, {token.text}=…)", attribute_documentation(field))


def _expression_hover(snapshot: Snapshot, offset: int, token: Token) -> Hover | None:
    """Whatever expression stands here, by its type: a literal, a constant of the metadata, an infix operator."""
    expr = snapshot.expr_at(offset)
    type = snapshot.type_at(offset)
    if expr is None or type is None:
        return None
    span = token.span
    text = snapshot.lines.part(span.start, span.end)
    documentation = ""
    if isinstance(expr, Constant):
        documentation = _constant_documentation(expr)
    return Hover(span, f"{text}: {type!r}", documentation)


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


def render(hover: Hover, link: Callable[[ValueOrigin], str | None] = lambda origin: None) -> str:
    """The hover in Markdown. ``link`` gives the address of an origin's place, if there is one to go to."""
    headline = hover.headline
    if len(headline) > _LONGEST_HEADLINE:
        headline = headline[:_LONGEST_HEADLINE] + " …"
    parts = [f"```relay\n{headline}\n```"]
    if hover.origins:
        parts.append("**From** " + ", ".join(_render_origin(origin, link(origin)) for origin in hover.origins))
    if hover.layers:
        parts.append("**Layers** " + ", ".join(_render_layers(hover.layers)))
    if hover.events:
        parts.append("**Passes**\n\n" + "\n".join(_render_event(event) for event in hover.events))
    if hover.removed:
        parts.append("**Removed**\n\n" + "\n".join(_render_removed(hover.removed)))
    if hover.documentation:
        parts.append(hover.documentation)
    return "\n\n---\n\n".join(parts)


def _render_origin(origin: ValueOrigin, address: str | None) -> str:
    name = code_span(str(origin))
    return name if address is None else f"[{name}]({address})"


def _render_layers(layers: Sequence[LayerCount]) -> Iterator[str]:
    for layer in layers[:_MOST_LAYERS]:
        yield f"{code_span(layer.name)} ({layer.values})"
    if len(layers) > _MOST_LAYERS:
        yield f"and {len(layers) - _MOST_LAYERS} more"


def _render_event(event: ValueEvent) -> str:
    if event.by_hand:
        return f"- edited by hand{_moment(event.time)}, before " + "; ".join(map(code_span, event.before))
    if not event.before:
        return f"- `{event.pass_name}` made this"
    return f"- `{event.pass_name}` made this from " + "; ".join(map(code_span, event.before))


def _moment(time: float) -> str:
    return f" at {datetime.fromtimestamp(time).astimezone():%Y-%m-%d %H:%M}" if time else " since"


def _render_removed(removed: Sequence[RemovedValue]) -> Iterator[str]:
    for value in removed[:_MOST_REMOVED]:
        yield f"- {code_span(value.text)} by `{value.pass_name}`"
    if len(removed) > _MOST_REMOVED:
        yield f"- and {len(removed) - _MOST_REMOVED} more"
