"""The answers that may have thousands of items, as structures that msgspec encodes; the fields are those of LSP 3.17.

Lines and characters are in the client's units; so are those of :class:`..documents.positions.Range`, which is part of
most of them.
"""

from __future__ import annotations

import msgspec

from ..documents.positions import Range

__all__ = ["FoldEntry", "HighlightEntry", "LinkEntry", "LocationEntry", "OutlineEntry"]


class LocationEntry(msgspec.Struct, frozen=True, gc=False):
    """A place in a text (*Location*)."""

    uri: str
    range: Range


class HighlightEntry(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A place of what the cursor is on (*DocumentHighlight*); of a layer, places have no kind."""

    range: Range
    kind: int | None = None


class OutlineEntry(msgspec.Struct, rename="camel", gc=False):
    """A definition with those inside it (*DocumentSymbol*)."""

    name: str
    detail: str
    kind: int
    range: Range
    selection_range: Range
    children: list[OutlineEntry] = []

    def moved(self, lines: int) -> OutlineEntry:
        """The definition so many lines further down."""
        range, selection_range = self.range.moved(lines), self.selection_range.moved(lines)
        children = [child.moved(lines) for child in self.children]
        return OutlineEntry(self.name, self.detail, self.kind, range, selection_range, children)


class FoldEntry(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, gc=False):
    """A range that can be folded away (*FoldingRange*); without characters, whole lines are."""

    start_line: int
    end_line: int
    start_character: int | None = None
    end_character: int | None = None
    kind: str | None = None

    def moved(self, lines: int) -> FoldEntry:
        """The range so many lines further down."""
        start, end = self.start_line + lines, self.end_line + lines
        return FoldEntry(start, end, self.start_character, self.end_character, self.kind)


class LinkEntry(msgspec.Struct, frozen=True, gc=False):
    """A place in a text that leads to another file (*DocumentLink*)."""

    range: Range
    target: str
    tooltip: str
