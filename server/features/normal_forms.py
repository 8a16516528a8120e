"""From shared graph values to ``let`` for each value, and back, in the function under the cursor."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.snapshot import Snapshot, SymbolKind
from ...ir.source import TextSpan
from .call_hierarchy import function_around
from .code_actions import PassAction

__all__ = ["normal_form_actions"]


def normal_form_actions(snapshot: Snapshot, span: TextSpan) -> Iterator[PassAction]:
    """The conversions that would change the function: to graph form if it has a ``let``, to A-normal form if not all
    of its values have one."""
    function = function_around(snapshot, span.start)
    if function is None:
        return
    kinds = {symbol.kind for symbol in snapshot.symbols if symbol.container is function}
    if SymbolKind.LET in kinds:
        yield PassAction(f"Convert {function.name} to graph form", ("ToGraphNormalForm",), function=function.name)
    if SymbolKind.GRAPH in kinds or SymbolKind.LET not in kinds:
        yield PassAction(f"Convert {function.name} to A-normal form", ("ToANormalForm",), function=function.name)
