"""Take out the comments that say where values came from: spans, lists of sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, Token, TokenRole
from relay_lsp.ir.span_comments import SOURCES_PATTERN
from relay_lsp.ir.text.cached_blocks import cached_by_text
from relay_lsp.ir.text.text_span import TextSpan

from .refactoring import Refactoring, checked

__all__ = ["offers", "strip"]

_SPAN = re.compile(r"\s*\bspan=.*?(?=\s*\*/)", re.DOTALL)
_SOURCES = re.compile(rf"\s*{SOURCES_PATTERN}")
_WRITTEN_WITH_SOURCES = re.compile(r"\s*\b(?:from|output)=.*?(?=\s+(?:from|output)=|\s*\*/)", re.DOTALL)
_EMPTY = re.compile(r"/\*\s*\*/\Z")


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Strip the function that the cursor is in; outside any, the whole text."""
    function = snapshot.function_around(span.start)
    where = function.full_span if function is not None else TextSpan(0, snapshot.lines.length)
    if any(_names_sources(text) for _, text in snapshot.lines.pieces(where.start, where.end)):
        name = function.name if function is not None else "this file"
        title = f"Strip provenance comments from {name}"
        yield Refactoring("provenance.strip", title, "refactor.rewrite", lambda: strip(snapshot, where))


@cached_by_text
def _names_sources(text: str) -> bool:
    return "span=" in text or "si=" in text


def strip(snapshot: Snapshot, where: TextSpan) -> Sequence[TextEdit]:
    """The edits that take provenance out of the comments in a range; what else a comment says stays."""
    edits: list[TextEdit] = []
    for token in snapshot.tokens(where.start, where.end):
        if token.role is TokenRole.COMMENT and token.text.startswith("/*"):
            edits += _edits(snapshot.text, token)
    return checked(snapshot, edits)


def _edits(text: str, token: Token) -> Iterator[TextEdit]:
    patterns = [_SPAN, _SOURCES]
    if _SOURCES.search(token.text):
        patterns.append(_WRITTEN_WITH_SOURCES)
    stripped = token.text
    for pattern in patterns:
        stripped = pattern.sub("", stripped)
    if stripped == token.text:
        return
    if _EMPTY.match(stripped):
        start = token.span.start
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        yield TextEdit(TextSpan(start, token.span.end), "")
        return
    for pattern in patterns:
        for match in pattern.finditer(token.text):
            yield TextEdit(TextSpan(token.span.start + match.start(), token.span.start + match.end()), "")
