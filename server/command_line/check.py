"""``relay-lsp check``: what is wrong in files, for people and for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from relay_lsp.ir.diagnostics import Diagnostic, Severity, apply_edits, in_order, with_line_ends_of
from relay_lsp.ir.semantic.lints.stale_type_comments import type_comment_updates
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ..features.diagnostics.code_actions import edits_of_all
from ..features.diagnostics.diagnostics import diagnostics
from ..features.passes.pipeline_comment import pipeline_beginning
from ..features.passes.pipeline_faults import faults_of_pipeline
from ..lsp.version import VERSION
from ..worker.read_texts import FIRST_WORD
from .excerpts import Painter, excerpt
from .files import SourceFile, files_named, read_file
from .limits import limited_command
from .problems import EXIT_FOUND, EXIT_OK, EXIT_TROUBLE, CommandError
from .progress import working
from .terminal import columns_of

__all__ = ["check", "report_placed"]

_MOST_ROUNDS = 10
"""How often a text is mended again, where mending one thing uncovers another."""


class _Checked(msgspec.Struct, frozen=True):
    """A file that could be read, with what was found in it."""

    name: str
    lines: LineIndex
    diagnostics: Sequence[Diagnostic]


def check(options: argparse.Namespace) -> int:
    """Report on every file and on those of every folder; one that cannot be read does not keep the others from it.

    With ``--fix``, what has one fix, and type comments, are mended first, and the rest is reported.
    """
    checked: list[_Checked] = []
    with working("looking for files") as progress:
        names, troubles = files_named(options.files)
        for number, name in enumerate(names, 1):
            progress(f"{name} ({number:,} of {len(names):,})" if len(names) > 1 else name)
            try:
                file = read_file(name)
                with limited_command(
                    options, partial("checking {}".format, name), "it is not known what is wrong in it"
                ):
                    checked.append(_check_file(file, options))
            except CommandError as error:
                troubles.append(error)
    for trouble in troubles:
        print(f"relay-lsp: {trouble}", file=sys.stderr)
    if options.format == "json":
        print(
            json.dumps(
                [_json(item, file) for file in checked for item in file.diagnostics], indent=2, ensure_ascii=False
            )
        )
    elif options.format == "sarif":
        print(json.dumps(_sarif(checked), indent=2, ensure_ascii=False))
    else:
        _report(checked)
    if troubles:
        return EXIT_TROUBLE
    errors = any(item.severity is Severity.ERROR for file in checked for item in file.diagnostics)
    return EXIT_FOUND if errors else EXIT_OK


def _check_file(file: SourceFile, options: argparse.Namespace) -> _Checked:
    snapshot = Snapshot.open(file.text, Path(file.source_name).name)
    if options.fix:
        snapshot = _mended(snapshot, file)
    wanted = [item for item in _findings(snapshot) if options.hints or item.severity is not Severity.HINT]
    return _Checked(file.source_name, snapshot.lines, _with_repairs(snapshot, wanted))


def _findings(snapshot: Snapshot) -> Sequence[Diagnostic]:
    """What is wrong with a text, and with the comment that names its pipeline."""
    findings = diagnostics(snapshot)
    return in_order((*findings, *faults_of_pipeline(snapshot.text))) if pipeline_beginning(snapshot.lines) else findings


def _with_repairs(snapshot: Snapshot, findings: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    if not findings:
        return findings
    # It takes as long to load as reading a model: a clean text needs none.
    from ..features.diagnostics.repairs import with_repairs

    return with_repairs(snapshot, findings)


def _mended(snapshot: Snapshot, file: SourceFile) -> Snapshot:
    """The text after all that has one fix, and again what that uncovers; then type comments that contradict the types
    that are inferred are brought up to date. The file is written once, at the end.

    Raises:
        CommandError: there is no file to write to, or it cannot be written.
    """
    if file.is_standard_input:
        raise CommandError("--fix writes to files; it cannot write to standard input")
    count = 0
    for _ in range(_MOST_ROUNDS):
        edits = edits_of_all(_with_repairs(snapshot, _findings(snapshot))) or type_comment_updates(snapshot)
        edits = with_line_ends_of(snapshot.text, edits)
        if not edits:
            break
        count += len(edits)
        snapshot = Snapshot.open(apply_edits(snapshot.text, edits), snapshot.name)
    if snapshot.text != file.text:
        file.write_back(snapshot.text)
        print(f"{file.name}: {count} place{'' if count == 1 else 's'} mended", file=sys.stderr)
    return snapshot


def _report(checked: Sequence[_Checked]) -> None:
    for file in checked:
        _report_text(file.name, file.lines, file.diagnostics)
    severities = Counter(item.severity for file in checked for item in file.diagnostics)
    errors, warnings = severities[Severity.ERROR], severities[Severity.WARNING]
    counted = (("error", errors), ("warning", warnings), ("other finding", severities.total() - errors - warnings))
    counts = [f"{count} {what}{'' if count == 1 else 's'}" for what, count in counted if count]
    files = f"{len(checked)} file{'' if len(checked) == 1 else 's'}"
    if counts:
        print(f"{files} checked: {', '.join(counts)}")
    elif checked:
        print(f"{files} checked: nothing wrong")


def _report_text(name: str, lines: LineIndex, diagnostics: Sequence[Diagnostic]) -> None:
    """Print diagnostics with excerpts, in colour on a terminal unless ``NO_COLOR`` is set."""
    is_terminal = sys.stdout.isatty()
    paint = Painter(is_terminal and not os.environ.get("NO_COLOR"))
    columns = columns_of(sys.stdout) if is_terminal else None
    for item in diagnostics:
        print("\n".join(excerpt(item, name, lines, paint, columns)))
        print()


def report_placed(file: SourceFile, diagnostics: Sequence[Diagnostic]) -> None:
    """Print those diagnostics of a run of passes that have a place in the file.

    The rest are about what was asked for, such as an option; an editor shows them at the first word for want of a
    place, and the caller says them in a sentence.
    """
    placed = [item for item in diagnostics if item.span not in (None, FIRST_WORD)]
    _report_text(file.source_name, LineIndex(file.text), placed)


def _json(item: Diagnostic, file: _Checked) -> dict[str, object]:
    return {
        "file": file.name,
        "code": item.code,
        "severity": item.severity.name.lower(),
        "message": item.message,
        "range": _range(file.lines, item.span),
        "related": [
            {"message": related.message, "range": _range(file.lines, related.span)}
            for related in item.related
            if related.span is not None
        ],
        "fixes": [
            {
                "title": fix.title,
                "edits": [{"range": _range(file.lines, edit.span), "newText": edit.new_text} for edit in fix.edits],
            }
            for fix in item.fixes
        ],
    }


def _range(lines: LineIndex, span: TextSpan | None) -> dict[str, object]:
    """Lines and columns from 1, the columns in code points, as compilers print them."""
    span = span or TextSpan(0, 0)
    (line, column), (end_line, end_column) = lines.line_and_column(span.start), lines.line_and_column(span.end)
    return {"line": line + 1, "column": column + 1, "endLine": end_line + 1, "endColumn": end_column + 1}


_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def _sarif(checked: Sequence[_Checked]) -> dict[str, object]:
    """A log in SARIF 2.1.0 (OASIS standard)."""
    codes = sorted({item.code for file in checked for item in file.diagnostics})
    results = [
        {
            "ruleId": item.code,
            "ruleIndex": codes.index(item.code),
            "level": _SARIF_LEVELS[item.severity],
            "message": {"text": item.message},
            "locations": [_sarif_location(file, item.span)],
            "relatedLocations": [
                {**_sarif_location(file, related.span), "id": number, "message": {"text": related.message}}
                for number, related in enumerate(item.related)
                if related.span is not None
            ],
        }
        for file in checked
        for item in file.diagnostics
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "relay-lsp",
                        "version": VERSION,
                        "rules": [{"id": code} for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _sarif_location(file: _Checked, span: TextSpan | None) -> dict[str, object]:
    place = _range(file.lines, span)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": Path(file.name).as_posix()},
            "region": {
                "startLine": place["line"],
                "startColumn": place["column"],
                "endLine": place["endLine"],
                "endColumn": place["endColumn"],
            },
        }
    }
