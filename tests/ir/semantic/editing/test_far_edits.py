"""Edits that change how text far above them is read."""

from __future__ import annotations

import pytest

from relay_lsp.ir.semantic.lowered_statement import LoweredStatement
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type
from tests.fixture import read_selection
from tests.ir.semantic.editing.comparison import difference, early_difference

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


@pytest.mark.parametrize("after", ["  %a0;\n  %a1", "  %a1", "  %1 = exp(%a0);\n  %1"])
def test_what_follows_a_hundred_bindings_tells_whether_a_let_before_them_is_a_value(after: str):
    lines = "".join(f"  let %a{number} = fn (%p: int32) {{ let %q = %p; %q }};\n" for number in range(100))
    edited = _edited(
        f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n  «»let %b = %y;\n{lines}{after}\n}}\n', "let %n = "
    )
    spliced = edited.edit(TextSpan(edited.text.index(after), edited.text.index(after) + len(after)), "  %a7; %a8")
    assert difference(spliced, Snapshot.open(spliced.text, "example.relay"), 0, whole=True) is None


def test_a_far_reaching_edit_asks_once_how_statements_of_one_kind_are_typed(monkeypatch: pytest.MonkeyPatch):
    asked: list[tuple[object, ...]] = []
    known_type = LoweredStatement.known_type

    def counted(lowered: LoweredStatement, types: tuple[Type | None, ...]) -> Type | None:
        asked.append(types)
        return known_type(lowered, types)

    monkeypatch.setattr(LoweredStatement, "known_type", counted)
    lines = "".join(f"  %{number + 1} = nn.relu(%{number});\n" for number in range(2000))
    text = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n  %0 = exp(%x);\n{lines}  %2000\n}}\n'
    snapshot = Snapshot.open(text, "example.relay")
    assert not snapshot.diagnostics
    at = text.index("float32")
    asked.clear()
    edited = snapshot.edit(TextSpan(at, at + len("float32")), "float16")
    assert repr(edited.type_at(text.index("%2000 ="))) == _TYPE.replace("32", "16")
    assert len(asked) < 20


def test_a_function_that_was_read_as_a_whole_is_shown_once_all_of_it_is_known():
    lines = "".join(f"  %{number} = nn.relu(%{number - 1});\n" for number in range(1, 1_400))
    text = f"""#[version = "0.0.5"]
def @main(%x: {_TYPE}, %c: bool) {{
  %0 = nn.relu(%x);
{lines}  let %half = 0.5f;
  %1401 = if (%c) {{ add(%1, free_var %x: int32;
e(%2);
  %1401
}}
"""
    snapshot = Snapshot.open(text, "example.relay")
    assert snapshot.findings
    parts: list[PartialSnapshot | None] = []
    at = text.index("  %1 =")
    edited = snapshot.edit(TextSpan(at, at), "  let %half = 0.5f;\n")
    edited.analyse(lambda part: parts.append(part()))
    assert len(parts) > 1
    assert all(part is None or early_difference(part, edited) is None for part in parts)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None
