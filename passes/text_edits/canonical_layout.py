"""The layout of a canonical text, read off its lines.

The printer puts each statement of a function on lines of its own, two blanks to the right, and what is inside it
further to the right. So statements can be separated without cutting the text into tokens, which takes several
times as long.
What does not look like that is left to :func:`.layout.layout_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from relay_lsp.ir.syntax.tokens import GRAPH, LOCAL, METADATA

from .layout import FunctionLayout, StatementLayout, TextLayout, layout_of
from .layout_tokens import CanonicalTokens, LayoutToken

__all__ = ["canonical_layout"]

_METADATA: Final = "\n#[metadata]\n"
_HEAD: Final = re.compile(r"^def (@[^(\[\s]+)(?:\[[^\]\n]*\])?\(.*\{$", re.MULTILINE)
_STATEMENT: Final = re.compile(r"^  (?=[^ })\n])", re.MULTILINE)
"""Where a statement begins, or what a ``let`` inside its value binds."""
_OUTSIDE: Final = re.compile(r"^(?!def @|  |\}$|$|#\[version)", re.MULTILINE)
"""A line that is no part of a function: of a data type."""
_LET: Final = re.compile(r"let (%[^\s:={]+)[^{\n]*? = ")
_BINDING: Final = re.compile("(%[0-9]+) = ")


class _UnlikeCanonicalError(Exception):
    """A text that does not look as the printer writes."""


def canonical_layout(text: str) -> TextLayout:
    """The layout of a text that the printer has written, without comments that give spans."""
    try:
        return _read(text)
    except _UnlikeCanonicalError:
        return layout_of(text)


def _read(text: str) -> TextLayout:
    metadata = None
    end = text.find(_METADATA)
    if end >= 0:
        metadata = LayoutToken(METADATA, text[end + 1 :], end + 1)
    else:
        end = len(text)
    heads = list(_HEAD.finditer(text, 0, end))
    if _OUTSIDE.search(text, 0, end) is not None or text.count("\ndef @", 0, end) != len(heads):
        raise _UnlikeCanonicalError
    return TextLayout([_function(text, head, end) for head in heads], metadata)


def _function(text: str, head: re.Match[str], limit: int) -> FunctionLayout:
    close = text.find("\n}", head.end(), limit) + 1
    if not close:
        raise _UnlikeCanonicalError
    header = CanonicalTokens(text, head.start(), head.end())
    statements = list(_statements(text, head.end(), close))
    if not statements or statements[-1].binder is not None:
        raise _UnlikeCanonicalError
    rows = [header, *(statement.tokens for statement in statements), CanonicalTokens(text, close, close + 1)]
    return FunctionLayout(head[1], header, statements, True, head.start(), close + 1, rows)


def _statements(text: str, start: int, close: int) -> Iterator[StatementLayout]:
    lines = [match.end() for match in _STATEMENT.finditer(text, start, close)]
    ends = [*(line - len("\n  ") for line in lines[1:]), close - 1]
    depth = first = 0
    for line, end in zip(lines, ends, strict=True):
        if not depth:
            first = line
        if text.startswith("let ", line):
            depth += _inner_lets(text, line)
        elif not _BINDING.match(text, line):
            if not depth:
                yield _result(text, line, end, is_last=end == close - 1)
                continue
            depth -= 1
        if not depth:
            yield _binding(text, first, end)
    if depth:
        raise _UnlikeCanonicalError


def _inner_lets(text: str, line: int) -> int:
    """How many values of a ``let`` begin with one: what it binds stands on lines of the same indentation."""
    binding = _LET.match(text, line)
    count = 0
    while binding is not None and text.startswith("let ", binding.end()):
        count += 1
        binding = _LET.match(text, binding.end())
    if binding is None:
        raise _UnlikeCanonicalError
    return count


def _binding(text: str, start: int, end: int) -> StatementLayout:
    is_let = text.startswith("let ", start)
    binding = (_LET if is_let else _BINDING).match(text, start)
    if binding is None or text[end - 1] != ";":
        raise _UnlikeCanonicalError
    binder = LayoutToken(LOCAL if is_let else GRAPH, binding[1], binding.start(1))
    value_end = _without_comment(text, binding.end(), end - 1)
    return StatementLayout(CanonicalTokens(text, start, end), binder, is_let, binding.end(), value_end, end, end)


def _result(text: str, start: int, end: int, *, is_last: bool) -> StatementLayout:
    if not is_last or text[end - 1] == ";" or text.startswith("free_var ", start):
        raise _UnlikeCanonicalError
    value_end = _without_comment(text, start, end)
    return StatementLayout(CanonicalTokens(text, start, end), None, False, start, value_end, value_end, end)


def _without_comment(text: str, start: int, end: int) -> int:
    """Where what ends at ``end`` does without the comment that gives its type."""
    if not text.endswith("*/", start, end):
        return end
    return text.rindex(" /*", start, end)
