"""From one text to another by edits of whole lines, so that cursors, folds and marks on other lines stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.text.text_difference import difference
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["line_edits"]

_MOST_COMPARED = 20_000
"""Of so many lines, comparing each with each other takes seconds: one edit is given then."""


def line_edits(before: str, after: str) -> Sequence[TextEdit]:
    """The edits, in order, that turn ``before`` into ``after``; none where they are equal."""
    if before == after:
        return ()
    region, new_text = difference(before, after)
    start = before.rfind("\n", 0, region.start) + 1
    end = before.find("\n", region.end) + 1 or len(before)
    old_lines = before[start:end].splitlines(keepends=True)
    new_lines = (before[start : region.start] + new_text + before[region.end : end]).splitlines(keepends=True)
    if len(old_lines) + len(new_lines) > _MOST_COMPARED:
        return (TextEdit(region, new_text),)
    return tuple(_edits(start, old_lines, new_lines))


def _edits(start: int, old: Sequence[str], new: Sequence[str]) -> Iterator[TextEdit]:
    offsets = list(accumulate(map(len, old), initial=start))
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield TextEdit(TextSpan(offsets[old_start], offsets[old_end]), "".join(new[new_start:new_end]))
