"""The lines and columns that TVM's parser would give, quirks included.

Source of the rule: ``src/relay/parser/tokenizer.h``. What a printed ``/* span=… */`` says follows from where TVM thinks
each token begins, and that is not always where it does: a number or string counts from its end; the tokenizer tries
``inff`` and ``meta[`` on every name and forgets to take back the columns it advanced, so that each name that begins
with ``i`` or ``m`` shifts the rest of its line; columns count bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from ..spans import SourceName, Span
from ..text.line_index import LineIndex
from .lexer import WHITE_SPACE, lex
from .tokens import (
    BOOLEAN,
    COMMENTS,
    DIRECTIVE,
    FLOAT,
    GLOBAL,
    GRAPH,
    INTEGER,
    LOCAL,
    META,
    METADATA,
    NAME,
    STRING,
    UNCLOSED_STRING,
    VERSION,
)

__all__ = ["Position", "Positions", "span_between"]

Position: TypeAlias = "tuple[int, int, int, int]"
"""Line, column, end line and end column of a token, 1-based, as TVM counts them."""

_WITHOUT_NAMES: Final = COMMENTS + STRING + UNCLOSED_STRING + META
_WITHOUT_DRIFT: Final = _WITHOUT_NAMES + VERSION + DIRECTIVE + METADATA
"""The kinds in whose text the tokenizer of TVM tries no name."""


def span_between(source: SourceName, first: Position, last: Position) -> Span:
    """The span from one token to another, merged as TVM does: the least column, whatever its line."""
    return Span(
        source,
        first[0] if first[0] < last[0] else last[0],
        max(first[2], last[2]),
        first[1] if first[1] < last[1] else last[1],
        max(first[3], last[3]),
    )


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_/]*")


@lru_cache(maxsize=8192)
def _drift_of(text: str) -> int:
    """By how many columns a token shifts what follows it on its line."""
    if text[0] in "%@":
        text = text[1:]
    if text.startswith("-"):
        signs = len(text) - len(text.lstrip("-"))
        return signs - 1 if not text.lstrip("-")[:1].isdigit() and not text.endswith("inff") else 0
    return sum(_name_drift(name) for name in _NAME.findall(text)) if text[:1].isalpha() or text[:1] == "_" else 0


def _name_drift(name: str) -> int:
    for attempt in ("inff", "meta["):
        if name[0] == attempt[0]:
            common = 0
            while common < len(attempt) and name[common : common + 1] == attempt[common]:
                common += 1
            return 0 if common == len(attempt) else common
    return 0


class Positions:
    """The positions of tokens in one text."""

    __slots__ = ("_ascii", "_lines", "_text", "source")

    def __init__(self, text: str, name: str) -> None:
        self._text: Final = text
        self._ascii: Final = text.isascii()
        self._lines: Final = LineIndex(text)
        self.source: Final = SourceName(name)

    def of_pieces(self, kinds: str, pieces: Sequence[str], base: int) -> list[Position]:
        """The position of every token (comments left out) among ``pieces``, which begin at offset ``base``."""
        line, column = self._lines.line_and_column(base)
        line_start = base - column
        drift = 0
        if column and self._text[line_start:base].strip(WHITE_SPACE):
            before = lex(self._text[line_start:base])
            drift = sum(
                _drift_of(piece.rstrip(WHITE_SPACE))
                for piece, kind in zip(before.pieces, before.kinds, strict=True)
                if kind not in _WITHOUT_NAMES
            )
        line += 1
        column = self._column(line_start, base) + drift + 1
        positions: list[Position] = []
        for kind, piece in zip(kinds, pieces, strict=True):
            start, end, lines, columns = (_measure if len(piece) < _LONG else _measure.__wrapped__)(kind, piece)
            if end:
                positions.append((line, column + start, line, column + end))
            if lines:
                line += lines
                column = columns + 1
            else:
                column += columns
        return positions

    def _column(self, line_start: int, offset: int) -> int:
        return offset - line_start if self._ascii else _bytes(self._text[line_start:offset])


_LONG = 256
"""Pieces from this length on are not cached."""


@lru_cache(maxsize=1 << 16)
def _measure(kind: str, piece: str) -> tuple[int, int, int, int]:
    """Where a token starts and ends, in columns from where TVM thinks it begins (0 and 0 for a comment); how many lines
    its piece ends; and by how many columns what follows is further on, from the start of the line where it ends any."""
    token = piece.rstrip(WHITE_SPACE)
    start, end = _extent(kind, token) if kind not in COMMENTS else (0, 0)
    lines = piece.count("\n")
    if lines:
        return start, end, lines, _bytes(piece[piece.rfind("\n") + 1 :])
    drift = 0 if kind in _WITHOUT_DRIFT else _drift_of(token)
    return start, end, 0, _bytes(piece) + drift


def _extent(kind: str, token: str) -> tuple[int, int]:
    width = _bytes(token)
    if kind in INTEGER + FLOAT + STRING:
        return width, width + 1
    if kind in LOCAL + GLOBAL:
        return 0, 1
    if kind == "/":
        return 1, 2
    if kind == META:
        return 5, width
    if kind in GRAPH + NAME + VERSION + BOOLEAN or token[:1].isalpha():
        return drift_before(token), width + _drift_of(token)
    return 0, 1


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def drift_before(token: str) -> int:
    """How far the start of a name is shifted by its own beginning: TVM notes the place after its failed attempts."""
    name = _NAME.match(token)
    return _name_drift(name[0]) if name else 0
