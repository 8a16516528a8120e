"""The layout of a buffer put right, with comments and names as they are."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.diagnostics import TextEdit
from ...ir.formatting import format_edits, format_range
from ...ir.snapshot import Snapshot

__all__ = ["format_document", "format_range"]


def format_document(snapshot: Snapshot) -> Sequence[TextEdit]:
    """The edits that format a whole buffer."""
    return format_edits(snapshot.text)
