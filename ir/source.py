"""Text, offsets and lines. Offsets (in code points) are the one currency inside; lines appear only at the edge."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TextSpan:
    """The half-open range ``[start, end)`` of offsets into a text."""

    start: int
    end: int

    def shifted(self, by: int) -> TextSpan:
        """The same range, ``by`` code points further on."""
        return TextSpan(self.start + by, self.end + by)

    def contains(self, offset: int) -> bool:
        """Whether ``offset`` lies in the range or at its end (where an editor's cursor still belongs to it)."""
        return self.start <= offset <= self.end

    def cover(self, other: TextSpan) -> TextSpan:
        """The smallest range that covers both."""
        return TextSpan(min(self.start, other.start), max(self.end, other.end))


class LineIndex:
    r"""The line starts of a text; a line ends at ``\n``, ``\r\n`` or ``\r`` (LSP 3.17, *Text Documents*)."""

    __slots__ = ("line_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        starts = [0]
        if "\r" in text:
            position = 0
            length = len(text)
            while position < length:
                character = text[position]
                position += 1
                if character == "\r" and text.startswith("\n", position):
                    position += 1
                if character in "\r\n":
                    starts.append(position)
        else:
            position = text.find("\n")
            while position >= 0:
                starts.append(position + 1)
                position = text.find("\n", position + 1)
        self.line_starts = starts

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The 0-based line and column (in code points) of ``offset``."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset) - 1
        return line, offset - self.line_starts[line]

    def offset(self, line: int, column: int) -> int:
        """The offset of a 0-based line and column, clamped to the text and to the end of the line."""
        if line < 0:
            return 0
        if line >= len(self.line_starts):
            return len(self.text)
        start = self.line_starts[line]
        return start + max(0, min(column, len(self.line(line))))

    def line(self, line: int) -> str:
        """The text of a 0-based line, without its line end."""
        start = self.line_starts[line]
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
