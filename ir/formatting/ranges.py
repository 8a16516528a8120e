"""A range formatted by what stands around it, however long the text is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ..diagnostics import TextEdit
from ..semantic.snapshot import Snapshot
from ..text.line_index import line_end_of
from ..text.text_span import TextSpan
from .formatter import format_edits, whole_lines

__all__ = ["format_range"]


def format_range(snapshot: Snapshot, span: TextSpan) -> tuple[TextEdit, ...]:
    """The changes of white space that format the lines which ``span`` touches, in order.

    What :func:`~.format_edits` gives for the range, but for its cost: only the statements there are formatted, one to
    each side, and the heads and ends of their functions. So a bracket that is not closed in another statement does not
    keep these from being formatted.
    """
    text = snapshot.text
    start, end = whole_lines(text, span)
    kept = snapshot.layout_context(TextSpan(start, end))
    excerpt = "".join([text[part.start : part.end] for part in kept])
    moves = _Moves(kept)
    within = TextSpan(moves.into(span.start), moves.into(span.end))
    edits = (
        TextEdit(moves.back(edit.span), edit.new_text)
        for edit in format_edits(excerpt, within, line_end=line_end_of(text))
    )
    return tuple(edit for edit in edits if edit.span.start >= start and edit.span.end <= end)


class _Moves:
    """Offsets of a text, and those in an excerpt that has some parts of it."""

    def __init__(self, parts: Sequence[TextSpan]) -> None:
        self._parts = parts
        self._starts = [0, *accumulate(part.end - part.start for part in parts[:-1])]

    def into(self, offset: int) -> int:
        """The place in the excerpt of an offset that is in one of its parts, or at the end of one."""
        number = max(0, bisect_right(self._parts, offset, key=lambda part: part.start) - 1)
        return self._starts[number] + offset - self._parts[number].start

    def back(self, span: TextSpan) -> TextSpan:
        """The range of the text that is ``span`` in the excerpt, and in one of its parts."""
        number = bisect_right(self._starts, span.start) - 1
        return span.shifted(self._parts[number].start - self._starts[number])
