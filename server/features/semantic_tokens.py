"""What each word is, so that an editor can colour it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.snapshot import Snapshot, TokenRole
from ...ir.source import TextSpan

__all__ = ["SemanticToken", "semantic_tokens"]


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """A word, by one of the names of LSP's token types, with the names of modifiers."""

    span: TextSpan
    type: str
    modifiers: tuple[str, ...] = ()


_TYPES = {
    TokenRole.COMMENT: "comment",
    TokenRole.STRING: "string",
    TokenRole.NUMBER: "number",
    TokenRole.KEYWORD: "keyword",
    TokenRole.OP_NAME: "function",
    TokenRole.CONSTRUCTOR: "enumMember",
    TokenRole.TYPE: "type",
    TokenRole.TYPE_PARAMETER: "typeParameter",
    TokenRole.DTYPE: "type",
    TokenRole.LOCAL: "variable",
    TokenRole.PARAMETER: "parameter",
    TokenRole.GRAPH: "variable",
    TokenRole.FUNCTION: "function",
    TokenRole.ATTRIBUTE: "property",
    TokenRole.META: "macro",
    TokenRole.DIRECTIVE: "macro",
}
"""A grammar for colours knows brackets and infix operators as well as we do, so they are left to it."""

_MODIFIERS: dict[TokenRole, tuple[str, ...]] = {
    TokenRole.OP_NAME: ("defaultLibrary",),
    TokenRole.DTYPE: ("defaultLibrary",),
    TokenRole.GRAPH: ("readonly",),
}


def semantic_tokens(snapshot: Snapshot, span: TextSpan | None = None) -> Iterator[SemanticToken]:
    """The tokens that have a meaning, in the order of the text: all, or those that touch ``span``.

    A token that runs over several lines is given line by line, as the protocol wants it.
    """
    start, end = (0, None) if span is None else (span.start, span.end)
    for token in snapshot.tokens(start, end):
        type = _TYPES.get(token.role)
        if type is None:
            continue
        modifiers = _MODIFIERS.get(token.role, ())
        if token.declaration:
            modifiers = ("declaration", *modifiers)
        if token.role in (TokenRole.COMMENT, TokenRole.STRING, TokenRole.META):
            for part in _lines(snapshot, token.span):
                yield SemanticToken(part, type, modifiers)
        else:
            yield SemanticToken(token.span, type, modifiers)


def _lines(snapshot: Snapshot, span: TextSpan) -> Iterator[TextSpan]:
    """The parts of a range that lie on one line each, without line ends."""
    text = snapshot.text
    if text.find("\n", span.start, span.end) < 0 and text.find("\r", span.start, span.end) < 0:
        yield span
        return
    position = span.start
    for piece in text[span.start : span.end].splitlines(keepends=True):
        content = piece.rstrip("\r\n")
        if content:
            yield TextSpan(position, position + len(content))
        position += len(piece)
