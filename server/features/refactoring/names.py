"""Number graph values as TVM's printer does: from zero in each function, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

from .refactoring import Refactoring, checked

__all__ = ["normalise", "offers"]


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Renumber the function that the cursor is in, where its numbers are not in order."""
    function = snapshot.function_around(span.start)
    if function is not None and not _is_normal(snapshot, function):
        title = f"Normalise names in {function.name}"
        yield Refactoring("names.normalise", title, "refactor.rewrite", lambda: normalise(snapshot, function))


def _is_normal(snapshot: Snapshot, function: Symbol) -> bool:
    """Whether the graph values of a function are numbered so already."""
    number = 0
    for part in snapshot.parts_in(function.full_span):
        numbers = part.memo.get(_NUMBERS)
        if not isinstance(numbers, _Numbers):
            numbers = part.memo[_NUMBERS] = _numbers(snapshot, part)
        if not numbers.are_in_order or (numbers.count and numbers.first != number):
            return False
        number += numbers.count
    return True


_NUMBERS = "numbers of graph values"


class _Numbers(msgspec.Struct, frozen=True):
    """The numbers of the graph values in a part, in the order of the text."""

    first: int
    count: int
    are_in_order: bool


def _numbers(snapshot: Snapshot, part: CacheRegion) -> _Numbers:
    names = [name for kind, name in snapshot.names_defined_in(part) if kind is SymbolKind.GRAPH]
    first = int(names[0][1:]) if names and names[0][1:].isdecimal() else 0
    are_in_order = all(name == f"%{number}" for number, name in enumerate(names, first))
    return _Numbers(first, len(names), are_in_order)


def normalise(snapshot: Snapshot, function: Symbol) -> Sequence[TextEdit]:
    """The edits that number the graph values of a function in the order of the text."""
    return checked(
        snapshot,
        [
            TextEdit(span, name)
            for symbol, name in _numbered(snapshot, function)
            if symbol.name != name
            for span in {symbol.span, *symbol.uses}
        ],
    )


def _numbered(snapshot: Snapshot, function: Symbol) -> Iterator[tuple[Symbol, str]]:
    number = 0
    for symbol in snapshot.symbols:
        if symbol.kind is SymbolKind.GRAPH and symbol.container is function:
            yield symbol, f"%{number}"
            number += 1
