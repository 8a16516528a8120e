"""Ranges of a text, as offsets in code points."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TextSpan"]


class TextSpan(NamedTuple):
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
