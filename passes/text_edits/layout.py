"""Where the functions and the statements of their bodies stand in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.syntax.tokens import GRAPH
from relay_lsp.ir.text.text_span import TextSpan

from .layout_tokens import LayoutToken, LayoutTokens

__all__ = [
    "FunctionLayout",
    "FunctionTokens",
    "StatementLayout",
    "StatementTokens",
    "TextLayout",
    "TextTokens",
    "layout_of",
]


@dataclass(frozen=True, eq=False)
class StatementTokens:
    """A statement: ``binder`` is the variable that it binds, ``None`` for the value at the end of a body."""

    tokens: LayoutTokens
    binder: LayoutToken | None
    is_let: bool

    @property
    def start(self) -> int:
        """The first token."""
        return self.tokens.start

    @property
    def value_tokens(self) -> LayoutTokens:
        """The tokens of the value that a statement without ``let`` binds."""
        return self.tokens.part(2, len(self.tokens) - 1)


@dataclass(frozen=True, eq=False)
class StatementLayout(StatementTokens):
    """A statement, and where its parts stand."""

    value_start: int
    value_end: int
    end: int
    """After the semicolon."""
    line_end: int
    """After the comments that follow on the same line."""


@dataclass(frozen=True, eq=False)
class FunctionTokens:
    """A function. ``is_regular``: its body is bindings and a value."""

    name: str
    header: LayoutTokens
    statements: Sequence[StatementTokens]
    is_regular: bool

    @property
    def name_span(self) -> TextSpan:
        """Where its name stands."""
        return TextSpan(self.header[1].start, self.header[1].end)


@dataclass(frozen=True, eq=False)
class FunctionLayout(FunctionTokens):
    """A function, and where its parts stand. One that is not regular can be replaced only whole."""

    statements: Sequence[StatementLayout]
    start: int
    end: int
    rows: Sequence[LayoutTokens]
    """All tokens: those of the header, of each statement whatever it is, and of the end."""


@dataclass(frozen=True, eq=False)
class TextTokens:
    """The functions of a text in order."""

    functions: Sequence[FunctionTokens]


@dataclass(frozen=True, eq=False)
class TextLayout(TextTokens):
    """The functions of a text in order and where they stand, and its metadata section."""

    functions: Sequence[FunctionLayout]
    metadata: LayoutToken | None


def layout_of(text: str, segments: Sequence[Segment] | None = None) -> TextLayout:
    """The layout of a text without errors; ``segments`` are those of the text, where they are at hand."""
    functions: list[FunctionLayout] = []
    metadata: LayoutToken | None = None
    header: LayoutTokens | None = None
    rows: list[LayoutTokens] = []
    statements: list[StatementLayout] = []
    regular = True
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
            functions.append(FunctionLayout(name, header, statements, regular, start, end, rows))
    return TextLayout(functions, metadata)


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
