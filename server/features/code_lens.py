"""Lines above functions: how large each is, and what can be run on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.snapshot import Snapshot, SymbolKind, TokenRole
from ...ir.source import TextSpan

__all__ = ["Lens", "lenses"]


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of words above ``span``. A click on some runs the configured pipeline."""

    span: TextSpan
    title: str
    runs_pipeline: bool = False
    function: str = ""
    """The one function that the pipeline is run on; empty for all."""


def lenses(snapshot: Snapshot) -> Iterator[Lens]:
    """For each function the number of its parameters and operators, and how often it is called."""
    parameters: dict[int, int] = {}
    functions = [symbol for symbol in snapshot.symbols if symbol.kind is SymbolKind.FUNCTION]
    for symbol in snapshot.symbols:
        if symbol.kind is SymbolKind.PARAMETER and symbol.container in functions:
            parameters[id(symbol.container)] = parameters.get(id(symbol.container), 0) + 1
    for function in functions:
        tokens = snapshot.tokens(function.full_span.start, function.full_span.end)
        operators = sum(token.role is TokenRole.OP_NAME for token in tokens)
        parts = [_count(parameters.get(id(function), 0), "parameter"), _count(operators, "operator")]
        if function.uses:
            parts.append(_count(len(set(function.uses) - {function.span}), "use"))
        yield Lens(function.span, ", ".join(parts))
        if len(functions) > 1:
            title = f"Run pipeline on {function.name}"
            yield Lens(function.span, title, runs_pipeline=True, function=function.name)
    if functions:
        yield Lens(functions[0].span, "Run pipeline", runs_pipeline=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
