"""What fixes write where comments stand around, or where something else is missing: nothing but what they say."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_HEAD = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @main(%x: float32, %l: List[int32]) {
  """


def fixes(text: str) -> dict[str, str]:
    """The text after each fix that is offered in it, by title."""
    findings = diagnostics(Snapshot.open(text, "model.relay"))
    return {fix.title: apply_edits(text, fix.edits) for finding in findings for fix in finding.fixes}


def mended(body: str, title: str) -> str:
    """The body of ``@main`` after the fix of this title."""
    return fixes(f"{_HEAD}{body}\n}}\n")[title].removeprefix(_HEAD).removesuffix("\n}\n")


def test_a_value_is_removed_without_the_one_behind_it_on_its_line():
    body = "%0 = exp(%x); /* a */ %1 = abs(%x); /* b */\n  %1"
    assert mended(body, "Remove %0") == body.removeprefix("%0 = exp(%x); ")


@pytest.mark.parametrize(("body", "after"), [
    ("%0 = reshape(%x;\n  %0", "%0 = reshape(%x, newshape=None;\n  %0"),
    ("reshape(%x", "reshape(%x, newshape=None"),
    ("reshape(%x)", "reshape(%x, newshape=None)"),
])  # fmt: skip
def test_an_attribute_is_added_behind_the_arguments_of_a_call_that_is_being_typed(body: str, after: str):
    assert mended(body, "Add `newshape=None`") == after


@pytest.mark.parametrize(("arm", "after"), [
    ("Cons(_, _) => 1 // one", "Cons(_, _) => 1, // one"),
    ("Cons(_, _) => 1 /* } */", "Cons(_, _) => 1, /* } */"),
    ("Cons(_, _) => 1, /* one */", "Cons(_, _) => 1, /* one */"),
])  # fmt: skip
def test_an_arm_is_added_behind_a_comma_that_stands_in_no_comment(arm: str, after: str):
    body = f"match (%l) {{\n    {arm}\n  }}"
    assert mended(body, "Add the missing arm") == f"match (%l) {{\n    {after}\n    Nil => {{ () }},\n  }}"


def test_no_arm_is_added_to_a_match_without_its_brace():
    offered = fixes(f"{_HEAD}match (%l) {{\n    Cons(%h, _) => {{ %h }}\n}}\n")
    assert "Write match?, which need not cover every value" in offered
    assert "Add the missing arm" not in offered


def test_a_comment_does_not_take_in_the_parenthesis_around_the_branch_that_is_kept():
    body = "if (True) {\n    exp(%x) // kept\n  } else { %x }"
    assert mended(body, "Keep the other branch only") == "(exp(%x) // kept\n)"


def test_a_wildcard_has_no_type():
    offered = fixes(f"{_HEAD}match (%l) {{ Cons(%h: int32, _) => 1, Nil => 2 }}\n}}\n")
    assert "Name it %_h" in offered
    assert "Change to `_`" not in offered


@pytest.mark.parametrize(("pattern", "titles"), [
    ("Consx(_, _)", {"Change to `Cons`"}),
    ("Consx", {"Change to `Cons`", "Change to `%Consx`"}),
])  # fmt: skip
def test_an_unknown_constructor_with_fields_is_no_variable(pattern: str, titles: set[str]):
    offered = fixes(f"{_HEAD}match (%l) {{ {pattern} => 1, _ => 2 }}\n}}\n")
    assert {title for title in offered if "Cons" in title} == titles


_CALLED = """#[version = "0.0.5"]
{} {{
  exp(%x)
}}
def @main(%y: float32) {{
  exp(@called(%y))
}}
"""


@pytest.mark.parametrize("head", ["def @called(%x: float32)", "@called(%x: float32)"])
def test_a_result_is_declared_behind_the_parameters(head: str):
    assert fixes(_CALLED.format(head))["Declare -> float32"] == _CALLED.format(f"{head} -> float32")


def test_no_result_is_declared_beside_another():
    text = _CALLED.format("def @called(%x: float32) -> _")
    assert not [title for title in fixes(text) if title.startswith("Declare")]


def test_an_arrow_that_is_missing_in_front_of_a_result_is_written():
    text = '#[version = "0.0.5"]\ndef @main(%x: int32) int32 {\n  %x\n}\n'
    assert fixes(text) == {"Insert `->`": text.replace(") int32", ") -> int32")}


@pytest.mark.parametrize(("body", "error", "after"), [
    ("cast(%x, dtype='int8')", "a string stands in double quotes: `\"int8\"`", 'cast(%x, dtype="int8")'),
    ("reshape(%x, newshape=(2, -1))", "attribute newshape takes a list of integers or None (in reshape)",
     "reshape(%x, newshape=[2, -1])"),
    ("reshape(%x, newshape=3)", "attribute newshape takes a list of integers or None (in reshape)",
     "reshape(%x, newshape=[3])"),
    ("nn.softmax(%x, axis=[0])", "attribute axis takes an integer (in nn.softmax)", "nn.softmax(%x, axis=0)"),
    ("let y = exp(%x);\n  %x", "a local variable begins with %: `%y`", "let %y = exp(%x);\n  %x"),
    ("y = exp(%x);\n  %x", "a local variable begins with %: `%y`", "let %y = exp(%x);\n  %x"),
    ("0 = exp(%x);\n  %x", "a graph variable begins with %: `%0`", "%0 = exp(%x);\n  %x"),
    ("%0 := exp(%x);\n  %0", "a value is bound by `=`", "%0 = exp(%x);\n  %0"),
    ("let %y := exp(%x);\n  %y", "a value is bound by `=`", "let %y = exp(%x);\n  %y"),
    ("let %0 = exp(%x);\n  %0", "expected a local variable here: a graph variable is bound without `let`",
     "%0 = exp(%x);\n  %0"),
    ("%0 = exp(%x);\n  return %0", "the last expression of a body is its value, without `return`",
     "%0 = exp(%x);\n  %0"),
    ("clip(%x, a_min: 0f, a_max=1f)", "an attribute is given by `=`", "clip(%x, a_min=0f, a_max=1f)"),
    ("let %p = [%x, %x];\n  %p.1", "several values stand in parentheses: `(%x, %x)`", "let %p = (%x, %x);\n  %p.1"),
    ("let %p = (%x, %x);\n  %p[1]", "a field of a tuple is written `.1`", "let %p = (%x, %x);\n  %p.1"),
    ("if (true) { %x } else { %x }", "unknown name true; did you mean True?", "if (True) { %x } else { %x }"),
    ("if True { %x } else { %x }", "a condition stands in parentheses: `(True)`", "if (True) { %x } else { %x }"),
    ("let %f = fn (y) { %x };\n  %f(%x)", "a local variable begins with %: `%y`",
     "let %f = fn (%y) { %x };\n  %f(%x)"),
    ("let %f = fn (%y, z: int32) { %y };\n  %x", "a local variable begins with %: `%z`",
     "let %f = fn (%y, %z: int32) { %y };\n  %x"),
    ("exp %x", "an operator is called `exp(%x)`", "exp(%x)"),
    ("# of a, %y\n  %x", "`#` means nothing in Relay: a comment begins with `//`", "// of a, %y\n  %x"),
])  # fmt: skip
def test_what_other_languages_write_is_one_error_with_what_relay_writes(body: str, error: str, after: str):
    _check_only_error(f"{_HEAD}{body}\n}}\n", error, f"{_HEAD}{after}\n}}\n")


@pytest.mark.parametrize(("head", "error", "after"), [
    ("def main(%x: int32)", "a global variable begins with @: `@main`", "def @main(%x: int32)"),
    ("fn @main(%x: int32)", "expected `def`, found `fn`", "def @main(%x: int32)"),
    ("def @main(%x: int32, y: int32)", "a local variable begins with %: `%y`", "def @main(%x: int32, %y: int32)"),
    ("def @main(%x: int32, y)", "a local variable begins with %: `%y`", "def @main(%x: int32, %y)"),
    ("def @main(%x: int32, %y: Tensor[2, 3, int8])", "a shape stands in parentheses: `(2, 3)`",
     "def @main(%x: int32, %y: Tensor[(2, 3), int8])"),
    ("def @main(%x: int32, %y: Tensor[(2, 3, int8)])", "a dtype stands behind the shape: `(2, 3), int8`",
     "def @main(%x: int32, %y: Tensor[(2, 3), int8])"),
    ("def @main(%x: int32, %y: Tensor[(2, n, 3, m), int8])", "a dimension is a number, or `?` for any",
     "def @main(%x: int32, %y: Tensor[(2, ?, 3, ?), int8])"),
    ('def @main(%x: int32, %y: Tensor[(2), "int8"])', "a dtype stands without quotes: `int8`",
     "def @main(%x: int32, %y: Tensor[(2), int8])"),
])  # fmt: skip
def test_a_head_as_other_languages_write_it_is_one_error_with_what_relay_writes(head: str, error: str, after: str):
    text = '#[version = "0.0.5"]\n{} {{\n  %x\n}}\n'
    _check_only_error(text.format(head), error, text.format(after))


def _check_only_error(text: str, error: str, after: str) -> None:
    (finding,) = Snapshot.open(text, "model.relay").findings
    assert finding.message == error
    (fix,) = finding.fixes
    assert apply_edits(text, fix.edits) == after


def test_what_stands_behind_the_comment_of_another_language_is_read():
    findings = Snapshot.open(
        f"{_HEAD}# a note, (\n  %0 := exp(%x); # another\n  # and one\n  return %0\n}}\n", "m"
    ).findings
    comment = "`#` means nothing in Relay: a comment begins with `//`"
    bound, value = "a value is bound by `=`", "the last expression of a body is its value, without `return`"
    assert [finding.message for finding in findings] == [comment, bound, comment, comment, value]


def test_each_string_in_single_quotes_is_told():
    findings = Snapshot.open(f"{_HEAD}nn.conv2d(%x, %x, data_layout='NCHW', kernel_layout='OIHW')\n}}\n", "m").findings
    assert [finding.message.partition(": ")[2] for finding in findings] == ['`"NCHW"`', '`"OIHW"`']


def test_a_name_that_is_not_called_is_no_misspelled_operator():
    (finding,) = Snapshot.open(f"{_HEAD}exp(data)\n}}\n", "m").findings
    assert finding.message == "unknown name data; a value is written %data"
