"""``relay-lsp reduce``: the smallest module on which passes still go wrong in the same way."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from relay_lsp.passes.verification import FailureCondition

from ..worker.reduction import ReducePasses
from .check import report_placed
from .files import read_file, write_file
from .limits import limited_command
from .pipeline import read_pipeline
from .problems import EXIT_FOUND, EXIT_OK, CommandError
from .progress import working

__all__ = ["reduce"]


def reduce(options: argparse.Namespace) -> int:
    """Print the smallest module on which the passes still fail, or write it to a file.

    Raises:
        CommandError: the condition is none, or the file or its pipeline cannot be read.
    """
    try:
        FailureCondition.parse(options.until)
    except ValueError as error:
        raise CommandError(str(error)) from None
    file = read_file(options.file)
    calls, context = read_pipeline(options, file.text)
    name = Path(file.source_name).name
    job = ReducePasses(file.text, name, calls, options.until, context.opt_level, seconds=math.inf, context=context)
    with working("reducing") as progress, limited_command(options, lambda: progress.doing):
        outcome = job.run(lambda size: print(size, file=sys.stderr, flush=True))
    if outcome.text is None:
        report_placed(file, outcome.diagnostics)
    elif options.output:
        write_file(options.output, outcome.text)
    else:
        sys.stdout.write(outcome.text)
    print(f"relay-lsp: {outcome.message}", file=sys.stderr)
    return EXIT_FOUND if outcome.text is None else EXIT_OK
