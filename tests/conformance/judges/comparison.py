"""Comparing modules and texts: what the judges have in common."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from relay_lsp import ir
from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.metadata import read_metadata, write_metadata

_SPAN = re.compile(r" span=[^*]*?(?= \*/)")


def without_spans(text: str) -> str:
    """``text`` without the ``span=`` parts of its comments and metadata: modules that were not parsed have none."""
    body, mark, metadata = text.partition("\n#[metadata]\n")
    body = _SPAN.sub("", body).replace(" /* span=", " /* ")
    if '"type_key": "Span"' in metadata:
        # Writing orders the keys as TVM's hash table does, which puts what comes later in front.
        metadata = write_metadata(dict(reversed(read_metadata(metadata).items())), show_spans=False)
    return body + mark + metadata


def difference(expected: str, actual: str) -> str | None:
    """A unified diff, or ``None`` where the two are the same bytes."""
    if expected == actual:
        return None
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=1)
    return "\n".join(line[:1000] for line in list(lines)[:24]) or "the two differ in white space at a line's end"


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that are errors."""
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def typed_module(text: str, what: str) -> tuple[ir.IRModule | None, str | None]:
    """The module of a text, its types inferred; or ``None`` and why there is none, where ``what`` names the text."""
    parsed = ir.parse(text)
    reported = errors(parsed.diagnostics)
    if reported:
        return None, f"{what} does not parse: {reported[0].code}: {reported[0].message}"
    return inferred(parsed.module, what)


def inferred(module: ir.IRModule, what: str) -> tuple[ir.IRModule | None, str | None]:
    """``module``, its types inferred; or ``None`` and why they cannot be, where ``what`` names the module."""
    typed = ir.infer_types(module)
    reported = errors(typed.diagnostics)
    if reported:
        return None, f"{what} does not type: {reported[0].code}: {reported[0].message}"
    return typed.module, None


def module_difference(expected: ir.IRModule, actual: ir.IRModule) -> str | None:
    """Where two modules first differ in structure, or ``None`` where they do not; free variables may correspond."""
    if ir.structural_equal(expected, actual, map_free_vars=True):
        return None
    return ir.first_difference(expected, actual, map_free_vars=True) or "structurally different"


def without_metadata(text: str) -> str:
    """A text without its metadata section."""
    return text.partition("\n#[metadata]")[0].rstrip()


def says_all_types(expected: str, actual: str) -> bool:
    """Whether ``expected`` shows as many types as inference found: ``actual`` is the text that it made of it."""
    return all(expected.count(mark) >= actual.count(mark) for mark in ("/* ty=", " -> "))
