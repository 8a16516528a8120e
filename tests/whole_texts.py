"""The folds and the tokens of a text one by one: what the server's, which are cached and encoded by part, must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.folding import Fold, folds_across, folds_in
from relay_lsp.server.features.semantic_tokens import LAYER, comment_pieces, word_of

__all__ = ["SemanticToken", "folds", "semantic_tokens"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def folds(snapshot: Snapshot) -> Iterator[Fold]:
    """The foldable ranges, but for comments on one line: those of each part, and those that lie in several."""
    for part in snapshot.parts():
        yield from folds_in(snapshot, part)
    yield from folds_across(snapshot)


class SemanticToken(NamedTuple):
    """A word, by one of the names of LSP's token types, with the names of modifiers."""

    span: TextSpan
    type: str
    modifiers: tuple[str, ...] = ()


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
