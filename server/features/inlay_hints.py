"""Inferred types, shown beside the values whose text does not tell them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.snapshot import Snapshot, Symbol, SymbolKind
from ...ir.source import TextSpan

__all__ = ["InlayHint", "inlay_hints"]

_LONGEST_LABEL = 60
_LONGEST_COMMENT = 400
_TYPE_COMMENT = re.compile(r"/\* ty=[^*]*\*/\s*;?\s*\Z")


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A label at an offset, and the whole type where the label had to be cut."""

    offset: int
    label: str
    tooltip: str = ""
    inserts: bool = False
    """Whether the label is legal text at its offset, which an editor may put in on a double click."""


def inlay_hints(snapshot: Snapshot, span: TextSpan) -> Iterator[InlayHint]:
    """The hints in a range of the text."""
    symbols = snapshot.symbols
    first = bisect_left(symbols, span.start, key=lambda symbol: symbol.span.start)
    for index in range(first, len(symbols)):
        symbol = symbols[index]
        if symbol.span.start > span.end:
            return
        if symbol.kind in _HINTED and not _is_annotated(snapshot, symbol):
            type = snapshot.type_of(symbol)
            if type is not None:
                text = f": {type!r}"
                label = text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
                inserts = label == text and symbol.kind is not SymbolKind.GRAPH
                yield InlayHint(symbol.span.end, label, text[2:] if label != text else "", inserts)


_HINTED = frozenset((SymbolKind.GRAPH, SymbolKind.LET, SymbolKind.PARAMETER, SymbolKind.PATTERN_VAR))


def _is_annotated(snapshot: Snapshot, symbol: Symbol) -> bool:
    """Whether the text says the type: ``%x: T``, or TVM's comment ``/* ty=T */`` at the end of a statement."""
    text = snapshot.text
    rest = text[symbol.span.end : symbol.span.end + 16].lstrip()
    if rest.startswith((":", "/* ty=")):
        return True
    if symbol.kind is not SymbolKind.GRAPH:
        return False
    end = symbol.full_span.end
    line_end = text.find("\n", end)
    tail = text[max(symbol.span.end, end - _LONGEST_COMMENT) : line_end if line_end >= 0 else len(text)]
    return _TYPE_COMMENT.search(tail) is not None
