"""Text to tokens, with one regular expression.

Every character of a text belongs to exactly one *piece*: a token or comment together with the white space that
follows it (white space at the very start is a piece of its own, of kind :data:`COMMENT`). So the pieces, put
together, are the text, and offsets follow from lengths. The kind of a piece depends on its text alone, and is
remembered by it.

Where this differs from TVM's tokenizer (``src/relay/parser/tokenizer.h``), because that one is weak: strings know
escapes and end on their line; ``\\r`` counts as white space; a byte order mark is skipped; ``/* … **/`` ends; an
identifier stops before ``/*``, and before the ``def`` of a definition that it is typed in front of (``intdef @main``: a
word and a name of a function never follow each other); a comment that is never closed is an error which ends with its
line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from ..text.line_index import LineIndex
from .tokens import BY_TEXT, COMMENT, GLOBAL, LOCAL, NAME, OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = [
    "COMMENT_PATTERN",
    "NAME_GOES_ON_PATTERN",
    "NAME_PATTERN",
    "RESERVED_PATTERN",
    "WHITE_SPACE",
    "Lexed",
    "first_piece",
    "lex",
    "lex_chunks",
    "lex_part",
]

_LOOK_AHEAD: Final = 256
"""How much more text than wanted is looked at, so that it is known where the last piece ends."""

_LOOK_AHEAD_AFTER_COMMENT: Final = 8
"""The same where a comment was never closed: what is looked at beyond the next such one is looked at again."""

_CHUNK: Final = 65_536
"""How much text is looked at in one go; it takes two milliseconds."""

WHITE_SPACE: Final = " \t\r\n\f\v\ufeff"

NAME_GOES_ON_PATTERN: Final = r"(?:[A-Za-z0-9_]|/(?!\*))"
NAME_PATTERN: Final = rf"[A-Za-z_]{NAME_GOES_ON_PATTERN}*"
RESERVED_PATTERN: Final = (
    r"(?!(?:let|fn|def|if|else|type|match|extern|free_var|ref|ref_read|ref_write)(?![A-Za-z0-9_/]))"
)
"""What no name of a value may be."""
COMMENT_PATTERN: Final = r"/\*[^*/]*(?:(?:\*(?!/)|/(?!\*))[^*/]*)*\*/"

_LONGEST_GRAPH_NAME: Final = 18
"""Digits of ``%0``; a name of more is no name. Python reads numbers of a few thousand digits, and slowly."""

# Nothing in here goes over the same characters again from each of them: dashes that lead to no number are not looked at
# from the second one on, and what a bracket opens ends at the next one.
_PIECE = re.compile(
    rf"""(?:
      %[0-9]+
    | [%@]{RESERVED_PATTERN}{NAME_PATTERN}
    | [(),;=:{{}}\[\]](?![=>])
    | meta\[[^\[\]\n]*\]\[[^\[\]\n]*\]
    | (?<!-)-*inff(?![A-Za-z0-9_/])
    | match\?
    | {NAME_PATTERN}(?:\.{NAME_PATTERN})*
    | (?<!-)-*[0-9][0-9.eE+\-]*(?:[fi][0-9.eE+\-]*)?
    | {COMMENT_PATTERN}
    | //[^\n]*
    | "(?:[^"\\\n]|\\.)*"
    | /\*
    | "[^\n]*
    | =[=>]|[!<>]=|->|[(),;=:{{}}\[\]?.*/+\-<>!]
    | \#\[\s*metadata\s*\][\s\S]*
    | \#\[[^\[\]\n]*\]
    | [^\sA-Za-z0-9_%@(),;=:{{}}\[\]?.*/+\-<>!"\#\ufeff]+
    | .
    | (?=[\s\ufeff])
    )[ \t\r\n\f\v\ufeff]*""",
    re.VERBOSE,
)


_LINE: Final = re.compile(r"[^\r\n]*[\r\n][ \t\r\n\f\v\ufeff]*(?=[^ \t\r\n\f\v\ufeff])")
"""A line and the white space after it, where what follows that is at hand, too."""


_DEFINITION: Final = "def @"
_NAME_END: Final = re.compile("[A-Za-z0-9_/.]")
_NAMES: Final = NAME + LOCAL + GLOBAL


def _classify(token: str) -> str:
    fixed = BY_TEXT.get(token)
    if fixed is not None:
        return fixed
    if not token:
        return COMMENT
    first = token[0]
    if first == "%":
        if len(token) == 1:
            return "u"
        if not token[1].isdigit():
            return "L"
        return "G" if len(token) <= 1 + _LONGEST_GRAPH_NAME else UNKNOWN
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
    return LineIndex(token).comment_end(0) == len(token)


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
        # The values of a graph are what there is most of.
        is_graph = len(piece) <= _LONGEST_GRAPH_NAME and piece[:1] == "%" and piece[1:2].isdigit()
        kind = "G" if is_graph else _classify(piece.rstrip(WHITE_SPACE))
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


def lex_chunks(lines: LineIndex, start: int, end: int) -> Iterator[Lexed]:
    """The pieces of a text from ``start``, where one begins, until one ends at ``end`` or beyond; some lines at a time.

    Between them, other threads have their turn. To find all pieces of a long text at once would keep them waiting until
    it is done, half a second for 13 MB.
    """
    while start < end:
        lexed, start = lex_part(lines, start, min(start + _CHUNK, end))
        yield lexed


def lex(text: str) -> Lexed:
    """Split ``text`` into pieces."""
    if len(text) > _CHUNK:
        chunks = list(lex_chunks(LineIndex(text), 0, len(text)))
        return Lexed("".join([chunk.kinds for chunk in chunks]), [piece for chunk in chunks for piece in chunk.pieces])
    pieces = _pieces(text)
    kinds = "".join(map(_kinds.__getitem__, pieces))
    if OPEN_COMMENT not in kinds:
        return Lexed(kinds, pieces)
    lines = LineIndex(text)
    return lex_part(lines, 0, lines.length)[0]


def _pieces(text: str) -> list[str]:
    """The pieces of a text, in which no comment is open."""
    pieces = _PIECE.findall(text)
    at = text.find(_DEFINITION)
    if at < 0:
        return pieces
    starts: list[int] = []
    while at >= 0:
        position = at
        at = text.find(_DEFINITION, at + 1)
        if position == 0 or not _NAME_END.match(text[position - 1]):
            continue
        starts = starts or list(accumulate(map(len, pieces), initial=0))
        number = bisect_left(starts, position) - 1
        piece, cut = pieces[number], position - starts[number]
        if _kinds[piece] in _NAMES:
            before = _PIECE.findall(piece[:cut])
            pieces[number : number + 1] = [*before, piece[cut:]]
            starts[number + 1 : number + 1] = accumulate(map(len, before[1:]), initial=starts[number] + len(before[0]))
    return pieces


def first_piece(text: str) -> str:
    """The first piece of a text, which does not begin with a comment."""
    match = _PIECE.match(text)
    return match[0] if match is not None else ""


def lex_part(lines: LineIndex, start: int, end: int) -> tuple[Lexed, int]:
    """The pieces of a text from ``start``, where one begins, until one ends at ``end`` or beyond; and where it ends."""
    made: list[str] = []
    made_kinds: list[str] = []
    reach = _LOOK_AHEAD
    window = end - start
    while start < end:
        goal = min(end, start + window)
        line, _ = lines.line_and_column(goal + reach)
        limit = lines.line_start(line + 1)  # no piece but a comment and the metadata goes on in another line
        part = lines.part(start, limit)
        pieces = _pieces(part)
        kinds = "".join(map(_kinds.__getitem__, pieces))
        opened = kinds.find(OPEN_COMMENT)
        ends = list(accumulate(map(len, pieces[:opened] if opened >= 0 else pieces), initial=start))
        wanted = bisect_left(ends, goal)
        if wanted < len(ends):
            if ends[wanted] == limit and limit < lines.length:
                reach *= 4
                continue
            made += pieces[:wanted]
            made_kinds.append(kinds[:wanted])
            start = ends[wanted]
            window *= 2
        else:
            # What was looked at beyond is looked at again, and there may be many such comments.
            window = reach = _LOOK_AHEAD_AFTER_COMMENT
            piece = _open_comment(lines, part, ends[-1], ends[-1] - start)
            made += (*pieces[:opened], piece)
            made_kinds += (kinds[:opened], _kinds[piece])
            start = ends[-1] + len(piece)
    return Lexed("".join(made_kinds), made), start


def _open_comment(lines: LineIndex, part: str, start: int, at: int) -> str:
    """The piece of a comment that has others inside it, or is never closed; then it ends with its line.

    It begins at ``start``, and ``at`` in the ``part`` of the text that is at hand.
    """
    end = lines.comment_end(start)
    if end is None:
        line_with_space = _LINE.match(part, at)
        if line_with_space is not None:
            return line_with_space[0]
        line, _ = lines.line_and_column(start)
        end = start + len(lines.part(start, lines.line_start(line + 1)).rstrip("\r\n"))
    while True:
        after = lines.part(end, end + _LOOK_AHEAD)
        space = len(after) - len(after.lstrip(WHITE_SPACE))
        end += space
        if not space or space < len(after):
            return lines.part(start, end)
