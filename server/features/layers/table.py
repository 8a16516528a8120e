"""The layers of a text as a table: what each consists of, what it gives, what it costs and how much memory it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops.costs import operator_cost, type_bytes
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, Token, TokenRole
from relay_lsp.ir.syntax.tokens import INFIX_OPERATORS
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type

from ..call_parts import argument_type
from .groups import StatementValue, statement_values, value_type
from .layer_index import LayerIndex

__all__ = ["LayerRow", "layer_table"]


@dataclass
class LayerRow:
    """One layer. ``inputs`` and ``outputs`` are types, as Relay writes them; ``bytes`` is what all its values take.

    Values of open shapes are left out of the bytes. ``flops`` are the floating-point operations of the operators that
    can be counted (:mod:`relay_lsp.ir.ops.costs`), and ``uncounted`` the operators that cannot. ``taken`` and ``given``
    are the names that the types are of.
    """

    name: str
    spans: list[TextSpan] = field(default_factory=list[TextSpan])
    operators: Counter[str] = field(default_factory=Counter[str])
    inputs: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])
    bytes: int = 0
    flops: int = 0
    uncounted: Counter[str] = field(default_factory=Counter[str])
    taken: set[Symbol] = field(default_factory=set[Symbol])
    given: set[Symbol] = field(default_factory=set[Symbol])


def layer_table(snapshot: Snapshot, index: LayerIndex) -> Sequence[LayerRow]:
    """The layers in the order of the text.

    What a layer takes in are the values of others that its own name, and what it gives those that others name, or that
    are the result of a function.
    """
    rows = {name: LayerRow(name, [value.span for value in values]) for name, values in index.by_layer.items()}
    layers_at = {value.span.end: value.layers for value in index.values}
    values = list(statement_values(snapshot, TextSpan(0, snapshot.lines.length)))
    layers_of: dict[Symbol, tuple[str, ...]] = {}
    for value in values:
        bound = snapshot.symbol_at(value.binder.span.start) if value.binder is not None else None
        if bound is not None:
            layers_of[bound] = layers_at.get(value.span.end, ())
    for value in values:
        layers = layers_at.get(value.span.end, ())
        type = value_type(snapshot, value) if layers else None
        costs = _costs(snapshot, value) if layers else ()
        for layer in layers:
            row = rows[layer]
            for name, flops in costs:
                row.flops += flops or 0
                row.uncounted.update([name] if flops is None else ())
            row.operators.update(token.text for token in value.tokens if token.role is TokenRole.OP_NAME)
            row.bytes += type_bytes(type) or 0
            if value.binder is None:
                row.outputs.append(_words(type))
        for token in value.tokens:
            used = snapshot.symbol_at(token.span.start) if token.text.startswith("%") else None
            if used is None:
                continue
            made_by = layers_of.get(used, ())
            for layer in made_by:
                if layer not in layers and used not in rows[layer].given:
                    rows[layer].given.add(used)
                    rows[layer].outputs.append(_words(used.type))
            for layer in layers:
                if layer not in made_by and used not in rows[layer].taken:
                    rows[layer].taken.add(used)
                    rows[layer].inputs.append(_words(used.type))
    return list(rows.values())


def _words(type: Type | None) -> str:
    return "unknown" if type is None else repr(type)


def _costs(snapshot: Snapshot, value: StatementValue) -> list[tuple[str, int | None]]:
    """The operations of each operator that stands in a value; ``None`` where they are not known."""
    costs: list[tuple[str, int | None]] = []
    for token in value.tokens:
        is_infix = token.text in INFIX_OPERATORS
        if token.role is not TokenRole.OP_NAME and not is_infix:
            continue
        call = snapshot.expr_at(token.span.start)
        if not isinstance(call, Call) or not isinstance(call.op, Op):
            continue
        type = snapshot.type_of(call)
        # An infix operator is elementwise: what it gives says all.
        arguments = [type, type] if is_infix else _argument_types(snapshot, token)
        costs.append((call.op.name, operator_cost(call.op, call.attrs, arguments, type).flops))
    return costs


def _argument_types(snapshot: Snapshot, operator: Token) -> list[Type | None]:
    site = snapshot.call_at(operator.span.end + 1)
    return [argument_type(snapshot, argument) for argument in site.arguments] if site is not None else []
