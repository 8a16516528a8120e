"""Give an expression a number of its own (``%3 = …;``), or put a graph value back where it is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, SyntaxNode
from relay_lsp.ir.text.line_index import line_end_of
from relay_lsp.ir.text.text_span import TextSpan

from .refactoring import Refactoring, RefactoringError, checked
from .syntax import (
    expression_at,
    fresh_graph_number,
    indentation,
    is_visible,
    outer_names,
    statement_around,
    value_span,
)

__all__ = ["offers"]


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Bind the expression that is selected or around the cursor; inline the graph value under the cursor."""
    node = expression_at(snapshot, span)
    if node is not None and not _is_bound(snapshot, node):
        yield Refactoring(
            "graph.bind", "Bind to a graph value", "refactor.extract.variable", lambda: _bind(snapshot, node)
        )
    symbol = snapshot.symbol_at(span.start)
    if symbol is not None and symbol.kind is SymbolKind.GRAPH and len(_uses(symbol)) == 1:
        title = f"Inline {symbol.name}"
        yield Refactoring("graph.inline", title, "refactor.inline", lambda: _inline(snapshot, symbol))


def _is_bound(snapshot: Snapshot, node: SyntaxNode) -> bool:
    """Whether the expression is all that a graph binding binds."""
    around = [outer.kind for outer in snapshot.node_at(node.span.start) if _holds(outer.span, node.span)]
    return bool(around) and around[0] == "graph_binding"


def _holds(outer: TextSpan, inner: TextSpan) -> bool:
    return outer != inner and outer.start <= inner.start and inner.end <= outer.end


def _bind(snapshot: Snapshot, node: SyntaxNode) -> Sequence[TextEdit]:
    statement = statement_around(snapshot, node.span)
    function = snapshot.function_around(node.span.start)
    if statement is None or function is None:
        raise RefactoringError("only an expression in the body of a function can be bound")
    start = statement.span.start
    if not is_visible(snapshot, outer_names(snapshot, node.span), start):
        raise RefactoringError("the expression uses a name that its statement binds inside itself")
    name = f"%{fresh_graph_number(snapshot, function)}"
    text = snapshot.text
    line_start = text.rfind("\n", 0, start) + 1
    gap = " " if text[line_start:start].strip() else line_end_of(text) + indentation(text, start)
    binding = f"{name} = {text[node.span.start : node.span.end]};{gap}"
    if start == node.span.start:  # one edit: two at one place have no order
        return checked(snapshot, [TextEdit(node.span, binding + name)])
    return checked(snapshot, [TextEdit(TextSpan(start, start), binding), TextEdit(node.span, name)])


def _uses(symbol: Symbol) -> list[TextSpan]:
    return [use for use in symbol.uses if use != symbol.span]


def _inline(snapshot: Snapshot, symbol: Symbol) -> Sequence[TextEdit]:
    (use,) = _uses(symbol)
    value = value_span(snapshot, symbol.full_span)
    if not is_visible(snapshot, outer_names(snapshot, value), use.start):
        raise RefactoringError(f"a name in the value of {symbol.name} means something else where it is used")
    text = snapshot.text
    new_text = text[value.start : value.end]
    if _needs_parentheses(snapshot, value, use):
        new_text = f"({new_text})"
    return checked(snapshot, [TextEdit(_whole_lines(text, symbol.full_span), ""), TextEdit(use, new_text)])


def _needs_parentheses(snapshot: Snapshot, value: TextSpan, use: TextSpan) -> bool:
    """Whether the value would be torn apart by what stands around its use."""
    around = next((node.kind for node in snapshot.node_at(use.start) if _holds(node.span, use)), "")
    kinds = {node.kind for node in snapshot.node_at(value.start) if value.start <= node.span.start}
    if around in ("call", "projection"):  # `%0(…)`, `%0.1`: anything but a name needs them
        return not kinds <= {"local", "global", "graph", "name", "tuple", "parenthesis"}
    return (around == "infix" and bool(kinds & {"infix", "function", "conditional", "match"})) or "match" in kinds


def _whole_lines(text: str, span: TextSpan) -> TextSpan:
    """The range with the line it fills, or with the blanks behind it where it shares its line."""
    line_start = text.rfind("\n", 0, span.start) + 1
    end = span.end
    while end < len(text) and text[end] in " \t":
        end += 1
    if text[line_start : span.start].strip():
        return TextSpan(span.start, end)
    if text.startswith("\r\n", end):
        return TextSpan(line_start, end + 2)
    if text.startswith("\n", end):
        return TextSpan(line_start, end + 1)
    return TextSpan(span.start, end)
