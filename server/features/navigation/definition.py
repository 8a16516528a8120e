"""Where a name is defined."""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import GlobalTypeVar, Type

__all__ = ["DefinitionTarget", "definition", "type_definition"]


@dataclass(frozen=True, slots=True)
class DefinitionTarget:
    """A definition: all of it, its name, and the word at the cursor that leads there."""

    full_span: TextSpan
    span: TextSpan
    origin: TextSpan | None


def definition(snapshot: Snapshot, offset: int) -> DefinitionTarget | None:
    """The definition of the name at ``offset``."""
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return None
    return DefinitionTarget(symbol.full_span, symbol.span, _word(snapshot, offset))


def type_definition(snapshot: Snapshot, offset: int) -> list[DefinitionTarget]:
    """The definitions of the algebraic data types in the type of the expression at ``offset``."""
    symbol = snapshot.symbol_at(offset)
    if symbol is not None and symbol.kind is SymbolKind.CONSTRUCTOR and symbol.container is not None:
        return [DefinitionTarget(symbol.container.full_span, symbol.container.span, _word(snapshot, offset))]
    type = snapshot.type_of(symbol) if symbol is not None else None
    type = type or snapshot.type_at(offset)
    if type is None:
        return []
    names = {data_type.name for data_type in _data_types(type)}
    if not names:
        return []
    return [
        DefinitionTarget(defined.full_span, defined.span, _word(snapshot, offset))
        for defined in snapshot.type_symbols
        if defined.kind is SymbolKind.TYPE and defined.name in names
    ]


def _word(snapshot: Snapshot, offset: int) -> TextSpan | None:
    token = snapshot.token_at(offset)
    return token.span if token is not None else None


def _data_types(type: Type) -> list[GlobalTypeVar]:
    return [part for part in distinct_parts(type) if isinstance(part, GlobalTypeVar)]
