"""Follow a file that gets another name: comments that name it as a source are to name it still."""

from __future__ import annotations

from collections.abc import Iterator

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from .document_links import links

__all__ = ["rename_source"]


def rename_source(snapshot: Snapshot, old: str, new: str) -> Iterator[TextEdit]:
    """The edits that make ``span=old:4:16`` say ``span=new:4:16``, in the order of the text."""
    for link in links(snapshot):
        if link.file == old:
            yield TextEdit(TextSpan(link.span.start, link.span.start + len(old)), new)
