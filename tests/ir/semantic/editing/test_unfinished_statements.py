"""Errors stay where they are: what follows a statement, a head or a type that is being typed is read as it was."""

from __future__ import annotations

import time

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_TYPE = "Tensor[(1, 8), float32]"
_TEXT = f"""#[version = "0.0.5"]
type Maybe[A] {{
  Some(A),
  None,
}}
def @nested(%x: {_TYPE}, %c: bool) -> {_TYPE} {{
  let %f = fn (%p: {_TYPE}) {{
    let %a = nn.relu(%p);
    let %b = exp(%a);
    %10 = add(%b, %a);
    %11 = tanh(%10);
    let %d = add(%11, %a);
    tanh(%d)
  }};
  %12 = %f(%x);
  %13 = exp(%12);
  nn.relu(%13)
}}
def @main(%m: Maybe[{_TYPE}], %y: {_TYPE}) -> {_TYPE} {{
  %20 = match (%m) {{
    Some(%v) => %v,
    None => %y,
  }};
  @nested(%20, True)
}}
"""


def _errors(snapshot: Snapshot) -> list[Diagnostic]:
    return [found for found in snapshot.diagnostics if found.severity is Severity.ERROR]


def _errors_elsewhere(before: str, typed: str) -> list[str]:
    """The errors outside the lines that are typed in front of ``before``, and of its own line."""
    at = _TEXT.index(before)
    opened = Snapshot.open(_TEXT, "example.relay")
    assert not _errors(opened)
    edited = opened.edit(TextSpan(at, at), typed)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None
    errors = _errors(edited)
    assert errors
    start, end = edited.text.rindex("\n", 0, at), edited.text.index("\n", at + len(typed))
    return [found.message for found in errors if found.span is None or not start <= found.span.start <= end]


_UNFINISHED = (
    "let %",
    "let %new",
    "let %new =",
    "(",
    "add(",
    "let %new = add(",
    "let %new = add(%p,",
    "%99 = add(%p",
    "if (True) {",
    "let %new = if (%c) { %p } else",
    "%99 = if (True) {",
    "let %new = fn (%q) {",
    "{",
)


@pytest.mark.parametrize("typed", _UNFINISHED)
@pytest.mark.parametrize("before", ["let %b", "%11 = ", "%13 = "])
def test_a_statement_that_is_typed_above_another_swallows_nothing(before: str, typed: str):
    indent = "  " if before == "%13 = " else "    "
    assert _errors_elsewhere(before, f"{typed}\n{indent}") == []


@pytest.mark.parametrize("typed", ["let %new = (", "let %new = (1, ", "let %new = ((", "%99 = ("])
def test_a_parenthesis_in_front_of_a_let_takes_nothing_that_does_not_close_it(typed: str):
    assert _errors_elsewhere("let %b", typed) == []


@pytest.mark.parametrize("typed", ["add(", "(", "if (", "if (%c", "match (", "match (%c)", "fn (", "fn (%w: i", ""])
@pytest.mark.parametrize("binding", ["let %new = ", "%99 = "])
@pytest.mark.parametrize("value", ["tanh(%d)", "nn.relu(%13)"])
def test_what_is_typed_above_the_value_of_a_body_is_the_only_error(value: str, binding: str, typed: str):
    at = _TEXT.index(value)
    indent = _TEXT[_TEXT.rindex("\n", 0, at) : at]
    edited = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at), f"{binding}{typed}{indent}")
    places = [found.span.start for found in _errors(edited) if found.span is not None]
    assert places
    assert "\n" not in edited.text[at : max(places)]
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("typed", ['"', '"abc', "/* ", "e", "let ", "(", "%0 = "])
@pytest.mark.parametrize("before", ["type Maybe", "def @nested"])
def test_what_is_typed_in_front_of_a_definition_leaves_it(before: str, typed: str):
    assert _errors_elsewhere(before, typed) == []


@pytest.mark.parametrize("typed", ["{", ","])
@pytest.mark.parametrize("before", [" @nested", "@nested(%x", "(%x: ", ", %c: bool", f"-> {_TYPE} {{\n  let %f"])
def test_a_mark_too_many_in_a_head_leaves_its_function(before: str, typed: str):
    assert _errors_elsewhere(before, typed) == []


def test_an_arrow_typed_behind_the_brace_of_a_head():
    text = _TEXT.replace(f"-> {_TYPE} {{\n  let %f", "{\n  let %f")
    at = text.index("{\n  let %f") + 1
    snapshot = Snapshot.open(text, "example.relay")
    for number, key in enumerate(f"-> {_TYPE} {{"):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None


_MANY = 1_500
_LONG = f"""#[version = "0.0.5"]
def @main(%x: {_TYPE}, %c: bool) -> {_TYPE} {{
  %0 = nn.relu(%x);
{"".join(f"  %{i} = nn.relu(%{i - 1});" + chr(10) for i in range(1, _MANY))}  %{_MANY - 1}
}}
"""


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        (" @main", ","),
        ("@main(", "{"),
        ("(%x", "{"),
        ("%x: T", "{"),
        ("Tensor", "{"),
        ("->", "{"),
        ("  %700 =", "  %99 = if (%c) { %0 } else\n"),
        ("  %700 =", "  let %z = if (%c) { %0 } else\n"),
    ],
)
def test_an_edit_at_fault_does_not_read_the_function_anew(before: str, typed: str):
    at = _LONG.index(before)
    snapshot = Snapshot.open(_LONG, "example.relay")
    started = time.process_time()
    assert not _errors(snapshot)
    opening = time.process_time() - started
    times: list[float] = []
    edited = snapshot
    for _ in range(3):  # the search for garbage may fall into one
        started = time.process_time()
        edited = snapshot.edit(TextSpan(at, at), typed)
        assert len(_errors(edited)) == 1
        times.append(time.process_time() - started)
    assert min(times) < opening / 2
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=False) is None


@pytest.mark.parametrize(
    ("mark", "after"),
    [("{", "type Maybe[A] "), ("}", "None,\n"), (")", "Some(A"), ("]", "[A"), (",", "Some(A)")],
)
def test_a_mark_of_a_data_type_that_is_lost_is_the_only_error(mark: str, after: str):
    at = _TEXT.index(after) + len(after)
    assert _TEXT[at] == mark
    lost = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at + 1), "")
    assert len(_errors(lost)) == 1
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("left", ["", "l ", "le ", "lett "])
@pytest.mark.parametrize("name", ["%f", "%a", "%b", "%d"])
def test_a_let_whose_word_is_damaged_or_gone_is_the_only_error(name: str, left: str):
    start = _TEXT.index(f"let {name} =")
    edited = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(start, start + len("let ")), left)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), start, whole=True) is None
    (error,) = _errors(edited)
    (fix,) = error.fixes
    assert apply_edits(edited.text, fix.edits) == _TEXT


@pytest.mark.parametrize("left", ["ype ", "typ ", "tpye ", "ty pe ", ""])
@pytest.mark.parametrize("end", ["[A] {\n  Some(A)", " {\n  None"])
def test_a_type_whose_word_is_damaged_or_gone_is_the_only_error(left: str, end: str):
    text = (
        _TEXT
        if end[1] == "A"
        else _TEXT.replace("Maybe[A] {\n  Some(A),\n", "Maybe {\n").replace(f"Maybe[{_TYPE}]", "Maybe")
    )
    at = text.index("type Maybe")
    whole = Snapshot.open(text, "example.relay")
    edited = whole.edit(TextSpan(at, at + len("type ")), left)
    (found,) = [each for each in _errors(edited) if each.code != "undefined-constructor"]
    assert found.message.startswith("expected `type`")
    (edit,) = found.fixes[0].edits
    assert len(_errors(edited.edit(edit.span, edit.new_text))) == len(_errors(whole)) or left == "ty pe "
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("typed", ["let %x\n  ", "%9 = \n  ", "Some(\n  ", "= ", "Other(Maybe[A]\n  "])
def test_a_data_type_that_is_edited_keeps_its_other_constructors(typed: str):
    at = _TEXT.index("None,")
    edited = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, at), typed)
    assert "undefined-constructor" not in [found.code for found in _errors(edited)]
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("typed", ["(", "add(", "add(%v, ", "if ("])
def test_an_arm_that_is_edited_leaves_the_next(typed: str):
    assert _errors_elsewhere("%v,\n", typed) == []


_NAMING = _TEXT.replace("Maybe[A] {\n", "Maybe[A] {\n  Both(A, A),\n").replace(
    "None => %y,", "None => %y, Both(%l, _) => %l,"
)


@pytest.mark.parametrize("quote", ['"', '"a '])
@pytest.mark.parametrize("before", ["Maybe[A]", "[A] {", " {\n  Both", "Both(", "(A, A)", ", A)", "Some(A)", "None,"])
def test_an_open_quote_in_a_data_type_is_the_only_error(before: str, quote: str):
    at = _NAMING.index(before)
    edited = Snapshot.open(_NAMING, "example.relay").edit(TextSpan(at, at), quote)
    found = [each.code for each in _errors(edited)]
    assert found == ["unclosed-string"] or quote != '"'
    assert "unclosed-string" in found
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("typed", ["nn.relu\n  ", "nn.relu(", "exp, (", "exp(A),(\n  ", "tanh(A) = "])
def test_the_name_of_an_operator_in_a_data_type_at_fault_is_no_constructor(typed: str):
    text = _TEXT.replace("  Some(A),\n  None,\n", "  Other(A),\n  Some(A),\n  None,\n").replace(
        "None => %y", "None => %y, Other(%o) => %o"
    )
    at = text.index("Other(A)")
    edited = Snapshot.open(text, "example.relay").edit(TextSpan(at, at), typed)
    uses = text.index("def @nested") + len(typed)
    found = [each for each in _errors(edited) if each.span is not None and each.span.start > uses]
    assert [each.message for each in found if "Other" not in each.message] == []
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


_BLOCKS = _TEXT.replace(
    "    let %d = add(%11, %a);\n",
    """    let %d = if (%c) {
      let %e = tanh(%b);
      add(%e, %11)
    } else {
      nn.relu(%a)
    };
""",
).replace(
    "    None => %y,\n",
    """    None => {
      let %h = exp(%y);
      %h
    },
""",
)


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("    let %a", 2),
        ("    %10", 2),
        ("    let %d", 2),
        ("      let %e", 4),
        ("      add(%e", 4),
        ("      nn.relu(%a)", 4),
        ("    tanh(%d)", 2),
        ("      let %h", 4),
        ("      %h\n", 4),
    ],
)
def test_a_brace_too_many_below_the_line_that_opens_one_is_the_only_error(line: str, column: int):
    at = _BLOCKS.index(line)
    edited = Snapshot.open(_BLOCKS, "example.relay").edit(TextSpan(at, at), " " * column + "}\n")
    assert [(each.code, each.span) for each in _errors(edited)] == [
        ("unexpected-token", TextSpan(at + column, at + column + 1))
    ]
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("lost", [" => %v,", " %v,"])
def test_an_arm_that_loses_its_arrow_or_value_leaves_the_next(lost: str):
    at = _BLOCKS.index(lost, _BLOCKS.index("Some(%v)"))
    edited = Snapshot.open(_BLOCKS, "example.relay").edit(TextSpan(at, at + len(lost)), "")
    line = TextSpan(edited.text.rindex("\n", 0, at), edited.text.index("\n", at) + 1)
    assert [each.message for each in _errors(edited) if each.span is None or not line.contains(each.span.start)] == []
    assert len(_errors(edited)) == 1
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("name", ["let %b", "%11", "let %d"])
def test_a_call_of_which_only_the_operator_is_typed_is_the_only_error(name: str):
    at = _TEXT.index(" = ", _TEXT.index(name)) + 3
    edited = Snapshot.open(_TEXT, "example.relay").edit(TextSpan(at, _TEXT.index("\n", at)), "exp")
    assert [each.code for each in _errors(edited)] == ["missing-token"]
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None
