"""Number graph values as TVM's printer does: from zero in each function, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....ir.diagnostics import TextEdit
from ....ir.snapshot import Snapshot, Symbol, SymbolKind
from ....ir.source import TextSpan
from .refactoring import Refactoring, checked
from .syntax import enclosing_function

__all__ = ["normalise", "offers"]


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Renumber the function that the cursor is in, where its numbers are not in order."""
    function = enclosing_function(snapshot, span.start)
    if function is not None and any(symbol.name != name for symbol, name in _numbered(snapshot, function)):
        title = f"Normalise names in {function.name}"
        yield Refactoring("names.normalise", title, "refactor.rewrite", lambda: normalise(snapshot, function))


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
