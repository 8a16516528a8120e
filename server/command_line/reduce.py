"""``relay-lsp reduce``: the smallest module on which passes still go wrong in the same way."""

from __future__ import annotations

import argparse
import sys

from relay_lsp.ir import Severity, parse, to_text
from relay_lsp.passes import PassContext, PassError, create
from relay_lsp.passes.verification import FailureCondition, statement_count
from relay_lsp.passes.verification import reduce as reduce_module

from .check import report_placed
from .files import read_file, write_file
from .limits import limited_command
from .pipeline import read_context, read_pipeline
from .problems import EXIT_FOUND, EXIT_OK, CommandError
from .progress import working

__all__ = ["reduce"]


def reduce(options: argparse.Namespace) -> int:
    """Print the smallest module on which the passes still fail, or write it to a file."""
    try:
        condition = FailureCondition.parse(options.until)
    except ValueError as error:
        raise CommandError(str(error)) from None
    file = read_file(options.file)
    calls, opt_level = read_pipeline(options, file.text)
    context = read_context(options, opt_level, file.text)
    parsed = parse(file.text, name=file.source_name)
    errors = [each for each in parsed.diagnostics if each.severity is Severity.ERROR]
    if errors:
        report_placed(file, errors)
        print(f"relay-lsp: the text has errors: {errors[0].message}", file=sys.stderr)
        return EXIT_FOUND
    smallest = parsed.module
    try:
        whole_context = PassContext(context.opt_level, context.required, context.disabled, config=context.config)
    except (AttributeError, TypeError) as error:
        raise CommandError(f"the context cannot be made: {error}") from None
    try:
        passes = [create(call.name, **call.options) for call in calls]
        print(f"{statement_count(smallest)} values", file=sys.stderr)
        with working("reducing") as progress, limited_command(options, lambda: progress.doing), whole_context:
            smallest = reduce_module(smallest, passes, condition, _show_progress)
    except PassError as error:
        print(f"relay-lsp: {error}", file=sys.stderr)
        return EXIT_FOUND
    text = to_text(smallest, show_types=False, show_spans=False)
    if options.output:
        write_file(options.output, text)
    else:
        sys.stdout.write(text)
    return EXIT_OK


def _show_progress(count: int) -> None:
    print(f"{count} values", file=sys.stderr, flush=True)
