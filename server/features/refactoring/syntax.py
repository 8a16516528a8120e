"""Expressions, statements and names around a place, as refactorings look for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, SyntaxNode, Token, TokenRole
from relay_lsp.ir.syntax.tokens import VALUES
from relay_lsp.ir.text.text_span import TextSpan

from ..navigation.linked_editing import LOCAL_KINDS
from .refactoring import RefactoringError

__all__ = [
    "COMPOUND",
    "definition_span",
    "expression_at",
    "fresh_graph_number",
    "fresh_name",
    "indentation",
    "is_comment",
    "is_visible",
    "names_in",
    "outer_names",
    "statement_around",
    "value_span",
    "without_outer_space",
]

_ATOMS: Final = frozenset(("constant", "local", "global", "name", "graph", "meta"))
COMPOUND: Final = frozenset(
    (
        *("call", "infix", "projection", "tuple", "parenthesis", "function", "conditional", "match"),
        *("ref_create", "ref_read", "ref_write"),
    )
)
"""The rules of the grammar that make an expression of others."""

_TAIL: Final = 2000
"""How far before its end a definition's last token is looked for; a longer comment there is taken with it."""


def without_outer_space(text: str, span: TextSpan) -> TextSpan:
    """The range without the white space and the semicolon at its ends."""
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == ";"):
        end -= 1
    return TextSpan(start, end)


def expression_at(snapshot: Snapshot, span: TextSpan) -> SyntaxNode | None:
    """The expression that a selection covers exactly; for an empty one, the innermost compound one around it."""
    selected = without_outer_space(snapshot.text, span) if span.end > span.start else span
    for node in snapshot.node_at(selected.start):
        if node.is_block:
            continue
        if selected.end > selected.start:
            if node.span == selected and node.kind in COMPOUND | _ATOMS:
                return node
        elif node.kind in COMPOUND:
            return node
    return None


def statement_around(snapshot: Snapshot, span: TextSpan) -> SyntaxNode | None:
    """The innermost statement that has all of ``span`` in it."""
    for node in snapshot.node_at(span.start):
        if node.kind == "statement" and node.span.start <= span.start and span.end <= node.span.end:
            return node
    return None


def definition_span(snapshot: Snapshot, function: Symbol) -> TextSpan:
    """A function's definition from ``def`` to its closing brace, without the comments around it."""
    full = function.full_span
    start = max(full.start, snapshot.text.rfind("def", full.start, function.span.start))
    end = function.span.end
    for token in snapshot.tokens(max(function.span.end, full.end - _TAIL), full.end):
        if not is_comment(token):
            end = token.span.end
    return TextSpan(start, end)


def value_span(snapshot: Snapshot, binding: TextSpan) -> TextSpan:
    """The bound value of a binding such as ``%0 = value;``, with the comments behind it.

    Raises:
        RefactoringError: the binding is broken.
    """
    tokens = [token for token in snapshot.tokens(binding.start, binding.end) if binding.contains(token.span.end)]
    equal = next((index for index, token in enumerate(tokens) if token.text == "="), None)
    if equal is None or equal + 1 >= len(tokens):
        raise RefactoringError("the binding has no value")
    value = tokens[equal + 1 :]
    if value[-1].text == ";":
        value.pop()
    if not value or value[-1].text.startswith("//"):
        raise RefactoringError("the comment at the end of the value would swallow what follows it")
    return TextSpan(value[0].span.start, value[-1].span.end)


def names_in(snapshot: Snapshot, span: TextSpan) -> Iterator[tuple[Token, Symbol]]:
    """The local names in a range, and what each means.

    Raises:
        RefactoringError: one of them means nothing.
    """
    for token in snapshot.tokens(span.start, span.end):
        if token.kind in VALUES and span.start <= token.span.start and token.span.end <= span.end:
            symbol = snapshot.symbol_at(token.span.start)
            if symbol is None:
                raise RefactoringError(f"{token.text} is not defined")
            if symbol.kind in LOCAL_KINDS:
                yield token, symbol


def outer_names(snapshot: Snapshot, span: TextSpan) -> dict[Symbol, list[TextSpan]]:
    """The local names in a range that are defined outside it, in the order of their first use."""
    uses: dict[Symbol, list[TextSpan]] = {}
    for token, symbol in names_in(snapshot, span):
        if not (span.start <= symbol.span.start and symbol.span.end <= span.end):
            uses.setdefault(symbol, []).append(token.span)
    return uses


def is_visible(snapshot: Snapshot, symbols: Iterable[Symbol], offset: int) -> bool:
    """Whether each of the names means the same at ``offset``."""
    scope = {symbol.name: symbol for symbol in reversed(snapshot.scope_at(offset))}
    return all(scope.get(symbol.name) is symbol for symbol in symbols)


def fresh_graph_number(snapshot: Snapshot, function: Symbol) -> int:
    """The number after the greatest that a graph value of the function has."""
    numbers = [
        int(symbol.name[1:])
        for symbol in snapshot.symbols
        if symbol.kind is SymbolKind.GRAPH and symbol.container is function and symbol.name[1:].isdecimal()
    ]
    return max(numbers, default=-1) + 1


def fresh_name(wanted: str, taken: Iterable[str]) -> str:
    """``wanted``, with a number behind it where it is taken."""
    names = set(taken)
    if wanted not in names:
        return wanted
    return next(name for number in range(1, len(names) + 2) if (name := f"{wanted}_{number}") not in names)


def indentation(text: str, offset: int) -> str:
    """The white space that the line of ``offset`` begins with."""
    start = text.rfind("\n", 0, offset) + 1
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def is_comment(token: Token) -> bool:
    """Whether a token is a comment."""
    return token.role is TokenRole.COMMENT
