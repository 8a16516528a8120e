"""The head of a function: what stands between its name and its body."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["function_head", "head_parameters"]


def function_head(snapshot: Snapshot, function: Symbol) -> TextSpan:
    """From behind the name to the brace of the body, which is the first one outside others."""
    depth = 0
    for token in snapshot.tokens(function.span.end, function.full_span.end):
        if token.text == "{" and depth == 0:
            return TextSpan(function.span.end, token.span.start)
        depth += token.text in ("(", "[", "{")
        depth -= token.text in (")", "]", "}")
    return TextSpan(function.span.end, function.full_span.end)


def head_parameters(snapshot: Snapshot, function: Symbol) -> Sequence[Symbol]:
    """The parameters in the head, in their order, without those of functions inside the function."""
    return [
        symbol
        for symbol in snapshot.symbols_in(function_head(snapshot, function))
        if symbol.kind is SymbolKind.PARAMETER and symbol.container is function
    ]
