"""What each word is, so that an editor can colour it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["SemanticToken", "semantic_tokens", "word_of"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


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


def word_of(role: TokenRole, declaration: bool) -> tuple[str, tuple[str, ...]] | None:
    """The name of LSP's token type for what a token is, with the names of modifiers; ``None`` where it has none."""
    type = _TYPES.get(role)
    if type is None:
        return None
    modifiers = _MODIFIERS.get(role, ())
    return type, ("declaration", *modifiers) if declaration else modifiers


def semantic_tokens(snapshot: Snapshot, span: TextSpan | None = None) -> Iterator[SemanticToken]:
    """The tokens that have a meaning, in the order of the text: all, or those that touch ``span``.

    A token that runs over several lines is given line by line, as the protocol wants it.
    """
    start, end = (0, None) if span is None else (span.start, span.end)
    for token in snapshot.tokens(start, end):
        word = word_of(token.role, token.declaration)
        if word is None:
            continue
        position = token.span.start
        for piece in _LINE.findall(token.text):
            content = piece.rstrip("\r\n")
            if content:
                yield SemanticToken(TextSpan(position, position + len(content)), *word)
            position += len(piece)
