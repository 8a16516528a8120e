"""Where the functions and the statements of their bodies stand in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple, TypeAlias

from relay_lsp.ir.syntax.lexer import NAME_PATTERN, RESERVED_PATTERN
from relay_lsp.ir.syntax.segment_text import cut_tokens
from relay_lsp.ir.syntax.segments import Role
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.syntax.tokens import GRAPH, LOCAL, META, VALUES
from relay_lsp.ir.text.text_span import TextSpan

__all__ = [
    "CanonicalTokens",
    "FunctionLayout",
    "LayoutToken",
    "LayoutTokens",
    "StatementLayout",
    "TextLayout",
    "layout_of",
]

_NOT_PLAIN: Final = frozenset(VALUES + META)
"""Tokens that may be written in another way where they mean the same."""

_NAME_OR_REFERENCE: Final = re.compile(
    rf'"(?:[^"\\\n]|\\.)*"|%(?:[0-9]+|{RESERVED_PATTERN}{NAME_PATTERN})|meta\[[^\[\]\n]*\]\[[^\[\]\n]*\]'
)
"""Those, in a text whose comments have none, and strings, which may say the like."""

Tokens: TypeAlias = tuple[str, Sequence[str], Sequence[int]]
"""Kinds, texts and starts of tokens."""


class LayoutToken(NamedTuple):
    """A token (kinds as in ``ir/syntax/tokens.py``) and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class LayoutTokens:
    """The tokens of a segment, comments left out; there are many, so each is made when it is asked for."""

    def __init__(self, base: int, cut: Callable[[], Tokens]) -> None:
        """``cut`` gives kinds, texts and starts, as a segment at ``base`` has them; it is asked when they are."""
        self._base: Final = base
        self._cut: Final = cut

    @cached_property
    def _tokens(self) -> Tokens:
        return self._cut()

    @property
    def kinds(self) -> str:
        """The kind of each."""
        return self._tokens[0]

    @property
    def texts(self) -> Sequence[str]:
        """What each says."""
        return self._tokens[1]

    def __len__(self) -> int:
        return len(self._tokens[0])

    def __getitem__(self, number: int) -> LayoutToken:
        kinds, texts, starts = self._tokens
        return LayoutToken(kinds[number], texts[number], starts[number] + self._base)

    def part(self, first: int, end: int) -> LayoutTokens:
        """Those from ``first`` up to ``end``."""
        kinds, texts, starts = self._tokens
        return LayoutTokens(self._base, lambda: (kinds[first:end], texts[first:end], starts[first:end]))

    @cached_property
    def not_plain(self) -> Sequence[LayoutToken]:
        """The names of values, and what refers to the metadata."""
        return [self[number] for number, kind in enumerate(self.kinds) if kind in _NOT_PLAIN]

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of values, each once, as they come."""
        kinds, texts, _ = self._tokens
        return list(dict.fromkeys(text for kind, text in zip(kinds, texts, strict=True) if kind in VALUES))

    @property
    def start(self) -> int:
        """Where the first token starts."""
        return self._tokens[2][0] + self._base

    def starting_at(self, offset: int) -> int | None:
        """The number of the token that starts there."""
        starts = self._tokens[2]
        number = bisect_left(starts, offset - self._base)
        return number if number < len(starts) and starts[number] + self._base == offset else None

    def ending_at(self, offset: int) -> int | None:
        """The number of the token that ends there."""
        _, texts, starts = self._tokens
        number = bisect_left(starts, offset - self._base) - 1
        return None if number < 0 or starts[number] + self._base + len(texts[number]) != offset else number

    def span(self, first: int, last: int) -> TextSpan:
        """From one token to another."""
        _, texts, starts = self._tokens
        return TextSpan(starts[first] + self._base, starts[last] + self._base + len(texts[last]))


class CanonicalTokens(LayoutTokens):
    """The tokens of a piece of canonical text, whose names are found without cutting it into tokens."""

    def __init__(self, text: str, start: int, end: int) -> None:
        """``start``: where the first token starts in ``text``; ``end``: where the last one, or a comment, ends."""
        super().__init__(start, lambda: cut_tokens(text[start:end]))
        self._text: Final = text
        self._end: Final = end

    @property
    def start(self) -> int:
        """Where the first token starts."""
        return self._base

    @cached_property
    def not_plain(self) -> Sequence[LayoutToken]:
        """The names of values, and what refers to the metadata."""
        return [
            LayoutToken(_kind_of(match[0]), match[0], match.start())
            for match in _NAME_OR_REFERENCE.finditer(self._text, self._base, self._end)
            if match[0][0] != '"'
        ]

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of values, each once, as they come."""
        pieces = dict.fromkeys(_NAME_OR_REFERENCE.findall(self._text, self._base, self._end))
        return [piece for piece in pieces if piece[0] == "%"]


def _kind_of(text: str) -> str:
    if text[0] != "%":
        return META
    return GRAPH if text[1].isdigit() else LOCAL


@dataclass(frozen=True, eq=False)
class StatementLayout:
    """A statement: ``binder`` is the variable that it binds, ``None`` for the value at the end of a body."""

    tokens: LayoutTokens
    binder: LayoutToken | None
    is_let: bool
    value_start: int
    value_end: int
    end: int
    """After the semicolon."""
    line_end: int
    """After the comments that follow on the same line."""

    @property
    def start(self) -> int:
        """The first token."""
        return self.tokens.start

    @property
    def value_tokens(self) -> LayoutTokens:
        """The tokens of the value that a statement without ``let`` binds."""
        return self.tokens.part(2, len(self.tokens) - 1)


@dataclass(frozen=True, eq=False)
class FunctionLayout:
    """A function. ``is_regular``: its body is bindings and a value; otherwise it can be replaced only whole."""

    name: str
    start: int
    header: LayoutTokens
    statements: Sequence[StatementLayout]
    end: int
    is_regular: bool
    rows: Sequence[LayoutTokens]
    """All tokens: those of the header, of each statement whatever it is, and of the end."""

    @property
    def name_span(self) -> TextSpan:
        """Where its name stands."""
        return TextSpan(self.header[1].start, self.header[1].end)


@dataclass(frozen=True, eq=False)
class TextLayout:
    """The functions of a text in order, and its metadata section."""

    text: str
    functions: Sequence[FunctionLayout]
    metadata: LayoutToken | None
    has_others: bool
    """Whether anything else is there: the definition of a data type."""


def layout_of(text: str, segments: Sequence[Segment] | None = None) -> TextLayout:
    """The layout of a text without errors; ``segments`` are those of the text, where they are at hand."""
    functions: list[FunctionLayout] = []
    metadata: LayoutToken | None = None
    header: LayoutTokens | None = None
    rows: list[LayoutTokens] = []
    statements: list[StatementLayout] = []
    regular, has_others = True, False
    base = 0
    for segment in split(text) if segments is None else segments:
        tokens = LayoutTokens(base, partial(getattr, segment, "tokens"))
        base += segment.length
        if not tokens:
            continue
        if segment.role is Role.HEADER:
            header, rows, statements, regular = tokens, [tokens], [], True
        elif segment.role is Role.METADATA:
            metadata = tokens[0]
        elif segment.role is Role.STATEMENT:
            rows.append(tokens)
            statement = _statement(text, tokens)
            regular = regular and statement is not None and (not statements or statements[-1].binder is not None)
            if statement is not None:
                statements.append(statement)
        elif segment.role is Role.CLOSE and header is not None:
            regular = regular and bool(statements) and statements[-1].binder is None
            rows.append(tokens)
            name, start, end = header.texts[1], header[0].start, tokens[-1].end
            functions.append(FunctionLayout(name, start, header, statements, end, regular, rows))
        elif segment.role is not Role.DIRECTIVE:
            has_others = True
    return TextLayout(text, functions, metadata, has_others)


def _statement(text: str, tokens: LayoutTokens) -> StatementLayout | None:
    """``None`` for what is neither a binding nor the value at the end: ``free_var``, a value that is thrown away."""
    kinds, texts = tokens.kinds, tokens.texts
    ends = kinds[-1] == ";"
    last = tokens[-2] if ends and len(kinds) > 1 else tokens[-1]
    end = tokens[-1].end
    line_end = _line_end(text, end)
    is_let = texts[0] == "let"
    is_graph = kinds[0] == GRAPH and kinds[1:2] == "="
    if not (is_let or is_graph):
        if ends or texts[0] == "free_var":
            return None
        return StatementLayout(tokens, None, False, tokens[0].start, last.end, last.end, line_end)
    equals = next((position for position, kind in enumerate(kinds) if kind in "={"), 0)
    if not ends or kinds[equals] != "=" or equals + 1 >= len(kinds):
        return None
    binder = tokens[1] if is_let else tokens[0]
    return StatementLayout(tokens, binder, is_let, tokens[equals + 1].start, last.end, end, line_end)


def _line_end(text: str, position: int) -> int:
    """The end of the comments that follow ``position`` on its line."""
    end = position
    while True:
        start = end
        while start < len(text) and text[start] in " \t":
            start += 1
        if text.startswith("//", start):
            newline = text.find("\n", start)
            return len(text) if newline < 0 else newline
        close = text.find("*/", start) if text.startswith("/*", start) else -1
        if close < 0 or "\n" in text[start:close]:
            return end
        end = close + 2
