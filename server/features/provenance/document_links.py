"""The places in files that comments name, as links: ``/* span=model.relay:4:16 */``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from .provenance import origins_in

__all__ = ["Link", "links", "rename_source"]

_SPAN = "span="


@dataclass(frozen=True, slots=True)
class Link:
    """A range of the text that names a line of a file. Whether there is such a file is not examined here."""

    span: TextSpan
    file: str
    line: int
    column: int


def links(snapshot: Snapshot) -> Iterator[Link]:
    """The links in the comments of a buffer, in order. The name of a layer has no line and is not a link."""
    for start, comment in snapshot.comments_with(_SPAN):
        for origin in origins_in(comment, start):
            if origin.line and origin.span is not None:
                yield Link(origin.span, origin.source, origin.line, origin.column)


def rename_source(snapshot: Snapshot, old: str, new: str) -> Iterator[TextEdit]:
    """The edits that make ``span=old:4:16`` say ``span=new:4:16``, in the order of the text."""
    for link in links(snapshot):
        if link.file == old:
            yield TextEdit(TextSpan(link.span.start, link.span.start + len(old)), new)
