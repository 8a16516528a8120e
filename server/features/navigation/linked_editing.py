"""A local name and its uses, which an editor changes together while one of them is typed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from .references import references

__all__ = ["LOCAL_KINDS", "WORD", "linked_ranges"]

WORD = r"[%][A-Za-z0-9_][\w.]*"
"""What may be typed there, as a regular expression of LSP: the name with its ``%``."""

LOCAL_KINDS: Final = frozenset(
    (SymbolKind.PARAMETER, SymbolKind.LET, SymbolKind.GRAPH, SymbolKind.FREE_VAR, SymbolKind.PATTERN_VAR)
)
"""The names that no other file and no caller knows."""


def linked_ranges(snapshot: Snapshot, offset: int) -> Sequence[TextSpan]:
    """The places of the local name at ``offset``; none for a name that other files or callers may know."""
    symbol = snapshot.symbol_at(offset)
    return references(snapshot, offset) if symbol is not None and symbol.kind in LOCAL_KINDS else ()
