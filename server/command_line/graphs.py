"""``relay-lsp trace --format model-explorer`` and ``dot``: the stages of a pipeline as graphs for other programs."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from relay_lsp.passes.provenance import TraceFormatError, is_trace

from ..explorer.dot import dot_lines
from ..explorer.model_explorer import model_explorer_files
from ..explorer.trace_graphs import TraceGraphs, read_graphs
from .check import report_placed
from .files import read_file, write_file
from .optimize import run_traced
from .problems import EXIT_FOUND, EXIT_OK, CommandError

__all__ = ["write_graphs"]

_UNITS = {"seconds": 1.0, "ms": 1e-3, "us": 1e-6}


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
        lines: Iterable[str] | None = file.text.split("\n")
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
    times = _times(options.times) if options.times else {}
    if options.output:
        _write(Path(options.output), _files(options.format, graphs, times))
    else:
        sys.stdout.writelines(dot_lines(graphs.stages[-1]))
    return code


def _times(name: str) -> dict[str, float]:
    """Seconds by layer, those of one layer added up.

    Raises:
        CommandError: the file is no such table.
    """
    text = read_file(name).text
    times: dict[str, float] = {}
    try:
        if text.lstrip().startswith("{"):
            return msgspec.json.decode(text, type=dict[str, float])
        rows = csv.DictReader(text.splitlines())
        unit = next((unit for unit in _UNITS if unit in (rows.fieldnames or ())), "")
        if not unit or "layer" not in (rows.fieldnames or ()):
            raise CommandError(f"{name} is no table of times: it needs the columns layer and {' or '.join(_UNITS)}")
        for row in rows:
            times[row["layer"]] = times.get(row["layer"], 0.0) + float(row[unit]) * _UNITS[unit]
    except (msgspec.DecodeError, ValueError, TypeError) as error:
        raise CommandError(f"{name} is no table of times: {error}") from None
    return times


def _files(format: str, graphs: TraceGraphs, times: Mapping[str, float]) -> Mapping[str, Iterable[str]]:
    if format == "dot":
        return {f"{index}.dot": dot_lines(stage) for index, stage in enumerate(graphs.stages, 1)}
    return {name: [json.dumps(content), "\n"] for name, content in model_explorer_files(graphs, times).items()}


def _write(folder: Path, files: Mapping[str, Iterable[str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"the folder {folder} cannot be made: {error.strerror}") from None
    for name, parts in files.items():
        write_file(str(folder / name), parts)
        print(folder / name)
