"""A pipeline with its whole trace, in the format that the explorer and other tools read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .jobs import PassesOutcome, open_snapshot, run_passes
from .worker_process import Progress

__all__ = ["TracePasses", "TracedRun"]


@dataclass(frozen=True)
class TracedRun:
    """The lines of a trace, ``None`` where the text cannot be worked on at all, and what there is to report."""

    outcome: PassesOutcome
    lines: Iterator[str] | None


@dataclass(frozen=True)
class TracePasses:
    """Run passes over a text and keep every step. Where one fails, the trace has all up to there, and why."""

    text: str
    name: str
    calls: tuple[PassCall, ...]
    opt_level: int = 3
    instruments: tuple[PassCall, ...] = ()
    weights: bool = False
    """Whether the trace has the data of constant tensors."""
    source: str = ""
    """The file that the trace names, where that is more than ``name``."""
    producer: str = "relay-lsp"
    context: ContextOptions | None = None
    """The context that the passes run in; without one, all that are named run, at ``opt_level``."""

    def run(self, progress: Progress) -> TracedRun:
        """Run them. The lines are written when they are read."""
        from relay_lsp.passes import Trace
        from relay_lsp.passes.infrastructure.collection import without_collection
        from relay_lsp.passes.layers import layers_in
        from relay_lsp.passes.provenance import TraceFailure

        reports: list[str] = []
        failures: list[TraceFailure] = []
        trace = Trace(lambda: layers_in(parsed))
        try:
            with without_collection():
                run = run_passes(
                    self.text,
                    self.name,
                    self.calls,
                    self.opt_level,
                    progress,
                    self.instruments,
                    reports,
                    trace,
                    failures,
                    options=self.context,
                )
        except OSError as error:
            return TracedRun(PassesOutcome(self.text, failed=f"an instrument cannot write: {error}"), None)
        outcome = run if isinstance(run, PassesOutcome) else PassesOutcome(self.text)
        outcome = replace(outcome, reports=tuple(reports))
        if outcome.failed is not None and not failures:
            return TracedRun(outcome, None)
        parsed = open_snapshot(self.text, self.name).parsed
        lines = trace.json_lines(
            start=parsed.module,
            parsed=parsed,
            source=self.source or self.name,
            producer=self.producer,
            pipeline=[str(call) for call in self.calls],
            failure=failures[0] if failures else None,
            weights=self.weights,
        )
        return TracedRun(outcome, _without_collection(lines))


def _without_collection(lines: Iterator[str]) -> Iterator[str]:
    from relay_lsp.passes.infrastructure.collection import without_collection

    while True:
        with without_collection():
            line = next(lines, None)
        if line is None:
            return
        yield line
