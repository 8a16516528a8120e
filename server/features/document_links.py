"""The places in files that comments name, as links: ``/* span=model.relay:4:16 */``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

from .provenance import origins_in

__all__ = ["Link", "links"]

_SPAN = "span="


@dataclass(frozen=True, slots=True)
class Link:
    """A range of the text that names a line of a file. Whether there is such a file is not looked at here."""

    span: TextSpan
    file: str
    line: int
    column: int


def links(snapshot: Snapshot) -> Iterator[Link]:
    """The links in the comments of a buffer. A layer's name, which has no line, is none."""
    offset = snapshot.text.find(_SPAN)
    while offset >= 0:
        token = snapshot.token_at(offset)
        end = offset + len(_SPAN)
        if token is not None and token.role is TokenRole.COMMENT:
            end = max(end, token.span.end)
            for origin in origins_in(token.text, token.span.start):
                if origin.line:
                    yield Link(origin.span, origin.source, origin.line, origin.column)
        offset = snapshot.text.find(_SPAN, end)
