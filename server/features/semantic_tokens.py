"""What each word is, so that an editor can colour it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_lsp.ir.semantic.snapshot import TokenRole
from relay_lsp.ir.span_comments import sources_in

__all__ = ["LAYER", "comment_pieces", "word_of"]

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
