"""The layout of a buffer put right, with comments and names as they are."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.diagnostics import TextEdit
from ...ir.formatting import format_edits
from ...ir.snapshot import Snapshot
from ...ir.source import TextSpan

__all__ = ["format_document", "format_range"]


def format_document(snapshot: Snapshot) -> Sequence[TextEdit]:
    """The edits that format a whole buffer."""
    return format_edits(snapshot.text)


def format_range(snapshot: Snapshot, span: TextSpan) -> Sequence[TextEdit]:
    """The edits that format the lines that ``span`` touches."""
    return format_edits(snapshot.text, span)
