"""The job of holding passes to what a module computes, and its result in words. Nothing here knows of editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, Place, Severity

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .read_texts import FIRST_WORD, forget_snapshots, open_snapshot, places_of, without_expressions
from .worker_process import Progress

if TYPE_CHECKING:
    from relay_lsp.ir.syntax import Parsed
    from relay_lsp.passes.verification import BisectionReport, Culprit

__all__ = ["JudgedStep", "VerifyOutcome", "VerifyPasses"]


class JudgedStep(msgspec.Struct, frozen=True):
    """One run of a pass that changed the module.

    ``difference`` is a part of the largest element of the results; ``None`` where they could not be compared, for which
    ``reason`` says why.
    """

    name: str
    difference: float | None = None
    reason: str = ""


class VerifyOutcome(msgspec.Struct, frozen=True):
    """Whether passes keep what a text computes. ``culprit`` is the name of the first pass that does not.

    ``diagnostics`` say what is wrong, at its place in the text. ``failed`` says why nothing could be judged at all.
    """

    message: str
    steps: tuple[JudgedStep, ...] = ()
    culprit: str | None = None
    number: int = -1
    """Which pass of the pipeline the culprit is, from 0."""
    kind: str = ""
    reduced: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    failed: bool = False

    @property
    def agrees(self) -> bool:
        """Whether every step that could be compared is sound, and one could be, or none changed the module."""
        return self.culprit is None and not self.failed and not self.is_undecided

    @property
    def is_undecided(self) -> bool:
        """Whether nothing is known of what the passes keep, since nothing that they changed could be compared."""
        is_unknown = bool(self.steps) and all(step.difference is None for step in self.steps)
        return is_unknown and self.culprit is None and not self.failed


class VerifyPasses(msgspec.Struct, frozen=True):
    """Run passes over a text, and run the module before and after each on the same random inputs."""

    text: str
    name: str
    calls: tuple[PassCall, ...]
    opt_level: int = 3
    seed: int = 0
    context: ContextOptions | None = None
    """The context that the passes run in; without one, all that are named run, at ``opt_level``."""
    function: str = ""
    """The one function, such as ``@main``, that the passes may change; all where it is empty."""

    def run(self, progress: Progress) -> VerifyOutcome:
        """Judge them. A text that has errors, and a pass that there is not, are diagnostics of the outcome."""
        from relay_lsp import passes
        from relay_lsp.passes.infrastructure.extensions import extension_of_pass
        from relay_lsp.passes.verification import check

        snapshot = open_snapshot(self.text, self.name)
        errors = tuple(
            without_expressions(diagnostic)
            for diagnostic in snapshot.diagnostics
            if diagnostic.severity is Severity.ERROR
        )
        if errors:
            return VerifyOutcome(f"the text has errors: {errors[0].message}", diagnostics=errors, failed=True)
        progress("comparing before and after")
        names = [call.name for call in self.calls]
        try:
            # Each in a pipeline of its own, which sees to what it requires.
            asked_for = [passes.create(call.name, **call.options) for call in self.calls]
            pipeline = [passes.Sequential([each]) for each in asked_for]
            admitted = (self.context or ContextOptions(self.opt_level)).admitting(names)
            context = admitted.pass_context()
        except passes.PassError as error:
            diagnostics = tuple(replace(item, span=FIRST_WORD, place=None) for item in error.diagnostics)
            return VerifyOutcome(str(error), diagnostics=diagnostics, failed=True)
        reasons = {each.info.name: admitted.why_not(each.info.name, each.info.opt_level) for each in asked_for}
        skipped = "".join(f"; {name} is skipped: {reason}" for name, reason in reasons.items() if reason)
        with context:
            report = check(
                snapshot.parsed.module,
                pipeline,
                only=self.function.removeprefix("@") or None,
                seed=self.seed,
                progress=lambda number: progress(str(self.calls[number])),
            )
        outcome = _outcome(report, names, snapshot.parsed)
        if report.culprit is not None and extension_of_pass(names[report.culprit.number]) is not None:
            forget_snapshots()  # It may have changed what was read of the text.
        return replace(outcome, message=outcome.message + skipped)


def _outcome(report: BisectionReport, names: Sequence[str], parsed: Parsed) -> VerifyOutcome:
    sizes = {
        step: JudgedStep(step.name, 0.0 if verdict.largest is None else verdict.largest.size)
        for step, verdict in report.verdicts
    }
    reasons = {step: JudgedStep(step.name, None, reason) for step, reason in report.skipped}
    judged = {**sizes, **reasons}
    steps = tuple(judged[step] for step in report.steps if step in judged)
    culprit = report.culprit
    if culprit is None:
        return VerifyOutcome(_in_words(report), steps, reduced=report.reduced)
    # Within the pipeline of one pass, the infrastructure knows the pipeline; the user knows the pass.
    name = names[culprit.number] if culprit.pass_name == "sequential" else culprit.pass_name
    message = f"{name} {culprit.kind}: {culprit.message.removeprefix(f'{name}: ')}"
    diagnostic = _diagnostic(culprit, message, parsed)
    return VerifyOutcome(message, steps, name, culprit.number, culprit.kind, report.reduced, (diagnostic,))


def _in_words(report: BisectionReport) -> str:
    compared, skipped = len(report.verdicts), len(report.skipped)
    if not compared and not skipped:
        return "nothing to compare: no pass changed the module"
    if not compared:
        return f"what the passes keep is not known: nothing could be compared: {report.skipped[0][1]}"
    said = f"{compared} step{'' if compared == 1 else 's'} compared, the largest difference is {report.largest:.3g}"
    return f"{said}; {skipped} could not be: {report.skipped[0][1]}" if skipped else said


def _diagnostic(culprit: Culprit, message: str, parsed: Parsed) -> Diagnostic:
    """What is wrong, at the place of the text that the expression at fault stems from."""
    locate = places_of(parsed)
    span = next((span for origin in culprit.origins if (span := locate(origin)) is not None), FIRST_WORD)
    place = Place(culprit.origins[0]) if culprit.origins else None
    return without_expressions(Diagnostic("pass-failed", Severity.ERROR, message, span, place=place))
