"""Make a function of an expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, SyntaxNode
from relay_lsp.ir.text.line_index import line_end_of
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type

from ..documentation.type_words import annotation_text, type_parameters_in
from .refactoring import Refactoring, RefactoringError, checked
from .syntax import (
    COMPOUND,
    definition_span,
    expression_at,
    fresh_name,
    indentation,
    names_in,
    outer_names,
)

__all__ = ["offers"]

_NAME = "@extracted"


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Extract the expression that is selected. Its names become parameters, in the order of their first use."""
    node = expression_at(snapshot, span) if span.end > span.start else None
    if node is not None and node.kind in COMPOUND:
        yield Refactoring(
            "function.extract",
            "Extract to function",
            "refactor.extract.function",
            lambda: _extract(snapshot, node),
        )


def _extract(snapshot: Snapshot, node: SyntaxNode) -> Sequence[TextEdit]:
    span = node.span
    function = snapshot.function_around(span.start)
    if function is None or not function.full_span.contains(span.end):
        raise RefactoringError("only an expression in the body of a function can be extracted")
    _refuse_escaping(snapshot, span)
    outer = outer_names(snapshot, span)
    inside = {symbol.name for _, symbol in names_in(snapshot, span) if symbol not in outer}
    parameters: dict[Symbol, str] = {}
    for symbol in outer:
        wanted = f"%v{symbol.name[1:]}" if symbol.kind is SymbolKind.GRAPH else symbol.name
        parameters[symbol] = fresh_name(wanted, {*parameters.values(), *inside})
    name = fresh_name(_NAME, (symbol.name for symbol in snapshot.functions))
    types = [symbol.type for symbol in outer]
    result = _type_of(snapshot, span)
    head = f"def {name}{_type_parameters(snapshot, function, [*types, result])}"
    listed = ", ".join(f"{parameters[symbol]}{_annotation(type)}" for symbol, type in zip(outer, types, strict=True))
    arrow = f" -> {spelled}" if (spelled := annotation_text(result)) else ""
    body = _body(snapshot.text, span, outer, parameters)
    end_of_line = line_end_of(snapshot.text)
    definition = end_of_line.join(("", "", f"{head}({listed}){arrow} {{", f"  {body}", "}"))
    call = f"{name}({', '.join(symbol.name for symbol in outer)})"
    end = definition_span(snapshot, function).end
    return checked(snapshot, [TextEdit(span, call), TextEdit(TextSpan(end, end), definition)])


def _refuse_escaping(snapshot: Snapshot, span: TextSpan) -> None:
    """A graph value that is bound inside may be used behind the expression, where it would be lost."""
    for _, symbol in names_in(snapshot, span):
        if span.start <= symbol.span.start < span.end and any(use.start >= span.end for use in symbol.uses):
            raise RefactoringError(f"{symbol.name} is bound in the expression and used behind it")


def _type_of(snapshot: Snapshot, span: TextSpan) -> Type | None:
    """The type of the expression that fills ``span``, seen from its end: a call ends with its own parenthesis."""
    for offset in (span.end, span.end - 1, span.start):
        expr = snapshot.expr_at(offset)
        if expr is not None and snapshot.span_of(expr) == span:
            return snapshot.type_of(expr)
    return None


def _annotation(type: Type | None) -> str:
    spelled = annotation_text(type)
    return f": {spelled}" if spelled else ""


def _type_parameters(snapshot: Snapshot, function: Symbol, types: Sequence[Type | None]) -> str:
    """The type parameters of the function that the types mention, in the order of its head."""
    mentioned = {name for type in types if type is not None for name in type_parameters_in(type)}
    names = [
        symbol.name
        for symbol in snapshot.symbols
        if symbol.kind is SymbolKind.TYPE_PARAMETER and symbol.container is function and symbol.name in mentioned
    ]
    return f"[{', '.join(names)}]" if names else ""


def _body(text: str, span: TextSpan, outer: dict[Symbol, list[TextSpan]], parameters: dict[Symbol, str]) -> str:
    """The expression with the parameters' names, its later lines indented as if the first were by two."""
    pieces: list[str] = []
    position = span.start
    replaced = sorted((use, parameters[symbol]) for symbol, uses in outer.items() for use in uses)
    for use, name in replaced:
        pieces += (text[position : use.start], name)
        position = use.end
    pieces.append(text[position : span.end])
    return "".join(pieces).replace("\n" + indentation(text, span.start), "\n  ")
