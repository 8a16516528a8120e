"""Fixes of a text again and again until none is left: of two faults in a call, the first hides the second."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from relay_lsp.ir.diagnostics import Diagnostic, TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from .code_actions import edits_of_all

__all__ = ["edits_until_mended"]

_MOST_ROUNDS: Final = 20
"""What so many rounds do not mend are fixes that undo one another."""


def edits_until_mended(
    snapshot: Snapshot, diagnose: Callable[[Snapshot], Sequence[Diagnostic]], code: str = ""
) -> Iterator[Sequence[TextEdit]]:
    """The edits of the text after which no error or warning with exactly one fix is left, in the order of the text.

    With ``code``, those of this kind alone, hints too. ``diagnose`` gives the findings of a text, with their fixes.
    What is given after each step is what is known so far; the last is all of it.
    """
    pieces: list[_Piece] = [TextSpan(0, snapshot.lines.length)]
    length = snapshot.lines.length
    edits: Sequence[TextEdit] = ()
    for _ in range(_MOST_ROUNDS):
        new = edits_of_all(diagnose(snapshot), code)
        if not new:
            return
        for edit in reversed(new):
            snapshot = snapshot.edit(edit.span, edit.new_text)
            yield edits
        pieces = list(_edited(pieces, new))
        edits = list(_edits(pieces, length))
        yield edits


_Piece = TextSpan | str
"""A part of the first text that is kept, or what is put in between such parts."""


def _edited(pieces: Sequence[_Piece], edits: Sequence[TextEdit]) -> Iterator[_Piece]:
    """The pieces of a text after edits of it, which are in order and do not overlap."""
    waiting = iter(edits)
    edit = next(waiting, None)
    is_begun = False  # whether what the edit puts in has been given, and more pieces begin with what it replaces
    start = 0  # where the piece begins in the text that the edits are of
    for piece in pieces:
        end = start + _length(piece)
        at = start
        while edit is not None and edit.span.start <= end:
            if not is_begun:
                yield from _part(piece, at - start, edit.span.start - start)
                yield edit.new_text
            at = min(edit.span.end, end)
            is_begun = edit.span.end > end
            if is_begun:
                break
            edit = next(waiting, None)
        yield from _part(piece, at - start, end - start)
        start = end


def _length(piece: _Piece) -> int:
    return len(piece) if isinstance(piece, str) else piece.end - piece.start


def _part(piece: _Piece, start: int, end: int) -> Iterator[_Piece]:
    if start < end:
        yield piece[start:end] if isinstance(piece, str) else TextSpan(piece.start + start, piece.start + end)


def _edits(pieces: Sequence[_Piece], length: int) -> Iterator[TextEdit]:
    """The edits of the first text, of this length, that lead to the text of these pieces."""
    kept, words = 0, ""
    for piece in (*pieces, TextSpan(length, length)):
        if isinstance(piece, str):
            words += piece
            continue
        if words or piece.start > kept:
            yield TextEdit(TextSpan(kept, piece.start), words)
        kept, words = piece.end, ""
