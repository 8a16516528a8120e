"""Where the functions and the statements of their bodies stand in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from relay_lsp.ir.syntax.lexer import WHITE_SPACE
from relay_lsp.ir.syntax.segments import Role
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.syntax.tokens import COMMENT, GRAPH

__all__ = ["FunctionLayout", "LayoutToken", "StatementLayout", "TextLayout", "layout_of"]


class LayoutToken(NamedTuple):
    """A token (kinds as in ``ir/syntax/tokens.py``) and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True, eq=False)
class StatementLayout:
    """A statement: ``binder`` is the variable that it binds, ``None`` for the value at the end of a body."""

    tokens: Sequence[LayoutToken]
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
        return self.tokens[0].start


@dataclass(frozen=True, eq=False)
class FunctionLayout:
    """A function. ``is_regular``: its body is bindings and a value; otherwise it can be replaced only whole."""

    name: str
    start: int
    header: Sequence[LayoutToken]
    statements: Sequence[StatementLayout]
    end: int
    is_regular: bool


@dataclass(frozen=True, eq=False)
class TextLayout:
    """The functions of a text in order, and its metadata section."""

    text: str
    functions: Sequence[FunctionLayout]
    metadata: LayoutToken | None
    has_others: bool
    """Whether anything else is there: the definition of a data type."""


def layout_of(text: str) -> TextLayout:
    """The layout of a text without errors."""
    functions: list[FunctionLayout] = []
    metadata: LayoutToken | None = None
    header: tuple[LayoutToken, ...] = ()
    statements: list[StatementLayout] = []
    regular, has_others = True, False
    base = 0
    for segment in split(text):
        tokens = _tokens(segment, base)
        base += sum(map(len, segment.pieces))
        if not tokens:
            continue
        if segment.role is Role.HEADER:
            header, statements, regular = tokens, [], True
        elif segment.role is Role.METADATA:
            metadata = tokens[0]
        elif segment.role is Role.STATEMENT:
            statement = _statement(text, tokens)
            regular = regular and statement is not None and (not statements or statements[-1].binder is not None)
            if statement is not None:
                statements.append(statement)
        elif segment.role is Role.CLOSE and header:
            regular = regular and bool(statements) and statements[-1].binder is None
            functions.append(
                FunctionLayout(header[1].text, header[0].start, header, statements, tokens[-1].end, regular)
            )
        elif segment.role is not Role.DIRECTIVE:
            has_others = True
    return TextLayout(text, functions, metadata, has_others)


def _tokens(segment: Segment, base: int) -> tuple[LayoutToken, ...]:
    starts = accumulate(map(len, segment.pieces), initial=base)
    return tuple(
        [
            LayoutToken(kind, piece.rstrip(WHITE_SPACE), start)
            for kind, piece, start in zip(segment.kinds, segment.pieces, starts, strict=False)
            if kind != COMMENT
        ]
    )


def _statement(text: str, tokens: Sequence[LayoutToken]) -> StatementLayout | None:
    """``None`` for what is neither a binding nor the value at the end: ``free_var``, a value that is thrown away."""
    ends = tokens[-1].kind == ";"
    last = tokens[-2] if ends and len(tokens) > 1 else tokens[-1]
    line_end = _line_end(text, tokens[-1].end)
    is_let = tokens[0].text == "let"
    is_graph = tokens[0].kind == GRAPH and len(tokens) > 1 and tokens[1].kind == "="
    if not (is_let or is_graph):
        if ends or tokens[0].text == "free_var":
            return None
        return StatementLayout(tokens, None, False, tokens[0].start, last.end, last.end, line_end)
    equals = next((position for position, token in enumerate(tokens) if token.kind in "={"), 0)
    if not ends or tokens[equals].kind != "=" or equals + 1 >= len(tokens):
        return None
    binder = tokens[1] if is_let else tokens[0]
    return StatementLayout(tokens, binder, is_let, tokens[equals + 1].start, last.end, tokens[-1].end, line_end)


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
