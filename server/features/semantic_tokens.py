"""What each word is, so that an editor can colour it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.span_comments import sources_in
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["LAYER", "SemanticToken", "comment_pieces", "semantic_tokens", "word_of"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class SemanticToken(msgspec.Struct, frozen=True):
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


LAYER = "namespace"
"""The name of LSP's token type for a layer, or a place of a source, that a comment names."""


def comment_pieces(comment: str) -> Iterator[tuple[int, str, bool]]:
    """A comment in pieces: where each begins, its text, and whether it is the name of a layer or a place."""
    position = 0
    if comment.startswith("/*") and ("si=" in comment or "span=" in comment or _BARE_NAME.match(comment)):
        for source in sources_in(comment):
            if source.start < position:
                continue
            if source.start > position:
                yield position, comment[position : source.start], False
            yield source.start, comment[source.start : source.end], True
            position = source.end
    if position < len(comment):
        yield position, comment[position:], False


_BARE_NAME = re.compile(r"/\*\s*[A-Za-z_][\w.:/-]*\s*\*/")


def semantic_tokens(snapshot: Snapshot, span: TextSpan | None = None) -> Iterator[SemanticToken]:
    """The tokens that have a meaning, in the order of the text: all, or those that touch ``span``.

    A token that runs over several lines is given line by line, as the protocol wants it.
    """
    start, end = (0, None) if span is None else (span.start, span.end)
    for token in snapshot.tokens(start, end):
        word = word_of(token.role, token.declaration)
        if word is None:
            continue
        if token.role is not TokenRole.COMMENT:
            yield from _lines(token.span.start, token.text, *word)
            continue
        for start, text, is_layer in comment_pieces(token.text):
            yield from _lines(token.span.start + start, text, LAYER if is_layer else word[0])


def _lines(position: int, text: str, type: str, modifiers: tuple[str, ...] = ()) -> Iterator[SemanticToken]:
    for piece in _LINE.findall(text):
        content = piece.rstrip("\r\n")
        if content:
            yield SemanticToken(TextSpan(position, position + len(content)), type, modifiers)
        position += len(piece)
