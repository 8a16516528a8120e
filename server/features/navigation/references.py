"""Where a name is used, or what no definition binds stands again."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, TokenRole
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

from .occurrences import occurrences

__all__ = ["Highlights", "highlights", "references"]

_REF_WRITE = re.compile(r"\bref_write\s*\(\s*\Z")
_LONGEST_GAP = 40
"""How far before a reference the word is looked for that writes to it."""


def references(snapshot: Snapshot, offset: int, *, include_definition: bool = True) -> Sequence[TextSpan]:
    """Every use of the name at ``offset``, in the order of the text.

    Of an operator, a dtype or an attribute, every place.
    """
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return occurrences(snapshot, offset)
    own, uses = symbol.span, symbol.uses
    if isinstance(uses, SpanArray) and uses.length == own.end - own.start:
        places = uses.without_start(own.start)
        return places.with_start(own.start) if include_definition else places
    spans = [span for span in uses if span.start != own.start]  # in order already
    if include_definition:
        spans.insert(bisect_left(spans, own), own)
    return spans


@dataclass(frozen=True, slots=True)
class Highlights:
    """The places of the name under the cursor, in order, of which there may be thousands."""

    spans: Sequence[TextSpan]
    written: frozenset[int] = frozenset()
    """The starts of those at which it is given a value; at the others it is read."""


def highlights(snapshot: Snapshot, offset: int) -> Highlights:
    """The places of the name at ``offset``: its definition and ``ref_write`` write it, its other uses read it.

    Of an operator or an attribute they are the places nearest to this one; of a dtype there are too many to be of use.
    """
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        token = snapshot.token_at(offset)
        is_dtype = token is None or token.role is TokenRole.DTYPE
        return Highlights(() if is_dtype else occurrences(snapshot, offset, nearest=True))
    spans = references(snapshot, offset)
    return Highlights(spans, frozenset([span.start for span in spans if _writes(snapshot, symbol, span)]))


def _writes(snapshot: Snapshot, symbol: Symbol, span: TextSpan) -> bool:
    """Whether a name is written at a place: where it is bound, or a reference where something is put into it."""
    before = snapshot.lines.part(span.start - _LONGEST_GAP, span.start)
    return span == symbol.span or _REF_WRITE.search(before) is not None
