"""``relay-lsp explore``: a pipeline as a page, in the browser or in a file."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from copy import copy

from relay_lsp.passes.provenance import is_trace

from ..explorer.page import PageNotBuiltError, explorer_page
from ..explorer.serving import ExplorerServer
from .check import report_placed
from .files import SourceFile, read_file, write_file
from .optimize import run_traced
from .problems import EXIT_FOUND, EXIT_OK, CommandError

__all__ = ["explore"]


def explore(options: argparse.Namespace) -> int:
    """Write the page with the trace in it to a file, or serve it until the user ends that."""
    file = read_file(options.file)
    try:
        page = explorer_page()
    except PageNotBuiltError as error:
        raise CommandError(str(error)) from None
    if is_trace(file.text):
        if options.passes or options.build:
            raise CommandError(f"{file.source_name} is a trace already: passes run over a text")
        lines, code = file.text, EXIT_OK
    else:
        lines, code = _trace(options, file)
    if lines is None:
        return code
    if options.export:
        write_file(options.export, explorer_page([lines]))
        return code
    return _serve(options, file, page, lines)


def _trace(options: argparse.Namespace, file: SourceFile) -> tuple[str | None, int]:
    """The lines of the trace; where a pass fails, those up to there, and what there is to report on standard error."""
    run = run_traced(options, file, weights=False)
    lines = "".join(run.lines) if run.lines is not None else None
    if run.outcome.failed is None:
        return lines, EXIT_OK
    report_placed(file, run.outcome.diagnostics)
    print(f"relay-lsp: {run.outcome.failed}", file=sys.stderr)
    return lines, EXIT_FOUND


def _serve(options: argparse.Namespace, file: SourceFile, page: str, first: str) -> int:
    def run(passes: Sequence[str] | None, level: int | None) -> str:
        if passes is None or is_trace(file.text):
            return first
        again = copy(options)
        again.passes, again.build, again.targets, again.params = list(passes), [], [], ""
        again.opt_level = options.opt_level if level is None else level
        try:
            lines, _ = _trace(again, file)
        except CommandError as error:
            raise ValueError(str(error)) from None
        if lines is None:
            raise ValueError("the text has errors; relay-lsp check shows them")
        return lines

    try:
        server = ExplorerServer(page, run, options.port)
    except (OSError, OverflowError) as error:
        raise CommandError(f"port {options.port} cannot be used: {error}") from None
    with server:
        print(f"{server.address}\nThis page is served to this computer alone, until Ctrl+C.", flush=True)
        if not options.no_open:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return EXIT_OK
