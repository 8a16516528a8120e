"""The layout of what was just typed: the indentation after a line end or ``}``, the statement after ``;``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.formatting import format_range
from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["format_typed"]

_OPAQUE = (TokenRole.COMMENT, TokenRole.STRING)
_INDENT = 2


def format_typed(snapshot: Snapshot, offset: int, typed: str) -> Sequence[TextEdit]:
    """The edits after ``typed`` was typed before ``offset``. Nothing changes inside comments and strings."""
    place = offset - len(typed)
    token = snapshot.token_at(place)
    if token is not None and token.role in _OPAQUE and token.span.start < place < token.span.end:
        return ()
    if typed == "\n":
        return tuple(_indented(snapshot, offset))
    if typed == "}":
        return tuple(_indented(snapshot, offset)) if _is_first_of_line(snapshot, offset - 1) else ()
    if typed == ";":
        line, _ = snapshot.lines.line_and_column(offset)
        start = snapshot.lines.line_start(line)
        return tuple(edit for edit in format_range(snapshot, TextSpan(start, offset)) if edit.span.end < offset)
    return ()


def _is_first_of_line(snapshot: Snapshot, offset: int) -> bool:
    _, column = snapshot.lines.line_and_column(offset)
    return not snapshot.lines.part(offset - column, offset).strip()


def _indented(snapshot: Snapshot, offset: int) -> Iterator[TextEdit]:
    """The edit that gives the line of ``offset`` the indentation that its brackets ask for."""
    line, _ = snapshot.lines.line_and_column(offset)
    start = snapshot.lines.line_start(line)
    content = snapshot.lines.line(line)
    above = line - 1
    while above >= 0 and not snapshot.lines.line(above).strip():
        above -= 1
    if above < 0:
        return
    before = snapshot.lines.line(above)
    depth = _depth(snapshot, snapshot.lines.line_start(above), snapshot.lines.line_start(above) + len(before))
    width = len(before) - len(before.lstrip()) + _INDENT * depth
    if content.lstrip().startswith(("}", ")", "]")):
        width -= _INDENT
    old = len(content) - len(content.lstrip())
    new = " " * max(width, 0)
    if content[:old] != new:
        yield TextEdit(TextSpan(start, start + old), new)


def _depth(snapshot: Snapshot, start: int, end: int) -> int:
    """Whether a line opens a bracket that it does not close: 1, or 0."""
    depth = 0
    for token in snapshot.tokens(start, end):
        if token.role is TokenRole.COMMENT or token.span.start < start:
            continue
        if token.text in ("{", "(", "["):
            depth += 1
        elif token.text in ("}", ")", "]") and depth:
            depth -= 1
    return min(depth, 1)
