"""``relay-lsp bisect``, and what ``opt --verify`` asks: whether passes keep what a file computes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..worker.verification import VerifyOutcome, VerifyPasses
from .check import report_placed
from .files import SourceFile, read_file
from .limits import limited_command
from .pipeline import CommandPipeline, read_pipeline
from .problems import EXIT_FOUND, EXIT_OK, EXIT_TROUBLE
from .progress import working

__all__ = ["bisect", "verified"]


def bisect(options: argparse.Namespace) -> int:
    """Name the first pass of a pipeline that changes the result, breaks typing or raises."""
    file = read_file(options.file)
    pipeline = read_pipeline(options, file.text)
    outcome = judge(file, options, pipeline)
    for step in outcome.steps:
        said = f"not compared: {step.reason}" if step.difference is None else f"apart by {step.difference:.3g}"
        print(f"{step.name:<28} {said}")
    if outcome.reduced:
        print("(compared with smaller tensors: the file's are too large to run)")
    if outcome.agrees:
        print(f"no pass goes wrong: {outcome.message}")
        return EXIT_OK
    code = report(file, outcome)
    if outcome.culprit is not None:
        print(f"pass {outcome.number + 1} of {len(pipeline.calls)}, {pipeline.calls[outcome.number]}, {outcome.kind}")
    return code


def verified(file: SourceFile, options: argparse.Namespace, pipeline: CommandPipeline) -> int:
    """Say on standard error how far passes keep what a file computes; the exit code, 0 where they do."""
    outcome = judge(file, options, pipeline, options.function)
    if not outcome.agrees:
        return report(file, outcome)
    print(f"relay-lsp: verified: {outcome.message}", file=sys.stderr)
    return EXIT_OK


def judge(
    file: SourceFile, options: argparse.Namespace, pipeline: CommandPipeline, function: str = ""
) -> VerifyOutcome:
    """Run the comparison, in this process; of one ``function`` where the passes may change that alone."""
    name = Path(file.source_name).name
    calls, context = pipeline
    job = VerifyPasses(file.text, name, calls, context.opt_level, options.seed, context, function)
    with working(f"reading {name}") as progress, limited_command(options, lambda: progress.doing):
        return job.run(progress)


def report(file: SourceFile, outcome: VerifyOutcome) -> int:
    """Show what is wrong at its place, and in a sentence on standard error; the exit code.

    Where nothing could be compared, the question has no answer: that is trouble.
    """
    report_placed(file, outcome.diagnostics)
    print(f"relay-lsp: {outcome.message}", file=sys.stderr)
    return EXIT_TROUBLE if outcome.is_undecided else EXIT_FOUND
