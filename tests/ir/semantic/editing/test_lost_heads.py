"""The head of a function that loses its ``def``, its name, or all of it: the body stays what it was."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference

_HEAD = "def @main(%x: Tensor[(1, 8), float32], %y: int32) -> Tensor[(1, 8), float32] {\n"
_BODY = """  %0 = nn.relu(%x);
  let %a = exp(%0);
  %1 = if (True) {
    tanh(%a)
  } else {
    %0
  };
  @f(%1)
}
"""
_FUNCTION = "def @f(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {\n  %0 = exp(%x);\n  %0\n}\n"
_TYPE = "type List {\n  Cons(int32, List),\n  Nil,\n}\n"
_TEXT = f'#[version = "0.0.5"]\n{_TYPE}{_FUNCTION}{_HEAD}{_BODY}'


def _errors(snapshot: Snapshot) -> list[Diagnostic]:
    return [found for found in snapshot.diagnostics if found.severity is Severity.ERROR]


def _fix(snapshot: Snapshot, found: Diagnostic) -> str:
    (edit,) = found.fixes[0].edits
    return snapshot.edit(edit.span, edit.new_text).text


@pytest.mark.parametrize("text", [_TEXT, _TEXT.replace(_TYPE, ""), _TEXT.replace(_FUNCTION, "").replace("@f", "exp")])
@pytest.mark.parametrize("left", ["ef ", "f ", "de ", "deff ", "", "/ef "])
def test_a_def_at_fault_is_the_only_error(text: str, left: str):
    edited = Snapshot.open(text.replace("def @main", f"{left}@main"), "example.relay")
    (found,) = _errors(edited)
    assert found.message.startswith("expected `def`")
    assert repr(edited.type_at(edited.text.index("%1 ="))) == "Tensor[(1, 8), float32]"
    assert _fix(edited, found) == text


def test_where_the_space_before_the_name_is_left_the_function_above_ends_where_it_did():
    edited = Snapshot.open(_TEXT.replace("def @main", " @main"), "example.relay")
    (found,) = _errors(edited)
    assert found.message == "expected `def`, found `@main`"


def test_a_head_without_def_on_the_line_of_another_is_not_read_as_its_body():
    at = _TEXT.index("@main(")
    snapshot = Snapshot.open(_TEXT, "example.relay")
    for key in "@typed(%p: int32) {\n  ":
        snapshot = snapshot.edit(TextSpan(at, at), key)
        at += 1
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None
    assert repr(snapshot.type_at(snapshot.text.index("%1 ="))) == "Tensor[(1, 8), float32]"
    assert not [found for found in _errors(snapshot) if found.span and found.span.start > at + len("@main(")]
    symbol = snapshot.symbol_at(at + 1)
    assert symbol is not None
    assert repr(symbol.type).startswith("fn")


def test_a_name_that_is_lost_too_costs_the_head():
    for left in ("de", "", "main", "def ", "def"):
        edited = Snapshot.open(_TEXT.replace("def @main", left), "example.relay")
        end = edited.text.index("%0 = nn.relu")
        assert all(found.span is not None and found.span.end <= end for found in _errors(edited)), left
        assert repr(edited.type_at(edited.text.index("%1 ="))) == "Tensor[(1, 8), float32]", left


@pytest.mark.parametrize("left", ["", "{\n", "d", "de"])
def test_of_a_body_without_its_head_one_thing_is_said(left: str):
    edited = Snapshot.open(_TEXT.replace(_HEAD, left), "example.relay")
    (found,) = _errors(edited)
    assert found.span is not None
    assert found.span.end <= edited.text.index("let %a")
    assert described(edited.diagnostics) == described(Snapshot.open_whole(edited.text, "example.relay").diagnostics)


@pytest.mark.parametrize("line", [_HEAD, "def @other(%x: Tensor[(1, 8), float32], %y: float32) {\n", "def @main() {\n"])
def test_a_head_that_is_put_back_finds_its_body_as_it_was(line: str):
    at = _TEXT.index(_HEAD)
    snapshot = Snapshot.open(_TEXT, "example.relay")
    _ = snapshot.diagnostics
    without = snapshot.edit(TextSpan(at, at + len(_HEAD)), "")
    assert difference(without, Snapshot.open(without.text, "example.relay"), at, whole=True) is None
    elsewhere = without.edit(TextSpan(at, at), "\n")
    again = elsewhere.edit(TextSpan(at, at + 1), line)
    assert difference(again, Snapshot.open(again.text, "example.relay"), at, whole=True) is None


def test_what_other_functions_give_meanwhile_counts_once_the_head_is_back():
    at = _TEXT.index(_HEAD)
    without = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at + len(_HEAD)), "")
    _ = without.diagnostics
    result = without.text.index("-> Tensor")
    changed = without.edit(TextSpan(result, without.text.index(" {", result)), "-> int32")
    _ = changed.diagnostics
    back = changed.text.index("  %0 = nn.relu")
    again = changed.edit(TextSpan(back, back), _HEAD)
    assert any("the result is declared Tensor[(1, 8), float32]" in found.message for found in _errors(again))
    assert difference(again, Snapshot.open(again.text, "example.relay"), back, whole=True) is None


def test_a_brace_too_many_between_statements_still_closes_no_function():
    edited = Snapshot.open(_TEXT.replace("  let %a", "}\n  let %a"), "example.relay")
    assert [found.message for found in _errors(edited)] == ["unexpected `}`"]


@pytest.mark.parametrize(
    "typed", ["type Other[A] {\n  One(A),\n}\n", "extern type Other\n", "def @other() {\n  1\n}\n"]
)
def test_a_definition_typed_between_statements_and_deleted_leaves_them_as_they_were(typed: str):
    at = _TEXT.index("  let %a")
    text = f"{_TEXT[:at]}\n{_TEXT[at:]}"
    snapshot = Snapshot.open(text, "example.relay")
    before = described(snapshot.diagnostics)
    keys = [(at + number, at + number, key) for number, key in enumerate(typed)]
    keys += [(start, start + 1, "") for start, _, _ in reversed(keys)]
    for start, end, key in keys:
        snapshot = snapshot.edit(TextSpan(start, end), key)
        problem = difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True)
        assert problem is None, f"{problem}\n--- after\n{snapshot.text}"
    assert snapshot.text == text
    assert described(snapshot.diagnostics) == before
