"""Lines of JSON back into the steps of a trace.

The first text is parsed, and each text of which the trace does not say what its new expressions are. Expressions are
those of earlier stages wherever the trace says so: they keep their identity through the steps that left them alone, as
in the trace that was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, Var
from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.metadata import MetadataError, read_metadata
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.spans import AnySpan, SequentialSpan, SourceName, Span
from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.parsing import Parsed, parse
from relay_lsp.ir.syntax.reading import Reading
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.type_visitor import substitute
from relay_lsp.ir.types import Type, TypeVar
from relay_lsp.ir.visitor import children, with_children

from ..pass_info import PassInfo
from .remarks import Remark
from .trace_forms import FormReader, UnreadableFormError
from .trace_records import (
    ConstantRecord,
    EndRecord,
    FailureRecord,
    HeaderRecord,
    PassRecord,
    RemarkRecord,
    SkippedRecord,
    SourceColumns,
    StageRecord,
    TraceFormatError,
    TraceRecord,
    read_records,
)
from .trace_step import SkippedPass, TraceStep
from .trace_writing import occurrences

__all__ = ["TraceContents", "TraceFormatError", "is_trace", "read_trace"]

_CONSTANT = "relay.Constant"


@dataclass
class TraceContents:
    """What a written trace holds. ``is_whole``: its last line is there."""

    start: IRModule | None = None
    steps: list[TraceStep] = field(default_factory=list[TraceStep])
    skipped: list[SkippedPass] = field(default_factory=list[SkippedPass])
    layers: dict[Expr, AnySpan] = field(default_factory=dict[Expr, AnySpan])
    by_name: dict[str, str] = field(default_factory=dict[str, str])
    failure: FailureRecord | None = None
    is_whole: bool = False


def read_trace(lines: Iterable[str]) -> TraceContents:
    """Read the lines of a trace; those of one that was cut off give what is there.

    Constants without data (``weights=False``) are zeros. What type inference adds is not written: types and type
    arguments are those that the texts state, and ``infer_types`` gives the rest.

    Raises:
        TraceFormatError: a line is no record, the version is another one, or a text does not fit its expressions.
    """
    reader = _Reader()
    waiting: StageRecord | None = None
    for number, record in read_records(lines):
        try:
            # The constants of a stage come behind it, and its text is read when they are known.
            if waiting is not None and not isinstance(record, ConstantRecord):
                reader.read_stage(waiting)
                waiting = None
            if isinstance(record, StageRecord):
                reader.announce(record)
                waiting = record
            else:
                reader.read(record)
        except (MetadataError, IndexError, KeyError, TypeError) as error:
            raise TraceFormatError(f"line {number}: {_reason(error)}") from error
        except TraceFormatError as error:
            raise TraceFormatError(f"line {number}: {error}") from error
    if waiting is not None:
        reader.read_stage(waiting)
    return reader.contents


def _reason(error: Exception) -> str:
    if isinstance(error, (IndexError, KeyError)):
        return f"it speaks of a number that nothing above has ({error})"
    return str(error)


def is_trace(text: str) -> bool:
    """Whether a text is a trace, by its first line; which version it is of may be another."""
    return re.match(r'\s*\{"record":\s*"trace"', text) is not None


class _Reader:
    def __init__(self) -> None:
        self.contents = TraceContents()
        self._strings: list[str] = []
        self._exprs: dict[int, Expr] = {}
        self._kinds: dict[int, str] = {}
        self._stages: list[IRModule] = []
        self._members: list[frozenset[Expr]] = []
        """The expressions of each stage."""
        self._texts: list[str] = []
        self._layers: dict[int, int] = {}
        self._labels: dict[int, str] = {}
        self._types: tuple[str, IRModule] | None = None
        self._last_read: tuple[str, Sequence[Expr], IRModule, Sequence[Expr]] | None = None
        """The last text that was read, the constants that it names by number, its module and its expressions."""
        self._type_params: dict[str, TypeVar] = {}
        self._type_vars: dict[TypeVar, Type] = {}
        self._forms = FormReader()

    def announce(self, stage: StageRecord) -> None:
        """Take the strings and the descriptions of a stage."""
        self._strings += stage.strings
        new = stage.new
        columns = zip(new.kind, new.label, new.layers, strict=True)
        for index, (kind, label, layers) in enumerate(columns, new.first):
            self._kinds[index] = self._strings[kind]
            self._labels[index] = self._strings[label]
            if layers >= 0 and not self._stages:
                self._layers[index] = layers

    def read(self, record: TraceRecord) -> None:
        """Take a record that is no stage."""
        contents = self.contents
        if isinstance(record, HeaderRecord):
            contents.by_name = dict(record.by_name)
        elif isinstance(record, ConstantRecord):
            self._exprs[record.expression] = _constant(record)
        elif isinstance(record, PassRecord):
            contents.steps.append(self._step(record))
        elif isinstance(record, SkippedRecord):
            info = PassInfo(record.opt_level, record.name)
            contents.skipped.append(SkippedPass(info, tuple(record.pipeline), record.before_step, record.reason))
        elif isinstance(record, FailureRecord):
            contents.failure = record
        elif isinstance(record, EndRecord):
            contents.is_whole = True

    def read_stage(self, record: StageRecord) -> None:
        """Parse the text of a stage, with known expressions in their places."""
        text = record.text if record.text is not None else self._texts[record.same_text]
        self._texts.append(text)
        if record.new.forms is not None and self._stages:
            # What is missing or makes no expression is looked for in the text, which says what is wrong.
            with suppress(UnreadableFormError, KeyError, IndexError, ValueError):
                self._build_stage(record, record.new.forms)
                return
        metadata: dict[str, Sequence[object]] = {**read_metadata(record.metadata)} if record.metadata else {}
        if record.constants:
            metadata[_CONSTANT] = [self._exprs[number] for number in record.constants]
        read, order = self._read_text(record, text, metadata)
        if len(order) != len(record.order):
            raise TraceFormatError(
                f"stage {record.stage} lists {len(record.order)} expressions, and its text has {len(order)}"
            )
        self._unify_type_vars(order)
        replaced: dict[Expr, Expr] = {}
        for expr, number in zip(order, record.order, strict=True):
            if type(expr).__name__ != self._kinds.get(number):
                raise TraceFormatError(
                    f"expression {number} of stage {record.stage} is a {type(expr).__name__} in its text"
                )
            known = self._exprs.get(number)
            if known is None:
                known = self._exprs[number] = self._rebuild(expr, self._labels[number], replaced)
            replaced[expr] = known
        functions: dict[GlobalVar, Function] = {}
        for var, function in read.functions.items():
            new_var, new = replaced[var], replaced[function]
            if isinstance(new_var, GlobalVar) and isinstance(new, Function):
                functions[new_var] = new
        module = read.with_functions(functions)
        self._stages.append(module)
        self._members.append(frozenset(replaced.values()))
        if self.contents.start is None:
            self.contents.start = module
            for number, layers in self._layers.items():
                span = SequentialSpan.of(Span(SourceName(name)) for name in json.loads(self._strings[layers]))
                if span is not None:
                    self.contents.layers[self._exprs[number]] = span

    def _build_stage(self, record: StageRecord, forms: Sequence[int]) -> None:
        """The module of a stage out of what its new expressions are, and of their operands."""
        new, exprs = record.new, dict[int, Expr]()
        if new.operands is None or not record.definitions:
            raise UnreadableFormError("operands or definitions are missing")
        for number, (form, operands) in enumerate(zip(forms, new.operands, strict=True), new.first):
            if number not in self._exprs:
                numbers = [operands] if isinstance(operands, int) else operands
                parts = [None if each < 0 else exprs[each] if each in exprs else self._exprs[each] for each in numbers]
                kind, label = self._kinds[number], self._labels[number]
                exprs[number] = self._forms.expression(kind, label, self._strings[form], parts)
        known = self._exprs | exprs
        functions: dict[GlobalVar, Function] = {}
        for var_number, function_number in record.definitions:
            var, function = known[var_number], known[function_number]
            if not isinstance(var, GlobalVar) or not isinstance(function, Function):
                raise UnreadableFormError(
                    f"expression {function_number} is no function, or {var_number} no name of one"
                )
            functions[var] = function
        members = frozenset(known[number] for number in record.order)
        self._exprs.update(exprs)
        self._stages.append(IRModule(functions))
        self._members.append(members)

    def _read_text(
        self, record: StageRecord, text: str, metadata: Mapping[str, Sequence[object]]
    ) -> tuple[IRModule, Sequence[Expr]]:
        """The module of a stage's text and its expressions; that of a text which was read just before is the same."""
        constants = [self._exprs[number] for number in record.constants]
        if record.text is None and self._last_read is not None:
            last_text, last_constants, module, order = self._last_read
            if last_text is text and last_constants == constants and not record.metadata:
                return module, order
        parsed = self._parse(text, f"stage-{record.stage}", metadata)
        faults = [each for each in parsed.diagnostics if each.severity is Severity.ERROR]
        if faults:
            raise TraceFormatError(f"the text of stage {record.stage} has an error: {faults[0].message}")
        order = occurrences(parsed.module)
        self._last_read = (text, constants, parsed.module, order)
        return parsed.module, order

    def _parse(self, text: str, name: str, metadata: Mapping[str, Sequence[object]]) -> Parsed:
        """Read a text. Its data types are the same objects as those of the first text that declares them so."""
        segments = split(text)
        types = "".join("".join(segment.pieces) for segment in segments if segment.role is Role.TYPE)
        if types and self._types is not None and types == self._types[0]:
            pieces = [("".join(segment.pieces), segment.role) for segment in segments]
            blank = "".join(" " * len(piece) if role is Role.TYPE else piece for piece, role in pieces)
            return parse(blank, name, module=self._types[1], metadata=metadata)
        # The first text may say in comments where its values come from; of others, no span is of use.
        reading = Reading(text, name, segments, metadata=metadata, with_spans=not self._stages)
        parsed = Parsed(reading.module, tuple(reading.diagnostics), reading)
        if types:
            self._types = (types, parsed.module.with_functions({}))
        return parsed

    def _rebuild(self, expr: Expr, label: str, replaced: Mapping[Expr, Expr]) -> Expr:
        """What was read, with known expressions below it, and with the type parameters that those have."""
        type_vars = self._type_vars
        if isinstance(expr, Var):
            annotation = expr.type_annotation
            if annotation is not None and type_vars:
                annotation = substitute(annotation, type_vars)
            # A text makes the names of variables unique; the label has the name as it was.
            return Var(label.removeprefix("%"), annotation, expr.span, expr.virtual_device)
        parts = [replaced.get(part, part) for part in children(expr)]
        new = with_children(expr, parts) if parts else expr
        if not type_vars:
            return new
        if isinstance(new, Function):
            result = substitute(new.ret_type, type_vars) if new.ret_type is not None else None
            renamed = [substitute(var, type_vars) for var in new.type_params]
            params = tuple(var for var in renamed if isinstance(var, TypeVar))
            return Function(new.params, new.body, result, params, new.attrs, new.span, new.virtual_device)
        if isinstance(new, Call) and new.type_args:
            arguments = tuple(substitute(each, type_vars) for each in new.type_args)
            return Call(new.op, new.args, new.attrs, arguments, new.span)
        return new

    def _unify_type_vars(self, order: Iterable[Expr]) -> None:
        """Let type parameters of one name be one object in all stages: new functions have parameters of old ones."""
        for expr in order:
            for var in expr.type_params if isinstance(expr, Function) else ():
                self._type_vars[var] = self._type_params.setdefault(var.name, var)

    def _step(self, record: PassRecord) -> TraceStep:
        before, after = self._stages[record.before], self._stages[record.after]
        sources, joined = self._mapping(record.made), self._mapping(record.joined)
        removed = frozenset(self._exprs[number] for number in record.removed)
        gone = self._members[record.before] - self._members[record.after] if before is not after else set[Expr]()
        return TraceStep(
            info=PassInfo(record.opt_level, record.name, tuple(record.required)),
            options=record.options,
            path=tuple(record.pipeline),
            is_requirement=record.is_requirement,
            before=before,
            after=after,
            seconds=record.seconds,
            sources=sources,
            joined=joined,
            removed=removed,
            replaced=frozenset(gone - removed),
            unexplained=tuple(self._exprs[number] for number in record.unexplained),
            remarks=tuple(map(self._remark, record.remarks)),
        )

    def _remark(self, record: RemarkRecord) -> Remark:
        others = tuple(self._exprs[number] for number in record.others)
        if record.message.count("{}") != len(others):
            raise TraceFormatError(f"a remark names {len(others)} expressions, and has places for another number")
        return Remark(record.kind, record.rule, self._exprs[record.expression], record.message, others)

    def _mapping(self, columns: SourceColumns) -> Mapping[Expr, tuple[Expr, ...]]:
        exprs = self._exprs
        mapping: dict[Expr, tuple[Expr, ...]] = {}
        for number, sources in zip(columns.expression, columns.sources, strict=True):
            old = [sources] if isinstance(sources, int) else sources
            mapping[exprs[number]] = tuple(exprs[each] for each in old)
        return mapping


def _constant(record: ConstantRecord) -> Constant:
    if record.data is not None:
        (constant,) = read_metadata(record.data)[_CONSTANT]
        if not isinstance(constant, Constant):
            raise TraceFormatError(f"the data of expression {record.expression} is no constant")
        return constant
    return Constant(np.broadcast_to(np.zeros((), numpy_dtype(record.dtype)), record.shape), record.dtype)
