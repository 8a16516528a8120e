"""Where a value came from: the layers and places that its comments name, or that are recorded of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind
from relay_lsp.ir.spans import Span
from relay_lsp.ir.text.text_span import TextSpan

from .history import ValueEvent
from .stated import StatedLayers
from .values import stated_around, value_at

__all__ = ["ValueOrigin", "ValuePast", "function_at", "origins_at", "origins_of", "recorded_origins"]


class ValueOrigin(msgspec.Struct, frozen=True):
    """A place in a named source; ``line`` and ``column`` are 1-based, and 0 for a layer, which has none."""

    source: str
    line: int
    column: int
    span: TextSpan | None = None
    """Where the comment says so; ``None`` where the history does."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


class ValuePast(msgspec.Struct, frozen=True):
    """What is recorded of a value: what passes did to it, and the layers that it came from."""

    events: Sequence[ValueEvent] = ()
    origins: Sequence[ValueOrigin] = ()


def _origin(source: Span, span: TextSpan | None = None) -> ValueOrigin:
    return ValueOrigin(source.source_name.name, source.line, source.column, span)


def recorded_origins(sources: Iterable[Span]) -> tuple[ValueOrigin, ...]:
    """What the history knows of a value."""
    return tuple(map(_origin, sources))


def origins_at(snapshot: Snapshot, offset: int) -> tuple[ValueOrigin, ...]:
    """What comments say of the value at ``offset``."""
    value = value_at(snapshot, offset)
    return origins_of(snapshot, value) if value is not None else ()


def origins_of(snapshot: Snapshot, value: TextSpan) -> tuple[ValueOrigin, ...]:
    """What comments say of the value that stands at ``value``; where they say nothing of it, of the one around it."""
    stated = stated_around(snapshot, value.start)
    if not any(_is_around(each, value) for each in stated):
        stated = stated_around(snapshot, max(value.start, value.end - 1))
    around = [each for each in stated if _is_around(each, value) and not _opens_block(snapshot, each, value)]
    if not around:
        return ()
    innermost = min(around, key=lambda each: each.span.end - each.span.start)
    return tuple(dict.fromkeys(_origin(source, span) for source, span in innermost.sources))


def _is_around(stated: StatedLayers, value: TextSpan) -> bool:
    return stated.span.start <= value.start and value.end <= stated.span.end


def _opens_block(snapshot: Snapshot, stated: StatedLayers, value: TextSpan) -> bool:
    """Whether ``value`` stands in a block of its own inside, where statements are that speak for themselves."""
    between = snapshot.lines.part(stated.span.start, value.start)
    return between.count("{") > between.count("}")


def function_at(snapshot: Snapshot, offset: int) -> str:
    """The function, such as ``@main``, whose name stands at ``offset``; empty where none does."""
    symbol = snapshot.symbol_at(offset)
    return symbol.name if symbol is not None and symbol.kind is SymbolKind.FUNCTION else ""
