"""Edits of what edits have made, as edits of the text before both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from relay_lsp.ir.diagnostics import TextEdit, apply_edits
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["followed_by", "kept_pieces", "moved_by", "written_spans"]


def written_spans(edits: Sequence[TextEdit]) -> list[TextSpan]:
    """Where the new texts of ``edits``, which are in order and without overlap, stand when they have been made."""
    spans: list[TextSpan] = []
    shift = 0
    for edit in edits:
        start = edit.span.start + shift
        spans.append(TextSpan(start, start + len(edit.new_text)))
        shift += len(edit.new_text) - (edit.span.end - edit.span.start)
    return spans


def kept_pieces(text: str, edits: Sequence[TextEdit]) -> Iterator[str]:
    """What ``edits``, which are in order and without overlap, leave of a text; nothing where there are none."""
    position = 0
    for edit in edits:
        yield text[position : edit.span.start]
        position = edit.span.end
    if edits:
        yield text[position:]


def followed_by(edits: Sequence[TextEdit], later: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits that do what ``edits`` do and then what ``later`` do, whose places are those of the text in between.

    Both are in order and without overlap, and so is the result. One of ``later`` that lies partly in what ``edits``
    wrote, and partly beside it, is left out.
    """
    together: list[TextEdit] = []
    shift = number = 0
    for edit in edits:
        start = edit.span.start + shift
        end = start + len(edit.new_text)
        inside: list[TextEdit] = []
        while number < len(later) and later[number].span.start < end:
            update = later[number]
            number += 1
            if update.span.end <= start:
                together.append(_moved(update, -shift))
            elif start <= update.span.start and update.span.end <= end:
                inside.append(_moved(update, -start))
        together.append(TextEdit(edit.span, apply_edits(edit.new_text, inside)))
        shift += len(edit.new_text) - (edit.span.end - edit.span.start)
    together += (_moved(update, -shift) for update in later[number:])
    return tuple(together)


def moved_by(edits: Sequence[TextEdit]) -> Callable[[TextSpan], TextSpan]:
    """Where a range stands when ``edits``, which are in order and without overlap, have been made beside or inside it.

    What is inserted where the range ends stands behind it.
    """
    starts, ends = [edit.span.start for edit in edits], [edit.span.end for edit in edits]
    growth = [len(edit.new_text) - (edit.span.end - edit.span.start) for edit in edits]
    shifts = list(accumulate(growth, initial=0))

    def moved(span: TextSpan) -> TextSpan:
        return TextSpan(
            span.start + shifts[bisect_right(ends, span.start)], span.end + shifts[bisect_left(starts, span.end)]
        )

    return moved


def _moved(edit: TextEdit, by: int) -> TextEdit:
    return TextEdit(TextSpan(edit.span.start + by, edit.span.end + by), edit.new_text)
