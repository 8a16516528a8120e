"""A trace as lines of JSON, stage by stage: at no time is more than one stage held in writing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import msgspec

from relay_lsp.ir.diagnostics import Place
from relay_lsp.ir.expressions import Call, Constant, Constructor, Expr, Function, GlobalVar, TupleGetItem, Var
from relay_lsp.ir.metadata import write_metadata
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.costs import call_flops
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import AttributeTexts, PrintedText, scalar_text, to_text_with_positions, type_to_text
from relay_lsp.ir.spans import AnySpan, SequentialSpan, Span
from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type
from relay_lsp.ir.visitor import children

from .record import is_rebuilt
from .remarks import Remark, name_of
from .trace_forms import FormWriter
from .trace_records import (
    TRACE_FORMAT,
    TRACE_VERSION,
    ConstantRecord,
    EndRecord,
    FailureRecord,
    FunctionAttributes,
    HeaderRecord,
    NewExpressions,
    PassRecord,
    RemarkRecord,
    SkippedRecord,
    SourceColumns,
    StageRecord,
    TraceRecord,
)
from .trace_step import SkippedPass, TraceStep

__all__ = ["TraceDetails", "TraceFailure", "layer_name", "occurrences", "trace_lines"]

_CONSTANT = "relay.Constant"
_INFER_TYPE = "InferType"
_NOWHERE = TextSpan(-1, -1)
"""The place of an expression that is not written out."""


@dataclass(frozen=True, eq=False)
class TraceFailure:
    """Why a pipeline ended early: which pass, what it says, and where in its module that is."""

    name: str
    message: str
    expr: Expr | None = None


@dataclass(frozen=True, eq=False)
class TraceDetails:
    """What is written of a trace besides its steps, and how."""

    start: IRModule | None = None
    """The first module, needed where no pass has run."""
    parsed: Parsed | None = None
    """The text that the first module was read from; the first stage keeps it as it is."""
    source: str = ""
    """The name of the file."""
    producer: str = ""
    """The name and version of the program that writes."""
    pipeline: Sequence[str] = ()
    """The passes that were asked for, as the command line writes them."""
    failure: TraceFailure | None = None
    """Why the pipeline ended early."""
    weights: bool = True
    """Whether the data of constant tensors is written."""


def trace_lines(
    steps: Sequence[TraceStep],
    skipped: Sequence[SkippedPass],
    by_name: Mapping[str, str],
    layers: Mapping[Expr, AnySpan],
    details: TraceDetails,
) -> Iterator[str]:
    """The lines of a trace, each with its line end, as :mod:`.trace_records` describes them.

    Args:
        steps: the runs of passes, in order.
        skipped: the passes that did not run.
        by_name: the passes that ran only because they were asked for by name, with the reason.
        layers: the layers that expressions of the first module come from.
        details: what else is written.
    """
    writer = _Writer(layers, details.parsed, details.weights)
    encode = msgspec.json.encode
    records = writer.records(steps, skipped, details.start, details.failure)
    header = HeaderRecord(
        TRACE_FORMAT,
        TRACE_VERSION,
        details.producer,
        details.source,
        list(details.pipeline),
        by_name=dict(by_name),
    )
    yield encode(header).decode() + "\n"
    for record in records:
        yield encode(record).decode() + "\n"


def layer_name(span: Span) -> str:
    """A span as a trace names it: a layer by its name alone, a position in a file with line and column."""
    return span.source_name.name if span.line == 0 and span.column == 0 else str(span)


def occurrences(module: IRModule) -> list[Expr]:
    """The expressions of a module as a reader of its text meets them: children first, functions by name.

    A scalar constant is written at each of its uses, so it comes once for each. ``Op`` and ``Constructor`` are left
    out; names of functions that no expression uses come last.
    """
    names = sorted(module.functions, key=lambda var: var.name_hint)
    roots = [module.functions[var] for var in names]
    order: list[Expr] = []
    seen: set[Expr] = set()
    # Before the parts of an expression lies, behind ``None``, the expression itself.
    stack: list[Expr | None] = [*reversed(roots)]
    while stack:
        expr = stack.pop()
        if expr is None:
            order.append(cast("Expr", stack.pop()))
            continue
        if expr in seen:
            if isinstance(expr, Constant) and expr.data.ndim == 0:
                order.append(expr)
            continue
        seen.add(expr)
        if isinstance(expr, (Op, Constructor)):
            continue
        parts = children(expr)
        if not parts:
            order.append(expr)
            continue
        stack += (expr, None, *parts[::-1])
    order += [var for var in names if var not in seen]
    return order


@dataclass(frozen=True, eq=False)
class _Stage:
    number: int
    shown: int
    """The stage whose text it is written with."""
    kinds: Sequence[type]
    operators: Mapping[str, int]
    """How many calls of each operator there are."""
    text: str | None
    """Its canonical text; none where it is written as its file has it, and was not compared yet."""


@dataclass
class _Strings:
    """Strings with numbers; ``fresh`` are those that have not been written yet."""

    fresh: list[str] = field(default_factory=list[str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._numbers)
            self.fresh.append(text)
        return number

    def take(self) -> list[str]:
        fresh, self.fresh = self.fresh, []
        return fresh


class _Writer:
    def __init__(self, layers: Mapping[Expr, AnySpan], parsed: Parsed | None, weights: bool) -> None:
        self._parsed = parsed
        self._weights = weights
        self._strings = _Strings()
        self._numbers: dict[Expr, int] = {}
        self._layers: dict[Expr, tuple[str, ...]] = {
            expr: tuple(layer_name(part) for part in (span.spans if isinstance(span, SequentialSpan) else (span,)))
            for expr, span in layers.items()
        }
        self._stages: dict[IRModule, _Stage] = {}
        self._types: dict[Type, int] = {}
        self._attribute_texts = AttributeTexts()
        self._forms = FormWriter(self._attribute_texts)
        self._flops_of_calls: dict[tuple[object, ...], int] = {}
        """The operations of calls, by operator, attributes (by identity), and the types of what goes in and out."""
        self._layer_lists: dict[tuple[str, ...], int] = {}

    def records(
        self,
        steps: Sequence[TraceStep],
        skipped: Sequence[SkippedPass],
        start: IRModule | None,
        failure: TraceFailure | None,
    ) -> Iterator[TraceRecord]:
        waiting = list(reversed(skipped))
        if start is not None:
            yield from self._stage(start, None)
        for number, step in enumerate(steps):
            while waiting and waiting[-1].before_step <= number:
                yield _skipped(waiting.pop())
            yield from self._stage(step.before, None)
            self._carry_layers(step)
            yield from self._stage(step.after, step.before)
            yield self._step(number, step)
        while waiting:
            yield _skipped(waiting.pop())
        if failure is not None:
            yield self._failure(failure)
        yield EndRecord(len(self._stages), len(steps))

    def _carry_layers(self, step: TraceStep) -> None:
        """A new expression comes from the layers of its sources; one that others were joined to from theirs as well."""
        layers = self._layers
        if not layers:
            return
        for new, sources in step.sources.items():
            names = dict.fromkeys(name for source in sources for name in layers.get(source, ()))
            if names:
                layers[new] = tuple(names)

    # ---- stages

    def _stage(self, module: IRModule, before: IRModule | None) -> Iterator[TraceRecord]:
        if module in self._stages:
            return
        order = occurrences(module)
        kinds = [type(expr) for expr in order]
        operators = _operators(order)
        number = len(self._stages)
        same_text = -1
        canonical: str | None = None
        text: str | None
        places: Mapping[Expr, TextSpan]
        if self._parsed is not None and module is self._parsed.module:
            text, places = _source_text(self._parsed), _source_places(self._parsed, order)
            table = self._parsed.meta_table
        else:
            printed = self._print(module)
            text, places, table = printed.text, printed.positions, printed.metadata
            canonical = text
            if before is not None and before in self._stages and self._stages[before].kinds == kinds:
                earlier = self._stages[before]
                if earlier.operators == operators and self._text_of(before) == text:
                    text, places, same_text = None, {}, earlier.shown
        shown = number if same_text < 0 else same_text
        self._stages[module] = _Stage(number, shown, kinds, operators, canonical)
        numbers = self._numbers
        constants = [each for each in table.get(_CONSTANT, ()) if isinstance(each, Constant)]
        others = {key: objects for key, objects in table.items() if key != _CONSTANT}
        # Behind the expressions of the module come constants of its metadata that no expression uses.
        fresh = list(dict.fromkeys(expr for expr in (*order, *constants) if expr not in numbers))
        new = self._describe(fresh, has_forms=number > 0 and not module.type_definitions and not others)
        spans = [places.get(expr, _NOWHERE) for expr in order] if same_text < 0 else []
        yield StageRecord(
            number,
            self._strings.take(),
            text,
            new,
            [numbers[expr] for expr in order],
            [start for start, _ in spans],
            [end - start for start, end in spans],
            dict(sorted(operators.items())),
            same_text,
            [numbers[each] for each in constants],
            write_metadata(others, show_spans=False) if others else "",
            [
                FunctionAttributes(numbers[expr], {name: _attribute(value) for name, value in expr.attrs.items()})
                for expr in fresh
                if isinstance(expr, Function) and expr.attrs
            ],
            [(numbers[var], numbers[function]) for var, function in module.functions.items()],
        )
        for constant in fresh:
            if isinstance(constant, Constant) and scalar_text(constant) is None:
                data = write_metadata({_CONSTANT: [constant]}, show_spans=False) if self._weights else None
                yield ConstantRecord(numbers[constant], str(constant.dtype), list(constant.data.shape), data)

    def _print(self, module: IRModule) -> PrintedText:
        return to_text_with_positions(
            module,
            show_types=False,
            show_spans=False,
            with_metadata_section=False,
            attribute_texts=self._attribute_texts,
        )

    def _text_of(self, module: IRModule) -> str:
        """The canonical text of the module of a stage, printed once."""
        stage = self._stages[module]
        text = stage.text
        if text is None:
            text = self._print(module).text
            self._stages[module] = replace(stage, text=text)
        return text

    def _reads_otherwise(self, before: IRModule, after: IRModule) -> bool:
        """Whether the texts of two stages differ: they do where other operators are called."""
        if before is after:
            return False
        return self._stages[before].operators != self._stages[after].operators or (
            self._text_of(before) != self._text_of(after)
        )

    def _describe(self, fresh: Sequence[Expr], has_forms: bool) -> NewExpressions:
        first = len(self._numbers)
        self._numbers.update((expr, first + index) for index, expr in enumerate(fresh))
        string = self._strings.number
        forms = self._forms.forms(fresh) if has_forms else None
        return NewExpressions(
            first,
            [string(kind.__name__) for kind in map(type, fresh)],
            [string(_label(expr)) for expr in fresh],
            [self._type(expr.checked_type) for expr in fresh],
            [self._layers_of(expr) for expr in fresh] if self._layers else [-1] * len(fresh),
            [self._operands(expr) for expr in fresh],
            [self._flops(expr) for expr in fresh],
            None if forms is None else list(map(string, forms)),
        )

    def _flops(self, expr: Expr) -> int:
        if not isinstance(expr, Call) or not isinstance(expr.op, Op):
            return 0
        key = (expr.op, id(expr.attrs), expr.checked_type, *[argument.checked_type for argument in expr.args])
        flops = self._flops_of_calls.get(key)
        if flops is None:
            counted = call_flops(expr)
            flops = self._flops_of_calls[key] = -1 if counted is None else counted
        return flops

    def _operands(self, expr: Expr) -> int | list[int]:
        numbers = self._numbers
        operands = [numbers.get(part, -1) for part in children(expr)]
        return operands[0] if len(operands) == 1 else operands

    def _type(self, type: Type | None) -> int:
        if type is None:
            return -1
        number = self._types.get(type)
        if number is None:
            number = self._types[type] = self._strings.number(type_to_text(type))
        return number

    def _layers_of(self, expr: Expr) -> int:
        names = self._layers.get(expr)
        if names is None:
            return -1
        number = self._layer_lists.get(names)
        if number is None:
            number = self._layer_lists[names] = self._strings.number(json.dumps(names, ensure_ascii=False))
        return number

    # ---- steps

    def _step(self, number: int, step: TraceStep) -> PassRecord:
        before, after = self._stages[step.before], self._stages[step.after]
        known = self._numbers
        made = {new: sources for new, sources in step.sources.items() if new in known}
        return PassRecord(
            number,
            step.name,
            {name: str(value) for name, value in step.options.items()},
            list(step.path),
            step.is_requirement,
            step.info.opt_level,
            list(step.info.required),
            step.seconds,
            before.number,
            after.number,
            self._reads_otherwise(step.before, step.after) and not (step.is_requirement and step.name == _INFER_TYPE),
            self._columns(made),
            self._columns(step.joined),
            [known[new] for new, sources in made.items() if is_rebuilt(new, sources)],
            sorted(known[expr] for expr in step.removed if expr in known),
            [known[expr] for expr in step.unexplained if expr in known],
            [self._remark(remark) for remark in step.remarks if remark.expr in known],
        )

    def _remark(self, remark: Remark) -> RemarkRecord:
        words = remark.template.split("{}")
        message, others = words[0], list[int]()
        for other, following in zip(remark.others, words[1:], strict=True):
            number = self._numbers.get(other)
            message += (name_of(other) if number is None else "{}") + following
            others += [] if number is None else [number]
        return RemarkRecord(remark.kind, remark.rule, self._numbers[remark.expr], message, others)

    def _columns(self, sources: Mapping[Expr, Sequence[Expr]]) -> SourceColumns:
        known = self._numbers
        columns: list[int | list[int]] = []
        for old in sources.values():
            numbers = [known[expr] for expr in old if expr in known]
            columns.append(numbers[0] if len(numbers) == 1 else numbers)
        return SourceColumns([known[expr] for expr in sources], columns)

    def _failure(self, failure: TraceFailure) -> FailureRecord:
        if not self._stages:
            return FailureRecord(failure.name, failure.message)
        module, stage = next(reversed(self._stages.items()))
        place: TextSpan | None = None
        if failure.expr is not None and failure.expr in set(occurrences(module)):
            if self._parsed is not None and module is self._parsed.module:
                place = self._parsed.locate(Place(failure.expr))
            elif stage.shown == stage.number:
                printed = to_text_with_positions(module, show_types=False, show_spans=False)
                place = printed.positions.get(failure.expr)
        if place is None:
            return FailureRecord(failure.name, failure.message, stage.number)
        return FailureRecord(failure.name, failure.message, stage.number, place.start, place.end - place.start)


def _skipped(item: SkippedPass) -> SkippedRecord:
    return SkippedRecord(item.info.name, list(item.path), item.before_step, item.info.opt_level, item.reason)


def _source_text(parsed: Parsed) -> str:
    reading = parsed.reading
    base = next((unit.base for unit in reading.units if unit.segment.role is Role.METADATA), None)
    return reading.text if base is None else reading.text[:base]


def _source_places(parsed: Parsed, order: Iterable[Expr]) -> Mapping[Expr, TextSpan]:
    located = ((expr, parsed.locate(Place(expr))) for expr in dict.fromkeys(order))
    return {expr: span for expr, span in located if span is not None}


def _operators(order: Iterable[Expr]) -> Counter[str]:
    return Counter(expr.op.name for expr in order if isinstance(expr, Call) and isinstance(expr.op, Op))


def _label(expr: Expr) -> str:
    if isinstance(expr, Call):
        return _callee(expr.op)
    if isinstance(expr, Var):
        return f"%{expr.name_hint}"
    if isinstance(expr, GlobalVar):
        return f"@{expr.name_hint}"
    if isinstance(expr, Constant):
        return scalar_text(expr) or ""
    return f".{expr.index}" if isinstance(expr, TupleGetItem) else ""


def _callee(op: Expr) -> str:
    if isinstance(op, Op):
        return op.name
    if isinstance(op, Constructor):
        return op.name_hint
    return _label(op) if isinstance(op, (Var, GlobalVar)) else "fn" if isinstance(op, Function) else ""


def _attribute(value: object) -> str:
    return value if isinstance(value, str) else str(value)
