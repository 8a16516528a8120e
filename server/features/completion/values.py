"""The values that can be used at the cursor, those that fit the argument first, and the next free name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from relay_lsp.ir import ops
from relay_lsp.ir.inference.trial import Fit, trial
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import OpPattern
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import FuncType, TupleType, Type

from ..call_parts import attribute_values, name_type
from ..documentation.type_words import short_type_words
from ..matching import has_in_order, in_order
from .items import Completion, CompletionKind
from .statement import StatementPlace

__all__ = ["field_completions", "next_name", "value_completions_at"]

_MOST_BOUND: Final = 120
_MOST_PARAMETERS: Final = 100
"""So many of the values that have the letters are examined for how well they fit, the nearest of them: some more than
are offered, so that it is known that there are more."""

_MOST_TYPES: Final = 24
"""So many different types are tried for one argument; of the others it is not known whether they fit."""

_INFIX: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}

_SAME, _FITS, _UNKNOWN, _REFUSED = range(4)


def value_completions_at(snapshot: Snapshot, place: StatementPlace, span: TextSpan, word: str) -> Iterator[Completion]:
    """The values in scope: those that fit where they are wanted first, of these the nearest.

    Behind the first argument of a call stand weights: there, parameters that nothing uses yet come before what is near,
    and names that say which argument they are for (``%conv0_weight``) before others.
    """
    wanted = in_order(word) if word.strip("%") else None
    names = snapshot.function_names_at(span.start)
    values: dict[str, Type | None] = {}
    for name, type in islice(snapshot.typed_values_at(place.scope, wanted), _MOST_BOUND):
        values[name] = type
    parameters: Mapping[str, Type] = names.parameters if names is not None else {}
    further = (name for name in parameters if name not in values and (wanted is None or wanted.match(name)))
    values.update((name, parameters[name]) for name in islice(further, _MOST_PARAMETERS))
    unused = names.unused if names is not None else ()
    fit = _fit(snapshot, place, span)
    call = snapshot.call_at(span.start)
    is_further = fit is not None and call is not None and call.argument_index > 0
    is_meant = _is_meant(call) if is_further and call is not None else None
    ranked: list[list[str]] = [[] for _ in range(4 * (_REFUSED + 1))]
    for name, type in values.items():
        if name not in place.defining and has_in_order(name, word):
            is_used = not is_further or name not in unused or name not in parameters
            is_other = is_meant is not None and not is_meant(name)
            ranked[4 * (fit(type) if fit is not None else _FITS) + 2 * is_used + is_other].append(name)
    for group in ranked:
        for name in group:
            yield Completion(name, CompletionKind.VALUE, span, short_type_words(values[name]))


def field_completions(snapshot: Snapshot, place: StatementPlace, name: str, span: TextSpan) -> Iterator[Completion]:
    """The fields of the tuple that a name is bound to, by number."""
    _, type = snapshot.visible_value(name, place.scope) or ("", None)
    if isinstance(type, TupleType):
        for number, field in enumerate(type.fields):
            yield Completion(str(number), CompletionKind.VALUE, span, repr(field))


def next_name(snapshot: Snapshot, offset: int) -> str | None:
    """The name for a new graph value: one more than the last number before ``offset``, or the next that is free.

    ``None`` outside of functions, and where the values are bound with ``let``.
    """
    names = snapshot.function_names_at(offset)
    if names is None:
        return None
    last = next((name for name, _ in snapshot.typed_values_at(offset) if name not in names.parameters), None)
    if last is not None and not last[1:].isdecimal():
        return None
    number = int(last[1:]) + 1 if last is not None else 0
    if f"%{number}" not in names.bound:
        return f"%{number}"
    step = 1
    while f"%{number + step}" in names.bound:
        step *= 2
    low, high = number + step // 2, number + step  # the first is bound, the second is free
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if f"%{middle}" in names.bound else (low, middle)
    return f"%{high}"


def _fit(snapshot: Snapshot, place: StatementPlace, span: TextSpan) -> Callable[[Type | None], int] | None:
    """How well a type fits at the cursor: an argument of a call, or the right side of ``+ - * /``."""
    if place.operand is not None and place.operator in _INFIX:
        return _operator_fit(_INFIX[place.operator], [name_type(snapshot, place.operand)], 1, {})
    call = snapshot.call_at(span.start)
    if call is None or call.attribute is not None:
        return None
    if call.op_name.startswith("@"):
        return _function_fit(snapshot, call)
    types = [name_type(snapshot, argument) for argument in call.arguments]
    attributes = attribute_values(snapshot, call)
    return _operator_fit(call.op_name, types, call.argument_index, attributes)


def _operator_fit(
    op_name: str, types: list[Type | None], index: int, attributes: dict[str, object]
) -> Callable[[Type | None], int] | None:
    op = ops.find(op_name)
    if op is None or (not op.variadic and index >= len(op.arguments)):
        return None
    types += [None] * (index + 1 - len(types))
    others = {type for number, type in enumerate(types) if number != index and type is not None}
    known: dict[Type, int] = {}
    module = IRModule()

    def fit(type: Type | None) -> int:
        if type is None:
            return _UNKNOWN
        if type not in known:
            if len(known) >= _MOST_TYPES:
                return _UNKNOWN
            verdict = trial(op, [*types[:index], type, *types[index + 1 :]], attributes, module)
            is_same = op.pattern is OpPattern.BROADCAST and type in others
            known[type] = _REFUSED if verdict == Fit.REFUSED else _SAME if is_same else _FITS
        return known[type]

    return fit


def _is_meant(call: CallSite) -> Callable[[str], object] | None:
    """Whether a name says that it is for the argument at the cursor; ``None`` where the argument has no name."""
    op = ops.find(call.op_name)
    if op is None or call.argument_index >= len(op.arguments):
        return None
    return re.compile(rf"(?<![a-z]){re.escape(op.arguments[call.argument_index].name)}(?![a-z])", re.IGNORECASE).search


def _function_fit(snapshot: Snapshot, call: CallSite) -> Callable[[Type | None], int] | None:
    function = next(iter(snapshot.functions_named([call.op_name])), None)
    type = function.type if function is not None else None
    if not isinstance(type, FuncType) or call.argument_index >= len(type.arg_types):
        return None
    wanted = type.arg_types[call.argument_index]
    return lambda given: _UNKNOWN if given is None else _FITS if given == wanted else _REFUSED
