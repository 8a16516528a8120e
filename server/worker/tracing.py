"""A pipeline with its whole trace, in the format that the explorer and other tools read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .jobs import cannot_write
from .pass_changes import SpanLayers
from .pass_outcomes import PassesOutcome
from .pass_runs import run_passes
from .read_texts import open_snapshot, places_of
from .span_layers import layers_at_spans
from .worker_process import Progress

if TYPE_CHECKING:
    from relay_lsp.ir.diagnostics import Diagnostic
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.spans import AnySpan

__all__ = ["ExplorePasses", "ExploredRun", "TracePasses", "TracedRun"]


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
    layers: SpanLayers = ()
    """The layers that are known of the text besides those of its comments."""
    remarks: bool = False
    """Whether the trace has what the passes say about their decisions."""

    def run(self, progress: Progress) -> TracedRun:
        """Run them. The lines are written when they are read."""
        from relay_lsp.ir.garbage_collection import without_collection
        from relay_lsp.passes import Trace
        from relay_lsp.passes.layers import layers_in
        from relay_lsp.passes.provenance import TraceDetails, TraceFailure

        reports: list[str] = []
        failures: list[TraceFailure] = []
        parsed = open_snapshot(self.text, self.name).parsed

        def layers() -> Mapping[Expr, AnySpan]:
            return {**layers_at_spans(parsed.module, places_of(parsed), self.layers), **layers_in(parsed)}

        trace = Trace(layers, remarks=self.remarks)
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
            return TracedRun(PassesOutcome(self.text, failed=cannot_write(error)), None)
        outcome = run if isinstance(run, PassesOutcome) else PassesOutcome(self.text)
        outcome = replace(outcome, reports=tuple(reports))
        if outcome.failed is not None and not failures:
            return TracedRun(outcome, None)
        details = TraceDetails(
            start=parsed.module,
            parsed=parsed,
            source=self.source or self.name,
            producer=self.producer,
            pipeline=[str(call) for call in self.calls],
            failure=failures[0] if failures else None,
            weights=self.weights,
        )
        lines = trace.json_lines(details)
        return TracedRun(outcome, _without_collection(lines))


@dataclass(frozen=True)
class ExploredRun:
    """The trace of a run as one text, empty where the text cannot be worked on; and why the run failed, if it did."""

    trace: str
    failed: str | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class ExplorePasses:
    """The same, with a result that can be sent between processes."""

    passes: TracePasses

    def run(self, progress: Progress) -> ExploredRun:
        """Run the passes and write the trace."""
        traced = self.passes.run(progress)
        progress("writing the trace")
        outcome = traced.outcome
        return ExploredRun("".join(traced.lines or ()), outcome.failed, outcome.diagnostics)


def _without_collection(lines: Iterator[str]) -> Iterator[str]:
    """The lines, without the collector until the last one: between two of them, it would look at all modules again."""
    from relay_lsp.ir.garbage_collection import without_collection

    with without_collection():
        yield from lines
