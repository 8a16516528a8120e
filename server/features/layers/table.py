"""The layers of a text as a table: what each consists of, what it gives, and how much memory that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import TensorType, Type

from .groups import statement_values, value_type
from .layer_index import LayerIndex

__all__ = ["LayerRow", "layer_table"]


@dataclass
class LayerRow:
    """One layer. ``inputs`` and ``outputs`` are types, as Relay writes them; ``bytes`` is what all its values take.

    Values of open shapes are left out of the bytes. ``taken`` and ``given`` are the names that the types are of.
    """

    name: str
    spans: list[TextSpan] = field(default_factory=list[TextSpan])
    operators: Counter[str] = field(default_factory=Counter[str])
    inputs: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])
    bytes: int = 0
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
        type = value_type(snapshot, value)
        for layer in layers:
            row = rows[layer]
            row.operators.update(token.text for token in value.tokens if token.role is TokenRole.OP_NAME)
            row.bytes += _bytes(type)
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


def _bytes(type: Type | None) -> int:
    """What a tensor takes; 0 for what is no tensor, or of an open shape."""
    if not isinstance(type, TensorType):
        return 0
    count = 1
    for size in type.shape:
        if not isinstance(size, int):
            return 0
        count *= size
    return count * ((type.dtype.bits * type.dtype.lanes + 7) // 8)
