"""What can be folded away: bodies, long comments, the metadata section."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.snapshot import Snapshot, TokenRole
from ...ir.source import TextSpan

__all__ = ["Fold", "FoldKind", "folds"]


class FoldKind(enum.Enum):
    """What an editor may fold of its own accord."""

    REGION = "region"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Fold:
    """A range that becomes one line. It begins and ends inside the lines that stay visible."""

    span: TextSpan
    kind: FoldKind | None = None


def folds(snapshot: Snapshot) -> Iterator[Fold]:
    """The foldable ranges of more than one line."""
    for span in snapshot.folding_ranges():
        if _is_long(snapshot, span):
            yield Fold(span, _kind(snapshot, span))


def _is_long(snapshot: Snapshot, span: TextSpan) -> bool:
    return snapshot.lines.line_and_column(span.start)[0] < snapshot.lines.line_and_column(span.end)[0]


def _kind(snapshot: Snapshot, span: TextSpan) -> FoldKind | None:
    token = snapshot.token_at(span.start)
    if token is not None and token.role is TokenRole.COMMENT:
        return FoldKind.COMMENT
    if snapshot.text.startswith("#[metadata]", span.start):
        return FoldKind.REGION
    return None
