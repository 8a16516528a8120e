"""What it costs to write and to read a trace as a file: the chain through the twenty passes of :mod:`.explorer`."""

from __future__ import annotations

import time

from relay_lsp.passes.provenance.trace_reading import read_trace
from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.tracing import TracePasses

from .explorer import PASSES
from .inputs import chain

__all__ = ["WRITTEN", "written_traces"]

WRITTEN = ("statements", "passes", "written, s", "goal", "read, s", "goal", "MB")
_GOAL_AT_10000 = 3.0
"""Seconds, for writing and for reading; smaller texts have the part of it that is theirs."""


def written_traces(sizes: list[int]) -> list[list[str]]:
    """A row for each size: seconds of the processor to write the trace after the passes ran, and to read it back."""
    rows: list[list[str]] = []
    for size in sizes:
        run = TracePasses(chain(size), "chain.relay", tuple(parse_pipeline(list(PASSES)))).run(lambda _: None)
        if run.lines is None or run.outcome.failed:
            raise SystemExit(f"the pipeline failed: {run.outcome.failed}")
        started = time.process_time()
        lines = list(run.lines)
        written = time.process_time()
        read_trace(lines)
        read = time.process_time()
        goal = f"{_GOAL_AT_10000 * size / 10_000:g}"
        megabytes = sum(len(line.encode()) for line in lines) / 1e6
        row = (f"{size:,}", str(len(PASSES)), f"{written - started:.2f}", goal, f"{read - written:.2f}", goal)
        rows.append([*row, f"{megabytes:.1f}"])
    return rows
