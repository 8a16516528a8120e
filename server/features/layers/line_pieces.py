"""A text in pieces of whole lines whose comments can be read piece by piece: none holds two pieces together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import COMMENT_PATTERN, WHITE_SPACE

__all__ = ["COMMENT_OR_STRING", "LinePiece", "line_pieces", "skip_comments"]

COMMENT_OR_STRING = re.compile(rf'"(?:[^"\\\n]|\\.)*"|{COMMENT_PATTERN}|//[^\n]*')
_AHEAD = re.compile(rf"[{WHITE_SPACE}]*")
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
    edges = [_edges(block) for block in blocks]
    texts: list[str] = []
    is_held = False
    for block, edge, goes_on, is_closed in zip(blocks, edges, _go_on(edges), _closed_below(edges), strict=True):
        if texts and (is_held or goes_on):
            texts[-1] += block
        else:
            texts.append(block)
        in_comment = edge.opens_comment or (is_held and not edge.delimiter)
        is_held = (in_comment and is_closed) or not edge.ends_line
    pieces: list[LinePiece] = []
    end, following = sum(map(len, texts)), ""
    for text in reversed(texts):
        pieces.append(LinePiece(end - len(text), text, following))
        end -= len(text)
        following = _edges(text).head or following
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


class _Edges(NamedTuple):
    """How lines hang together with those around them."""

    head: str
    """Their first character that is none of a comment."""
    delimiter: str
    """The first of ``/*`` and ``*/`` in them."""
    opens_comment: bool
    """Whether a comment begins in them that does not end there."""
    ends_line: bool


@lru_cache(maxsize=1 << 10)
def _edges(text: str) -> _Edges:
    start = skip_comments(text, 0)
    delimiter = _DELIMITER.search(text)
    opens_comment = "/*" in COMMENT_OR_STRING.sub(" ", text)
    return _Edges(text[start : start + 1], delimiter[0] if delimiter else "", opens_comment, text.endswith("\n"))


def _go_on(edges: Sequence[_Edges]) -> list[bool]:
    """Whether each block goes on with the statement before it."""
    goes_on = [False for _ in edges]
    below = False
    for number in reversed(range(len(edges))):
        below = goes_on[number] = edges[number].head == ";" or (not edges[number].head and below)
    return goes_on


def _closed_below(edges: Sequence[_Edges]) -> list[bool]:
    """Whether a comment that is open at the end of each block ends below."""
    closed = [False for _ in edges]
    below = False
    for number in reversed(range(len(edges))):
        closed[number] = below
        below = edges[number].delimiter == "*/" or (not edges[number].delimiter and below)
    return closed
