"""What the comments of a text say of its values: which layer, or which place in a source, each came from.

Only the characters are examined, so that it is known while a text has errors and at once after an edit. A comment
belongs to the value that ends before it on its line; behind the ``;`` of a statement, to the statement's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from relay_lsp.ir.span_comments import NamedSource, sources_in
from relay_lsp.ir.spans import Span
from relay_lsp.ir.syntax.lexer import COMMENT_PATTERN, WHITE_SPACE
from relay_lsp.ir.text.cached_blocks import cached_by_text
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from .line_pieces import COMMENT_OR_STRING, LinePiece, edges_of, line_pieces, skip_comments, without_nested
from .value_starts import ValueStarts

__all__ = [
    "StatedBlock",
    "StatedLayers",
    "StatedSource",
    "read_ahead",
    "sources_behind",
    "stated_blocks",
    "stated_layers",
    "stated_pieces",
]

_HEAD = re.compile(rf"(?:[ \t]*{COMMENT_PATTERN})*[ \t]*(?:(?:let[ \t]+)?%[\w.]+[ \t]*(?::[^=\n]*)?=[ \t]*)?")
_BRACKETS = ("()", "[]", "{}")


class StatedSource(NamedTuple):
    """A layer or a place that a comment names, and where it does."""

    source: Span
    span: TextSpan


class StatedLayers(NamedTuple):
    """A value, and what the comments behind it name."""

    span: TextSpan
    sources: tuple[StatedSource, ...]
    ends_statement: bool


class StatedBlock(NamedTuple):
    """Whole lines of a text, and what comments say of the values that begin in them.

    The offsets of the values are counted from ``start``, where the lines begin.
    """

    start: int
    text: str
    following: str
    """The first character behind the lines that is none of a comment."""
    within: tuple[tuple[int, int], ...]
    """The ends and the beginnings of values on several of the lines, such as functions."""
    reaching: tuple[StatedLayers, ...]
    """The values that begin in the lines and end below."""
    values: Sequence[StatedLayers]
    """The values that begin and end in the lines; what stands before them says as much about them as ``within``."""

    @property
    def key(self) -> Hashable:
        """Two blocks of one key have the same values."""
        return (self.text, self.following, self.within, self.reaching)

    @property
    def all_values(self) -> Sequence[StatedLayers]:
        """The values that begin in the lines, in their order."""
        return sorted([*self.values, *self.reaching], key=_order) if self.reaching else self.values


def stated_layers(text: str, base: int = 0) -> list[StatedLayers]:
    """The values of a text, or of the part of one that begins at ``base``, that comments speak of, in their order."""
    return [_shifted(value, base) for block in stated_pieces([LinePiece(0, text, "")]) for value in block.all_values]


def sources_behind(text: str) -> tuple[tuple[StatedSource, ...], bool]:
    """What the comments at the beginning of a text name, directly behind a value, and whether its statement ends there.

    They stand on one line, those behind the ``;`` of the statement among them.
    """
    end = skip_comments(text, 0)
    ends_statement = text[end : end + 1] in ("", ";", "}")
    if text[end : end + 1] == ";":
        end = skip_comments(text, end + 1)
    value = f"_{without_nested(text[:end])}"
    named = [source for each in _ends_with_sources(value) if each.span.end == 1 for source in each.sources]
    return tuple([StatedSource(source, span.shifted(-1)) for source, span in named]), ends_statement


def stated_blocks(lines: LineIndex) -> Sequence[StatedBlock]:
    """What the comments of a text say, block by block. What an edit leaves alone is examined once."""
    return stated_pieces(line_pieces(lines.block_texts))


def read_ahead(lines: LineIndex) -> Iterator[None]:
    """Read the comments of a text block by block: what is asked of it later has been read."""
    texts = lines.block_texts
    for text in texts:
        edges_of(text)
        yield
    pieces = line_pieces(texts)
    for piece in pieces:
        _statements(piece.text, piece.following)
        yield
    starts = ValueStarts()
    for piece, statements in _up_to_last_start(pieces, [_statements(piece.text, piece.following) for piece in pieces]):
        starts.read(piece.text, piece.start, statements.ends)
        yield


class _Statements(NamedTuple):
    """What the comments of some lines say: of values on one line, and of ``others``, by where those end."""

    values: Sequence[StatedLayers]
    others: Mapping[int, StatedLayers]
    """Those of which the line that they end on does not tell where they begin. Their spans are empty."""
    ends: tuple[tuple[int, bool], ...]
    """Where those end, each with whether its statement ends there."""


def stated_pieces(pieces: Sequence[LinePiece]) -> list[StatedBlock]:
    """The same for a text in pieces."""
    read = [_statements(piece.text, piece.following) for piece in pieces]
    bases = [piece.start for piece in pieces]
    starts = ValueStarts()
    within: list[tuple[tuple[int, int], ...]] = [() for _ in pieces]
    reaching: dict[int, list[StatedLayers]] = {}
    for number, (piece, statements) in enumerate(_up_to_last_start(pieces, read)):
        within[number], above = starts.read(piece.text, piece.start, statements.ends)
        for end, start in above:
            begins_in = bisect_right(bases, start) - 1
            value = _shifted(statements.others[end - piece.start], piece.start - bases[begins_in])
            span = TextSpan(start - bases[begins_in], value.span.end)
            reaching.setdefault(begins_in, []).append(value._replace(span=span))
    return [
        StatedBlock(
            *piece,
            within[number],
            tuple(sorted(reaching.get(number, ()), key=_order)),
            _values(piece.text, piece.following, within[number]) if within[number] else read[number].values,
        )
        for number, piece in enumerate(pieces)
    ]


@cached_by_text
def _values(text: str, following: str, within: tuple[tuple[int, int], ...]) -> Sequence[StatedLayers]:
    """The values of whole lines, those on several of them among them."""
    statements = _statements(text, following)
    others = [statements.others[end]._replace(span=TextSpan(start, end)) for end, start in within]
    return sorted([*statements.values, *others], key=_order)


def _order(value: StatedLayers) -> tuple[int, int]:
    return value.span.start, -value.span.end


@cached_by_text
def _statements(text: str, following: str) -> _Statements:
    """What the comments of whole lines say, of which the next character is ``following``."""
    text = without_nested(text)
    values: list[StatedLayers] = []
    others: dict[int, StatedLayers] = {}
    for value in _ends_with_sources(text + following):
        end = value.span.end
        start = _start_on_line(text, end, value.ends_statement)
        if start is None:
            others[end] = value
        else:
            values.append(value._replace(span=TextSpan(start, end)))
    values.sort(key=_order)
    return _Statements(values, others, tuple([(end, value.ends_statement) for end, value in others.items()]))


def _up_to_last_start(
    pieces: Sequence[LinePiece], read: Sequence[_Statements]
) -> Sequence[tuple[LinePiece, _Statements]]:
    """The pieces up to the last that has a value of which it is asked where it begins."""
    last = max((number for number, statements in enumerate(read) if statements.others), default=-1)
    return list(zip(pieces[: last + 1], read[: last + 1], strict=True))


def _shifted(value: StatedLayers, by: int) -> StatedLayers:
    sources = tuple([StatedSource(source, span.shifted(by)) for source, span in value.sources])
    return StatedLayers(value.span.shifted(by), sources, value.ends_statement)


class _Anchor(NamedTuple):
    """Where a value ends that comments stand behind; ``on_line`` where the last comment stood on the value's line."""

    end: int
    ends_statement: bool
    on_line: bool


def _ends_with_sources(text: str) -> list[StatedLayers]:
    """What comments name, by the end of the value before them; where it begins is not known yet."""
    sources: dict[int, list[StatedSource]] = {}
    ends: dict[int, bool] = {}
    last, after = _Anchor(0, False, False), 0
    for match in COMMENT_OR_STRING.finditer(text):
        comment = match[0]
        if comment.startswith('"'):
            continue
        last = _anchor(last, text[after : match.start()], after)
        after = match.end()
        if not comment.startswith("/*") or not last.on_line or not last.end:
            continue
        named = _sources(comment)
        if named:
            start = match.start()
            sources.setdefault(last.end, []).extend(
                StatedSource(source.span, TextSpan(start + source.start, start + source.end)) for source in named
            )
            ends[last.end] = last.ends_statement or ends.get(last.end, False) or _ends_statement(text, after)
    return [StatedLayers(TextSpan(end, end), tuple(named), ends[end]) for end, named in sources.items()]


@lru_cache(maxsize=1 << 14)
def _sources(comment: str) -> tuple[NamedSource, ...]:
    return tuple(sources_in(comment))


def _anchor(last: _Anchor, between: str, start: int) -> _Anchor:
    """The end of the value before a comment. ``between`` is what stands, from ``start`` on, behind the one before."""
    tokens = between.rstrip(WHITE_SPACE)
    on_line = "\n" not in between[len(tokens) :] and (last.on_line or tokens != "")
    if tokens.endswith(";"):
        value = tokens[:-1].rstrip(WHITE_SPACE)
        return _Anchor(start + len(value) if value else last.end, True, on_line)
    return _Anchor(start + len(tokens), False, on_line) if tokens else last._replace(on_line=on_line)


def _ends_statement(text: str, offset: int) -> bool:
    """Whether ``;`` or the end of a block follows, behind comments."""
    offset = skip_comments(text, offset)
    return text[offset : offset + 1] in ("", ";", "}")


def _start_on_line(text: str, end: int, ends_statement: bool) -> int | None:
    """Where the value of a statement begins that stands on one line; ``None`` where more must be examined."""
    if not ends_statement:
        return None
    line = text.rfind("\n", 0, end) + 1
    head = _HEAD.match(text, line, end)
    start = head.end() if head is not None else line
    value = text[start:end]
    if '"' in value:
        # Brackets in strings are none of the value's.
        value = COMMENT_OR_STRING.sub(" ", value)
        if "*/" in value:
            return None
    if not value or ";" in value or '"' in value or any(value.count(a) != value.count(b) for a, b in _BRACKETS):
        return None
    return start if value[0] not in ")]}" else None
