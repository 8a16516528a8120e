"""What the worker can be asked to do: from a text to what passes make of it. Nothing here knows of editors.

Trees are not worth sending between processes (writing and reading one takes longer than parsing the text), so a job
carries text, and its result carries text, edits and diagnostics with offsets.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relay_lsp.ir.diagnostics import Diagnostic, Severity, TextEdit, apply_edits
from relay_lsp.ir.internal_errors import Fault
from relay_lsp.ir.internal_errors import fault as kept_fault
from relay_lsp.ir.text.text_span import TextSpan

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .kept_comments import with_carried_comments
from .pass_changes import (
    OperatorCount,
    PassChanges,
    Places,
    SpanLayers,
    SpanOrigins,
    changed_functions,
    operator_counts,
    pass_changes,
    removed_by_step,
)
from .read_texts import FIRST_WORD, need_spans, open_snapshot, places_in, places_of, without_expressions
from .remarks import PlacedRemark, placed_remarks
from .span_layers import ModuleLayers, layers_at_spans
from .worker_process import Progress

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.spans import AnySpan
    from relay_lsp.ir.syntax import Parsed
    from relay_lsp.passes import Trace, TraceStep
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault
    from relay_lsp.passes.provenance import SkippedPass, TraceFailure

__all__ = [
    "CompareTexts",
    "PassesOutcome",
    "Prepare",
    "RunPasses",
    "StepOutcome",
    "WouldChange",
    "cannot_write",
    "run_passes",
]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class StepOutcome:
    """What one pass did. ``operators`` says how many calls of each operator there are more or fewer."""

    name: str
    call: PassCall
    """How it was run: what was asked for, or the bare pass where another one required it."""
    changed: bool
    seconds: float
    operators: Mapping[str, int] = field(default_factory=dict[str, int])
    text: str = ""
    """The text after a step that changed something."""
    origins: SpanOrigins = ()
    removed: tuple[tuple[int, int], ...] = ()
    """Where in the text before it stand the values that it removed."""
    layers: SpanLayers = ()
    """The layers that the values of the text after it came from."""
    skipped: str = ""
    """Why the context did not let it run."""


@dataclass(frozen=True)
class PassesOutcome:
    """What a pipeline did to a text. Where a pass failed, ``failed`` says why, and nothing is changed."""

    text: str
    edits: tuple[TextEdit, ...] = ()
    steps: tuple[StepOutcome, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    failed: str | None = None
    fault: ExtensionFault | None = None
    """Where in a user's file a pass of theirs failed."""
    crash: Fault | None = None
    """The exception that a pass of ours failed with."""
    reports: tuple[str, ...] = ()
    """What the instruments printed and measured, in order."""
    changes: PassChanges = field(default_factory=PassChanges)
    """What of the old text became what of the new."""
    remarks: tuple[PlacedRemark, ...] = ()
    """What the passes said about their decisions, where that was asked for."""
    by_name: Mapping[str, str] = field(default_factory=dict[str, str])
    """The passes that ran because they were asked for by name, with why the context alone would not admit them."""

    @property
    def changed(self) -> bool:
        """Whether the text becomes another."""
        return bool(self.edits)


@dataclass(frozen=True)
class Prepare:
    """Load what passes need, which takes longer than most of them do."""

    def run(self, progress: Progress) -> None:
        """Import every pass."""
        import relay_lsp.ir.semantic.snapshot  # noqa: F401  # pyright: ignore[reportUnusedImport]
        from relay_lsp.passes import registered

        registered()


@dataclass(frozen=True)
class RunPasses:
    """Run passes over a text, each on what the one before it made. Those named run whatever their level."""

    text: str
    name: str
    calls: tuple[PassCall, ...]
    opt_level: int = 3
    provenance: bool = False
    """Whether comments behind the statements of the result tell where their values come from."""
    keeps_layers: bool = False
    """Whether comments name the layers of new statements, where the text had such comments."""
    instruments: tuple[PassCall, ...] = ()
    """The instruments of the context that the passes run in, by name, with options."""
    layers: SpanLayers = ()
    """What is known, apart from its comments, of where the values of the text came from."""
    context: ContextOptions | None = None
    """The context that the passes run in; without one, all that are named run, at ``opt_level``."""
    remarks: bool = False
    """Whether the passes say what they did and did not, and why."""
    with_steps: bool = True
    """Whether it is worked out what each step made of what, for a caller who shows or keeps that."""
    with_changes: bool = True
    """Whether it is worked out what of the old text became what of the new, for a caller who shows that."""

    def run(self, progress: Progress) -> PassesOutcome:
        """Run them. A pass that refuses, or a text that has errors, is a diagnostic of the outcome."""
        from relay_lsp.ir.garbage_collection import without_collection

        reports: list[str] = []
        try:
            with without_collection():
                outcome = self._run(progress, reports)
        except OSError as error:
            # An instrument that writes files; passes do not.
            outcome = PassesOutcome(self.text, failed=cannot_write(error))
        return replace(outcome, reports=tuple(reports))

    def _run(self, progress: Progress, reports: list[str]) -> PassesOutcome:
        from relay_lsp.ir.semantic.lints.stale_type_comments import trust_type_comments, type_comment_updates
        from relay_lsp.passes.text_edits import edited_text, followed_by, kept_pieces, written_spans

        def read(text: str) -> Parsed:
            return open_snapshot(text, self.name, with_spans=False).parsed

        run = run_passes(
            *(self.text, self.name, self.calls, self.opt_level, progress, self.instruments, reports),
            known_layers=self.layers,
            options=self.context,
            remarks=self.remarks,
        )
        if isinstance(run, PassesOutcome):
            return run
        remarks = tuple(placed_remarks(run.trace, run.parsed, self.text)) if self.remarks else ()
        progress("writing the text")
        # Where places in the new text are wanted, its reading is kept for them.
        readers = (read,) if self.with_steps or self.with_changes else ()
        edited = edited_text(self.text, run.parsed, run.module, run.trace, *readers) if run.changing else None
        edits = edited.edits if edited is not None else ()
        edits = with_carried_comments(self.text, self.name, edits, run.parsed, run.module, run.trace)
        if any("/* ty=" in piece for piece in kept_pieces(self.text, edits)):
            # What the passes left alone keeps its bytes, and may have another type all the same.
            snapshot = open_snapshot(apply_edits(self.text, edits), self.name, with_spans=False)
            trust_type_comments(snapshot, written_spans(edits))
            edits = followed_by(edits, type_comment_updates(snapshot))
        if any(map(_gives_spans, run.changing)):
            edits = followed_by(edits, _span_edits(run, self.name, apply_edits(self.text, edits)))
        text = apply_edits(self.text, edits)

        def new_places(module: IRModule) -> Places:
            """Where the expressions of the result, or of an equal module, stand in its text."""
            if edited is not None and edited.places is not None and edited.text == text and module is run.module:
                return edited.places
            return places_in(text, self.name, module)

        texts = _step_texts(run, text, new_places) if edits and self.with_steps else {}
        outcomes = (*(_step_outcome(step, step in run.changing, texts) for step in run.steps), *run.skipped)
        changes = PassChanges()
        if edits and self.with_changes:
            places = new_places(run.module)
            changes = pass_changes(run.parsed.module, run.module, run.trace, places_of(run.parsed), places)
        if self.provenance or (self.keeps_layers and edits):
            # What is asked for by name may stand behind variables and bindings, whose places are those of a reading.
            places_of_module = partial(places_in, text, self.name) if self.provenance else new_places
            text = _with_comments(run, text, places_of_module, provenance=self.provenance)
            edits = (TextEdit(TextSpan(0, len(self.text)), text),) if text != self.text else ()
        return PassesOutcome(text, edits, outcomes, changes=changes, remarks=remarks, by_name=run.by_name)


def cannot_write(error: OSError) -> str:
    """What is said where an instrument cannot write."""
    where = "an editor's instruments write in the open folders, and in other folders that are there already"
    return f"an instrument cannot write: {error}{f' ({where})' if isinstance(error, PermissionError) else ''}"


def _with_comments(run: _Run, text: str, places: Callable[[IRModule], Places], provenance: bool) -> str:
    """The text with comments of where its values come from: all that is known, or the layers of new statements.

    ``places`` tells where the expressions of a module that the text says stand in it.
    """
    from relay_lsp.passes.layers import layer_edits, provenance_edits

    if not provenance and not run.trace.layers:
        return text
    write = provenance_edits if provenance else layer_edits
    return apply_edits(text, write(run.parsed, run.trace, run.module, text, places(run.module)))


def _span_edits(run: _Run, name: str, text: str) -> tuple[TextEdit, ...]:
    """The edits of the text of a result that write behind values the spans that passes gave them."""
    from relay_lsp.passes.layers import span_edits

    return span_edits(run.module, text, places_in(text, name, run.module))


def _only(function: str, before: IRModule, after: IRModule) -> IRModule:
    """The module before, with one function as it is after; its place in the module is that of its name.

    Where no function is named, it is the module after.
    """
    if not function:
        return after
    name = function.removeprefix("@")
    old, new = before.find_global_var(name), after.find_global_var(name)
    if old is None or new is None:
        return before
    return before.with_function(old, after.functions[new])


@dataclass(frozen=True)
class WouldChange:
    """Ask what a pass would change in a text, without working out how. What the pass prints is not wanted."""

    text: str
    name: str
    call: PassCall
    opt_level: int = 3

    def run(self, progress: Progress) -> frozenset[str] | None:
        """The functions, such as ``@main``, that it would change, add or take away; ``None`` where there are none.

        A pass that refuses changes nothing, and neither does one that only works out types that were not stated.
        """
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            run = run_passes(self.text, self.name, (self.call,), self.opt_level, progress)
        if not isinstance(run, _Run) or not run.changing:
            return None
        first = run.steps[0]
        # An edit does not write out the types that a pass needs to have inferred, so they are no change.
        before = first.after if first.name == _INFER_TYPE else run.parsed.module
        return frozenset(f"@{name}" for name in changed_functions(before, run.module)) or None


@dataclass(frozen=True, eq=False)
class _RunStep:
    """One run of a pass, with the module before and after it in which only what its call may change is changed."""

    trace: TraceStep
    call: PassCall
    before: IRModule
    after: IRModule

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.trace.name


@dataclass(frozen=True)
class CompareTexts:
    """Count the operators of two texts."""

    before: str
    after: str
    name: str

    def run(self, progress: Progress) -> tuple[OperatorCount, ...]:
        """Those of which there are more or fewer in ``after``. Of a broken text, what could be read counts."""
        texts = (self.before, self.after)
        before, after = (open_snapshot(text, self.name, with_spans=False).parsed.module for text in texts)
        return tuple(operator_counts(before, after))


@dataclass(frozen=True)
class _Run:
    """Passes that have run. ``changing`` are the steps that changed what the text says."""

    parsed: Parsed
    module: IRModule
    trace: Trace
    steps: Sequence[_RunStep]
    changing: Sequence[_RunStep]
    skipped: Sequence[StepOutcome] = ()
    by_name: Mapping[str, str] = field(default_factory=dict[str, str])


def run_passes(
    text: str,
    name: str,
    calls: Sequence[PassCall],
    opt_level: int,
    progress: Progress,
    instruments: Sequence[PassCall] = (),
    reports: list[str] | None = None,
    trace: Trace | None = None,
    failures: list[TraceFailure] | None = None,
    known_layers: SpanLayers = (),
    remarks: bool = False,
    options: ContextOptions | None = None,
) -> _Run | PassesOutcome:
    """Run passes; where they cannot be run, the outcome that says so.

    ``reports`` gets the reports of instruments, ``trace`` the steps up to the pass that fails, ``failures`` the reason.
    Of layers, what the comments of the text say comes before ``known_layers``. With ``remarks`` the trace keeps those.
    """
    from relay_lsp import passes
    from relay_lsp.passes.instruments import Reporting, create_instrument, require_sound
    from relay_lsp.passes.layers import layers_in
    from relay_lsp.passes.provenance import TraceFailure

    progress("reading the text")
    with_spans = trace is not None or bool(instruments) or need_spans(text, [call.name for call in calls])
    snapshot = open_snapshot(text, name, with_spans=with_spans)
    parsed = snapshot.parsed
    errors = tuple(
        without_expressions(diagnostic) for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR
    )
    if errors:
        count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
        return PassesOutcome(text, diagnostics=errors, failed=f"the text has {count}: {errors[0].message}")
    for call in calls:
        if call.function and parsed.module.find_global_var(call.function.removeprefix("@")) is None:
            there = ", ".join(f"@{var.name_hint}" for var in parsed.module) or "none"
            return PassesOutcome(text, failed=f"there is no function {call.function}; the text has {there}")
    names = [call.name for call in calls]
    reports = [] if reports is None else reports
    try:
        watching = [create_instrument(item.name, reports.append, **item.options) for item in instruments]
    except passes.PassError as error:
        return PassesOutcome(text, failed=str(error))

    def layers() -> Mapping[Expr, AnySpan]:
        return {**layers_at_spans(parsed.module, places_of(parsed), known_layers), **layers_in(parsed)}

    options = options or ContextOptions(opt_level)
    admitted = options.admitting(names)
    try:
        context = passes.PassContext(
            *(admitted.opt_level, admitted.required, admitted.disabled, watching), config=admitted.config
        )
    except (AttributeError, TypeError) as error:
        return PassesOutcome(text, failed=f"the context cannot be made: {error}")
    failures = [] if failures is None else failures
    with context, trace or passes.Trace(layers, remarks=remarks) as trace:
        module = parsed.module
        steps: list[_RunStep] = []
        for call in calls:
            progress(str(call))
            known = len(trace.steps)
            try:
                asked_for = passes.create(call.name, **call.options)
                reason = options.why_not(asked_for.info.name, asked_for.info.opt_level)
                if reason and not options.gates:
                    trace.by_name[call.name] = reason
                pipeline = passes.Sequential([asked_for])
                # Run as it is, so that the instruments see the passes that were asked for and no pipeline around each.
                before, module = module, pipeline.run(module, context)
                if module is not before:
                    module = _only(call.function, before, module)
                    require_sound(module, call.name)
            except passes.PassError as error:
                exprs = [each.place.expr for each in error.diagnostics if each.place is not None]
                failures.append(TraceFailure(error.pass_name or call.name, str(error), exprs[0] if exprs else None))
                located = tuple(_located(diagnostic, trace, parsed) for diagnostic in error.diagnostics)
                return PassesOutcome(text, diagnostics=located, failed=str(error))
            except MemoryError:
                raise  # The worker knows the limit, and says which setting it is.
            except Exception as error:
                # A fault of the pass itself, which may be a user's. It must not look like one of the text.
                logger.exception("pass %s failed", call)
                message = f"{call}: the pass failed with {type(error).__name__}: {error}"
                fault = _fault_of(error, call.name)
                if fault is not None:
                    message += f" ({Path(fault.path).name}, line {fault.line})"
                failures.append(TraceFailure(call.name, message))
                diagnostic = Diagnostic("pass-failed", Severity.ERROR, message, FIRST_WORD)
                crash = kept_fault(error) if fault is None else None
                return PassesOutcome(text, diagnostics=(diagnostic,), failed=message, fault=fault, crash=crash)
            steps += _steps_of(call, before, trace.steps[known:])
        skipped = tuple(_skipped(item, admitted) for item in trace.skipped if item.info.name in names)
        reports += [rendered for each in watching if isinstance(each, Reporting) and (rendered := each.render())]
    return _Run(parsed, module, trace, steps, _changing(steps, names), skipped, trace.by_name)


def _skipped(item: SkippedPass, context: ContextOptions) -> StepOutcome:
    """A pass that the context did not admit, with the reason in words."""
    reason = context.why_not(item.info.name, item.info.opt_level)
    return StepOutcome(item.info.name, PassCall(item.info.name), False, 0.0, skipped=reason)


def _steps_of(call: PassCall, before: IRModule, steps: Sequence[TraceStep]) -> Iterator[_RunStep]:
    """The steps of one call: its own, and those of the passes that it requires."""
    last = before
    for step in steps:
        after = _only(call.function, before, step.after)
        own = call if step.name == call.name else PassCall(step.name, function=call.function)
        yield _RunStep(step, own, last, after)
        last = after


def _fault_of(error: Exception, pass_name: str) -> ExtensionFault | None:
    """Where a pass of a user's failed in the user's file; ``None`` for a pass that is ours."""
    from relay_lsp.passes.infrastructure.extensions import extension_of_pass, fault_of

    extension = extension_of_pass(pass_name)
    return fault_of(error, extension.path) if extension is not None and extension.path else None


def _changing(steps: Sequence[_RunStep], asked_for: Sequence[str]) -> list[_RunStep]:
    """The steps that changed what the module says. Types inferred because another pass needs them are no change."""
    from relay_lsp.ir.structural import structural_equal

    return [
        step
        for step in steps
        if step.trace.changed
        and (step.name != _INFER_TYPE or _INFER_TYPE in asked_for)
        and (_gives_spans(step) or not structural_equal(step.before, step.after))
    ]


def _gives_spans(step: _RunStep) -> bool:
    """Whether the step is one of a pass that gives spans, which are written into the text."""
    from relay_lsp.passes import find

    kind = find(step.name)
    return kind is not None and kind.gives_spans


def _step_outcome(step: _RunStep, changed: bool, texts: Mapping[_RunStep, _StepText]) -> StepOutcome:
    if not changed:
        return StepOutcome(step.name, step.call, False, step.trace.seconds)
    operators = {count.name: count.after - count.before for count in operator_counts(step.before, step.after)}
    return StepOutcome(step.name, step.call, True, step.trace.seconds, operators, *texts.get(step, _StepText()))


_INFER_TYPE = "InferType"


class _StepText(NamedTuple):
    """The text after a step; where in the text before it its values came from, and where those stand that are gone."""

    text: str = ""
    origins: SpanOrigins = ()
    removed: tuple[tuple[int, int], ...] = ()
    layers: SpanLayers = ()


def _step_texts(run: _Run, final_text: str, final_places: Callable[[IRModule], Places]) -> dict[_RunStep, _StepText]:
    """For each step that changes the text, the text after it and what became of what.

    The first step starts from the buffer, and the last one ends in it, where ``final_places`` tells the places of a
    module that it says; between them stand canonical texts.
    """
    from relay_lsp.ir.printing import to_text_with_positions
    from relay_lsp.ir.visitor import post_order

    layers = ModuleLayers(run.trace.layers)
    step_texts: dict[_RunStep, _StepText] = {}
    places: Places = places_of(run.parsed)
    for step in run.steps:
        layers.follow(step.trace)
        if step not in run.changing:
            places = _places_through(step, places)
            continue
        if step is run.changing[-1]:
            text, new_places = final_text, final_places(step.after)
        else:
            printed = to_text_with_positions(step.after, show_spans="span=" in run.parsed.reading.text)
            text, new_places = printed.text, printed.positions.get
        removed = tuple((span.start, span.end) for span in removed_by_step(step.trace, step.after, places))
        of_text = layers.in_text(post_order(*step.after.functions.values()), new_places)
        step_texts[step] = _StepText(text, tuple(_origins(step, places, new_places)), removed, of_text)
        places = new_places
    return step_texts


def _places_through(step: _RunStep, places: Places) -> Places:
    """The places in an unchanged text of the expressions that a step has put in place of equal ones."""
    return lambda expr: next((place for old in step.trace.origins(expr) if (place := places(old)) is not None), None)


def _origins(
    step: _RunStep, old_places: Places, new_places: Places
) -> Iterator[tuple[int, int, tuple[tuple[int, int], ...]]]:
    from relay_lsp.ir.expressions import GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order

    for expr in post_order(*step.after.functions.values()):
        if isinstance(expr, (Op, Var, GlobalVar)):
            continue
        span = new_places(expr)
        if span is not None:
            sources = dict.fromkeys(
                old for source in step.trace.origins(expr) if (old := old_places(source)) is not None
            )
            yield span.start, span.end, tuple((old.start, old.end) for old in sources)


def _located(diagnostic: Diagnostic, trace: Trace, parsed: Parsed) -> Diagnostic:
    """The diagnostic at its place in the buffer, found through the trace where earlier passes made the expression."""
    span = diagnostic.span
    if span is None and diagnostic.place is not None:
        places = map(places_of(parsed), trace.origins(diagnostic.place.expr))
        span = next((place for place in places if place is not None), None)
    return without_expressions(replace(diagnostic, span=span or FIRST_WORD))
