"""Edits that change how text far above them is read."""

from __future__ import annotations

from relay_lsp.ir.semantic.snapshot import Snapshot
from tests.fixture import read_selection
from tests.ir.semantic.editing.comparison import difference

_TYPE = "Tensor[(1, 8), float32]"


def _edited(marked: str, new_text: str) -> Snapshot:
    """What an edit makes of a text, in which guillemets stand around what is replaced; as if it had been opened so."""
    text, span = read_selection(marked)
    snapshot = Snapshot.open(text, "example.relay")
    assert snapshot.diagnostics
    edited = snapshot.edit(span, new_text)
    afresh = Snapshot.open(edited.text, "example.relay")
    assert difference(edited, afresh, span.start, whole=True) is None
    return edited


def test_the_last_of_many_statements_without_semicolons_loses_its_own():
    lines = "".join(f"  %{number + 1} = nn.relu(%{number})\n" for number in range(8))
    head = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n  %0 = nn.relu(%x)\n'
    edited = _edited(f"{head}{lines}  %9 = tanh(%8)«;»\n}}\n", "")
    messages = [each.message for each in edited.diagnostics if each.code == "missing-token"]
    assert messages == ["expected `;`"] * 10
    assert repr(edited.type_at(edited.text.index("%8 ="))) == _TYPE


def test_the_attributes_of_a_parameter_are_never_closed_though_a_brace_is_far_below():
    lines = "".join(f"  let %v{number}: {_TYPE} = nn.relu(%x);\n" for number in range(8))
    head = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}, %y {{virtual_device=meta[VirtualDevice]«[0]}}»: {_TYPE})'
    edited = _edited(f"{head} -> {_TYPE} {{\n{lines}  %0 = if (True) {{ %v0 }} else {{ %v1 }};\n  %0\n}}\n", "")
    assert {"%v0", "%v7", "%0"} <= {symbol.name for symbol in edited.symbols}


def test_a_comment_that_is_closed_hides_what_kept_a_brace_above_it_open():
    text = """#[version = "0.0.5"]
def @main(%x: int32) {
  %0 = if (True) {
  %1 = negative(%x);
  %2 = negative(%1); /* open
def @g(%x: int32) {
  %3 = negative(%x);
  %4 = negative(%3);
  %5 = negative(%4);
  %6 = negative(%5);
  «»%2
  } else { %x };
  %0
}
"""
    edited = _edited(text, "*/")
    assert not [each for each in edited.diagnostics if each.code != "unused-value"]
    assert repr(edited.type_at(edited.text.index("%0 ="))) == "int32"


def test_a_comment_that_is_closed_tells_whether_the_brace_before_it_ends_the_function():
    text = """#[version = "0.0.5"]
def @main(%x: int32) {
  %0 = negative(%x);
  }
/* open
def @g(%x: int32) {
  %1 = negative(%x);
  «»%2 = negative(%x);
  %2
}
"""
    edited = _edited(text, "*/")
    assert "@g" not in [symbol.name for symbol in edited.symbols]
    assert repr(edited.type_at(edited.text.index("%2 ="))) == "int32"
