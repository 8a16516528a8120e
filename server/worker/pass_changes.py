"""What passes made of a text, in its own offsets: new values with what each came from, values that are gone, and how
many calls of each operator there were and are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relay_lsp.ir.text.text_span import TextSpan

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.module import IRModule
    from relay_lsp.passes import Trace, TraceStep

__all__ = [
    "ChangedValue",
    "OperatorCount",
    "PassChanges",
    "Places",
    "RemovedExpression",
    "SpanLayers",
    "SpanOrigins",
    "changed_functions",
    "operator_counts",
    "pass_changes",
    "removed_by_step",
]

SpanOrigins = tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]
"""For ranges of the text after a step (start, end), the ranges of the text before that they came from."""

SpanLayers = tuple[tuple[int, int, tuple[tuple[str, int, int], ...]], ...]
"""For ranges of a text (start, end) the layers that they came from, each as (name, line, column): a place in a source
where the line is not 0."""

Places = Callable[["Expr"], "TextSpan | None"]
"""Where expressions stand in one text."""


@dataclass(frozen=True, slots=True)
class OperatorCount:
    """How many calls of an operator a module has before and after."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value of the new text that a pass made, or with which it joined others."""

    span: TextSpan
    sources: tuple[TextSpan, ...]
    """Where in the old text stand the values that it came from."""
    passes: tuple[str, ...]
    """The passes that had a hand in it, in the order in which they ran."""


@dataclass(frozen=True, slots=True)
class RemovedExpression:
    """A value of the old text from which nothing in the new one came, and the pass that removed it."""

    span: TextSpan
    pass_name: str


@dataclass(frozen=True)
class PassChanges:
    """What passes did to a text. Values are in the order of the text that they stand in."""

    operators: tuple[OperatorCount, ...] = ()
    values: tuple[ChangedValue, ...] = ()
    removed: tuple[RemovedExpression, ...] = ()


def pass_changes(
    before: IRModule, after: IRModule, trace: Trace, old_places: Places, new_places: Places
) -> PassChanges:
    """What the passes of ``trace`` made of the text of ``before``; ``after`` is what of it was put into the text."""
    from relay_lsp.ir.visitor import post_order

    old, new = post_order(*before.functions.values()), post_order(*after.functions.values())
    kept = set(old).difference(*(step.joined for step in trace.steps))
    made = [expr for expr in new if expr not in kept]
    values = sorted(_values(made, trace, old_places, new_places), key=lambda value: value.span)
    removed = sorted(_removed(old, set(new), trace, old_places), key=lambda value: (value.span.start, -value.span.end))
    return PassChanges(tuple(operator_counts(before, after)), tuple(values), tuple(_outermost(removed)))


def changed_functions(before: IRModule, after: IRModule) -> Iterator[str]:
    """The names, without ``@``, of the functions that are not the same in both."""
    from relay_lsp.ir.structural import structural_equal

    old = {var.name_hint: function for var, function in before.functions.items()}
    new = {var.name_hint: function for var, function in after.functions.items()}
    for name in sorted(old.keys() | new.keys()):
        here, there = old.get(name), new.get(name)
        if here is None or there is None or (here is not there and not structural_equal(here, there)):
            yield name


def operator_counts(before: IRModule, after: IRModule) -> Iterator[OperatorCount]:
    """The operators of which there are more or fewer calls after than before, by name."""
    old, new = _counts(before), _counts(after)
    for name in sorted(old.keys() | new.keys()):
        if old[name] != new[name]:
            yield OperatorCount(name, old[name], new[name])


def _counts(module: IRModule) -> Counter[str]:
    from relay_lsp.ir.expressions import Call
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order

    return Counter(
        expr.op.name
        for expr in post_order(*module.functions.values())
        if isinstance(expr, Call) and isinstance(expr.op, Op)
    )


def _values(made: Iterable[Expr], trace: Trace, old_places: Places, new_places: Places) -> Iterator[ChangedValue]:
    from relay_lsp.ir.expressions import Function, GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.passes.provenance import is_rebuilt

    for expr in made:
        span = new_places(expr) if not isinstance(expr, (Op, Var, GlobalVar, Function)) else None
        if span is None:
            continue
        passes = dict.fromkeys(
            event.pass_name
            for event in trace.history(expr)
            if event.kind == "joined" or (event.kind == "made" and not is_rebuilt(event.expr, event.others))
        )
        if passes:
            places = (old_places(origin) for origin in trace.origins(expr))
            sources = sorted({place for place in places if place is not None})
            yield ChangedValue(span, tuple(sources), tuple(passes))


def _removed(old: Iterable[Expr], kept: set[Expr], trace: Trace, old_places: Places) -> Iterator[RemovedExpression]:
    from relay_lsp.ir.expressions import Function, GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op

    for expr in old:
        step = trace.removed_by(expr) if expr not in kept else None
        place = old_places(expr) if step is not None and not isinstance(expr, (Op, Var, GlobalVar, Function)) else None
        if step is not None and place is not None:
            yield RemovedExpression(place, step.name)


def removed_by_step(step: TraceStep, after: IRModule, old_places: Places) -> Iterator[TextSpan]:
    """Where in the text before a step the values stand that it removed; ``after`` is what of it was kept.

    Of values in one another, the outermost; a binding that is gone counts by its value.
    """
    from relay_lsp.ir.expressions import Expr, Function, GlobalVar, Let, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order

    kept = set(post_order(*after.functions.values())) if step.removed else set[Expr]()
    places = (
        old_places(expr)
        for expr in step.removed
        if expr not in kept and not isinstance(expr, (Op, Var, GlobalVar, Function, Let))
    )
    removed = [RemovedExpression(place, step.name) for place in places if place is not None]
    removed.sort(key=lambda value: (value.span.start, -value.span.end))
    yield from (value.span for value in _outermost(removed))


def _outermost(removed: Iterable[RemovedExpression]) -> Iterator[RemovedExpression]:
    """Those that do not lie in another one; the outer come before the inner."""
    end = 0
    for value in removed:
        if value.span.end > end:
            yield value
            end = value.span.end
