"""Diagnostics for people: the place, the message, and the line with carets under the range."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Painter", "excerpt"]

_WIDTH = 120
"""Characters of a line that are shown where the output is no terminal: a line of constants may have millions."""

_BESIDE = len("12345 | ……")
"""What stands beside them."""

_NOTES = 5
"""How many related places are shown: a type comment may have thousands of consequences."""

_NAMES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "hint",
}
_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFORMATION: "1;36", Severity.HINT: "1;34"}


class Painter:
    """Puts colours around words, if there are to be any."""

    def __init__(self, colours: bool) -> None:
        self._colours = colours

    def __call__(self, text: str, colour: str) -> str:
        """The text between the codes of a colour (``1;31`` is bold red) and of its end."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colours else text


def excerpt(
    diagnostic: Diagnostic, name: str, lines: LineIndex, paint: Painter, columns: int | None = None
) -> Iterator[str]:
    """The lines that report a diagnostic, with its first related places and the fixes there are.

    ``columns`` is the width of the terminal, into which the parts of the text fit.
    """
    width = _WIDTH if columns is None else columns - _BESIDE
    span = diagnostic.span or TextSpan(0, 0)
    colour = _COLOURS[diagnostic.severity]
    head = paint(f"{_NAMES[diagnostic.severity]}[{diagnostic.code}]", colour)
    yield f"{paint(_place(name, lines, span), '1')}: {head}: {diagnostic.message}"
    yield from _marked(lines, span, paint, colour, width)
    note = paint("note", "1;36")
    places = [(related.message, related.span) for related in diagnostic.related if related.span is not None]
    for message, place in places[:_NOTES]:
        yield f"{paint(_place(name, lines, place), '1')}: {note}: {message}"
        yield from _marked(lines, place, paint, "1;36", width)
    if len(places) > _NOTES:
        yield f"  {note}: {len(places) - _NOTES} more such places"
    for fix in diagnostic.fixes:
        yield f"  {paint('fix', '1;32')}: {fix.title}"


def _place(name: str, lines: LineIndex, span: TextSpan) -> str:
    line, column = lines.line_and_column(span.start)
    return f"{name}:{line + 1}:{column + 1}"


def _marked(lines: LineIndex, span: TextSpan, paint: Painter, colour: str, width: int) -> Iterator[str]:
    number, column = lines.line_and_column(span.start)
    text = lines.line(number)
    column = min(column, len(text))
    last, last_column = lines.line_and_column(span.end)
    end = last_column if last == number else len(text)
    start, text, left, right = 0, text, "", ""
    if len(text) > width:
        start = max(0, min(column - width // 3, len(text) - width))
        left, right = "…" if start else "", "…" if start + width < len(text) else ""
        text = text[start : start + width]
    before = text[: column - start]
    under = text[column - start : max(end - start, column - start)]
    margin = f"{number + 1:>5} | "
    carets = "^" * max(sum(map(_columns, under)), 1)
    indent = " " * len(left) + "".join("\t" if character == "\t" else " " * _columns(character) for character in before)
    yield f"{margin}{left}{text}{right}"
    yield f"{' ' * 5} | {indent}{paint(carets, colour)}"


def _columns(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
