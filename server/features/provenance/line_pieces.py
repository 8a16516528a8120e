"""A text in pieces of whole lines whose comments can be read piece by piece: none holds two pieces together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import COMMENT_PATTERN, WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENT
from relay_lsp.ir.text.cached_blocks import cached_by_text

__all__ = ["COMMENT_OR_STRING", "BlockEdges", "LinePiece", "edges_of", "line_pieces", "skip_comments", "without_nested"]

COMMENT_OR_STRING = re.compile(rf'"(?:[^"\\\n]|\\.)*"|{COMMENT_PATTERN}|//[^\n]*')
_AHEAD = re.compile(rf"[{WHITE_SPACE}]*")
_WORDS = re.compile(r"[^\n]")
_DELIMITER = re.compile(r"/\*|\*/")


class LinePiece(NamedTuple):
    """Whole lines of a text, where they begin, and the first character behind them that is none of a comment."""

    start: int
    text: str
    following: str


def line_pieces(blocks: Sequence[str]) -> list[LinePiece]:
    """The pieces of the text that consists of some blocks of lines.

    Blocks that a comment reaches over are one piece, and so are those of a value and its ``;``.
    """
    texts = list(blocks)
    while True:
        joined = _joined(texts)
        if len(joined) == len(texts):
            break
        # A comment that was in pieces is known as one now, and so is what stands behind it.
        texts = joined
    pieces: list[LinePiece] = []
    end, following = sum(map(len, texts)), ""
    for text in reversed(texts):
        pieces.append(LinePiece(end - len(text), text, following))
        end -= len(text)
        following = edges_of(text).head or following
    return pieces[::-1]


def skip_comments(text: str, offset: int) -> int:
    """The next offset that is none of white space or of a comment; that of ``/*`` where it is never closed."""
    while True:
        match = _AHEAD.match(text, offset)
        offset = match.end() if match is not None else offset
        if not text.startswith(("/*", "//"), offset):
            return offset
        comment = COMMENT_OR_STRING.match(text, offset)
        if comment is None:
            return offset
        offset = comment.end()


def without_nested(text: str) -> str:
    """The text in which comments with comments inside, such as statements that were commented out, say nothing."""
    if "/*" not in COMMENT_OR_STRING.sub(" ", text):
        return text
    lexed = lex(text)
    return "".join(
        [
            _WORDS.sub(" ", piece) if kind == COMMENT and piece.startswith("/*") and "/*" in piece[2:] else piece
            for kind, piece in zip(lexed.kinds, lexed.pieces, strict=True)
        ]
    )


def _joined(blocks: Sequence[str]) -> list[str]:
    texts: list[str] = []
    for block, goes_on in zip(blocks, _go_on([edges_of(block) for block in blocks]), strict=True):
        if texts and goes_on:
            texts[-1] += block
        else:
            texts.append(block)
    return texts


class BlockEdges(NamedTuple):
    """How lines hang together with those around them."""

    head: str
    """Their first character that is none of a comment."""
    closed: int
    """How many comments end in them that begin above."""
    opened: int
    """How many begin in them that may end below."""
    ends_line: bool


@cached_by_text
def edges_of(text: str) -> BlockEdges:
    """How whole lines of a text hang together with the lines around them."""
    plain = without_nested(text)
    start = skip_comments(plain, 0)
    closed = opened = 0
    for delimiter in _DELIMITER.findall(text):
        if delimiter == "/*":
            opened += 1
        elif opened:
            opened -= 1
        else:
            closed += 1
    return BlockEdges(plain[start : start + 1], closed, opened, text.endswith("\n"))


def _go_on(edges: Sequence[BlockEdges]) -> list[bool]:
    """Whether each block goes on with a comment or a statement of the one before it."""
    goes_on = [number > 0 and not edges[number - 1].ends_line for number in range(len(edges))]
    below = False
    for number in reversed(range(len(edges))):
        below = edges[number].head == ";" or (not edges[number].head and below)
        goes_on[number] = goes_on[number] or below
    open_comments: list[tuple[int, int]] = []
    for number, edge in enumerate(edges):
        closed = edge.closed
        while closed and open_comments:
            block, count = open_comments.pop()
            goes_on[block + 1 : number + 1] = [True] * (number - block)
            if count > closed:
                open_comments.append((block, count - closed))
            closed = max(0, closed - count)
        if edge.opened:
            open_comments.append((number, edge.opened))
    return goes_on
