"""Changes of a buffer that keep what it means: each is cheap to offer, and worked out when it is chosen."""

from __future__ import annotations

from collections.abc import Iterator

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from . import carried_provenance, extract, graph_values, inline, missing_types, names, provenance_comments
from .carried_provenance import CarriedOrigins
from .refactoring import Refactoring, RefactoringError

__all__ = ["CarriedOrigins", "Refactoring", "RefactoringError", "refactorings"]

_OFFERS = (
    extract.offers,
    inline.offers,
    graph_values.offers,
    missing_types.offers,
    names.offers,
    provenance_comments.offers,
)


def refactorings(snapshot: Snapshot, span: TextSpan, origins: CarriedOrigins | None = None) -> Iterator[Refactoring]:
    """What can be done with the selection, or at the cursor where ``span`` is empty. ``origins`` are those that are
    known beside the text."""
    for offers in _OFFERS:
        yield from offers(snapshot, span)
    yield from carried_provenance.offers(snapshot, span, origins)
