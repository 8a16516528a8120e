"""Text to tokens, with one regular expression.

Every character of a text belongs to exactly one *piece*: a token or comment together with the white space that
follows it (white space at the very start is a piece of its own, of kind :data:`COMMENT`). So the pieces, put
together, are the text, and offsets follow from lengths. The kind of a piece depends on its text alone, and is
remembered by it.

Where this differs from TVM's tokenizer (``src/relay/parser/tokenizer.h``), because that one is weak: strings know
escapes and end on their line; ``\\r`` counts as white space; a byte order mark is skipped; ``/* … **/`` ends; an
identifier stops before ``/*``; a comment that is never closed is an error which ends with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .tokens import BY_TEXT, COMMENT, OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = ["WHITE_SPACE", "Lexed", "lex", "lex_from"]

WHITE_SPACE: Final = " \t\r\n\f\v\ufeff"

_NAME = r"[A-Za-z_](?:[A-Za-z0-9_]|/(?!\*))*"
_RESERVED = r"(?!(?:let|fn|def|if|else|type|match|extern|free_var|ref|ref_read|ref_write)(?![A-Za-z0-9_/]))"
_COMMENT = r"/\*[^*/]*(?:(?:\*(?!/)|/(?!\*))[^*/]*)*\*/"

_PIECE = re.compile(
    rf"""(?:
      %[0-9]+
    | [%@]{_RESERVED}{_NAME}
    | [(),;=:{{}}\[\]](?![=>])
    | meta\[[^\]\n]*\]\[[^\]\n]*\]
    | -*inff(?![A-Za-z0-9_/])
    | match\?
    | {_NAME}(?:\.{_NAME})*
    | -*[0-9][0-9.eE+\-]*(?:[fi][0-9.eE+\-]*)?
    | {_COMMENT}
    | //[^\n]*
    | "(?:[^"\\\n]|\\.)*"
    | /\*
    | "[^\n]*
    | =[=>]|[!<>]=|->|[(),;=:{{}}\[\]?.*/+\-<>!]
    | \#\[\s*metadata\s*\][\s\S]*
    | \#\[[^\]\n]*\]
    | [^\sA-Za-z0-9_%@(),;=:{{}}\[\]?.*/+\-<>!"\#\ufeff]+
    | .
    | (?=[\s\ufeff])
    )[ \t\r\n\f\v\ufeff]*""",
    re.VERBOSE,
)


def _classify(token: str) -> str:
    fixed = BY_TEXT.get(token)
    if fixed is not None:
        return fixed
    if not token:
        return COMMENT
    first = token[0]
    if first == "%":
        return "u" if len(token) == 1 else "G" if token[1].isdigit() else "L"
    if first == "@":
        return "@" if len(token) > 1 else UNKNOWN
    if first == "/":
        return OPEN_COMMENT if token.startswith("/*") and not _is_closed_comment(token) else COMMENT
    if first == '"':
        return "s" if _is_closed(token) else UNCLOSED_STRING
    if first == "#":
        return _classify_directive(token)
    if token.endswith("inff") and not token.strip("-").removesuffix("inff"):
        return "F"
    if first.isascii() and (first.isdigit() or first == "-"):
        digits = token.lstrip("-").lstrip("0123456789.eE+-")
        return "F" if digits.startswith("f") else "N"
    if first.isascii() and (first.isalpha() or first == "_"):
        return "M" if token.startswith("meta[") else "I"
    return UNKNOWN


def _is_closed_comment(token: str) -> bool:
    if token.endswith("*/") and "/*" not in token[2:]:
        return len(token) >= 4
    return _comment_ends(token).get(0) == len(token)


def _is_closed(token: str) -> bool:
    return re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', token) is not None


def _classify_directive(token: str) -> str:
    inner = token[2:].lstrip()
    if not token.startswith("#["):
        return UNKNOWN
    if inner.startswith("metadata") and token.split("]", 1)[0][2:].strip() == "metadata":
        return "D"
    return "V" if inner.startswith("version") else "X"


class _Kinds(dict[str, str]):
    """The kind of every piece seen so far; forgets all when it has grown large."""

    limit: Final = 400_000

    def __missing__(self, piece: str) -> str:
        kind = _classify(piece.rstrip(WHITE_SPACE))
        if len(piece) < 64:
            if len(self) > self.limit:
                self.clear()
            self[piece] = kind
        return kind


_kinds = _Kinds()


@dataclass(frozen=True, slots=True)
class Lexed:
    """The pieces of a text and their kinds, one character each."""

    kinds: str
    pieces: list[str]


def lex(text: str) -> Lexed:
    """Split ``text`` into pieces."""
    pieces = _PIECE.findall(text)
    kinds = "".join(map(_kinds.__getitem__, pieces))
    if OPEN_COMMENT in kinds:
        pieces = _lex_open_comments(text, pieces, kinds)
        kinds = "".join(map(_kinds.__getitem__, pieces))
    return Lexed(kinds, pieces)


def _lex_open_comments(text: str, pieces: list[str], kinds: str) -> list[str]:
    """The pieces of a text with comments that are nested or never closed.

    The first few are stepped over one at a time; a text with more of them is read piece by piece from there on.
    """
    made: list[str] = []
    position = 0
    for _ in range(_FEW_COMMENTS):
        opened = kinds.find(OPEN_COMMENT)
        if opened < 0:
            break
        made.extend(pieces[:opened])
        position += sum(map(len, pieces[:opened]))
        comment, _ = next(lex_from(text, position))
        made.append(comment)
        position += len(comment)
        pieces = _PIECE.findall(text, position)
        kinds = "".join(map(_kinds.__getitem__, pieces))
    if OPEN_COMMENT in kinds:
        pieces = [piece for piece, _ in lex_from(text, position)]
    return [*made, *pieces]


def lex_from(text: str, position: int) -> Iterator[tuple[str, str]]:
    """The pieces of ``text`` from ``position`` on, with their kinds, one at a time."""
    match = _PIECE.match
    length = len(text)
    comment_ends: dict[int, int] | None = None
    while position < length:
        found = match(text, position)
        piece = found[0] if found is not None else text[position]
        kind = _kinds[piece]
        if kind == OPEN_COMMENT:
            if comment_ends is None:
                comment_ends = _comment_ends(text, position)
            end = comment_ends.get(position)
            if end is None:
                line_end = text.find("\n", position)
                end = length if line_end < 0 else line_end
            while end < length and text[end] in WHITE_SPACE:
                end += 1
            piece = text[position:end]
            kind = _kinds[piece]
        yield piece, kind
        position += len(piece)


_FEW_COMMENTS: Final = 4
_COMMENT_MARK = re.compile(r"/\*|\*/")


def _comment_ends(text: str, start: int = 0) -> dict[int, int]:
    """Where each comment that opens at or after ``start`` ends, if it does; comments inside it count."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for mark in _COMMENT_MARK.finditer(text, start):
        if mark[0] == "/*":
            opened.append(mark.start())
        elif opened:
            ends[opened.pop()] = mark.end()
    return ends
