"""What a refactoring is, and how its edits are held to keep a text whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from relay_lsp.ir.diagnostics import Severity, TextEdit, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Refactoring", "RefactoringError", "checked"]

_FEW_EDITS = 8


class RefactoringError(ValueError):
    """It cannot be done here; the message says why."""


class Refactoring(msgspec.Struct, frozen=True):
    """A change that is offered.

    ``name`` tells it from the others at the same place. ``kind`` is a code action kind of LSP. ``edits`` works it out,
    and raises :class:`RefactoringError` where that shows that it cannot be done.
    """

    name: str
    title: str
    kind: str
    edits: Callable[[], Sequence[TextEdit]]


def checked(snapshot: Snapshot, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits in order, if the text has no more errors with them than without.

    Raises:
        RefactoringError: it would have; the message is the first new error's.
    """
    ordered = tuple(sorted(edits, key=lambda edit: edit.span))
    edited = _edited(snapshot, ordered)
    before = {diagnostic.message for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR}
    for diagnostic in edited.diagnostics:
        if diagnostic.severity is Severity.ERROR and diagnostic.message not in before:
            raise RefactoringError(f"this would break the text: {diagnostic.message}")
    return ordered


def _edited(snapshot: Snapshot, ordered: Sequence[TextEdit]) -> Snapshot:
    """The snapshot with edits that are in order. Many are taken as one: each for itself costs a look at the text."""
    if len(ordered) <= _FEW_EDITS:
        for edit in reversed(ordered):
            snapshot = snapshot.edit(edit.span, edit.new_text)
        return snapshot
    start, end = ordered[0].span.start, ordered[-1].span.end
    moved = [TextEdit(edit.span.shifted(-start), edit.new_text) for edit in ordered]
    return snapshot.edit(TextSpan(start, end), apply_edits(snapshot.text[start:end], moved))
