"""The outline and the folds of a whole text, cached part by part: editors ask for both after each edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Position, position_of, range_of
from ..features.folding import Fold, FoldKind, folds, passages_in
from ..features.navigation.outline import OutlineItem, item_of
from ..scheduling.time_slices import in_slices
from .conversion import ProtocolConverter
from .structures import FoldEntry, OutlineEntry

__all__ = ["fold_entries", "fold_entry", "outline_entries", "symbol_information"]

_Entry = TypeVar("_Entry")

_SYMBOL_KINDS = {
    SymbolKind.FUNCTION: types.SymbolKind.Function,
    SymbolKind.TYPE: types.SymbolKind.Enum,
    SymbolKind.CONSTRUCTOR: types.SymbolKind.EnumMember,
    SymbolKind.TYPE_PARAMETER: types.SymbolKind.TypeParameter,
    SymbolKind.PARAMETER: types.SymbolKind.Variable,
    SymbolKind.LET: types.SymbolKind.Variable,
    SymbolKind.GRAPH: types.SymbolKind.Constant,
    SymbolKind.FREE_VAR: types.SymbolKind.Variable,
    SymbolKind.PATTERN_VAR: types.SymbolKind.Variable,
}


async def outline_entries(snapshot: Snapshot, converter: ProtocolConverter) -> list[OutlineEntry]:
    """Functions with their values, types with their constructors."""
    roots: list[OutlineEntry] = []
    siblings = roots
    container: Symbol | None = None

    def entries_in(part: CacheRegion) -> list[OutlineEntry]:
        items = (item_of(symbol, snapshot.lines) for symbol in snapshot.symbols_of(part))
        return [_outline_entry(item, converter) for item in items if item is not None]

    async for part in in_slices(snapshot.parts()):
        if part.is_typed:
            siblings.extend(_cached(converter, part, "outline", entries_in))
            continue
        async for symbol in in_slices(snapshot.symbols_of(part)):  # a head may have ten thousand parameters
            item = item_of(symbol, snapshot.lines)
            if item is None:
                continue
            entry = _outline_entry(item, converter)
            if symbol.container is None or symbol.container is not container:
                roots.append(entry)
                container, siblings = symbol, entry.children
            else:
                siblings.append(entry)
    return roots


def _outline_entry(item: OutlineItem, converter: ProtocolConverter) -> OutlineEntry:
    """One definition of an outline, without those inside it."""
    full_range = converter.plain_range(item.full_span.cover(item.span))
    return OutlineEntry(
        item.name, item.detail, _SYMBOL_KINDS[item.kind].value, full_range, converter.plain_range(item.span)
    )


def symbol_information(
    item: OutlineItem, container: str | None, converter: ProtocolConverter
) -> types.SymbolInformation:
    """A definition for clients without trees, and for a search over several files."""
    return types.SymbolInformation(
        location=converter.location(item.span), name=item.name, kind=_SYMBOL_KINDS[item.kind], container_name=container
    )


async def fold_entries(snapshot: Snapshot, converter: ProtocolConverter, lines_only: bool) -> list[FoldEntry]:
    """What can be folded away. With ``lines_only``, only what hides whole lines, without characters."""

    def entries_in(part: CacheRegion) -> list[FoldEntry]:
        spans = [TextSpan(part.start + start, part.start + end) for start, end in passages_in(snapshot, part).inline]
        entries = [fold_entry(Fold(span, FoldKind.COMMENT), lines_only, converter) for span in spans]
        return [entry for entry in entries if entry is not None]

    entries: list[FoldEntry] = []
    async for fold in in_slices(folds(snapshot)):
        entry = fold_entry(fold, lines_only, converter)
        if entry is not None:
            entries.append(entry)
    if not lines_only:  # what is on one line hides none
        async for part in in_slices(snapshot.parts()):
            entries.extend(_cached(converter, part, "folds", entries_in))
    return entries


def fold_entry(fold: Fold, lines_only: bool, converter: ProtocolConverter) -> FoldEntry | None:
    """A range that can be folded away; ``None`` where whole lines are to be hidden, and none would be."""
    range = range_of(converter.lines, fold.span, converter.encoding)
    start, end = range.start.line, range.end.line
    kind = fold.kind.value if fold.kind is not None else None
    if not lines_only:
        return FoldEntry(start, end, range.start.character, range.end.character, kind)
    # Of a line that goes on behind the range, the rest would be hidden with it.
    rest = converter.lines.line(end)[converter.lines.line_and_column(fold.span.end)[1] :]
    end -= bool(rest.strip())
    return FoldEntry(start, end, kind=kind) if start < end else None


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
