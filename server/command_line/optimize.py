"""``relay-lsp opt`` and ``trace``: passes over a file, for the result or for what happens on the way."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relay_lsp.ir.syntax.lexer import COMMENT_PATTERN

from ..lsp.version import VERSION
from ..worker.jobs import RunPasses
from ..worker.pass_changes import SpanLayers
from ..worker.pass_outcomes import PassesOutcome, StepOutcome
from ..worker.tracing import TracedRun, TracePasses
from .calls import read_calls
from .files import SourceFile, read_file, write_file
from .limits import limited_command
from .pipeline import CommandPipeline, read_pipeline
from .problems import EXIT_FOUND, EXIT_OK, CommandError
from .progress import working
from .remarks import chosen_remarks, remark_lines, remarks_as_yaml, unknown_layer
from .terminal import columns_of

if TYPE_CHECKING:
    from .file_history import FileHistory

__all__ = ["opt", "run_traced", "trace"]

_VALUES_SHOWN = 10
_OPTIONS_OF_FORMATS = {
    "output": ("json", "model-explorer", "dot"),
    "times": ("model-explorer",),
    "no_weights": ("json",),
    "remarks": ("json",),
    "texts": ("text",),
    "all": ("text",),
}
_COMMENT = re.compile(rf" ?{COMMENT_PATTERN}")
_FUNCTION = re.compile(r"def @|@[\w.]+$")
"""A function of the module, or its name: what became of one is told by its values."""


def _run(
    options: argparse.Namespace,
    file: SourceFile,
    pipeline: CommandPipeline,
    provenance: bool = False,
    layers: SpanLayers = (),
    with_steps: bool = True,
) -> PassesOutcome:
    calls, context = pipeline
    name = Path(file.source_name).name
    instruments = read_calls(options.instruments)
    with_remarks = bool(getattr(options, "remarks", None) or getattr(options, "remarks_output", None))
    job = RunPasses(
        *(file.text, name, calls, context.opt_level),
        provenance=provenance,
        instruments=instruments,
        layers=layers,
        remarks=with_remarks,
        context=context,
        with_steps=with_steps,
        with_changes=False,
    )
    with working(f"reading {name}") as progress, limited_command(options, lambda: progress.doing):
        outcome = job.run(progress)
    for report in outcome.reports:
        print(report.rstrip("\n"), file=sys.stderr)
    for step in outcome.steps:
        if step.skipped:
            print(f"relay-lsp: {step.name} is skipped: {step.skipped}", file=sys.stderr)
    for name, reason in outcome.by_name.items():
        print(f"relay-lsp: {name} runs because it is asked for by name: {reason}", file=sys.stderr)
    return outcome


def _refused(file: SourceFile, outcome: PassesOutcome) -> int:
    """Report why there is no result."""
    from .check import report_placed  # most runs have one, and need none of what a check loads

    report_placed(file, outcome.diagnostics)
    print(f"relay-lsp: {outcome.failed}", file=sys.stderr)
    return EXIT_FOUND


def opt(options: argparse.Namespace) -> int:
    """Run passes and print the resulting module, or write it back."""
    if options.layer and not (options.remarks or options.remarks_output):
        raise CommandError("--layer chooses remarks; add --remarks or --remarks-output")
    file = read_file(options.file)
    if options.in_place and file.is_standard_input:
        raise CommandError("standard input cannot be written back to; leave out --in-place")
    writes = bool(options.in_place or options.output) and not options.no_history
    history: FileHistory | None = None
    if writes:
        from .file_history import FileHistory

        history = FileHistory(options, file.text)
    try:
        return _opt(options, file, history)
    finally:
        if history is not None:
            history.close()


def _opt(options: argparse.Namespace, file: SourceFile, history: FileHistory | None) -> int:
    layers = history.known.span_layers if history is not None else ()
    with_steps = history is not None
    pipeline = read_pipeline(options, file.text)
    outcome = _run(options, file, pipeline, options.provenance, layers=layers, with_steps=with_steps)
    if outcome.failed is not None:
        return _refused(file, outcome)
    if options.remarks or options.remarks_output:
        _show_remarks(file, outcome, options)
    if options.timing:
        for step in outcome.steps:
            print(_step_line(step, columns_of(sys.stderr)), file=sys.stderr)
    if options.verify:
        from .verify import verified

        code = verified(file, options, pipeline)
        if code != EXIT_OK:
            return code
    if options.diff:
        sys.stdout.write(file.difference(outcome.text))
    elif options.output:
        write_file(options.output, outcome.text)
    elif options.in_place:
        if outcome.changed:
            file.write_back(outcome.text)
    else:
        sys.stdout.write(outcome.text)
    if history is not None:
        history.record(outcome, pipeline.context.opt_level)
    return EXIT_OK


def _show_remarks(file: SourceFile, outcome: PassesOutcome, options: argparse.Namespace) -> None:
    """What the passes did and did not, and why: on standard error, or as YAML in a file."""
    remarks = chosen_remarks(outcome.remarks, options)
    if options.layer and not remarks:
        unknown = unknown_layer(outcome.remarks, options.layer, file.text)
        if unknown:
            raise CommandError(unknown)
    if options.remarks_output:
        write_file(options.remarks_output, "".join(remarks_as_yaml(remarks, file.source_name, file.text)))
        return
    for line in remark_lines(remarks, file.source_name, file.text):
        print(line, file=sys.stderr)
    print(f"{len(remarks)} remark{'' if len(remarks) == 1 else 's'}", file=sys.stderr)


def trace(options: argparse.Namespace) -> int:
    """Run passes and print what each step changed, or write it in another format.

    Raises:
        CommandError: an option is of another format, or the result cannot be written.
    """
    for option, formats in _OPTIONS_OF_FORMATS.items():
        if getattr(options, option) and options.format not in formats:
            name = option.replace("_", "-")
            raise CommandError(f"--{name} is for --format {' or '.join(formats)}")
    if options.format in ("model-explorer", "dot"):
        from .graphs import write_graphs

        return write_graphs(options)
    if options.format == "json":
        return _trace_as_json(options)
    file = read_file(options.file)
    outcome = _run(options, file, read_pipeline(options, file.text))
    if outcome.failed is not None:
        return _refused(file, outcome)
    before, columns = file.text, columns_of(sys.stdout)
    for step in outcome.steps:
        print(_step_line(step, columns))
        if step.changed:
            for name, count in step.operators.items():
                print(f"      {name} {count:+d}")
            values = list(_new_values(before, step, columns))
            shown = values if options.all else values[:_VALUES_SHOWN]
            for new, old in shown:
                print(f"      {new}")
                print("        from " + ("; ".join(old) if old else "nothing that was there before"))
            if len(values) > len(shown):
                print(f"      … and {len(values) - len(shown)} more (--all shows them)")
            if options.texts:
                print(step.text)
            before = step.text
    changed = sum(step.changed for step in outcome.steps)
    total = sum(step.seconds for step in outcome.steps)
    print(f"{len(outcome.steps)} steps, {changed} changed the module, {total * 1000:.1f} ms")
    return EXIT_OK


def _step_line(step: StepOutcome, columns: int) -> str:
    """A pass, its time and what came of it; in a narrow terminal what does not fit is left out."""
    outcome = f"skipped: {step.skipped}" if step.skipped else "changed" if step.changed else "nothing to change"
    time = "" if step.skipped else f"{step.seconds * 1000:.1f} ms"
    width = max(min(28, columns - 32), 12)
    return _fitting(f"{_fitting(step.name, width):<{width}} {time:>12}  {outcome}", columns)


def _new_values(before: str, step: StepOutcome, columns: int) -> Iterator[tuple[str, list[str]]]:
    """The values that a step made, in the order of its text, with what each was made from; those that read as before
    are left out.

    Comments, which give types and spans, are no part of them.
    """
    for start, end, sources in sorted(step.origins, key=lambda origin: (origin[0], -origin[1])):
        new = _one_line(step.text[start:end])
        old = [_one_line(before[old_start:old_end]) for old_start, old_end in sources]
        if old != [new] and not (old and all(map(_FUNCTION.match, (new, *old)))):
            yield _fitting(new, columns - 6), [_fitting(text, columns - 13) for text in old]


def _one_line(text: str) -> str:
    return " ".join(_COMMENT.sub("", text).split())


def _fitting(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 1] + "…"


def _trace_as_json(options: argparse.Namespace) -> int:
    """Write the trace; one of a pipeline that fails has all up to there."""
    file = read_file(options.file)
    run = run_traced(options, file, weights=not options.no_weights)
    if run.lines is None:
        return _refused(file, run.outcome)
    if options.output:
        write_file(options.output, run.lines)
    else:
        sys.stdout.writelines(run.lines)
    if run.outcome.failed is not None:
        return _refused(file, run.outcome)
    return EXIT_OK


def run_traced(options: argparse.Namespace, file: SourceFile, weights: bool) -> TracedRun:
    """Run the passes that a command line asks for over a file, inside a trace."""
    calls, context = read_pipeline(options, file.text)
    name = Path(file.source_name).name
    instruments = read_calls(options.instruments)
    producer = f"relay-lsp {VERSION}"
    job = TracePasses(
        *(file.text, name, calls, context.opt_level, instruments, weights, file.source_name, producer),
        context=context,
        remarks=bool(getattr(options, "remarks", False)),
    )
    with working(f"reading {name}") as progress, limited_command(options, lambda: progress.doing):
        run = job.run(progress)
    for report in run.outcome.reports:
        print(report.rstrip("\n"), file=sys.stderr)
    return run
