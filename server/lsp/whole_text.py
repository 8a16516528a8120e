"""The outline and the folds of a whole text, cached part by part: editors ask for both after each edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar, cast

from lsprotocol import types

from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Position, position_of, range_of
from ..features.folding import Fold, FoldKind, folds_across, folds_in, passages_in
from ..features.navigation.outline import OutlineItem, item_of
from ..scheduling.time_slices import in_slices
from .conversion import ProtocolConverter
from .structures import FoldEntry, OutlineEntry

__all__ = ["fold_entries", "fold_entry", "outline_entries", "symbol_information"]

_Entry = TypeVar("_Entry", OutlineEntry, FoldEntry)

_BEGIN_AND_END = attrgetter("start_line", "start_character", "end_line", "end_character")

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
        memo = snapshot.head_memo(part)
        kept = _kept(converter, part, "outline", memo) if memo is not None else None
        symbols = snapshot.symbols_of(part) if kept is None else islice(snapshot.symbols_of(part), 1)
        async for symbol in in_slices(symbols):  # a head may have ten thousand parameters
            item = item_of(symbol, snapshot.lines)
            if item is None:
                continue
            entry = _outline_entry(item, converter)
            if symbol.container is None or symbol.container is not container:
                roots.append(entry)
                container, siblings = symbol, entry.children
            else:
                siblings.append(entry)
        if kept is not None:
            siblings.extend(kept)
        elif memo is not None:
            _keep(converter, part, "outline", memo, [*siblings])
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
        inline = () if lines_only else passages_in(snapshot, part).inline  # what is on one line hides none
        spans = [TextSpan(part.start + start, part.start + end) for start, end in inline]
        comments = [Fold(span, FoldKind.COMMENT) for span in spans]
        entries = [fold_entry(fold, lines_only, converter) for fold in (*folds_in(snapshot, part), *comments)]
        return [entry for entry in entries if entry is not None]

    entries: list[FoldEntry] = []
    async for fold in in_slices(folds_across(snapshot)):
        entry = fold_entry(fold, lines_only, converter)
        if entry is not None:
            entries.append(entry)
    async for part in in_slices(snapshot.parts()):
        entries.extend(_cached(converter, part, "folded lines" if lines_only else "folds", entries_in))
    entries.sort(key=_BEGIN_AND_END)  # an edit and a text opened afresh have other parts, and the same ranges
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
) -> Sequence[_Entry]:
    """The entries of a part, worked out only where the part has changed."""
    known: Sequence[_Entry] | None = _kept(converter, part, list_name, part.memo)
    if known is None:
        known = entries_in(part)
        _keep(converter, part, list_name, part.memo, known)
    return known


def _kept(
    converter: ProtocolConverter, part: CacheRegion, list_name: str, memo: dict[object, object]
) -> Sequence[Any] | None:
    """What was kept of a part, where that begins now: lines that are put in or taken out above it move it."""
    known = cast("tuple[Position, Sequence[Any]] | None", memo.get((list_name, converter.encoding)))
    begin = position_of(converter.lines, part.start, converter.encoding)
    if known is None or known[0].character != begin.character:
        return None
    before, entries = known
    if before.line != begin.line:
        entries = [entry.moved(begin.line - before.line) for entry in entries]
        _keep(converter, part, list_name, memo, entries)
    return entries


def _keep(
    converter: ProtocolConverter, part: CacheRegion, list_name: str, memo: dict[object, object], entries: Sequence[Any]
) -> None:
    begin = position_of(converter.lines, part.start, converter.encoding)
    memo[list_name, converter.encoding] = (begin, entries)
