"""A fault of ours at any place of the engine costs what it was about, and is a finding there; the rest answers."""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.internal_errors import INTERNAL_ERROR
from relay_lsp.ir.semantic import incremental
from relay_lsp.ir.semantic.head_cache import HeadCache
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.semantic.statement_typer import StatementTyper
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.features.hover import hover

_ROOMS = ("/ir/syntax/", "/ir/semantic/", "/ir/inference/", "/ir/metadata/", "/ir/printing/", "/ir/ops/")

METADATA = """#[metadata]
{"root": 1, "nodes": [
  {"type_key": ""},
  {"type_key": "Map", "keys": ["runtime.String"], "data": [2]},
  {"type_key": "Array", "data": [3]},
  {"type_key": "runtime.String", "repr_str": "text"}
], "b64ndarrays": [], "attrs": {"tvm_version": "0.12.0"}}
"""

_HEAD = '#[version = "0.0.5"]\ntype List[A] { Nil, Cons(A, List[A]) }\n'
TEXTS = {
    "by its statements": _HEAD
    + """def @main(%x: Tensor[(4), float32] /* ty=Tensor[(5), float32] */, %y: float32) -> Tensor[(4), float32] {
  %0 = nn.rellu(%x) /* ty=Tensor[(4), float32] */;
  %1 = add(%z, %x);
  let %a = nn.relu(%x) /* ty=Tensor[(9), float32] */;
  %2 = add(%x, %x, %x);
  %3 = if (True) { %x } else { %a };
  %4 = nn.softmax(%x, axes=1);
  add(%x,, %3)
}
def @other(%l: List[float32]) -> float32 {
  match (%l) { Cons(%h, %t) => %h, Nil => 1f, Nil => 2f }
}
""",
    "by its functions": _HEAD
    + """def @inferred(%x) { %x }
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.rellu(%x);
  %1 = @inferred(%x);
  let %u = add(%z, %x);
  let %u = nn.relu(%x, 1);
  (%u, %1)
}
def @other(%l: List[float32]) -> int32 { match (%l) { Cons(%h, _) => %h, Nil => 1f } }
"""
    + METADATA,
}


class InjectedFault(Exception):
    """No part of the engine expects it."""


class _Injection:
    """Raises in the call number ``at`` of a function of the engine; counts the calls where there is none."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.calls = 0
        self.where = ""

    def __enter__(self) -> _Injection:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        name = frame.f_code.co_filename
        if event != "call" or not any(room in name for room in _ROOMS) or "internal_errors" in name:
            return None
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            return None  # it is entered once more when it is thrown away, where no caller could catch anything
        self.calls += 1
        if self.calls == self.at:
            self.where = f"{name}:{frame.f_lineno} {frame.f_code.co_name}"
            raise InjectedFault(self.where)
        return None


def _seen(findings: object) -> set[tuple[str, str, TextSpan | None]]:
    assert isinstance(findings, (list, tuple))
    found: set[tuple[str, str, TextSpan | None]] = set()
    for each in findings:
        assert isinstance(each, Diagnostic)
        found.add((each.code, each.message, each.span))
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_a_fault_costs_what_it_was_about(name: str) -> None:
    text = TEXTS[name]
    clean = _seen(diagnostics(Snapshot.open(text, "a")))
    snapshot = Snapshot.open(text, "a")
    with _Injection(0) as counting:
        diagnostics(snapshot)
    generator = random.Random(21)
    located = 0
    for _ in range(60):
        snapshot = Snapshot.open(text, "a")
        with _Injection(generator.randrange(1, counting.calls)) as injected:
            findings = diagnostics(snapshot)  # raises nothing, whatever it meets
        faults = [each for each in findings if each.code == INTERNAL_ERROR]
        if not faults:
            continue  # what was to be made is made again, or some other answer stands for it
        assert all("under " in each.message for each in faults), injected.where
        places = [each.span for each in faults if each.span is not None and each.span.end > 0]
        if len(places) < len(faults):
            continue  # it was about the whole text: other checks answer
        located += 1
        lost = {each for each in clean - _seen(findings) if not _is_of(each, places, text)}
        assert not lost, (injected.where, faults)
        hover(snapshot, text.index("@main") + 1)
        # What was met once does not stay: the text opened after it is as it was.
        assert _seen(diagnostics(Snapshot.open(text + " ", "a"))) == clean, injected.where
    assert located > 5


def _is_of(finding: tuple[str, str, TextSpan | None], places: list[TextSpan], text: str) -> bool:
    """Whether a finding is about the function that a fault lies in, or depends on a type that it lies in.

    The other statements of the function use the value that is lost.
    """
    if any(place.start < text.index("def @") for place in places):
        return True
    starts = [0, *(at for at in range(len(text)) if text.startswith("def @", at)), len(text)]
    span = finding[2]
    if span is None:
        return True
    extents = pairwise(starts)
    return any(low <= place.start < high and low <= span.start <= high for low, high in extents for place in places)


def test_a_fault_in_one_statement_leaves_what_is_wrong_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from relay_lsp.ir.semantic import lowered_statement

    infer: Callable[..., Any] = vars(lowered_statement)["infer_statement"]

    def fail(value: Any, *rest: Any, **options: Any) -> Any:
        if "softmax" in repr(value):
            raise InjectedFault("softmax")
        return infer(value, *rest, **options)

    monkeypatch.setattr(lowered_statement, "infer_statement", fail)
    body = "  %0 = nn.softmax(%x, axis=0);\n  %1 = add(%x, %0);\n  %2 = nn.rellu(%1);\n  %2\n"
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {{\n{body}}}\n'
    findings = Snapshot.open(text, "a").diagnostics
    assert [each.code for each in findings] == [INTERNAL_ERROR, "undefined-operator"]
    assert findings[0].span == TextSpan(text.index("%0 ="), text.index("%1 =") - 3)


_TWO = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.rellu(%x);
  %0
}
def @other(%x: Tensor[(4), float32]) {
  %1 = nn.softmx(%x);
  %1
}
"""


def test_a_fault_while_a_function_is_followed_is_at_its_name_and_the_function_is_read_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place_all = StatementTyper.place_all

    def fail(typer: StatementTyper, *arguments: Any) -> None:
        if typer.function.name == "@other":
            raise InjectedFault("other")
        place_all(typer, *arguments)

    monkeypatch.setattr(StatementTyper, "place_all", fail)
    snapshot = Snapshot.open(_TWO, "a")
    assert _placed(snapshot) == [("undefined-operator", "nn.rellu"), (INTERNAL_ERROR, "@other"), _SOFTMAX]
    monkeypatch.undo()
    # Where the fault is met no more, the next edit of the function ends it.
    edited = snapshot.edit(TextSpan(_TWO.index("%1 ="), _TWO.index("%1 =")), "%9 = abs(%x);\n  ")
    assert _placed(edited) == [("undefined-operator", "nn.rellu"), ("unused-value", "%9"), _SOFTMAX]


_SOFTMAX = ("undefined-operator", "nn.softmx")


def _placed(snapshot: Snapshot) -> list[tuple[str, str]]:
    """The findings, and the text at each."""
    return [
        (each.code, snapshot.text[each.span.start : each.span.end] if each.span else "")
        for each in snapshot.diagnostics
    ]


def test_a_fault_while_an_edit_is_followed_is_at_the_edit_and_costs_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InjectedFault("edited")

    snapshot = Snapshot.open(_TWO, "a")
    assert len(snapshot.diagnostics) == 2
    monkeypatch.setattr(incremental, "_edited", fail)
    at = _TWO.index("nn.softmx")
    edited = snapshot.edit(TextSpan(at, at), "n")
    finding = ("undefined-operator", "nnn.softmx")
    assert _placed(edited) == [("undefined-operator", "nn.rellu"), (INTERNAL_ERROR, "%1"), finding]


def test_a_fault_while_functions_are_told_apart_is_at_the_head_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    head: Callable[..., Any] = HeadCache.head

    def fail(cache: HeadCache, header: Segment) -> object:
        if "@other" in header.text:
            raise InjectedFault("other")
        return head(cache, header)

    monkeypatch.setattr(HeadCache, "head", fail)
    findings = _placed(Snapshot.open(_TWO, "a"))
    assert ("undefined-operator", "nn.rellu") in findings
    assert _SOFTMAX in findings
    places = [each.span for each in Snapshot.open(_TWO, "a").diagnostics if each.code == INTERNAL_ERROR]
    assert {place.start for place in places if place is not None} == {_TWO.index("def @other")}
