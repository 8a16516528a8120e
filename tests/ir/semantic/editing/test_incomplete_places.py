"""Errors stay where they are: above the value of a body, in heads, arms and data types, and at two places at once."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_TYPE = "Tensor[(1, 8), float32]"
_TEXT = f"""#[version = "0.0.5"]
type Maybe[A] {{
  Some(A),
  Both(A, Maybe[A]),
  None,
}}
def @nested(%x: {_TYPE}, %c: bool, Compiler="ccompiler") -> {_TYPE} {{
  let %f = fn (%p: {_TYPE}) {{
    let %a = nn.relu(%p);
    let %d = if (%c) {{
      let %e = tanh(%a);
      add(%e, %a)
    }} else {{
      nn.relu(%a)
    }};
    tanh(%d)
  }};
  %12 = %f(%x);
  %13 = exp(%12);
  add(
    %13,
    %x
  )
}}
def @main(%m: Maybe[{_TYPE}], %y: {_TYPE}, %b: bool) -> {_TYPE} {{
  let %z = match (%m) {{
    Some(%v) => %v,
    Both(%v, _) => {{
      let %h = exp(%v);
      %h
    }},
    %other: Maybe[{_TYPE}] => %y,
  }};
  if (%b) {{
    @nested(%z, True)
  }} else {{
    %z
  }}
}}
"""


def _edited(at: int, typed: str, lost: int = 0) -> Snapshot:
    opened = Snapshot.open(_TEXT, "example.relay")
    assert not _errors(opened)
    edited = opened.edit(TextSpan(at, at + lost), typed)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None
    return edited


def _errors(snapshot: Snapshot) -> list[Diagnostic]:
    return [found for found in snapshot.diagnostics if found.severity is Severity.ERROR]


def _lines_of_errors(snapshot: Snapshot) -> list[str]:
    lines = snapshot.text.split("\n")
    return [lines[snapshot.text.count("\n", 0, found.span.start)] for found in _errors(snapshot) if found.span]


_INCOMPLETE = (
    "%99 =",
    "%99 = add(%x,",
    "let %new",
    "let %new: ",
    "let %new = (",
    "(",
    "let %new = if (True) { %x } else",
    "let %new = if (True) {",
    "let %new = fn (%q) {",
    "let %new = match (%x) { Some(%w) => %w,",
)


@pytest.mark.parametrize("typed", _INCOMPLETE)
@pytest.mark.parametrize("value", ["add(\n", "tanh(%d)", "if (%b)", "add(%e", "%h\n"])
def test_what_is_incomplete_above_the_value_of_a_body_has_the_errors(value: str, typed: str):
    at = _TEXT.index(value)
    indent = at - _TEXT.rindex("\n", 0, at) - 1
    lines = set(_lines_of_errors(_edited(at, f"{typed}\n{' ' * indent}")))
    assert lines == {" " * indent + typed}


@pytest.mark.parametrize("name", ["type", "def", "extern"])
@pytest.mark.parametrize("before", ["let %a", "let %d", "%13 = "])
def test_a_name_that_begins_like_a_word_of_definitions_swallows_nothing(before: str, name: str):
    edited = _edited(_TEXT.index(before), f"let %{name}\n    ")
    assert {line.strip() for line in _lines_of_errors(edited)} == {f"let %{name}"}


def test_the_end_of_a_let_that_is_a_value_is_typed_above_a_statement():
    edited = _edited(_TEXT.index("%13 = "), "let %new = let %inner = exp(%x); %\n  ")
    assert {line.strip()[:8] for line in _lines_of_errors(edited)} == {"let %new"}


@pytest.mark.parametrize(
    "before", [" @nested", "(%x: ", f": {_TYPE}, %c", ", %c", " bool, Comp", ") -> ", " {\n  let %f"]
)
def test_an_open_quote_in_a_head_is_the_only_error(before: str):
    edited = _edited(_TEXT.index(before, _TEXT.index("def @nested")), '"')
    assert [found.code for found in _errors(edited)] == ["unclosed-string"]


_LINES = (
    ("let %f", ("%f", "%p")),
    ("let %z", ("%z",)),
    ("let %d", ("%d",)),
    ("let %h", ("%h",)),
    ("Both(%v, _) =>", ("match", "%v")),
    ("if (%b)", ()),
    ("%13 =", ("%13",)),
)
"""Lines, and what they bind or cover for others."""


@pytest.mark.parametrize("mark", ['"', "/*"])
@pytest.mark.parametrize(("line", "hidden"), _LINES)
def test_what_opens_a_string_or_a_comment_leaves_the_mark_that_ends_its_line(
    line: str, hidden: tuple[str, ...], mark: str
):
    edited = _edited(_TEXT.index(line), mark)
    assert mark in "".join(_lines_of_errors(edited))
    for found in _lines_of_errors(edited):  # the brace that closes a value belongs to the line
        assert mark in found or found.strip().startswith("}") or any(name in found for name in hidden)


@pytest.mark.parametrize(("before", "mark"), [("A),\n", "//"), ("A),\n", "/*"), (", Maybe[A]", "//"), ("A]),", "//")])
def test_a_comment_in_the_line_of_a_constructor_leaves_the_next_constructor(before: str, mark: str):
    edited = _edited(_TEXT.index(before), mark)
    assert [line for line in _lines_of_errors(edited) if line.strip() in ("None,", "Both(A, Maybe[A]),")] == []
    assert "undefined-constructor" not in [found.code for found in _errors(edited)]


@pytest.mark.parametrize("lost", ["A]),", "]),", ", Maybe[A]),"])
def test_a_constructor_that_is_cut_short_leaves_the_next(lost: str):
    edited = _edited(_TEXT.index(lost, _TEXT.index("Both(")), "", len(lost))
    assert [line for line in _lines_of_errors(edited) if line.strip() == "None,"] == []
    assert "undefined-constructor" not in [found.code for found in _errors(edited)]


@pytest.mark.parametrize("typed", ["%99 =", "let %new =", "add("])
def test_what_is_typed_above_an_arm_leaves_its_pattern(typed: str):
    edited = _edited(_TEXT.index("%other:"), f"{typed}\n    ")
    assert {line.strip() for line in _lines_of_errors(edited)} <= {typed, "let %z = match (%m) {"}


@pytest.mark.parametrize("before", ["\n      let %h", ";\n      %h", "%h\n"])
def test_a_comma_too_many_in_the_block_of_an_arm_is_the_only_error(before: str):
    assert len(_errors(_edited(_TEXT.index(before), ","))) == 1


@pytest.mark.parametrize("line", ["} else {\n      nn", "let %d", "tanh(%d)", "None,"])
def test_a_closing_parenthesis_too_many_at_the_begin_of_a_line_is_the_only_error(line: str):
    edited = _edited(_TEXT.index(line), ")")
    assert [_TEXT.count("\n", 0, _TEXT.index(line))] == [
        edited.text.count("\n", 0, found.span.start) for found in _errors(edited) if found.span is not None
    ]


def test_a_name_is_undefined_where_nothing_binds_it_and_no_further():
    """It means nothing in one branch, and is bound in the other."""
    at = _TEXT.index("let %e")
    edited = _edited(at, "nn.relu(%e);\n      ")
    assert [(found.code, found.span) for found in _errors(edited)] == [
        ("undefined-variable", TextSpan(at + len("nn.relu("), at + len("nn.relu(%e")))
    ]


def test_a_value_with_an_undefined_name_has_the_type_of_its_comment_and_not_of_what_may_be_meant():
    text = (
        f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}, %lots: Tensor[(3), int32]) {{\n'
        f"  %0 = nn.relu(%lost) /* ty={_TYPE} */;\n  %1 = add(%0, %x);\n  (%1, %lots)\n}}\n"
    )
    found = Snapshot.open(text, "example.relay").diagnostics
    assert [each.message for each in found] == ["undefined variable %lost; did you mean %lots?"]


@pytest.mark.parametrize("typed", ["%0 +", "%0 *", "%0 <", "%0 ==", "%0[%x]", "%0."])
def test_a_value_of_which_more_is_being_typed_is_used_and_not_bound_again(typed: str):
    text = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n  %0 = nn.relu(%x);\n  {typed}\n}}\n'
    assert [each.code for each in Snapshot.open(text, "example.relay").diagnostics] == ["expected-token"]


@pytest.mark.parametrize(("written", "typed"), [
    ("Tensor[(1, 8), float32], %c", "Tensor[(, 8), float32], %c"),
    ("add(%e, %a)", "add(, %a)"),
])  # fmt: skip
def test_while_the_first_of_a_list_is_typed_nothing_else_is_at_fault(written: str, typed: str):
    at = _TEXT.index(written)
    edited = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at + len(written)), typed)
    assert [found.message.partition(":")[0] for found in _errors(edited)] == ["unexpected `,`"]


def test_a_field_that_is_given_a_value_binds_nothing():
    text = (
        f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) -> {_TYPE} {{\n  %5.0 = exp(%x);\n  %5 = (%x, %x);\n  %5.0\n}}\n'
    )
    found = Snapshot.open(text, "example.relay").diagnostics
    assert [each.code for each in found if each.code != "unused-value"] == ["expected-token"]


def test_two_incomplete_places_are_told_apart():
    edited = _edited(_TEXT.index("tanh(%d)"), "let %first = add(\n    ")
    at = edited.text.index("add(\n    %13")
    both = edited.edit(TextSpan(at, at), "%99 = fn (%q) {\n  ")
    assert {line.strip() for line in _lines_of_errors(both)} == {"let %first = add(", "%99 = fn (%q) {"}
    assert difference(both, Snapshot.open(both.text, "example.relay"), at, whole=True) is None
