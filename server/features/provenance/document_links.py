"""The places in files that comments name, as links: ``/* span=model.relay:4:16 */``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.span_comments import every_source_in, source_text
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Link", "links", "rename_sources"]

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
        for source, begin, end in every_source_in(comment):
            if source.line:
                yield Link(TextSpan(start + begin, start + end), source.source_name.name, source.line, source.column)


def rename_sources(snapshot: Snapshot, renamed: Mapping[str, str]) -> Iterator[TextEdit]:
    """The edits that make comments name files, and files in folders, by their new names, in the order of the text.

    Of ``span=old:4:16`` the name is replaced, and quoted where it must be.
    """
    for link in links(snapshot):
        for old, new in renamed.items():
            if link.file == old or link.file.startswith(f"{old}/"):
                name = SourceName(new + link.file[len(old) :])
                span = Span(name, link.line, link.line, link.column, link.column)
                yield TextEdit(link.span, source_text(span))
                break
