"""The definitions of a buffer as a tree, and a search among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..documentation.type_words import short_type_words
from ..matching import has_in_order

__all__ = ["OutlineItem", "find_symbols", "item_of", "outline"]


@dataclass
class OutlineItem:
    """A definition with those inside it."""

    name: str
    detail: str
    kind: SymbolKind
    full_span: TextSpan
    span: TextSpan
    children: list[OutlineItem] = field(default_factory=list["OutlineItem"])


_SHOWN = frozenset(
    (
        SymbolKind.FUNCTION,
        SymbolKind.TYPE,
        SymbolKind.CONSTRUCTOR,
        SymbolKind.PARAMETER,
        SymbolKind.LET,
        SymbolKind.GRAPH,
    )
)


def outline(snapshot: Snapshot) -> list[OutlineItem]:
    """Functions with their parameters and values, types with their constructors."""
    roots: list[OutlineItem] = []
    items: dict[Symbol, OutlineItem] = {}
    for symbol in snapshot.symbols:
        item = item_of(symbol, snapshot.lines)
        if item is None:
            continue
        items[symbol] = item
        parent = items.get(symbol.container) if symbol.container is not None else None
        (roots if parent is None else parent.children).append(item)
    return roots


def item_of(symbol: Symbol, lines: LineIndex) -> OutlineItem | None:
    """What an outline of a text shows of a definition, without those inside it; ``None`` where it does not show it.

    The name of a value that an operator makes says so (``%0 = nn.conv2d``): editors look for names alone.
    """
    if symbol.kind not in _SHOWN:
        return None
    span, name = symbol.span, symbol.name
    if symbol.kind in _BOUND:
        match = _OPERATOR.match(lines.part(span.end, span.end + _LONGEST_BINDING))
        name = f"{name} = {match[1]}" if match is not None else name
    return OutlineItem(name, _detail(symbol), symbol.kind, symbol.full_span, span)


_BOUND = (SymbolKind.LET, SymbolKind.GRAPH)
_OPERATOR = re.compile(r"(?:\s*:[^=;/]*)?(?:\s|/\*[^*]*\*/)*=\s*([A-Za-z_][\w.]*)\(")
_LONGEST_BINDING = 200
"""How far behind a name the operator is looked for."""


def _detail(symbol: Symbol) -> str:
    """What an outline shows beside a name. A function's type would fill the line, so it has none."""
    return "" if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.TYPE) else short_type_words(symbol.type)


def find_symbols(symbols: Sequence[Symbol], query: str) -> Iterator[Symbol]:
    """The definitions whose name has the letters of ``query`` in order, whatever their case."""
    for symbol in symbols:
        if symbol.kind in _SHOWN and has_in_order(symbol.name, query):
            yield symbol
