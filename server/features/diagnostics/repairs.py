"""Fixes that follow from the rest of the text: attributes from the shapes of the arguments, the order of operands,
signs that are missing before names, names that are bound twice.

An attribute or an order is proposed only where the operator's own type relation takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from relay_lsp.ir import ops
from relay_lsp.ir.diagnostics import Diagnostic, Fix, LazyFixes, TextEdit
from relay_lsp.ir.inference.trial import dimensions_of, refusal
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import Op
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot
from relay_lsp.ir.syntax.suggestions import replacement
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import TensorType, Type

from ..call_parts import argument_type, attribute_values
from ..completion.values import next_name

__all__ = ["with_repairs"]

_MOST: Final = 100
"""Of so many findings of a text fixes are worked out; a text with more has one cause above them."""

_MOST_VALUES: Final = 24
"""So many values of an attribute are tried."""

_known: WeakKeyDictionary[Snapshot, dict[tuple[str, TextSpan], Sequence[Fix]]] = WeakKeyDictionary()
"""The fixes that were worked out: editors ask for them whenever the cursor moves."""


def with_repairs(snapshot: Snapshot, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """The findings, those that the rest of the text tells how to mend with the fixes for it; worked out once a text."""
    known = _known.setdefault(snapshot, {})
    count = 0
    repaired: list[Diagnostic] = []
    for diagnostic in diagnostics:
        repair = _REPAIRS.get(diagnostic.code)
        if repair is not None and diagnostic.span is not None and count < _MOST:
            count += 1
            key = (diagnostic.code, diagnostic.span)
            diagnostic = replace(diagnostic, fixes=LazyFixes(partial(_fixes, snapshot, diagnostic, known, key)))
        repaired.append(diagnostic)
    return repaired


def _fixes(
    snapshot: Snapshot,
    diagnostic: Diagnostic,
    known: dict[tuple[str, TextSpan], Sequence[Fix]],
    key: tuple[str, TextSpan],
) -> Sequence[Fix]:
    """Those that follow from the text; where there are none, those that the finding brought."""
    if key not in known:
        known[key] = tuple(_REPAIRS[diagnostic.code](snapshot, diagnostic)) or tuple(diagnostic.fixes)
    return known[key]


# ---- calls whose types do not fit


def _call_repairs(snapshot: Snapshot, diagnostic: Diagnostic) -> Iterator[Fix]:
    assert diagnostic.span is not None
    call = _call_of(snapshot, diagnostic, diagnostic.span)
    op = ops.find(call.op_name) if call is not None else None
    if call is None or op is None:
        return
    types = [argument_type(snapshot, argument) for argument in call.arguments]
    known = [type for type in types if type is not None]
    if len(known) != len(types) or not types:
        return
    attributes = attribute_values(snapshot, call)
    if len(attributes) != len(call.attributes):
        return
    try:
        failure = refusal(op, known, attributes, IRModule())
    except ValueError:
        return
    if failure is None:
        return
    for name in _spoken_of(op, failure.attribute, diagnostic.message):
        for value in _values(op, name, attributes, known):
            changed = {**attributes, name: value}
            if _is_better(op, known, changed, name):
                yield Fix(f"Write `{name}={value}`", (_attribute_edit(snapshot, call, name, str(value)),))
    for first, second in combinations(range(len(known)), 2):
        order = list(range(len(known)))
        order[first], order[second] = second, first
        if _is_taken(op, [known[index] for index in order], attributes):
            spans = call.arguments[first], call.arguments[second]
            words = [snapshot.lines.part(span.start, span.end) for span in spans]
            edits = (TextEdit(spans[0], words[1]), TextEdit(spans[1], words[0]))
            yield Fix(f"Swap {words[0]} and {words[1]}", edits)


def _missing_attribute(snapshot: Snapshot, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The value of the one attribute that a call lacks, where the shapes of its arguments tell it."""
    assert diagnostic.span is not None
    opened = snapshot.lines.part(diagnostic.span.end, diagnostic.span.end + 40).find("(")
    call = snapshot.call_at(diagnostic.span.end + opened + 1)
    op = ops.find(call.op_name) if call is not None else None
    if call is None or op is None or op.attrs_type is None or not call.arguments:
        return
    fields = op.attrs_type.fields().values()
    missing = [field.name for field in fields if field.required and field.name not in call.attributes]
    types = [argument_type(snapshot, argument) for argument in call.arguments]
    known = [type for type in types if type is not None]
    if len(missing) != 1 or len(known) != len(types):
        return
    name, attributes = missing[0], attribute_values(snapshot, call)
    values = _values(op, name, attributes, known)
    fitting = [value for value in values if _is_taken(op, known, {**attributes, name: value})]
    if len(fitting) == 1:
        yield Fix(f"Add `{name}={fitting[0]}`", (_attribute_edit(snapshot, call, name, str(fitting[0])),))


def _call_of(snapshot: Snapshot, diagnostic: Diagnostic, span: TextSpan) -> CallSite | None:
    """The call that a finding is about: the one that it stands in, or whose name it stands at."""
    name = diagnostic.message.partition(":")[0]
    opened = snapshot.lines.part(span.end, span.end + 40).find("(")
    for offset in (span.start, span.end + opened + 1):
        call = snapshot.call_at(offset)
        if call is not None and call.op_name == name:
            return call
    return None


def _spoken_of(op: Op, attribute: str | None, message: str) -> Sequence[str]:
    """The attributes that a refusal is about: the one that it names as at fault, or those that its words name."""
    fields = list(op.attrs_type.fields()) if op.attrs_type is not None else []
    if attribute is not None:
        return [attribute] if attribute in fields else []  # a user's relation may name any
    words = set(re.findall(r"\w+", message.partition(":")[2]))
    return [name for name in fields if name in words]


def _values(op: Op, name: str, attributes: Mapping[str, object], types: Sequence[Type]) -> Iterator[object]:
    """What an attribute could be: an axis of the first argument, a dimension, neighbouring dimensions for a list."""
    assert op.attrs_type is not None
    field = op.attrs_type.fields().get(name)
    if field is None:
        return
    given = attributes.get(name, None if field.required else field.default)
    tried: list[object] = []
    shapes = [[dim for dim in type.shape if isinstance(dim, int)] for type in types if isinstance(type, TensorType)]
    is_axis = name in ("axis", "axes")
    axes = list(range(len(shapes[0]))) if shapes else []
    if isinstance(given, (list, tuple)):
        length = len(given)  # pyright: ignore[reportUnknownArgumentType]
        if is_axis:
            tried += [[axis] for axis in axes] if length == 1 else []
        else:
            for shape in reversed(shapes):
                tried += [shape[start : start + length] for start in range(len(shape) - length, -1, -1)]
    else:
        tried += axes if is_axis else dimensions_of(types)
    for number, value in enumerate(tried):
        if number == _MOST_VALUES:
            return
        if value != given and value not in tried[:number]:
            yield value


def _is_taken(op: Op, types: Sequence[Type], attributes: Mapping[str, object]) -> bool:
    try:
        return refusal(op, types, attributes, IRModule()) is None
    except ValueError:
        return False


def _is_better(op: Op, types: Sequence[Type], attributes: Mapping[str, object], changed: str) -> bool:
    """Whether the operator takes the call with the attribute that was changed, or finds fault with another one."""
    try:
        failure = refusal(op, types, attributes, IRModule())
    except ValueError:
        return False
    return failure is None or failure.attribute not in (None, changed)


def _attribute_edit(snapshot: Snapshot, call: CallSite, name: str, text: str) -> TextEdit:
    """Write an attribute's value, in the place of the one that is given or behind what the call has."""
    written = call.attributes.get(name)
    if written is not None:
        old = snapshot.lines.part(written.start, written.end)
        return TextEdit(TextSpan(written.start + len(old.partition("=")[0]) + 1, written.end), text)
    end = max(span.end for span in (*call.arguments, *call.attributes.values()))
    return TextEdit(TextSpan(end, end), f", {name}={text}")


# ---- names


def _missing_sign(snapshot: Snapshot, diagnostic: Diagnostic) -> Iterator[Fix]:
    """``%`` before the name of a value, ``@`` before that of a function that is called."""
    assert diagnostic.span is not None
    span = diagnostic.span
    name = snapshot.lines.part(span.start, span.end).lstrip("%@")
    is_called = snapshot.lines.part(span.end, span.end + 40).lstrip().startswith("(")
    if is_called and snapshot.functions_named([f"@{name}"]):
        yield replacement(span, f"@{name}")
    if not is_called and snapshot.visible_value(f"%{name}", span.start) is not None:
        yield replacement(span, f"%{name}")


def _rebound(snapshot: Snapshot, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Another name for this value, also below it, or for this value alone."""
    assert diagnostic.span is not None
    span = diagnostic.span
    name = next_name(snapshot, span.start)
    symbol = snapshot.symbol_at(span.start)
    function = snapshot.function_around(span.start)
    if name is None or symbol is None or function is None:
        return
    own = TextEdit(span, name)
    end, last = snapshot.statement_span(span.start).end, function.full_span.end
    starts = [start for start, _ in snapshot.tokens_written(symbol.name) if end <= start < last]
    below = [TextSpan(start, start + len(symbol.name)) for start in starts]
    if below:
        yield Fix(f"Rename this value to {name}, and all below", (own, *(TextEdit(each, name) for each in below)))
    yield Fix(f"Rename this value to {name}", (own,))


_REPAIRS: Final = {
    "type-mismatch": _call_repairs,
    "missing-attribute": _missing_attribute,
    "undefined-operator": _missing_sign,
    "graph-variable-rebound": _rebound,
}
