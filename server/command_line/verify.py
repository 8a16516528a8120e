"""``relay-lsp bisect``, and what ``opt --verify`` asks: whether passes keep what a file computes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..worker.verification import VerifyOutcome, VerifyPasses
from .check import report_placed
from .files import SourceFile, read_file
from .limits import limited_command
from .pipeline import read_context, read_pipeline
from .problems import EXIT_FOUND, EXIT_OK
from .progress import working

__all__ = ["bisect", "verified"]


def bisect(options: argparse.Namespace) -> int:
    """Name the first pass of a pipeline that changes the result, breaks typing or raises."""
    file = read_file(options.file)
    calls, _ = read_pipeline(options, file.text)
    outcome = judge(file, options)
    for step in outcome.steps:
        said = f"not compared: {step.reason}" if step.difference is None else f"apart by {step.difference:.3g}"
        print(f"{step.name:<28} {said}")
    if outcome.reduced:
        print("(compared with smaller tensors: the file's are too large to run)")
    if outcome.agrees:
        print(f"no pass goes wrong: {outcome.message}")
        return EXIT_OK
    report(file, outcome)
    if outcome.culprit is not None:
        print(f"pass {outcome.number + 1} of {len(calls)}, {calls[outcome.number]}, {outcome.kind}")
    return EXIT_FOUND


def verified(file: SourceFile, options: argparse.Namespace) -> bool:
    """Whether passes keep what a file computes. Says on standard error how far they do, or where they do not."""
    outcome = judge(file, options)
    if not outcome.agrees:
        report(file, outcome)
        return False
    print(f"relay-lsp: verified: {outcome.message}", file=sys.stderr)
    return True


def judge(file: SourceFile, options: argparse.Namespace) -> VerifyOutcome:
    """Run the comparison, in this process."""
    name = Path(file.source_name).name
    calls, opt_level = read_pipeline(options, file.text)
    context = read_context(options, opt_level, file.text)
    job = VerifyPasses(file.text, name, tuple(calls), opt_level, options.seed, context)
    with working(f"reading {name}") as progress, limited_command(options, lambda: progress.doing):
        return job.run(progress)


def report(file: SourceFile, outcome: VerifyOutcome) -> None:
    """Show what is wrong at its place, and in a sentence on standard error."""
    report_placed(file, outcome.diagnostics)
    print(f"relay-lsp: {outcome.message}", file=sys.stderr)
