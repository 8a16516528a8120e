"""Positions as a client counts them: lines and characters in UTF-8, UTF-16 or UTF-32 code units.

Offsets (code points) are the currency inside; this is the one place that turns them into a client's units and back.
Source of the rule: LSP 3.17, *Position* and *PositionEncodingKind*.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

import msgspec

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Encoding", "Position", "Range", "offset_of", "position_of", "range_of", "ranges_of", "span_of"]


class Encoding(enum.Enum):
    """The unit in which a client counts: code units of UTF-8 (bytes), of UTF-16, or of UTF-32 (code points)."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class Position(msgspec.Struct, frozen=True, gc=False):
    """A 0-based line, and a 0-based character in the client's units."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True, gc=False):
    """The half-open range between two positions."""

    start: Position
    end: Position

    def moved(self, lines: int) -> Range:
        """The range so many lines further down."""
        start, end = self.start, self.end
        return Range(Position(start.line + lines, start.character), Position(end.line + lines, end.character))


def units(text: str, encoding: Encoding) -> int:
    """How many units of ``encoding`` a piece of a line takes."""
    if encoding is Encoding.UTF_32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF_8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _code_points(line: str, character: int, encoding: Encoding) -> int:
    """The column in code points of a character in units; inside a code point means before it."""
    if encoding is Encoding.UTF_32 or line.isascii():
        return min(character, len(line))
    if encoding is Encoding.UTF_8:
        head = line.encode("utf-8", "surrogatepass")[:character]
        return len(head.decode("utf-8", "ignore"))
    remaining = character
    for column, code_point in enumerate(line):
        width = 2 if code_point > "\uffff" else 1
        if remaining < width:
            return column
        remaining -= width
    return len(line)


def offset_of(lines: LineIndex, position: Position, encoding: Encoding) -> int:
    """The offset of a position. One past the end of its line means the line's end, one past the text its end."""
    if position.line < 0:
        return 0
    if position.line >= lines.line_count:
        return lines.length
    start = lines.line_start(position.line)
    if position.character <= 0:
        return start
    line = lines.line(position.line)
    return start + _code_points(line, position.character, encoding)


def position_of(lines: LineIndex, offset: int, encoding: Encoding) -> Position:
    """The position of an offset, clamped to the text."""
    line, column = lines.line_and_column(offset)
    if encoding is not Encoding.UTF_32 and column:
        column = units(lines.part(offset - column, offset), encoding)
    return Position(line, column)


def span_of(lines: LineIndex, range: Range, encoding: Encoding) -> TextSpan:
    """The offsets of a range; one whose ends are swapped is put right."""
    start = offset_of(lines, range.start, encoding)
    end = offset_of(lines, range.end, encoding)
    return TextSpan(min(start, end), max(start, end))


def range_of(lines: LineIndex, span: TextSpan, encoding: Encoding) -> Range:
    """The range of a span of offsets."""
    return Range(position_of(lines, span.start, encoding), position_of(lines, span.end, encoding))


def ranges_of(lines: LineIndex, spans: Iterable[TextSpan], encoding: Encoding) -> Iterator[Range]:
    """The ranges of spans in the order of the text.

    Characters are counted from the position before, so that thousands of spans on one line cost what the line does.
    """
    last, last_offset = Position(0, 0), 0

    def position(offset: int) -> Position:
        nonlocal last, last_offset
        line, column = lines.line_and_column(offset)
        start = offset - column
        if line == last.line and last_offset >= start:
            character = last.character + units(lines.part(last_offset, offset), encoding)
        else:
            character = units(lines.part(start, offset), encoding)
        last, last_offset = Position(line, character), offset
        return last

    for span in spans:
        yield Range(position(span.start), position(span.end))
