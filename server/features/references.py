"""Where a name is used, or an operator is called."""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, TokenRole
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Access", "Highlight", "highlights", "references"]

_REF_WRITE = re.compile(r"\bref_write\s*\(\s*\Z")
_LONGEST_GAP = 40
"""How far before a reference the word is looked for that writes to it."""


def references(snapshot: Snapshot, offset: int, *, include_definition: bool = True) -> Sequence[TextSpan]:
    """Every use of the name at ``offset``, or every call of the operator there, in the order of the text."""
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return _calls_of_operator(snapshot, offset)
    own, uses = symbol.span, symbol.uses
    if isinstance(uses, SpanArray) and uses.length == own.end - own.start:
        places = uses.without_start(own.start)
        return places.with_start(own.start) if include_definition else places
    spans = [span for span in uses if span.start != own.start]  # in order already
    if include_definition:
        spans.insert(bisect_left(spans, own), own)
    return spans


def _calls_of_operator(snapshot: Snapshot, offset: int) -> Sequence[TextSpan]:
    """Where the operator at ``offset`` is named in the text; nothing where there is none."""
    operator = snapshot.token_at(offset)
    if operator is None or operator.role is not TokenRole.OP_NAME:
        return []
    wanted = re.compile(rf"(?<![\w.@%]){re.escape(operator.text)}(?![\w.])")
    return [
        TextSpan(match.start(), match.end())
        for match in wanted.finditer(snapshot.text)
        if any(token.role is TokenRole.OP_NAME for token in snapshot.tokens(match.start(), match.end()))
    ]


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
    """The places of the name at ``offset``: its definition and ``ref_write`` write it, its other uses read it."""
    symbol = snapshot.symbol_at(offset)
    if symbol is None:
        return []
    return [Highlight(span, _access(snapshot, symbol, span)) for span in references(snapshot, offset)]


def _access(snapshot: Snapshot, symbol: Symbol, span: TextSpan) -> Access:
    """A name is written where it is bound, and a reference also where something is put into it."""
    before = snapshot.lines.part(span.start - _LONGEST_GAP, span.start)
    writes = span == symbol.span or _REF_WRITE.search(before) is not None
    return Access.WRITE if writes else Access.READ
