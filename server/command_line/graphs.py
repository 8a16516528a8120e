"""``relay-lsp trace --format model-explorer`` and ``dot``: the stages of a pipeline as graphs for other programs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from relay_lsp.passes.provenance import TraceFormatError, is_trace

from ..explorer.dot import dot_lines
from ..explorer.model_explorer import model_explorer_files
from ..explorer.trace_graphs import TraceGraphs, read_graphs
from .check import report_placed
from .files import read_file, write_file
from .optimize import run_traced
from .problems import EXIT_FOUND, EXIT_OK, CommandError

__all__ = ["write_graphs"]


def write_graphs(options: argparse.Namespace) -> int:
    """Write the graphs of a trace: of one that runs now, or of a file that is one already.

    Raises:
        CommandError: the folder is missing, or the trace cannot be read.
    """
    if options.format == "model-explorer" and not options.output:
        raise CommandError("--format model-explorer writes several files: name a folder with --output")
    file = read_file(options.file)
    code = EXIT_OK
    if is_trace(file.text):
        lines: Iterable[str] | None = file.text.splitlines()
    else:
        run = run_traced(options, file, weights=False)
        lines = run.lines
        if run.outcome.failed is not None:
            report_placed(file, run.outcome.diagnostics)
            print(f"relay-lsp: {run.outcome.failed}", file=sys.stderr)
            code = EXIT_FOUND
    if lines is None:
        return code
    try:
        graphs = read_graphs(lines)
    except TraceFormatError as error:
        raise CommandError(f"{file.source_name} is no trace that has graphs: {error}") from None
    if not graphs.stages:
        raise CommandError(f"{file.source_name} has no stages")
    if options.output:
        _write(Path(options.output), _files(options.format, graphs))
    else:
        sys.stdout.writelines(dot_lines(graphs.stages[-1]))
    return code


def _files(format: str, graphs: TraceGraphs) -> Mapping[str, Iterable[str]]:
    if format == "dot":
        return {f"{index}.dot": dot_lines(stage) for index, stage in enumerate(graphs.stages, 1)}
    return {name: [json.dumps(content), "\n"] for name, content in model_explorer_files(graphs).items()}


def _write(folder: Path, files: Mapping[str, Iterable[str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"the folder {folder} cannot be made: {error.strerror}") from None
    for name, parts in files.items():
        write_file(str(folder / name), parts)
        print(folder / name)
