"""The layout of a buffer put right, with comments and names as they are."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.diagnostics import TextEdit
from ...ir.formatting import format_text
from ...ir.snapshot import Snapshot
from ...ir.source import TextSpan
from ..text_edits import line_edits

__all__ = ["format_document", "format_range"]


def format_document(snapshot: Snapshot) -> Sequence[TextEdit]:
    """The edits that format a whole buffer."""
    return line_edits(snapshot.text, format_text(snapshot.text))


def format_range(snapshot: Snapshot, span: TextSpan) -> Sequence[TextEdit]:
    """Those of them that touch a range."""
    return [edit for edit in format_document(snapshot) if edit.span.start <= span.end and span.start <= edit.span.end]
