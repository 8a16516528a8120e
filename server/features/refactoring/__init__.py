"""Changes of a buffer that keep what it means: each is cheap to offer, and worked out when it is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from ..history import HistoryStep
from . import carried_provenance, extract, graph_values, inline, missing_types, names, provenance_comments
from .refactoring import Refactoring, RefactoringError

__all__ = ["Refactoring", "RefactoringError", "refactorings"]

_OFFERS = (
    extract.offers,
    inline.offers,
    graph_values.offers,
    missing_types.offers,
    names.offers,
    provenance_comments.offers,
)


def refactorings(snapshot: Snapshot, span: TextSpan, steps: Sequence[HistoryStep] = ()) -> Iterator[Refactoring]:
    """What can be done with the selection, or at the cursor where ``span`` is empty. ``steps`` led to the text."""
    for offers in _OFFERS:
        yield from offers(snapshot, span)
    yield from carried_provenance.offers(snapshot, span, steps)
