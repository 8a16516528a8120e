"""What can be folded away: functions and other bodies, comments, the metadata section."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ir.snapshot import Part, Snapshot, TokenRole
from ...ir.source import TextSpan

__all__ = ["Fold", "FoldKind", "folds", "inline_folds"]

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_COMMENT_LINES = re.compile(r"^[ \t]*//[^\n]*(?:\n[ \t]*//[^\n]*)+", re.MULTILINE)
_METADATA = "#[metadata]"
_SHORTEST_INLINE = 24
"""A comment on one line is worth folding from this length on; ``/* ty=float32 */`` is not."""


class FoldKind(enum.Enum):
    """What an editor may fold of its own accord."""

    REGION = "region"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Fold:
    """A range that is shown as a few characters. It begins and ends inside the lines that stay visible."""

    span: TextSpan
    kind: FoldKind | None = None


def folds(snapshot: Snapshot) -> Iterator[Fold]:
    """The foldable ranges, those of each kind in the order in which they end."""
    for span in snapshot.folding_ranges():
        if _is_long(snapshot, span):
            yield Fold(span)
    yield from _comments(snapshot)
    start = snapshot.text.rfind(_METADATA)
    if start >= 0 and _role_at(snapshot, start) is not TokenRole.COMMENT:
        span = TextSpan(start, start + len(snapshot.text[start:].rstrip()))
        if _is_long(snapshot, span):
            yield Fold(span, FoldKind.REGION)


def inline_folds(snapshot: Snapshot) -> Iterator[Fold]:
    """Comments of types on one line, for editors that fold parts of lines."""
    for part in snapshot.parts():
        found = part.memo.get(_INLINE)
        if not isinstance(found, _Inline):
            found = part.memo[_INLINE] = _Inline(list(_inline_comments(snapshot, part)))
        for start, end in found.comments:
            yield Fold(TextSpan(part.start + start, part.start + end), FoldKind.COMMENT)


_INLINE = "comments of types on one line"


@dataclass(frozen=True, slots=True)
class _Inline:
    """Where comments of types on one line begin and end in a part."""

    comments: Sequence[tuple[int, int]]


def _inline_comments(snapshot: Snapshot, part: Part) -> Iterator[tuple[int, int]]:
    base = 0
    for group in snapshot.token_groups_in(part):
        if "ty=" in group.text:
            for offset, text, role, _ in group.tokens():
                is_comment = role is TokenRole.COMMENT and len(text) >= _SHORTEST_INLINE and "ty=" in text
                if is_comment and "\n" not in text and "\r" not in text:
                    yield base + offset, base + offset + len(text)
        base += len(group.text)


def _comments(snapshot: Snapshot) -> Iterator[Fold]:
    """Comments over several lines, and lines of comments that follow each other."""
    text = snapshot.text
    for match in _COMMENT.finditer(text):
        token = snapshot.token_at(match.start()) if "\n" in match[0] else None
        if token is not None and token.role is TokenRole.COMMENT and token.span.start == match.start():
            yield Fold(token.span, FoldKind.COMMENT)
    for match in _COMMENT_LINES.finditer(text):
        start = text.index("//", match.start())
        token = snapshot.token_at(start)
        if token is not None and token.role is TokenRole.COMMENT and token.span.start == start:
            yield Fold(TextSpan(start, match.end()), FoldKind.COMMENT)


def _is_long(snapshot: Snapshot, span: TextSpan) -> bool:
    return snapshot.lines.line_and_column(span.start)[0] < snapshot.lines.line_and_column(span.end)[0]


def _role_at(snapshot: Snapshot, offset: int) -> TokenRole | None:
    token = snapshot.token_at(offset)
    return token.role if token is not None else None
