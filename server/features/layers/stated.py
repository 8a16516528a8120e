"""What the comments of a text say of its values: which layer, or which place in a source, each came from.

Only the characters are looked at, so that it is known while a text has errors and at once after an edit. A comment
belongs to the value that ends before it on its line; behind the ``;`` of a statement, to the statement's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from relay_lsp.ir.span_comments import NamedSource, sources_in
from relay_lsp.ir.spans import Span
from relay_lsp.ir.syntax.lexer import COMMENT_PATTERN, WHITE_SPACE, lex
from relay_lsp.ir.syntax.tokens import COMMENTS, GLOBAL, NAME, VALUES
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["StatedBlock", "StatedLayers", "StatedSource", "stated_blocks", "stated_layers", "stated_layers_in"]

_COMMENT = re.compile(rf'"(?:[^"\\\n]|\\.)*"|{COMMENT_PATTERN}|//[^\n]*')
_HEAD = re.compile(r"[ \t]*(?:(?:let[ \t]+)?%[\w.]+[ \t]*(?::[^=\n]*)?=[ \t]*)?")
_BRACKETS = ("()", "[]", "{}")
_LONGEST_CACHED = 1 << 16
"""Code points of the longest block whose values are kept; a longer one is a line of weights."""


class StatedSource(NamedTuple):
    """A layer or a place that a comment names, and where it does."""

    source: Span
    span: TextSpan


class StatedLayers(NamedTuple):
    """A value, and what the comments behind it name."""

    span: TextSpan
    sources: tuple[StatedSource, ...]
    ends_statement: bool


class _Anchor(NamedTuple):
    """Where a value ends that comments stand behind."""

    end: int
    ends_statement: bool


def stated_layers(text: str, base: int = 0) -> list[StatedLayers]:
    """The values of a text, or of the part of one that begins at ``base``, that comments speak of, in their order."""
    return _placed(text, base, *_found_in(text, base))


class StatedBlock(NamedTuple):
    """Whole lines of a text, what comes behind them, and what their comments say of values. The offsets of the values
    are counted from ``start``, where the lines begin."""

    start: int
    text: str
    following: str
    values: Sequence[StatedLayers]


def stated_blocks(lines: LineIndex) -> Sequence[StatedBlock] | None:
    """What the comments of a text say, block by block. What an edit leaves alone is looked at once.

    ``None`` where a comment, or the value before one, reaches over several lines somewhere in the text.
    """
    texts = lines.block_texts
    heads = [_first_character(text) for text in texts]
    blocks: list[StatedBlock] = []
    start = 0
    for text, head, following in zip(texts, heads, (*heads[1:], ""), strict=True):
        # What begins with a comment, or a semicolon, goes on with what stands in the block before.
        goes_on = start > 0 and head in ("/", ";")
        read = _layers_of_block if len(text) <= _LONGEST_CACHED else _layers_of_block.__wrapped__
        own = None if goes_on else read(text, following)
        if own is None or (following == "" and start + len(text) < lines.length):
            return None
        blocks.append(StatedBlock(start, text, following, own))
        start += len(text)
    return blocks


def stated_layers_in(lines: LineIndex) -> list[StatedLayers]:
    """The same as :func:`stated_layers` for the whole of a text."""
    blocks = stated_blocks(lines)
    if blocks is None:
        return stated_layers(lines.text)
    return [_shifted(value, block.start) if block.start else value for block in blocks for value in block.values]


def _first_character(text: str) -> str:
    match = _AHEAD.match(text)
    offset = match.end() if match is not None else 0
    return text[offset : offset + 1]


@lru_cache(maxsize=1 << 10)
def _layers_of_block(text: str, following: str) -> Sequence[StatedLayers] | None:
    """The values of whole lines, before a character that is none of a comment; ``None`` where other lines matter."""
    if following and not text.endswith("\n"):
        return None
    if "/*" in _COMMENT.sub(" ", text):
        return None
    sources, ends = _found_in(text + following, 0)
    starts = {end: _start_on_line(text, end, ends_statement) for end, ends_statement in ends.items()}
    return None if None in starts.values() else _placed(text, 0, sources, ends)


def _shifted(value: StatedLayers, by: int) -> StatedLayers:
    sources = tuple([StatedSource(source, span.shifted(by)) for source, span in value.sources])
    return StatedLayers(value.span.shifted(by), sources, value.ends_statement)


def _found_in(text: str, base: int) -> tuple[Mapping[int, Sequence[StatedSource]], Mapping[int, bool]]:
    """What comments name, by the end of the value before them, and whether that ends its statement."""
    sources: dict[int, list[StatedSource]] = {}
    ends: dict[int, bool] = {}
    last, after = _Anchor(0, False), 0
    for match in _COMMENT.finditer(text):
        comment = match[0]
        if comment.startswith('"'):
            continue
        between = text[after : match.start()]
        last, is_behind = _anchor(last, between, after)
        after = match.end()
        if not comment.startswith("/*") or not is_behind or not last.end:
            continue
        named = _sources(comment)
        if named:
            start = base + match.start()
            sources.setdefault(last.end, []).extend(
                StatedSource(source.span, TextSpan(start + source.start, start + source.end)) for source in named
            )
            ends[last.end] = last.ends_statement or ends.get(last.end, False) or _ends_statement(text, after)
    return sources, ends


def _placed(
    text: str, base: int, sources: Mapping[int, Sequence[StatedSource]], ends: Mapping[int, bool]
) -> list[StatedLayers]:
    """The values that end there, from their beginnings on, in the order of the text."""
    starts = {end: start for end in sources if (start := _start_on_line(text, end, ends[end])) is not None}
    unknown = {end: ends[end] for end in sources.keys() - starts.keys()}
    if unknown:
        starts.update(_starts_by_tokens(text, unknown))
    values = [
        StatedLayers(TextSpan(base + start, base + end), tuple(sources[end]), ends[end])
        for end, start in starts.items()
    ]
    values.sort(key=lambda value: (value.span.start, -value.span.end))
    return values


@lru_cache(maxsize=1 << 14)
def _sources(comment: str) -> tuple[NamedSource, ...]:
    return tuple(sources_in(comment))


def _anchor(last: _Anchor, between: str, start: int) -> tuple[_Anchor, bool]:
    """The end of the value before a comment, and whether it is on the comment's line.

    ``between`` is what stands, from ``start`` on, between the comment before and this one.
    """
    tokens = between.rstrip(WHITE_SPACE)
    is_behind = "\n" not in between[len(tokens) :]
    if tokens.endswith(";"):
        value = tokens[:-1].rstrip(WHITE_SPACE)
        end = start + len(value) if value else last.end
        return _Anchor(end, True), is_behind
    return (_Anchor(start + len(tokens), False) if tokens else last), is_behind


def _ends_statement(text: str, offset: int) -> bool:
    """Whether ``;`` or the end of a block follows, behind comments."""
    while True:
        match = _AHEAD.match(text, offset)
        offset = match.end() if match is not None else offset
        if not text.startswith(("/*", "//"), offset):
            return text[offset : offset + 1] in ("", ";", "}")
        comment = _COMMENT.match(text, offset)
        if comment is None:
            return False
        offset = comment.end()


_AHEAD = re.compile(rf"[{WHITE_SPACE}]*")


def _start_on_line(text: str, end: int, ends_statement: bool) -> int | None:
    """Where the value of a statement begins that stands on one line; ``None`` where more must be looked at."""
    if not ends_statement:
        return None
    line = text.rfind("\n", 0, end) + 1
    head = _HEAD.match(text, line, end)
    start = head.end() if head is not None else line
    value = text[start:end]
    if '"' in value:
        # Brackets in strings are none of the value's.
        value = _COMMENT.sub(" ", value)
        if "*/" in value:
            return None
    if not value or ";" in value or '"' in value or any(value.count(a) != value.count(b) for a, b in _BRACKETS):
        return None
    return start if value[0] not in ")]}" else None


class _Bracket(NamedTuple):
    value_start: int
    statement_start: int | None


def _starts_by_tokens(text: str, ends: Mapping[int, bool]) -> Iterator[tuple[int, int]]:
    """Where the values begin that end at some offsets; a value that ends its statement is the whole of it."""
    stack: list[_Bracket] = []
    value_start, statement_start = 0, None
    previous, offset = "", 0
    lexed = lex(text)
    for kind, piece in zip(lexed.kinds, lexed.pieces, strict=True):
        start, token = offset, piece.rstrip(WHITE_SPACE)
        offset += len(piece)
        if kind in COMMENTS:
            continue
        if kind in (";", "="):
            # An attribute of a call has `=` too, between parentheses, where no statement begins.
            statement_start = None
        else:
            if statement_start is None:
                statement_start = start
            if kind in "([{":
                is_applied = kind != "{" and previous != "" and previous in f"{NAME}{VALUES}{GLOBAL})]}}"
                opening = value_start if is_applied else start
                stack.append(_Bracket(statement_start if kind == "{" else opening, statement_start))
                if kind == "{":
                    statement_start = None
            elif kind in ")]}":
                if stack:
                    value_start, statement_start = stack.pop()
            elif not token.startswith(".") and previous != ".":
                value_start = start
        previous = kind
        end = start + len(token)
        if end in ends:
            yield end, statement_start if ends[end] and statement_start is not None else value_start
