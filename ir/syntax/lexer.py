"""Text to tokens, with one regular expression.

Every character of a text belongs to exactly one *piece*: a token or comment together with the white space that
follows it (white space at the very start is a piece of its own, of kind :data:`COMMENT`). So the pieces, put
together, are the text, and offsets follow from lengths. The kind of a piece depends on its text alone, and is
cached by it.

Where this differs from TVM's tokenizer (``src/relay/parser/tokenizer.h``), because that one is weak: strings know
escapes and end on their line; ``\\r`` counts as white space; a byte order mark is skipped; ``/* … **/`` ends; an
identifier stops before ``/*``; a comment that is never closed is an error which ends with its line. Before a
definition that they are typed in front of, names stop (``intdef @main``, ``xtype List[A]``: a word and another name
never follow each other), and so do strings and comments that are never closed. These stop before the mark that ends
their line, too (``match" (%x) {``): it belongs to what they are typed in.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from ..text.line_index import LineIndex, closes_each_comment
from .tokens import BY_TEXT, COMMENT, GLOBAL, LOCAL, META, METADATA, NAME, OPEN_COMMENT, UNCLOSED_STRING, UNKNOWN

__all__ = [
    "AROUND_EDIT",
    "COMMENT_PATTERN",
    "CUT_AGAIN",
    "NAME_GOES_ON_PATTERN",
    "NAME_PATTERN",
    "RESERVED_PATTERN",
    "WHITE_SPACE",
    "Lexed",
    "PieceReader",
    "begins_definition",
    "first_kept",
    "first_piece",
    "first_unsure",
    "lex",
    "may_define",
    "pieces_of",
    "read_chunks",
]

CUT_AGAIN: Final = 8
"""How many pieces before an edit are cut again."""

AROUND_EDIT: Final = 256
"""How much text behind an edit is cut to find a piece that begins where one began before."""

_LOOK_AHEAD: Final = 256
"""How much more text than wanted is scanned, so that it is known where the last piece ends."""

_LOOK_AHEAD_AFTER_COMMENT: Final = 8
"""The same where a comment was never closed: what is scanned beyond the next such one is scanned again."""

_CHUNK: Final = 65_536
"""How much text is scanned in one go; it takes two milliseconds."""

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

_BEFORE_DEFINITION: Final = rf"(?=def[ ]@|type[ ]+{NAME_PATTERN}[ ]*[\[{{])"
"""Where ``def`` or ``type`` begins a definition."""

_END_OF_LINE: Final = r"(?:\}[ ]?else[ ]?)?[{;,][ \t\r]*(?=\n|\Z)"
"""What ends a line and separates what is on it from the next, or opens a block."""

# Nothing in here goes over the same characters again from each of them: dashes that lead to no number are not scanned
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
    | "(?![ ]*{_BEFORE_DEFINITION})(?:[^"\\\n]|\\.)*"
    | /\*
    | "(?:(?!{_BEFORE_DEFINITION}|{_END_OF_LINE})[^\n])*
    | =[=>]|[!<>]=|->|[(),;=:{{}}\[\]?.*/+\-<>!]
    | \#\[\s*metadata\s*\][\s\S]*
    | \#\[[^\[\]\n]*\]
    | [^\sA-Za-z0-9_%@(),;=:{{}}\[\]?.*/+\-<>!"\#\ufeff]+
    | .
    | (?=[\s\ufeff])
    )[ \t\r\n\f\v\ufeff]*""",
    re.VERBOSE,
)


_OPEN_ENDED_PIECE: Final = re.compile(f"[{re.escape(OPEN_COMMENT + UNCLOSED_STRING + UNKNOWN + META + METADATA)}]")
"""The kinds of piece whose end may depend on text far beyond it; so may that of the name ``meta``."""
_META_NAME: Final = "meta"

_LINE: Final = re.compile(r"[^\r\n]*[\r\n][ \t\r\n\f\v\ufeff]*(?=[^ \t\r\n\f\v\ufeff])")
"""A line and the white space after it, where what follows that is at hand, too."""


_DEFINITIONS: Final = ("def @", "type ")
"""What definitions begin with."""
_DEFINITION: Final = re.compile(_BEFORE_DEFINITION)
_LINE_CLOSE: Final = re.compile(_END_OF_LINE)
_LONGEST_CLOSE: Final = len("} else {")
_UNSURE_PIECES: Final = 2
"""How many pieces at the end of a part of a line may be others: what follows tells whether a definition begins."""
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


class Lexed(msgspec.Struct, frozen=True):
    """The pieces of a text and their kinds, one character each."""

    kinds: str
    pieces: list[str]


class PieceReader:
    """Gives the pieces of a text from a place on where one begins, one part after another.

    What was found beyond a part is kept for the next: a line may be long, and is scanned to its end.
    """

    def __init__(self, lines: LineIndex, start: int) -> None:
        self._lines: Final = lines
        self.position = start
        """Where the next piece begins."""
        self._pieces: list[str] = []
        self._kinds = ""
        self._ends = [start]
        self._next = self._settled = 0
        """Which of them is the next, and how many of them are what they would be whatever follows."""
        self._inner_start = start
        """From here on the pieces of a line are looked for some at a time; before, in all of it."""
        self._part = ""
        self._part_start = self._limit = self._line_end = start
        """What is scanned behind comments that have others inside; where it begins and ends in the text, and where
        the last line of it does."""
        self._comments_end = start
        """As far as this there may be many such comments: it is the end of a line with one."""

    def read(self, end: int) -> Lexed:
        """The pieces until one ends at ``end`` or beyond."""
        made: list[str] = []
        made_kinds: list[str] = []
        reach, window = _LOOK_AHEAD, end - self.position
        if self.position < self._comments_end:
            window = reach = _LOOK_AHEAD_AFTER_COMMENT
        while self.position < end:
            if self._next == self._settled:
                window, reach = self._find(min(end, self.position + window), window, reach)
                continue
            stop = min(bisect_left(self._ends, end, self._next), self._settled)
            made += self._pieces[self._next : stop]
            made_kinds.append(self._kinds[self._next : stop])
            self._next, self.position = stop, self._ends[stop]
        return Lexed("".join(made_kinds), made)

    def _find(self, goal: int, window: int, reach: int) -> tuple[int, int]:
        """Find pieces up to ``goal``; what the window and the reach beyond it are to be next."""
        lines, start = self._lines, self.position
        is_behind_comment = reach == _LOOK_AHEAD_AFTER_COMMENT
        is_at_hand = self._limit == self._line_end or start >= self._inner_start
        if not (is_behind_comment and is_at_hand and self._part_start <= start and goal + reach < self._limit):
            self._look_at(goal + reach)
        part, limit = self._part, self._limit
        # What follows the beginning of an open comment is of no use; there may be many of them in a long line.
        may_be_open = is_behind_comment or not closes_each_comment(part[: part.rfind("/*")])
        pieces = self._few_pieces(goal if is_behind_comment else sys.maxsize) if may_be_open else pieces_of(part)
        kinds = "".join(map(_kinds.__getitem__, pieces))
        opened = kinds.find(OPEN_COMMENT)
        if opened < 0 and kinds.endswith(METADATA):  # it is all that follows, which need not be scanned
            pieces[-1] += lines.part(limit, lines.length)
        ends = list(accumulate(map(len, pieces[:opened] if opened >= 0 else pieces), initial=start))
        wanted = bisect_left(ends, goal)
        if wanted == len(ends):
            piece, kind = _open_comment(lines, part, ends[-1], ends[-1] - self._part_start)
            pieces, kinds = [*pieces[:opened], piece], kinds[:opened] + kind
            ends.append(ends[-1] + len(piece))
            settled = len(pieces)
            window = reach = _LOOK_AHEAD_AFTER_COMMENT
            self._comments_end = self._inner_start = self._line_end
        else:
            is_cut = limit < lines.length
            if is_cut and ends[wanted] == limit:
                return window, 4 * reach
            settled = len(ends) - (2 if is_cut and ends[-1] == limit else 1)
            if limit < self._line_end:
                settled = first_unsure(kinds, pieces, 0, max(min(settled, len(pieces) - _UNSURE_PIECES), 0))
                if not settled:
                    self._inner_start = self._line_end
            window *= 2
        self._pieces, self._kinds, self._ends = pieces, kinds, ends
        self._next, self._settled = 0, settled
        return window, reach

    def _look_at(self, end: int) -> None:
        """Take as a part what is from here to ``end``, and what tells where the last piece in it ends.

        No piece but a comment and the metadata goes on in another line. Where that line is long, and nothing before
        makes it necessary to look at all of it, the part ends behind a blank in it.
        """
        lines, start = self._lines, self.position
        line, _ = lines.line_and_column(end)
        self._limit = self._line_end = lines.line_start(line + 1)
        part = lines.part(start, self._limit)
        if self._limit > end + _LOOK_AHEAD and start >= self._inner_start:
            blank = part.find(" ", end - start) + 1
            if blank:
                part = part[:blank]
                self._limit = start + blank
        self._part, self._part_start = part, start

    def _few_pieces(self, goal: int) -> list[str]:
        """The pieces of the part from here on as far as ``goal``, and no more than the first of a comment."""
        pieces: list[str] = []
        start = end = self.position - self._part_start
        for match in _PIECE.finditer(self._part, start):
            pieces.append(match[0])
            end = match.end()
            if self._part_start + end >= goal or _kinds[match[0]] == OPEN_COMMENT:
                break
        return _with_definitions(self._part[start : end + _LOOK_AHEAD], pieces)


def read_chunks(reader: PieceReader, end: int) -> Iterator[Lexed]:
    """The pieces that a reader gives until one ends at ``end`` or beyond; some lines at a time.

    Between them, other threads have their turn. To find all pieces of a long text at once would keep them waiting until
    it is done, half a second for 13 MB.
    """
    while reader.position < end:
        yield reader.read(min(reader.position + _CHUNK, end))


def lex(text: str) -> Lexed:
    """Split ``text`` into pieces."""
    if len(text) > _CHUNK:
        chunks = list(read_chunks(PieceReader(LineIndex(text), 0), len(text)))
        return Lexed("".join([chunk.kinds for chunk in chunks]), [piece for chunk in chunks for piece in chunk.pieces])
    pieces = pieces_of(text)
    kinds = "".join(map(_kinds.__getitem__, pieces))
    if OPEN_COMMENT not in kinds:
        return Lexed(kinds, pieces)
    lines = LineIndex(text)
    return PieceReader(lines, 0).read(lines.length)


def pieces_of(text: str) -> list[str]:
    """The pieces of a text, in which no comment is open."""
    return _with_definitions(text, _PIECE.findall(text))


def _with_definitions(text: str, pieces: list[str]) -> list[str]:
    """The pieces with which a text begins, but that a definition begins one of its own."""
    if not may_define(text):
        return pieces
    starts: list[int] = []
    for definition in _DEFINITION.finditer(text):
        position = definition.start()
        if position == 0 or not _NAME_END.match(text[position - 1]):
            continue
        starts = starts or list(accumulate(map(len, pieces), initial=0))
        number = bisect_left(starts, position) - 1
        if number >= len(pieces):
            break
        piece, cut = pieces[number], position - starts[number]
        if _kinds[piece] in _NAMES:
            before = _PIECE.findall(piece[:cut])
            pieces[number : number + 1] = [*before, piece[cut:]]
            starts[number + 1 : number + 1] = accumulate(map(len, before[1:]), initial=starts[number] + len(before[0]))
    return pieces


def may_define(text: str) -> bool:
    """Whether a definition may begin somewhere in a text: a search for all places takes longer."""
    return any(map(text.__contains__, _DEFINITIONS))


def begins_definition(text: str) -> bool:
    """Whether a text begins as a definition does, after ``def`` or ``type``."""
    return _DEFINITION.match(text) is not None


def first_kept(
    lexed: Lexed, ends: Sequence[int], behind: int, old_starts: Sequence[int], shift: int
) -> tuple[int, int] | None:
    """How many pieces around an edit come before one that begins where one began before it, and which of those it is.

    The ``lexed`` text, of which ``ends`` are the begin and where its pieces end, may end inside a comment. The piece
    begins at ``behind`` or later; one of ``old_starts`` is there, less the ``shift`` of the edit.
    """
    sure = first_unsure(lexed.kinds, lexed.pieces, 0, len(lexed.kinds))
    for number in range(max(bisect_left(ends, behind), 1), min(len(ends) - CUT_AGAIN, sure + 1)):
        before = ends[number] - shift
        at = bisect_left(old_starts, before)
        if at < len(old_starts) and old_starts[at] == before:
            return number, at
    return None


def first_unsure(kinds: str, pieces: Sequence[str], first: int, end: int, *, may_refer: bool = True) -> int:
    """The first of some pieces whose end may depend on text far beyond it; ``end`` if there is none before that.

    ``may_refer`` tells whether there may be the name ``meta`` among them.
    """
    for unsure in _OPEN_ENDED_PIECE.finditer(kinds, first, end):
        if unsure[0] != UNKNOWN or pieces[unsure.start()].startswith("#"):  # other characters stand for themselves
            end = unsure.start()
            break
    if not may_refer or _META_NAME not in "".join(pieces[first:end]):
        return end
    return next((at for at in range(first, end) if pieces[at].startswith(_META_NAME)), end)


def first_piece(text: str) -> str:
    """The first piece of a text, which does not begin with a comment."""
    match = _PIECE.match(text)
    return match[0] if match is not None else ""


def _code_behind(line: str) -> int | None:
    """Where on its line code is read behind a comment that is never closed and begins the ``line``."""
    definition = _DEFINITION.search(line, len("/*")) if may_define(line) else None
    if definition is not None:
        return definition.start()
    end = _LINE_CLOSE.search(line, max(len("/*"), len(line.rstrip(" \t\r\n")) - _LONGEST_CLOSE))
    return None if end is None else end.start()


def _open_comment(lines: LineIndex, part: str, start: int, at: int) -> tuple[str, str]:
    """The piece of a comment that has others inside it, or is never closed; then it ends with its line. And its kind.

    It begins at ``start``, and ``at`` in the ``part`` of the text that is at hand.
    """
    end = lines.comment_end(start)
    kind = OPEN_COMMENT if end is None else COMMENT
    if end is None:
        line, _ = lines.line_and_column(start)
        its_line = lines.part(start, lines.line_start(line + 1))
        behind = _code_behind(its_line)
        if behind is not None:
            return its_line[:behind], kind
        line_with_space = _LINE.match(part, at)
        if line_with_space is not None:
            return line_with_space[0], kind
        end = start + len(its_line.rstrip("\r\n"))
    while True:
        after = lines.part(end, end + _LOOK_AHEAD)
        space = len(after) - len(after.lstrip(WHITE_SPACE))
        end += space
        if not space or space < len(after):
            return lines.part(start, end), kind
