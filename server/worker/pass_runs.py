"""Run passes over a text: the module that it says, before and after each of them, or why they cannot be run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from relay_lsp.ir.cancellation import WorkCancelled
from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.internal_errors import fault as kept_fault
from relay_lsp.ir.internal_errors import words_of

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions, known_to_contexts
from .pass_changes import SpanLayers
from .pass_outcomes import PassesOutcome, StepOutcome
from .read_texts import FIRST_WORD, forget_snapshots, need_spans, open_snapshot, places_of, without_expressions
from .span_layers import layers_at_spans
from .worker_process import Progress

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.spans import AnySpan
    from relay_lsp.ir.syntax import Parsed
    from relay_lsp.passes import Trace, TraceStep
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault
    from relay_lsp.passes.provenance import SkippedPass, TraceFailure

__all__ = ["INFER_TYPE", "PassRun", "RunStep", "gives_spans", "run_passes"]

logger = logging.getLogger(__name__)

INFER_TYPE: Final = "InferType"
"""The pass that works out types; where others only require it, it is no change of a text."""


@dataclass(frozen=True, eq=False)
class RunStep:
    """One run of a pass, with the module before and after it in which only what its call may change is changed."""

    trace: TraceStep
    call: PassCall
    before: IRModule
    after: IRModule

    @property
    def name(self) -> str:
        """The name by which users ask for the pass."""
        return self.trace.called


@dataclass(frozen=True)
class PassRun:
    """Passes that have run. ``changing`` are the steps that changed what the text says."""

    parsed: Parsed
    module: IRModule
    trace: Trace
    steps: Sequence[RunStep]
    changing: Sequence[RunStep]
    skipped: Sequence[StepOutcome] = ()
    by_name: Mapping[str, str] = field(default_factory=dict[str, str])
    read_layers: Callable[[], Mapping[Expr, AnySpan]] = dict

    @property
    def stated_layers(self) -> Mapping[Expr, AnySpan]:
        """The layers and places that the comments of the text name, by the values that they speak of."""
        return self.read_layers()


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
) -> PassRun | PassesOutcome:
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
    options = options or ContextOptions(opt_level)
    admitted = options.admitting(names)
    try:
        watching = [create_instrument(item.name, reports.append, **item.options) for item in instruments]
        context = admitted.pass_context(watching)
    except passes.PassError as error:
        return PassesOutcome(text, failed=str(error))

    @cache
    def stated_layers() -> Mapping[Expr, AnySpan]:
        return layers_in(parsed)

    def layers() -> Mapping[Expr, AnySpan]:
        return {**layers_at_spans(parsed.module, places_of(parsed), known_layers), **stated_layers()}

    failures = [] if failures is None else failures
    with context, trace or passes.Trace(layers, remarks=remarks) as trace:
        module = parsed.module
        steps: list[RunStep] = []
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
                _forget_what_may_be_damaged(call)
                exprs = [each.place.expr for each in error.diagnostics if each.place is not None]
                failures.append(TraceFailure(error.pass_name or call.name, str(error), exprs[0] if exprs else None))
                located = tuple(_located(diagnostic, trace, parsed) for diagnostic in error.diagnostics)
                return PassesOutcome(text, diagnostics=located, failed=str(error))
            except (MemoryError, KeyboardInterrupt, WorkCancelled):
                _forget_what_may_be_damaged(call)
                raise  # Who set the limit, or cancelled it, says so.
            except BaseException as error:
                _forget_what_may_be_damaged(call)
                # A fault of the pass itself, which may be a user's. It must not look like one of the text, nor, where
                # it is `sys.exit(0)`, like success.
                message = f"{call}: the pass failed with {words_of(error)}"
                fault = _fault_of(error, call.name)
                # The message has the line of a user's file; its stack is for who asks for more.
                logger.log(logging.ERROR if fault is None else logging.INFO, "pass %s failed", call, exc_info=error)
                if fault is not None and fault.line:
                    message += f" ({Path(fault.path).name}, line {fault.line})"
                failures.append(TraceFailure(call.name, message))
                diagnostic = Diagnostic("pass-failed", Severity.ERROR, message, FIRST_WORD)
                return PassesOutcome(
                    text, diagnostics=(diagnostic,), failed=message, fault=fault, crash=kept_fault(error)
                )
            steps += _steps_of(call, before, trace.steps[known:])
        called = {known: each for each in names for known in known_to_contexts([each])}
        skipped = tuple(
            _skipped(item, called[item.info.name], admitted) for item in trace.skipped if item.info.name in called
        )
        reports += [rendered for each in watching if isinstance(each, Reporting) and (rendered := each.render())]
    return PassRun(parsed, module, trace, steps, _changing(steps, names), skipped, trace.by_name, stated_layers)


def _only(function: str, before: IRModule, after: IRModule) -> IRModule:
    """The module before with one function, such as ``@main``, as it is after; the module after where none is named."""
    return before.with_function_of(after, function.removeprefix("@")) if function else after


def _forget_what_may_be_damaged(call: PassCall) -> None:
    """Read the text anew next time: a user's pass that failed may have changed what was read of it."""
    from relay_lsp.passes.infrastructure.extensions import extension_of_pass

    if extension_of_pass(call.name) is not None:
        forget_snapshots()


def _skipped(item: SkippedPass, name: str, context: ContextOptions) -> StepOutcome:
    """A pass that the context did not admit, with the reason in words."""
    reason = context.why_not(item.info.name, item.info.opt_level)
    return StepOutcome(name, PassCall(name), False, 0.0, skipped=reason)


def _steps_of(call: PassCall, before: IRModule, steps: Sequence[TraceStep]) -> Iterator[RunStep]:
    """The steps of one call: its own, and those of the passes that it requires."""
    last = before
    for step in steps:
        after = _only(call.function, before, step.after)
        own = call if step.called == call.name else PassCall(step.called, function=call.function)
        yield RunStep(step, own, last, after)
        last = after


def _fault_of(error: BaseException, pass_name: str) -> ExtensionFault | None:
    """Where a pass of a user's failed in the user's file; ``None`` for a pass that is ours."""
    from relay_lsp.passes.infrastructure.extensions import extension_of_pass, fault_of

    extension = extension_of_pass(pass_name)
    return fault_of(error, extension.path) if extension is not None and extension.path else None


def _changing(steps: Sequence[RunStep], asked_for: Sequence[str]) -> list[RunStep]:
    """The steps that changed what the module says. Types inferred because another pass needs them are no change."""
    from relay_lsp.ir.structural import structural_equal

    return [
        step
        for step in steps
        if step.trace.changed
        and (step.name != INFER_TYPE or INFER_TYPE in asked_for)
        and (gives_spans(step) or not structural_equal(step.before, step.after))
    ]


def gives_spans(step: RunStep) -> bool:
    """Whether the step is one of a pass that gives spans, which are written into the text."""
    from relay_lsp.passes import find

    kind = find(step.name)
    return kind is not None and kind.gives_spans


def _located(diagnostic: Diagnostic, trace: Trace, parsed: Parsed) -> Diagnostic:
    """The diagnostic at its place in the buffer, found through the trace where earlier passes made the expression."""
    span = diagnostic.span
    if span is None and diagnostic.place is not None:
        places = map(places_of(parsed), trace.origins(diagnostic.place.expr))
        span = next((place for place in places if place is not None), None)
    return without_expressions(replace(diagnostic, span=span or FIRST_WORD))
