"""Modules that are at fault as a whole are followed statement by statement, too."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax.lexer import lex
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_FIRST = "def @f(%x: int32) -> int32 {\n  add(%x, 1)\n}\n"
_SECOND = "def @f(%x: int32, %y: int32) -> int32 {\n  add(%x, %y)\n}\n"
_MAIN = "def @main(%x: int32) {\n  %0 = @f(%x, %x);\n  %0\n}\n"
_METADATA = """#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": [], "data": []}], "b64ndarrays": [],
"attrs": {"tvm_version": "0.12.0"}}
"""


def typed(text: str, at: int, new_text: str) -> Snapshot:
    """The snapshot after a text was typed letter by letter; as if it had been opened so after each."""
    snapshot = Snapshot.open(text, "example.relay")
    _ = snapshot.diagnostics
    for number, letter in enumerate(new_text):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), letter)
        problem = difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True)
        assert problem is None, problem
        assert snapshot.is_followed
    return snapshot


def test_the_last_of_two_functions_of_one_name_counts():
    head = '#[version = "0.0.5"]\n'
    snapshot = typed(head + _FIRST + _MAIN, len(head + _FIRST), _SECOND)
    (finding,) = snapshot.diagnostics
    assert finding.code == "function-redefined"
    assert finding.span is not None
    assert finding.span.start == snapshot.text.index("@f(%x: int32, %y")
    assert repr(snapshot.type_at(snapshot.text.index("%0 ="))) == "int32"
    called = snapshot.symbol_at(snapshot.text.index("@f(%x, %x)"))
    assert called is not None
    assert called.span.start == finding.span.start


@pytest.mark.parametrize("function", [_FIRST, _SECOND])
def test_an_edit_in_one_of_two_functions_of_one_name_is_followed(function: str):
    text = '#[version = "0.0.5"]\n' + _FIRST + _SECOND + _MAIN
    at = text.index(function) + function.index("{") + 1
    assert len(typed(text, at, "\n  %7 = add(%x, 2);").diagnostics) >= 1


def test_a_node_of_metadata_that_is_damaged_and_mended_is_followed():
    fields = '"_checked_type_": "0", "data": "0", "span": "0", "virtual_device_": "0"'
    constant = f'{{"type_key": "relay.Constant", "attrs": {{{fields}}}}}'
    nodes = '{"type_key": ""}, {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]}, '
    nodes += f'{{"type_key": "Array", "data": [3, 3]}}, {constant}'
    tensor = "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAgD8="
    section = f'#[metadata]\n{{"root": 1, "nodes": [{nodes}], "b64ndarrays": ["{tensor}"]}}\n'
    use = "def @main() {\n  %0 = negative(meta[relay.Constant][0]);\n  add(%0, meta[relay.Constant][1])\n}\n"
    text = f'#[version = "0.0.5"]\n{use}{section}'
    at = text.index('"data": "0"') + len('"data": "0')
    assert not Snapshot.open(text, "example.relay").diagnostics
    damaged = typed(text, at, "7")
    assert [finding.code for finding in damaged.diagnostics] == ["invalid-metadata"] * 3
    mended = damaged.edit(TextSpan(at, at + 1), "")
    assert not mended.diagnostics


def test_metadata_that_cannot_be_read_is_at_fault_alone():
    text = '#[version = "0.0.5"]\n' + _SECOND + _MAIN
    assert not typed(text, len(text), _METADATA).diagnostics
    (finding,) = typed(text + _METADATA, len(text) + len("#[metadata]\n{"), "x").diagnostics
    assert finding.code == "invalid-metadata"


def test_a_function_typed_in_front_of_another_on_its_line_leaves_that_alone():
    head, typed_text = '#[version = "0.0.5"]\n', "def @g[A](%a: A) -> A {\n  %a\n}"
    body = head + _FIRST + _MAIN.replace("@f(%x, %x)", "@f(%x)")
    at = body.index("def @main")
    for count in range(1, len(typed_text) + 1):
        snapshot = typed(body[:at] + typed_text[: count - 1] + body[at:], at + count - 1, typed_text[count - 1])
        errors = [each for each in snapshot.diagnostics if each.severity is Severity.ERROR]
        assert all(each.span is not None and at <= each.span.start <= at + count for each in errors), errors
        assert repr(snapshot.type_at(snapshot.text.index("%0 ="))) == "int32"
        assert errors or count == len(typed_text)


@pytest.mark.parametrize("before", ['"abc', "/* abc", "// abc", "nn.abc", "%letter", "%0", "@abc", "let"])
def test_a_definition_is_apart_from_the_word_before_it_alone(before: str):
    lexed = lex(f"{before}def @main")
    assert "".join(lexed.pieces) == f"{before}def @main"
    assert ("def " in lexed.pieces) is not before.startswith("//")


def test_a_function_read_as_a_whole_takes_a_graph_variable_that_a_function_above_comes_to_bind():
    """Used before it is bound in the function itself, the variable is that of the other one."""
    start = '#[version = "0.0.5"]\n'
    function = """def @main(%x: int32, %w) {
  %0 = nn.relu(%x);
  let %a = nn.bias_add(%1, %w);
  %1 = add(%0, %w);
  %a = %1;
  %2 = @other(%a, 1, %a);
def @other(%y: Tensor[(1, 8), float32], %n: int32, %y: Tensor[(1, 8), float32]) {
"""
    before = Snapshot.open(start + function, "example.relay")
    assert "undefined variable %1" in [finding.message for finding in before.diagnostics]
    above = "def @above(%y: Tensor[(1, 8), float32]) {\n  %1 = nn.relu(%y);\n  %1\n}\n"
    edited = before.edit(TextSpan(len(start), len(start)), above)
    assert "undefined variable %1" not in [finding.message for finding in edited.diagnostics]
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), 0, whole=True) is None
