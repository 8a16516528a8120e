"""Put the body of a function in the place of a call of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind, SyntaxNode
from relay_lsp.ir.text.text_span import TextSpan

from .refactoring import Refactoring, RefactoringError, checked
from .syntax import (
    COMPOUND,
    definition_span,
    fresh_graph_number,
    fresh_name,
    indentation,
    is_comment,
    names_in,
    without_outer_space,
)

__all__ = ["offers"]


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Inline the function whose call the cursor is at; at its definition, all of its calls."""
    symbol = snapshot.symbol_at(span.start)
    if symbol is None or symbol.kind is not SymbolKind.FUNCTION:
        return
    token = snapshot.token_at(span.start)
    if token is None:
        return
    if token.span == symbol.span:
        if symbol.uses:
            title = f"Inline {symbol.name} everywhere and remove it"
            yield Refactoring("function.inline", title, "refactor.inline", lambda: _everywhere(snapshot, symbol))
        return
    title = f"Inline this call of {symbol.name}"
    place = token.span
    yield Refactoring(
        "function.inline", title, "refactor.inline", lambda: checked(snapshot, [_call_edit(snapshot, symbol, place)])
    )


def _everywhere(snapshot: Snapshot, symbol: Symbol) -> Sequence[TextEdit]:
    uses = [use for use in symbol.uses if use != symbol.span]
    edits = [_call_edit(snapshot, symbol, use) for use in uses]
    spans = sorted(edit.span for edit in edits)
    if any(first.end > second.start for first, second in itertools.pairwise(spans)):
        raise RefactoringError(f"a call of {symbol.name} stands inside another; inline the inner one first")
    text = snapshot.text
    extent = definition_span(snapshot, symbol)
    start, end = extent.start, extent.end
    while end < len(text) and text[end] in " \t\r\n":
        end += 1
    if end == len(text):
        while start > 0 and text[start - 1] in " \t\r\n":
            start -= 1
        return checked(snapshot, [*edits, TextEdit(TextSpan(start, extent.end), "")])
    return checked(snapshot, [*edits, TextEdit(TextSpan(start, end), "")])


def _call_edit(snapshot: Snapshot, symbol: Symbol, use: TextSpan) -> TextEdit:
    call = _call_of(snapshot, use)
    arguments = _arguments(snapshot, call, use)
    body = _body_span(snapshot, symbol)
    parameters = _parameters(snapshot, symbol)
    if symbol.full_span.contains(use.start):
        raise RefactoringError(f"{symbol.name} calls itself")
    if len(parameters) != len(arguments):
        raise RefactoringError(f"{symbol.name} takes {len(parameters)} arguments, and the call has {len(arguments)}")
    return TextEdit(call.span, _inlined(snapshot, use, body, dict(zip(parameters, arguments, strict=True))))


def _call_of(snapshot: Snapshot, use: TextSpan) -> SyntaxNode:
    for node in snapshot.node_at(use.start):
        called = snapshot.text[use.end : node.span.end].lstrip().startswith("(")
        if node.kind == "call" and node.span.start == use.start and called:
            return _innermost_call(snapshot, node, use)
    raise RefactoringError("the function is used here, but not called")


def _innermost_call(snapshot: Snapshot, call: SyntaxNode, use: TextSpan) -> SyntaxNode:
    """Of ``@f(a)(b)`` the call of ``@f`` itself."""
    inner = [n for n in snapshot.node_at(use.start) if n.kind == "call" and n.span.start == use.start]
    return min(inner, key=lambda node: node.span.end, default=call)


def _arguments(snapshot: Snapshot, call: SyntaxNode, use: TextSpan) -> list[TextSpan]:
    """The arguments of a call, by its commas."""
    tokens = [token for token in snapshot.tokens(use.end, call.span.end) if not is_comment(token)]
    arguments: list[TextSpan] = []
    depth, start = 0, -1
    for token in tokens:
        if token.text in ("(", "[", "{"):
            depth += 1
            if depth == 1:
                start = token.span.end
                continue
        elif token.text in (")", "]", "}"):
            depth -= 1
        if (depth == 1 and token.text == ",") or depth == 0:
            argument = without_outer_space(snapshot.text, TextSpan(start, token.span.start))
            if argument.start < argument.end:
                arguments.append(argument)
            start = token.span.end
        if depth == 0:
            break
    return arguments


def _parameters(snapshot: Snapshot, function: Symbol) -> list[Symbol]:
    """The parameters in the function's own head."""
    body = _body_span(snapshot, function)
    return [
        symbol
        for symbol in snapshot.symbols
        if symbol.kind is SymbolKind.PARAMETER and symbol.container is function and symbol.span.end <= body.start
    ]


def _body_span(snapshot: Snapshot, function: Symbol) -> TextSpan:
    """What stands between the braces of a function.

    Raises:
        RefactoringError: it is broken, or says more than its body: attributes, or types that its callers choose.
    """
    depth = 0
    opened = -1
    end = definition_span(snapshot, function).end
    for token in snapshot.tokens(function.span.end, end):
        if token.text == "{" and not depth:
            opened = token.span.end
            break
        depth += token.text in ("(", "[")
        depth -= token.text in (")", "]")
        if token.text == "=":
            raise RefactoringError(f"{function.name} has attributes, which would be lost")
    if opened < 0 or not snapshot.text.endswith("}", opened, end):
        raise RefactoringError(f"the definition of {function.name} is broken")
    for symbol in snapshot.symbols:
        is_own = symbol.kind is SymbolKind.TYPE_PARAMETER and symbol.container is function
        if is_own and any(use.start >= opened for use in symbol.uses):
            raise RefactoringError(f"the body of {function.name} mentions its type parameter {symbol.name}")
    return without_outer_space(snapshot.text, TextSpan(opened, end - 1))


def _inlined(snapshot: Snapshot, use: TextSpan, body: TextSpan, arguments: dict[Symbol, TextSpan]) -> str:
    """The body with arguments for parameters. Its graph values get numbers, and its names, that the caller lacks."""
    caller = snapshot.function_around(use.start)
    if caller is None:
        raise RefactoringError("the call stands outside any function")
    text = snapshot.text
    number = fresh_graph_number(snapshot, caller)
    taken = {symbol.name for symbol in snapshot.symbols if symbol.container is caller}
    new_names: dict[Symbol, str] = {}
    heads: list[str] = []
    occurrences: dict[Symbol, int] = {}
    names = list(names_in(snapshot, body))
    for _, symbol in names:
        occurrences[symbol] = occurrences.get(symbol, 0) + 1
    for parameter, argument in arguments.items():
        spelled = text[argument.start : argument.end]
        if _is_name(spelled):
            new_names[parameter] = spelled
        elif occurrences.get(parameter, 0) == 1:
            new_names[parameter] = f"({spelled})" if _is_compound(snapshot, argument) else spelled
        else:  # used several times it is computed once; not used at all, it is still there
            new_names[parameter] = f"%{number}"
            heads.append(f"%{number} = {spelled};")
            number += 1
    for token, symbol in names:
        if symbol in new_names or token.span != symbol.span:
            continue
        if symbol.kind is SymbolKind.GRAPH:
            new_names[symbol] = f"%{number}"
            number += 1
        else:
            new_names[symbol] = fresh_name(symbol.name, taken)
            taken.add(new_names[symbol])
    pieces: list[str] = []
    position = body.start
    for token, symbol in names:
        pieces += (text[position : token.span.start], new_names.get(symbol, token.text))
        position = token.span.end
    pieces.append(text[position : body.end])
    indent = indentation(text, use.start)
    result = "".join(pieces).replace("\n" + indentation(text, body.start), "\n" + indent)
    if not heads and (_is_name(result) or (_is_one_call(snapshot, body) and "\n" not in result)):
        return result
    return f"({' '.join([*heads, result])})"


def _is_name(text: str) -> bool:
    return text.startswith(("%", "@")) and text[1:].replace("_", "").replace(".", "").isalnum()


def _is_compound(snapshot: Snapshot, span: TextSpan) -> bool:
    """Whether an expression may be torn apart by what stands around it."""
    kinds = {node.kind for node in snapshot.node_at(span.start) if node.span == span}
    return bool(kinds & (COMPOUND - {"call", "tuple", "parenthesis", "projection"}))


def _is_one_call(snapshot: Snapshot, span: TextSpan) -> bool:
    return any(node.kind in ("call", "tuple") and node.span == span for node in snapshot.node_at(span.start))
