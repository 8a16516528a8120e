"""``relay-lsp explore``: a pipeline as a page, in the browser or in a file."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from copy import copy
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NoReturn

from relay_lsp.frontends.models import FRAMEWORKS
from relay_lsp.ir.model_reference import ModelReference
from relay_lsp.passes.provenance import TraceFormatError, is_trace, read_records

from ..explorer.models import model_beside, with_model, with_overlays
from ..explorer.page import PageNotBuiltError, explorer_page
from ..explorer.serving import ExplorerServer, RunRequest
from ..features.documentation.pass_documentation import describe_passes
from ..features.provenance.model_nodes import NodeList, node_list
from ..worker.model_imports import ImportModel
from .check import report_placed
from .files import SourceFile, read_file, write_file
from .optimize import run_traced
from .problems import EXIT_FOUND, EXIT_OK, CommandError

__all__ = ["explore"]


def explore(options: argparse.Namespace) -> int:
    """Write the page with the trace in it to a file, or serve it until the user ends that."""
    file, nodes = _source(options.file)
    if is_trace(file.text):
        _require_whole_records(file)
    try:
        page = explorer_page()
    except PageNotBuiltError as error:
        raise CommandError(str(error)) from None
    if is_trace(file.text):
        if options.passes or options.build:
            raise CommandError(f"{file.source_name} is a trace already: passes run over a text")
        lines, code = file.text, EXIT_OK
    else:
        lines, code = _trace(options, file, nodes)
    if lines is None:
        return code
    if options.overlays:
        files = (read_file(name) for name in options.overlays)
        lines = with_overlays(lines, {Path(each.source_name).name: each.text for each in files})
    if options.export:
        write_file(options.export, explorer_page([lines]))
        return code
    return _serve(options, file, page, lines, nodes)


def _require_whole_records(trace: SourceFile) -> None:
    """Refuse what the page could not show.

    Raises:
        CommandError: a line is no record, or the trace is of another version.
    """
    try:
        for _ in read_records(trace.text.split("\n")):
            pass
    except TraceFormatError as error:
        raise CommandError(f"{trace.source_name} is no trace that can be shown: {error}") from None


def _text(read: Callable[[], SourceFile]) -> str | None:
    try:
        return read().text
    except CommandError:
        return None  # It is being written, or gone.


def _is_model(path: Path) -> bool:
    return path.suffix.lower() in (suffix for framework in FRAMEWORKS.values() for suffix in framework.suffixes)


def _source(name: str) -> tuple[SourceFile, NodeList | None]:
    """The text, with the nodes of the model that it comes from; a model's file is imported first."""
    path = Path(name)
    if _is_model(path):
        outcome = ImportModel(name, folder=str(path.parent)).run(lambda _: None)
        for problem in outcome.problems:
            print(f"{name}: {problem.severity.name.lower()}: {problem.message}", file=sys.stderr)
        if outcome.failed:
            raise CommandError(outcome.failed)
        reference = ModelReference(path.name, outcome.framework, outcome.sha256)
        return SourceFile(name, outcome.text), node_list(reference, outcome.layers)
    file = read_file(name)
    nodes = "" if is_trace(file.text) else model_beside(file.text, path.parent)
    if isinstance(nodes, str):
        if nodes:
            print(f"relay-lsp: {nodes}; the page is without it", file=sys.stderr)
        return file, None
    return file, nodes


def _trace(options: argparse.Namespace, file: SourceFile, nodes: NodeList | None) -> tuple[str | None, int]:
    """The lines of the trace; where a pass fails, those up to there, and what there is to report on standard error."""
    run = run_traced(options, file, weights=False)
    lines = "".join(run.lines) if run.lines is not None else None
    if lines is not None and nodes is not None:
        lines = with_model(lines, nodes.text.partition(":")[0], nodes)
    if run.outcome.failed is None:
        return lines, EXIT_OK
    report_placed(file, run.outcome.diagnostics)
    print(f"relay-lsp: {run.outcome.failed}", file=sys.stderr)
    return lines, EXIT_FOUND


def _serve(options: argparse.Namespace, file: SourceFile, page: str, first: str, nodes: NodeList | None) -> int:
    can_change = not (file.is_standard_input or is_trace(file.text) or _is_model(Path(file.source_name)))

    def now() -> SourceFile:
        return read_file(options.file) if can_change else file

    runs = _MainThreadRuns()

    def trace(asked: RunRequest | None) -> str:
        return first if asked is None or is_trace(file.text) else runs.result(lambda: run(asked))

    def run(asked: RunRequest) -> str:
        again = copy(options)
        again.passes, again.build, again.targets, again.params = asked.passes, [], [], ""
        again.opt_level, again.config = asked.level, asked.config
        again.require, again.disable = asked.require, asked.disable
        try:
            lines, _ = _trace(again, now(), nodes)
        except CommandError as error:
            raise ValueError(str(error)) from None
        if lines is None:
            raise ValueError("the text has errors; relay-lsp check shows them")
        return lines

    try:
        server = ExplorerServer(
            page, trace, options.port, passes=describe_passes, text=lambda: _text(now) if can_change else None
        )
    except (OSError, OverflowError) as error:
        raise CommandError(f"port {options.port} cannot be used: {error}") from None
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        print(f"{server.address}\nThis page is served to this computer alone, until Ctrl+C.", flush=True)
        if not options.no_open:
            webbrowser.open(server.address)
        try:
            runs.work()
        except KeyboardInterrupt:
            print(file=sys.stderr)
        server.shutdown()
    return EXIT_OK


class _MainThreadRuns:
    """Runs on the main thread what the threads of requests ask for: that is the one that a time limit can stop."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Callable[[], str], Future[str]]] = SimpleQueue()

    def result(self, run: Callable[[], str]) -> str:
        """What ``run`` gives, or raises, once the main thread has come to it."""
        answer: Future[str] = Future()
        self._waiting.put((run, answer))
        return answer.result()

    def work(self) -> NoReturn:
        """Run what is asked for, until Ctrl+C."""
        while True:
            with suppress(Empty):
                run, answer = self._waiting.get(timeout=0.5)  # on Windows, Ctrl+C ends no wait without a limit
                try:
                    answer.set_result(run())
                except Exception as error:  # the request is told, and others are served
                    answer.set_exception(error)
