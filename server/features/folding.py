"""What can be folded away: functions and other bodies, comments, the metadata section."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, TokenGroup, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Fold", "FoldKind", "Passages", "folds_across", "folds_in", "passages_in"]

_METADATA = "#[metadata]"
_SHORTEST_INLINE = 24
"""A comment on one line is worth folding from this length on; ``/* ty=float32 */`` is not."""


class FoldKind(enum.Enum):
    """What an editor may fold without being asked."""

    REGION = "region"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Fold:
    """A range that is shown as a few characters. It begins and ends inside the lines that stay visible."""

    span: TextSpan
    kind: FoldKind | None = None


def folds_in(snapshot: Snapshot, part: CacheRegion) -> Iterator[Fold]:
    """The braces and brackets that may be folded in a part of a text."""
    for start, end in snapshot.folding_ranges_in(part):
        yield Fold(TextSpan(part.start + start, part.start + end))


def folds_across(snapshot: Snapshot) -> Iterator[Fold]:
    """What may be folded besides: what lies in several parts, comments and the metadata section."""
    for span in snapshot.folding_ranges():
        if _is_long(snapshot, span):
            yield Fold(span)
    yield from _comments(snapshot)
    sections = [part.start + start for part in snapshot.parts() for start in passages_in(snapshot, part).metadata]
    if sections and _role_at(snapshot, sections[-1]) is not TokenRole.COMMENT:
        written = snapshot.lines.part(sections[-1], snapshot.lines.length).rstrip()
        span = TextSpan(sections[-1], sections[-1] + len(written))
        if _is_long(snapshot, span):
            yield Fold(span, FoldKind.REGION)


@dataclass(frozen=True, slots=True)
class Passages:
    """Where what may be folded, besides braces and brackets, begins and ends in a part of a text."""

    inline: Sequence[tuple[int, int]]
    """Comments of types on one line."""

    long: Sequence[tuple[int, int]]
    """Comments over several lines."""

    to_line_end: Sequence[tuple[int, int]]
    """Comments that end with their line."""

    metadata: Sequence[int]
    """Where the metadata section may begin, which ends with the text."""


_PASSAGES: Final = "passages"


def passages_in(snapshot: Snapshot, part: CacheRegion) -> Passages:
    """What may be folded in a part, cached with the part."""
    known = part.memo.get(_PASSAGES)
    if not isinstance(known, Passages):
        known = part.memo[_PASSAGES] = _found_in(snapshot, part)
    return known


def _found_in(snapshot: Snapshot, part: CacheRegion) -> Passages:
    inline: list[tuple[int, int]] = []
    long: list[tuple[int, int]] = []
    to_line_end: list[tuple[int, int]] = []
    metadata: list[int] = []
    base = 0
    for group in snapshot.token_groups_in(part):
        for offset, text in _comments_of(group):
            place = (base + offset, base + offset + len(text))
            if text.startswith("//"):
                to_line_end.append(place)
            elif "\n" in text or "\r" in text:
                if text.endswith("*/"):
                    long.append(place)
            elif "ty=" in text and len(text) >= _SHORTEST_INLINE:
                inline.append(place)
        if (start := group.text.rfind(_METADATA)) >= 0:
            metadata.append(base + start)
        base += len(group.text)
    return Passages(inline, long, to_line_end, metadata)


def _comments_of(group: TokenGroup) -> Iterator[tuple[int, str]]:
    """Where each comment of a part of the text begins in it, and the comment.

    Most statements have the one comment of their type, which is found without cutting them into tokens.
    """
    text = group.text
    start, line_comment = text.find("/*"), text.find("//")
    if start < 0 and line_comment < 0:
        return
    end = text.find("*/", start + 2) + 2
    is_alone = line_comment < 0 and end >= 2 and text.rfind("/*") == start
    if is_alone and text.find('"', start) < 0 and text.count('"', 0, start) % 2 == 0 and "\\" not in text:
        yield start, text[start:end]
        return
    for offset, written, role, _ in group.tokens():
        if role is TokenRole.COMMENT:
            yield offset, written


def _comments(snapshot: Snapshot) -> Iterator[Fold]:
    """Comments over several lines, and lines of comments that follow each other."""
    runs: list[tuple[int, int]] = []
    last_line = -1
    for part in snapshot.parts():
        comments = passages_in(snapshot, part)
        for start, end in comments.long:
            yield Fold(TextSpan(part.start + start, part.start + end), FoldKind.COMMENT)
        for start, end in comments.to_line_end:
            line, column = snapshot.lines.line_and_column(part.start + start)
            if snapshot.lines.part(part.start + start - column, part.start + start).strip(" \t"):
                continue
            follows = runs and line == last_line + 1
            begun = runs.pop()[0] if follows else part.start + start
            runs.append((begun, part.start + end))
            last_line = line
    for start, end in runs:
        span = TextSpan(start, end)
        if _is_long(snapshot, span):
            yield Fold(span, FoldKind.COMMENT)


def _is_long(snapshot: Snapshot, span: TextSpan) -> bool:
    return snapshot.lines.line_and_column(span.start)[0] < snapshot.lines.line_and_column(span.end)[0]


def _role_at(snapshot: Snapshot, offset: int) -> TokenRole | None:
    token = snapshot.token_at(offset)
    return token.role if token is not None else None
