"""``bisect`` names the first step of a pipeline that changes the answer, breaks typing or raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...ir.diagnostics import Severity
from ...ir.inference import infer_types
from ...ir.module import IRModule
from ..infrastructure import Pass, PassError
from ..provenance import Trace, TraceStep
from .inputs import Unverifiable
from .verifying import BOUNDS, Verdict, verify

__all__ = ["Culprit", "bisect"]


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first step that goes wrong: ``number`` from 0, in what way, and the run of the pass where it came to an end.

    ``kind`` is ``raises``, ``breaks typing`` or ``changes the result``.
    """

    number: int
    pass_name: str
    kind: str
    message: str
    step: TraceStep | None = field(default=None, repr=False)
    verdict: Verdict | None = field(default=None, repr=False)


def bisect(module: IRModule, passes: Sequence[Pass], *, function: str = "main", seed: int = 0) -> Culprit | None:
    """The first run of a pass of the pipeline that goes wrong on ``module``; ``None`` where all go well.

    Every run that changed the module is judged by itself: what a later pass mends is still found. Runs that cannot be
    compared, because the module does not run, are judged by typing alone. The passes run in the current context.
    """
    failed: tuple[Pass, PassError] | None = None
    with Trace() as trace:
        current = module
        for each in passes:
            try:
                current = each(current)
            except PassError as error:
                failed = each, error
                break
    for number, step in enumerate(trace.steps):
        if step.changed:
            found = _judged(number, step, function, seed)
            if found is not None:
                return found
    if failed is None:
        return None
    # A pass that leaves a module without types fails in the inference behind it, which is not to blame.
    culprit, problem = failed
    return Culprit(len(trace.steps), culprit.info.name, "raises", str(problem))


def _judged(number: int, step: TraceStep, function: str, seed: int) -> Culprit | None:
    errors = [found for found in infer_types(step.after).diagnostics if found.severity is Severity.ERROR]
    if errors:
        return Culprit(number, step.name, "breaks typing", errors[0].message, step)
    try:
        verdict = verify(
            step.before, step.after, function=function, seed=seed, bound=BOUNDS.get(step.name), steps=(step,)
        )
    except Unverifiable:
        return None
    if verdict.agrees:
        return None
    assert verdict.largest is not None
    return Culprit(number, step.name, "changes the result", verdict.largest.message, step, verdict)
