"""From a module that passes have made back to the buffer it came from, by edits as small as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from ..ir.diagnostics import TextEdit
from ..ir.source import LineIndex, TextSpan

if TYPE_CHECKING:
    from ..ir.module import IRModule
    from ..ir.snapshot import Snapshot

__all__ = ["apply_edits", "line_edits", "text_edits"]


def text_edits(snapshot: Snapshot, module: IRModule) -> tuple[TextEdit, ...]:
    """The edits of the snapshot's text that give ``module``. They do not overlap and are in the order of the text."""
    from ..ir.printing import to_text

    return line_edits(snapshot.text, to_text(module))


def line_edits(old: str, new: str) -> tuple[TextEdit, ...]:
    """The edits, by whole lines, that turn one text into another."""
    before, after = LineIndex(old), LineIndex(new)
    old_lines = _pieces(before)
    new_lines = _pieces(after)
    edits: list[TextEdit] = []
    # Lines of a dump differ nearly always, so difflib's guess that frequent ones are junk would only do harm.
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            span = TextSpan(_line_start(before, start), _line_start(before, end))
            edits.append(TextEdit(span, "".join(new_lines[new_start:new_end])))
    return tuple(edits)


def _pieces(lines: LineIndex) -> list[str]:
    bounds = [*lines.line_starts, len(lines.text)]
    return [lines.text[start:end] for start, end in pairwise(bounds)]


def _line_start(lines: LineIndex, line: int) -> int:
    return lines.line_starts[line] if line < len(lines.line_starts) else len(lines.text)


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text after edits that do not overlap."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += (text[position : edit.span.start], edit.new_text)
        position = edit.span.end
    pieces.append(text[position:])
    return "".join(pieces)
