"""Where a place of a text is once passes have changed the text: a cursor stays at the value that it stood at."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.text.text_difference import difference

__all__ = ["Origins", "place_after"]

Origins = Sequence[tuple[int, int, Sequence[tuple[int, int]]]]
"""For ranges of a text (start, end), the ranges of the text before that they came from."""


def place_after(offset: int, text: str, edits: Sequence[TextEdit], steps: Sequence[tuple[str, Origins]]) -> int:
    """The offset in the text after ``edits`` of what stands at ``offset`` of ``text``.

    ``steps`` are the texts that led from the one to the other, the last one included, with the origins of their values.
    What was left alone is where it was. Of what passes changed, it is the beginning of what the innermost value there
    became; where the offset is at no value, such as at the name of a statement, of the next value. Where nothing came
    of it, it is the beginning of what was written in its place.
    """
    shift = 0
    for edit in edits:
        if offset < edit.span.start:
            break
        if offset < edit.span.end:
            became: int | None = offset
            for after, origins in steps:
                became = _became(became, text, after, origins) if became is not None else None
                text = after
            return edit.span.start + shift if became is None else became
        shift += len(edit.new_text) - (edit.span.end - edit.span.start)
    return offset + shift


def _became(offset: int, before: str, after: str, origins: Origins) -> int | None:
    sources = {source for _, _, of_value in origins for source in of_value}
    around = [(start, end) for start, end in sources if start <= offset <= end]
    behind = [(start, end) for start, end in sources if offset < start]
    if around:
        source = min(around, key=lambda span: span[1] - span[0])
    elif behind:
        source = min(behind, key=lambda span: (span[0], -span[1]))
    else:
        return None
    written = before[slice(*source)]

    def rank(value: tuple[int, int, Sequence[tuple[int, int]]]) -> tuple[int, int, int]:
        """What reads most like it first, then what was made from the least else, then the whole before its parts."""
        start, end, of_value = value
        alike = difference(written, after[start:end])[0].start
        return -alike, len(of_value), start - end

    return min((value for value in origins if source in value[2]), key=rank)[0]
