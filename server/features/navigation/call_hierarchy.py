"""Which functions call which."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Calls", "function_at", "function_named", "incoming", "outgoing"]


class Calls(msgspec.Struct, frozen=True):
    """A function, and the places of the calls between it and the one that was asked about."""

    function: Symbol
    places: Sequence[TextSpan]


def function_at(snapshot: Snapshot, offset: int) -> Symbol | None:
    """The function whose name stands at ``offset``; elsewhere in a function, that one."""
    symbol = snapshot.symbol_at(offset)
    if symbol is not None:
        return symbol if symbol.kind is SymbolKind.FUNCTION else None
    return snapshot.function_around(offset)


def function_named(snapshot: Snapshot, name: str) -> Symbol | None:
    """The function of this name, as the text now has it."""
    return next(iter(snapshot.functions_named([name])), None)


def incoming(snapshot: Snapshot, function: Symbol) -> list[Calls]:
    """The functions that use ``function``, in the order of the text, each with all its uses."""
    uses_by_caller: dict[Symbol, list[TextSpan]] = {}
    for use in sorted(set(function.uses) - {function.span}):
        caller = snapshot.function_around(use.start)
        if caller is not None:
            uses_by_caller.setdefault(caller, []).append(use)
    return [Calls(caller, places) for caller, places in uses_by_caller.items()]


def outgoing(snapshot: Snapshot, function: Symbol) -> list[Calls]:
    """The functions that ``function`` uses, in the order of the text."""
    calls: list[Calls] = []
    for other in snapshot.functions:
        places = [use for use in other.uses if use != other.span and function.full_span.contains(use.start)]
        if places:
            calls.append(Calls(other, sorted(places)))
    return calls
