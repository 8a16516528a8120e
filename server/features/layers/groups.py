"""The values of a part of a text by what they have in common: layer, pass, operator, compiler, dtype."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import FuncType, TensorType, Type

from ..provenance.history import ValueEvent
from .layer_index import LayerIndex

__all__ = ["GROUPINGS", "StatementValue", "group_values", "statement_values", "value_type"]

GROUPINGS = ("layer", "pass", "operator", "compiler", "dtype")

_OFFLOADED = re.compile(r'\b(?:Compiler|Composite)\s*=\s*"(?P<name>[^"]*)"')
_OWN = "tvm"
"""The compiler of what is not offloaded."""


class StatementValue(NamedTuple):
    """The value of a statement that stands on its own, without a block of others. ``compiler`` is what its function is
    for, empty for TVM itself."""

    span: TextSpan
    tokens: Sequence[Token]
    compiler: str
    binder: Token | None = None
    """The name that the statement binds."""


def statement_values(snapshot: Snapshot, span: TextSpan) -> Iterator[StatementValue]:
    """The values of the statements in a range, in order, those in blocks among them."""
    start = snapshot.statement_span(span.start).start
    compilers = [_compiler_around(snapshot, start)]
    unit: list[Token] = []
    for token in snapshot.written_tokens(start, span.end):
        if token.text not in _ENDS:
            unit.append(token)
            continue
        if token.text == "{":
            offloaded = _OFFLOADED.search(snapshot.lines.part(unit[0].span.start, token.span.start)) if unit else None
            compilers.append(offloaded["name"] if offloaded else compilers[-1])
        else:
            value = _value(unit)
            if value:
                span_of_value = TextSpan(value[0].span.start, value[-1].span.end)
                binder = next((each for each in unit[:2] if each.text.startswith("%")), None)
                yield StatementValue(span_of_value, value, compilers[-1], binder if value is not unit else None)
            if token.text == "}" and len(compilers) > 1:
                compilers.pop()
        unit = []


_ENDS = frozenset("{};")
_NO_VALUES = frozenset(("def", "type", "extern", "free_var", "else", "=>"))


def _value(unit: Sequence[Token]) -> Sequence[Token]:
    """The tokens of the value in those of a statement; none where it is no value."""
    if not unit or unit[0].text in _NO_VALUES or unit[0].role is TokenRole.DIRECTIVE:
        return ()
    if unit[0].text == "let" or (unit[0].text.startswith("%") and len(unit) > 1 and unit[1].text in ("=", ":")):
        equals = next((index for index, token in enumerate(unit) if token.text == "="), len(unit))
        return unit[equals + 1 :]
    return unit


def _compiler_around(snapshot: Snapshot, offset: int) -> str:
    function = snapshot.function_around(offset)
    return "" if function is None else _compiler_of(snapshot, function.full_span)


def _compiler_of(snapshot: Snapshot, function: TextSpan) -> str:
    """The compiler that the head of a function names; the body may be long."""
    looked_at = 1024
    while "{" not in (head := snapshot.lines.part(function.start, min(function.start + looked_at, function.end))):
        if function.start + looked_at >= function.end:
            break
        looked_at *= 4
    offloaded = _OFFLOADED.search(head.partition("{")[0])
    return offloaded["name"] if offloaded else ""


def group_values(
    snapshot: Snapshot,
    spans: Iterable[TextSpan],
    by: str,
    index: LayerIndex,
    last_event: Callable[[TextSpan], ValueEvent | None],
) -> Mapping[str, Sequence[TextSpan]]:
    """The values of which a part stands in some ranges, by what they have in common, one of :data:`GROUPINGS`.

    A value of several layers is of a group of its own. By pass, the last that made it counts; by dtype and operator,
    what has none is called by what it is.
    """
    groups: dict[str, list[TextSpan]] = {}
    for span in spans:
        if by == "layer":
            for value in index.touching(span):
                groups.setdefault(" + ".join(value.layers), []).append(value.span)
            continue
        bound = {symbol.span.start: symbol for symbol in snapshot.symbols_in(span)} if by == "dtype" else {}
        for value in statement_values(snapshot, span):
            groups.setdefault(_name(snapshot, value, by, last_event, bound), []).append(value.span)
    return groups


def _name(
    snapshot: Snapshot,
    value: StatementValue,
    by: str,
    last_event: Callable[[TextSpan], ValueEvent | None],
    bound: Mapping[int, Symbol],
) -> str:
    first = value.tokens[0]
    if by == "pass":
        made = last_event(value.span)
        return "no pass" if made is None else "by hand" if made.by_hand else made.pass_name
    if by == "compiler":
        is_call = len(value.tokens) > 1 and value.tokens[1].text == "("
        return value.compiler or (_called_compiler(snapshot, first) if is_call else "") or _OWN
    if by == "operator":
        if first.role is TokenRole.OP_NAME:
            return first.text
        return "call" if any(token.text == "(" for token in value.tokens[1:2]) else "no operator"
    type = value_type(snapshot, value, bound)
    return str(type.dtype) if isinstance(type, TensorType) else "no tensor"


def _called_compiler(snapshot: Snapshot, callee: Token) -> str:
    """The compiler of the function that a value calls, one of the module or one that a name is bound to."""
    functions: Sequence[Symbol] = ()
    if callee.text.startswith("@"):
        functions = snapshot.functions_named([callee.text])
    elif callee.text.startswith("%") and (bound := snapshot.symbol_at(callee.span.start)) is not None:
        functions = [bound]
    for function in functions:
        compiler = _compiler_of(snapshot, function.full_span)
        if compiler:
            return compiler
    return ""


def value_type(snapshot: Snapshot, value: StatementValue, symbols: Mapping[int, Symbol] | None = None) -> Type | None:
    """The type of the value of a statement, where it is known. ``symbols`` are some definitions by their offsets."""
    bound: Symbol | None = None
    if value.binder is not None:
        start = value.binder.span.start
        bound = (symbols or {}).get(start) or snapshot.symbol_at(start)
    type = bound.type if bound is not None else snapshot.type_at(value.tokens[0].span.start)
    is_call = len(value.tokens) > 1 and value.tokens[1].text == "("
    return type.ret_type if bound is None and is_call and isinstance(type, FuncType) else type
