"""The cases of each kind: which records are judged, and as what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from relay_lsp.passes.verification import OTHER_SIGNATURE

from . import provenance, records
from .records import SAMPLE, Record

_TEXT_FILES = ("parse", "big", "models", "optimize", "eval", "cross", "cross2", "onnx")
_MEANING_FILES = ("cross", "cross2", "models")


class Case(NamedTuple):
    """One record to judge as one kind. ``row`` is its row of the table; ``field`` the text that alone is judged."""

    kind: str
    row: str
    record: Record
    field: str = ""

    def text(self) -> str:
        """The text that is judged, or else the whole record."""
        return self.record[self.field] if self.field else json.dumps(self.record)


def _own_rows(kind: str, folder: Path) -> Iterator[Case]:
    for record in records.load(kind, folder):
        yield Case(kind, kind, record)


def _by_pass(*files: str) -> Callable[[str, Path], Iterator[Case]]:
    def cases_of(kind: str, folder: Path) -> Iterator[Case]:
        for name in files:
            for record in records.load(name, folder):
                yield Case(kind, record["pass"], record)

    return cases_of


def _mutants(kind: str, folder: Path) -> Iterator[Case]:
    for record in records.load(kind, folder):
        yield Case(kind, record["kind"], record)


def _infer(kind: str, folder: Path) -> Iterator[Case]:
    for record in records.load("passes/InferType", folder):
        yield Case(kind, kind, record)


def _texts(kind: str, folder: Path) -> Iterator[Case]:
    """Each text once, under the first file that it stands in."""
    seen: set[str] = set()
    for name in (*_TEXT_FILES, *(f"passes/{name}" for name in records.pass_names(folder))):
        for record in records.load(name, folder):
            if record.get("entry") != "parse_expr":
                for field, text in records.texts(record):
                    if text not in seen:
                        seen.add(text)
                        yield Case(kind, name, record, field)


def _passes(kind: str, folder: Path) -> Iterator[Case]:
    for name in records.pass_names(folder):
        if name != "InferType":
            yield from _by_pass(f"passes/{name}")(kind, folder)


def _meaning(kind: str, folder: Path) -> Iterator[Case]:
    for cases_of in (_passes, _by_pass(*_MEANING_FILES)):
        yield from (case for case in cases_of(kind, folder) if case.row not in OTHER_SIGNATURE)


def _provenance(kind: str, folder: Path) -> Iterator[Case]:
    for record in provenance.records_of_every_pass(folder):
        yield Case(kind, record["pass"], record)


_CASES: dict[str, Callable[[str, Path], Iterator[Case]]] = {
    "parse": _own_rows,
    "parse_error": _own_rows,
    "mutants": _mutants,
    "round_trip": _texts,
    "typed": _texts,
    "infer": _infer,
    "passes": _passes,
    "meaning": _meaning,
    "models": _by_pass("models"),
    "cross": _by_pass("cross"),
    "cross2": _by_pass("cross2"),
    "errors": _by_pass("pass_errors", "cross_errors"),
    "cross2_errors": _by_pass("cross2_errors"),
    "optimize": _own_rows,
    "eval": _own_rows,
    "onnx": _own_rows,
    "torch": _own_rows,
    "tflite": _own_rows,
    "provenance": _provenance,
}

KINDS = tuple(_CASES)

LONG = ("provenance",)
"""What runs only when it is named: every pass over every module."""


def cases(kind: str, folder: Path = SAMPLE) -> Iterator[Case]:
    """Every case of a kind over the records of a folder."""
    return _CASES[kind](kind, folder)
