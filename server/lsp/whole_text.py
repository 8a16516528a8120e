"""The outline and the folds of a whole text, cached part by part: editors ask for both after each edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Position, position_of
from ..features.folding import Fold, FoldKind, folds, passages_in
from ..features.outline import item_of
from ..scheduling.time_slices import in_slices
from .conversion import ProtocolConverter
from .structures import FoldEntry, OutlineEntry

__all__ = ["fold_entries", "outline_entries"]

_Entry = TypeVar("_Entry")


async def outline_entries(snapshot: Snapshot, converter: ProtocolConverter) -> list[OutlineEntry]:
    """Functions with their values, types with their constructors."""
    roots: list[OutlineEntry] = []
    siblings = roots
    container: Symbol | None = None

    def entries_in(part: CacheRegion) -> list[OutlineEntry]:
        items = (item_of(symbol, snapshot.lines) for symbol in snapshot.symbols_of(part))
        return [converter.outline_entry(item) for item in items if item is not None]

    async for part in in_slices(snapshot.parts()):
        if part.is_typed:
            siblings.extend(_cached(converter, part, "outline", entries_in))
            continue
        for symbol in snapshot.symbols_of(part):
            item = item_of(symbol, snapshot.lines)
            if item is None:
                continue
            entry = converter.outline_entry(item)
            if symbol.container is None or symbol.container is not container:
                roots.append(entry)
                container, siblings = symbol, entry.children
            else:
                siblings.append(entry)
    return roots


async def fold_entries(snapshot: Snapshot, converter: ProtocolConverter, lines_only: bool) -> list[FoldEntry]:
    """What can be folded away. With ``lines_only``, only what hides whole lines, without characters."""

    def entries_in(part: CacheRegion) -> list[FoldEntry]:
        spans = [TextSpan(part.start + start, part.start + end) for start, end in passages_in(snapshot, part).inline]
        entries = [converter.fold_entry(Fold(span, FoldKind.COMMENT), lines_only) for span in spans]
        return [entry for entry in entries if entry is not None]

    entries: list[FoldEntry] = []
    async for fold in in_slices(folds(snapshot)):
        entry = converter.fold_entry(fold, lines_only)
        if entry is not None:
            entries.append(entry)
    if not lines_only:  # what is on one line hides none
        async for part in in_slices(snapshot.parts()):
            entries.extend(_cached(converter, part, "folds", entries_in))
    return entries


def _cached(
    converter: ProtocolConverter, part: CacheRegion, list_name: str, entries_in: Callable[[CacheRegion], list[_Entry]]
) -> list[_Entry]:
    """The entries of a part, recomputed only where the part has changed or begins at another line."""
    begin = position_of(converter.lines, part.start, converter.encoding)
    key = (list_name, converter.encoding)
    known = cast("tuple[Position, list[_Entry]] | None", part.memo.get(key))
    if known is None or known[0] != begin:
        known = part.memo[key] = (begin, entries_in(part))
    return known[1]
