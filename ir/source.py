"""Text, offsets and lines. Offsets (in code points) are the one currency inside; lines appear only at the edge."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

_LINE_END = re.compile(r"\r\n?|\n")


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
    r"""The line starts of a text; a line ends at ``\n``, ``\r\n`` or ``\r`` (LSP 3.17, *Text Documents*).

    Immutable: :meth:`edited` makes the index of the edited text from this one, at the cost of copying the line starts.
    """

    __slots__ = ("line_starts", "text")

    def __init__(self, text: str, line_starts: array[int] | None = None) -> None:
        self.text = text
        if line_starts is None:
            line_starts = array("q", (0, *_starts_after_line_ends(text, 0)))
        self.line_starts = line_starts

    def edited(self, span: TextSpan, new_text: str) -> LineIndex:
        """The index of the text in which ``new_text`` replaces ``span``."""
        text, starts = self.text, self.line_starts
        # The lines that the edit touches are scanned anew, with the one before: a "\n" put after its "\r" joins them.
        first = bisect_right(starts, max(span.start - 1, 0)) - 1
        last = bisect_right(starts, span.end) - 1
        region_start = starts[first]
        region_end = starts[last + 1] if last + 1 < len(starts) else len(text)
        region = text[region_start : span.start] + new_text + text[span.end : region_end]
        edited = starts[: first + 1]
        edited.extend(_starts_after_line_ends(region, region_start))
        shift = len(new_text) - (span.end - span.start)
        tail = starts[last + 2 :]
        if shift and tail:
            edited.frombytes((np.frombuffer(tail, np.int64) + shift).tobytes())
        else:
            edited.extend(tail)
        return LineIndex(text[: span.start] + new_text + text[span.end :], edited)

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


def _starts_after_line_ends(text: str, base: int) -> list[int]:
    """The offset after each line end of ``text``, counted from ``base``."""
    if "\r" in text:
        return [base + match.end() for match in _LINE_END.finditer(text)]
    starts: list[int] = []
    position = text.find("\n") + 1
    while position:
        starts.append(base + position)
        position = text.find("\n", position) + 1
    return starts
