"""The job of finding the smallest module on which passes still go wrong. Nothing here knows of editors."""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.diagnostics import Diagnostic, Severity

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .read_texts import open_snapshot, without_expressions
from .worker_process import Progress

__all__ = ["ReduceOutcome", "ReducePasses"]


@dataclass(frozen=True)
class ReduceOutcome:
    """The smallest module that was met, as text; without a ``text``, ``message`` says why there is none."""

    message: str
    text: str | None = None
    before: int = 0
    """How many values the module computes."""
    after: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    """The errors of the text."""


@dataclass(frozen=True)
class ReducePasses:
    """Find the smallest module on which passes go wrong as they do on a text."""

    text: str
    name: str
    calls: tuple[PassCall, ...]
    condition: str
    """What counts as going wrong, in the words of ``relay-lsp reduce --until``."""
    opt_level: int = 3
    seconds: float = 60.0
    """For how long to search; ``math.inf`` for no limit."""
    context: ContextOptions | None = None
    """The context that the passes run in; without one, all that are named run, at ``opt_level``."""

    def run(self, progress: Progress) -> ReduceOutcome:
        """Search. A text that has errors, a pass or a condition that there is not, give no text."""
        from relay_lsp import passes
        from relay_lsp.ir import to_text
        from relay_lsp.passes.verification import FailureCondition, reduce, statement_count

        try:
            condition = FailureCondition.parse(self.condition)
        except ValueError as error:
            return ReduceOutcome(str(error))
        snapshot = open_snapshot(self.text, self.name)
        errors = tuple(without_expressions(each) for each in snapshot.diagnostics if each.severity is Severity.ERROR)
        if errors:
            return ReduceOutcome(f"the text has errors: {errors[0].message}", diagnostics=errors)
        module = snapshot.parsed.module
        before = statement_count(module)
        admitted = (self.context or ContextOptions(self.opt_level)).admitting([call.name for call in self.calls])
        progress(f"{before} values")
        try:
            # Each in a pipeline of its own, which sees to what it requires, and to whether it is to run.
            asked_for = [passes.Sequential([passes.create(call.name, **call.options)]) for call in self.calls]
            with admitted.pass_context():
                smallest = reduce(
                    module, asked_for, condition, lambda count: progress(f"{count} values"), seconds=self.seconds
                )
        except passes.PassError as error:
            return ReduceOutcome(str(error))
        after = statement_count(smallest)
        text = to_text(smallest, show_types=False, show_spans=False)
        return ReduceOutcome(f"{after} of {before} values are left", text, before, after)
