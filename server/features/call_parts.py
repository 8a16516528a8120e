"""The types of the arguments of a call as it is written, and the values of its attributes."""

from __future__ import annotations

from relay_lsp.ir.inference.trial import value_of
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type

__all__ = ["argument_type", "attribute_around", "attribute_values", "name_type"]


def name_type(snapshot: Snapshot, span: TextSpan) -> Type | None:
    """The type of an argument that is no more than a name; ``None`` for others, and where it is not known."""
    text = snapshot.lines.part(span.start, span.end)
    if not text.startswith("%") or not text[1:].replace("_", "").isalnum():
        return None
    symbol = snapshot.symbol_at(span.start)
    return symbol.type if symbol is not None else None


def argument_type(snapshot: Snapshot, span: TextSpan) -> Type | None:
    """The type of an argument, whatever expression it is."""
    type = name_type(snapshot, span)
    if type is None and (expr := snapshot.expr_before(span.end)) is not None:
        type = snapshot.type_of(expr)
    return type


def attribute_values(snapshot: Snapshot, call: CallSite) -> dict[str, object]:
    """The attributes of a call that are given as constants."""
    values: dict[str, object] = {}
    for name, written in call.attributes.items():
        text = snapshot.lines.part(written.start, written.end).partition("=")[2]
        try:
            values[name] = value_of(text)
        except ValueError:
            continue
    return values


def attribute_around(snapshot: Snapshot, span: TextSpan) -> TextSpan | None:
    """The innermost attribute, from its name to the end of its value, that a cursor or a selection is in."""
    nodes = snapshot.node_at(span.start)
    node = next((each for each in nodes if each.kind in ("attribute", "call", "function")), None)
    is_inside = node is not None and node.kind == "attribute" and span.end <= node.span.end
    return node.span if node is not None and is_inside else None
