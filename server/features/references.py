"""Where a name is used."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ...ir.snapshot import Snapshot
from ...ir.source import TextSpan

__all__ = ["Access", "Highlight", "highlights", "references"]


def references(snapshot: Snapshot, offset: int, *, include_definition: bool = True) -> list[TextSpan]:
    """Every use of the name at ``offset``, in the order of the text."""
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return []
    spans = set(symbol.uses) - {symbol.span}
    if include_definition:
        spans.add(symbol.span)
    return sorted(spans, key=lambda span: span.start)


class Access(enum.Enum):
    """What a highlighted name does there."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Highlight:
    """One place of the name under the cursor."""

    span: TextSpan
    access: Access


def highlights(snapshot: Snapshot, offset: int) -> list[Highlight]:
    """The places of the name at ``offset``: its definition writes it, its uses read it."""
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return []
    return [
        Highlight(span, Access.WRITE if span == symbol.span else Access.READ) for span in references(snapshot, offset)
    ]
