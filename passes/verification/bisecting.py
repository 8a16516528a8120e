"""``check`` holds a pipeline to what the module computed; ``bisect`` names the first step that goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.internal_errors import words_of
from relay_lsp.ir.module import IRModule

from ..infrastructure import BrokenModuleError, DamagedModuleError, Pass, PassError
from ..instruments import faults
from ..provenance import Trace, TraceStep
from .inputs import Unverifiable
from .shrinking import shrink
from .verifying import BOUNDS, Verdict, verify

__all__ = ["BisectionReport", "Culprit", "bisect", "check"]


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first step that goes wrong, and in what way.

    ``number`` counts the passes of the pipeline from 0; ``pass_name`` is of the pass that ran then, which may be one
    inside it. ``step`` is its run, where it came to an end.
    ``kind`` is ``raises``, ``breaks typing`` or ``changes the result``. ``diagnostics`` are at expressions of the
    module that the step got or made; ``origins`` are those of the first module that they stem from.
    """

    number: int
    pass_name: str
    kind: str
    message: str
    diagnostics: tuple[Diagnostic, ...] = ()
    origins: tuple[Expr, ...] = field(default=(), repr=False)
    step: TraceStep | None = field(default=None, repr=False)
    verdict: Verdict | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"step {self.number + 1}, {self.pass_name}, {self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class BisectionReport:
    """What a pipeline did to what a module computes.

    ``verdicts`` has one for each step that changed the module and could be compared, in order; ``skipped`` has the
    others, with the reason. ``reduced`` says whether the module was run with smaller tensors than its own.
    """

    steps: tuple[TraceStep, ...]
    verdicts: tuple[tuple[TraceStep, Verdict], ...] = ()
    skipped: tuple[tuple[TraceStep, str], ...] = ()
    culprit: Culprit | None = None
    reduced: bool = False

    @property
    def largest(self) -> float:
        """The largest difference that any step made, as a part of the largest element."""
        return max((verdict.largest.size for _, verdict in self.verdicts if verdict.largest is not None), default=0.0)


def check(
    module: IRModule,
    passes: Sequence[Pass],
    *,
    function: str | None = None,
    only: str | None = None,
    seed: int = 0,
    progress: Callable[[int], object] = lambda _: None,
) -> BisectionReport:
    """Run a pipeline over ``module`` and judge each step, up to the first that goes wrong.

    A module too large to run is made smaller before (:func:`.shrink`). ``function`` is the one that is run (see
    :func:`.verify`); ``only`` is the one that the passes may change, and then it is the one that is run, too.

    Every run of a pass that changed the module is judged by itself: what a later pass mends is still found. Runs that
    cannot be compared, because the module does not run, are judged by typing alone. The passes run in the current
    context. Whatever a pass raises is the pass's fault, and goes no further. ``progress`` is told the number of each
    pass before it runs.
    """

    def changed(before: IRModule, after: IRModule) -> IRModule:
        return after if only is None else before.with_function_of(after, only)

    function = function or only
    small = shrink(module, function)
    raised: tuple[int, Pass, Exception] | None = None
    numbers: list[int] = []
    with Trace() as trace:
        current = small
        for number, each in enumerate(passes):
            progress(number)
            try:
                current = changed(current, each(current))
            except Exception as error:
                raised = number, each, error
                break
            finally:
                numbers += [number] * (len(trace.steps) - len(numbers))
    if raised is not None and isinstance(raised[2], DamagedModuleError):  # What it damaged is in the steps before it.
        return BisectionReport(trace.steps, culprit=_who_raised(*raised, trace), reduced=small is not module)
    verdicts: list[tuple[TraceStep, Verdict]] = []
    skipped: list[tuple[TraceStep, str]] = []
    culprit: Culprit | None = None
    for number, step in zip(numbers, trace.steps, strict=True):
        if not step.changed:
            continue
        after = changed(step.before, step.after)
        errors = faults(after)
        if errors:
            culprit = _culprit(number, step, "breaks typing", errors[0].message, trace, errors)
            break
        if step.is_requirement:
            continue
        try:
            bound = BOUNDS.get(step.name)
            verdict = verify(
                step.before, after, function=function, seed=seed, bound=bound, steps=(step,), passes=(step.name,)
            )
        except Unverifiable as reason:
            skipped.append((step, str(reason)))
            continue
        verdicts.append((step, verdict))
        if not verdict.agrees:
            assert verdict.largest is not None
            culprit = _culprit(number, step, "changes the result", verdict.largest.message, trace, (), verdict)
            break
    if culprit is None and raised is not None:
        culprit = _who_raised(*raised, trace)
    return BisectionReport(trace.steps, tuple(verdicts), tuple(skipped), culprit, small is not module)


def bisect(module: IRModule, passes: Sequence[Pass], *, function: str | None = None, seed: int = 0) -> Culprit | None:
    """The first run of a pass of the pipeline that goes wrong on ``module``; ``None`` where all go well."""
    return check(module, passes, function=function, seed=seed).culprit


def _culprit(
    number: int,
    step: TraceStep,
    kind: str,
    message: str,
    trace: Trace,
    diagnostics: Sequence[Diagnostic],
    verdict: Verdict | None = None,
) -> Culprit:
    places = [diagnostic.place.expr for diagnostic in diagnostics if diagnostic.place is not None]
    if verdict is not None and verdict.first is not None:
        places.append(verdict.first)
    origins = tuple(origin for place in places for origin in trace.origins(place))
    return Culprit(number, step.name, kind, message, tuple(diagnostics), origins, step, verdict)


def _who_raised(number: int, culprit: Pass, error: Exception, trace: Trace) -> Culprit:
    if not isinstance(error, PassError):
        return Culprit(number, culprit.info.name, "raises", words_of(error))
    places = [diagnostic.place.expr for diagnostic in error.diagnostics if diagnostic.place is not None]
    origins = tuple(origin for place in places for origin in trace.origins(place))
    kind = "breaks typing" if isinstance(error, BrokenModuleError) else "raises"
    return Culprit(number, culprit.info.name, kind, str(error), error.diagnostics, origins)
