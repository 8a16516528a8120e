"""The part of a text that is settled while an edit is followed that reaches far.

Changing the type of a parameter types anew what is made of it, which may be a hundred thousand statements. They are
typed in the order of the text from the edit on, so what the user looks at is known after the first few hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.inference import CANNOT_INFER
from relay_lsp.ir.semantic.lints.stale_type_comments import STALE_TYPE_COMMENT
from relay_lsp.ir.semantic.lints.unreachable import UNREACHABLE
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..features.diagnostics.diagnostics import UNUSED_VALUE

__all__ = ["EditedPart"]


class EditedPart:
    """A text after an edit, of which all but some ranges are settled."""

    def __init__(self, lines: LineIndex, partial: PartialSnapshot) -> None:
        self.lines: Final = lines
        self.snapshot: Final[Snapshot] = partial.snapshot
        self._unsettled: Final = partial.unsettled
        # One fix mends all type comments of a cause, and one all calls whose types are open, which may go on in what is
        # not settled.
        unknown = [STALE_TYPE_COMMENT, CANNOT_INFER]
        unknown += [] if partial.knows_uses else [UNUSED_VALUE, UNREACHABLE]
        self._unknown: Final = frozenset(unknown)

    def has(self, span: TextSpan) -> bool:
        """Whether a range is settled."""
        return all(span.end <= unsettled.start or span.start >= unsettled.end for unsettled in self._unsettled)

    def sure(self, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """Of what was found in the snapshot, that which will be found in the whole text, too."""
        return [
            each
            for each in diagnostics
            if each.span is not None and each.code not in self._unknown and self.has(each.span)
        ]
