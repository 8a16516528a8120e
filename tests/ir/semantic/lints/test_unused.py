"""Values that are bound and never used: where the hint stands, where there is none, and what its fixes do."""

import random

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity, Tag, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.fixture import read_fixture


def unused(snapshot: Snapshot) -> list[Diagnostic]:
    return [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.code == "unused-value"]


def check(source: str) -> None:
    """The hints stand at the carets, with their words beside them."""
    fixture = read_fixture(source)
    hints = [(hint.span, hint.message) for hint in unused(fixture.snapshot)]
    assert hints == sorted((marked.span, marked.label) for marked in fixture.annotations)


def test_bindings_and_parameters():
    check("""
def @main(%x: Tensor[(3), float32], %y: int32) -> Tensor[(3), float32] {
//                                  ^^ parameter %y is never used
  %0 = nn.relu(%x);
//^^ %0 is never used
  let %a = exp(%x);
//    ^^ %a is never used
  %1 = fn (%p: Tensor[(3), float32], %q: int32) -> Tensor[(3), float32] {
//                                   ^^ parameter %q is never used
    let %b = 1;
//      ^^ %b is never used
    %p
  };
  %1(%x, 2)
}
""")


def test_the_same_in_a_text_that_is_read_whole():
    check("""
type Option { Some(int32), None_ }
def @main(%o: Option, %y: int32) -> int32 {
//                    ^^ parameter %y is never used
  let %a = 1;
//    ^^ %a is never used
  match (%o) {
    Some(%value) => { 1 },
//       ^^^^^^ %value is never used
    None_ => { 2 }
  }
}
""")


def test_a_name_that_begins_with_an_underscore_is_meant():
    check("""
def @main(%x: int32, %_y: int32) -> int32 {
  let %_a = 1;
  %x
}
""")


@pytest.mark.parametrize(
    "value",
    [
        "ref_write(%r, 2)",
        "memory.kill(%x)",
        "(1, memory.kill(%x))",
        "%f(%x)",
        "if (True) { ref_write(%r, 2) } else { ref_write(%r, 3) }",
        "fn (%z: int32) { ref_write(%r, %z) }(%x)",
    ],
)
def test_a_let_that_may_have_an_effect_is_left_alone(value: str):
    check(f"""
def @main(%x: int32, %r: ref(int32), %f: fn (int32) -> int32) -> int32 {{
  let %a = {value};
  let %b = (%x, %r, %f);
//    ^^ %b is never used
  %x
}}
""")


def test_making_a_function_and_reading_a_reference_has_no_effect():
    check("""
def @main(%r: ref(int32)) -> int32 {
  let %f = fn (%z: int32) { ref_write(%r, %z) };
//    ^^ %f is never used
  let %v = ref_read(%r);
//    ^^ %v is never used
  1
}
""")


def test_an_effect_that_a_let_reaches_through_a_graph_variable():
    check("""
def @main(%r: ref(int32)) -> int32 {
  %0 = ref_write(%r, 2);
  let %a = (%0, 1);
  1
}
""")


def test_the_effect_of_a_graph_binding_never_takes_place():
    check("""
def @main(%r: ref(int32)) -> int32 {
  %0 = ref_write(%r, 2);
//^^ %0 is never used, and so is no part of the function: its effect never takes place (bind it with let)
  1
}
""")


def test_a_misspelled_use_counts_for_what_was_meant():
    check("""
def @main(%data: int32) -> int32 {
  let %weight = 1;
  add(%dta, %wieght)
}
""")


def test_a_broken_use_counts():
    check("""
def @main(%x: int32) -> int32 {
  let %weight = 1;
  %0 = add(%x %weight;;
  %x
}
""")


def test_it_is_a_hint_that_editors_fade():
    (hint,) = unused(read_fixture("def @main(%x: int32) -> int32 { let %a = 1; %x }").snapshot)
    assert hint.severity is Severity.HINT
    assert hint.tags == (Tag.UNNECESSARY,)


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ("  let %a = 1; // one\n  %x\n", "Remove %a", "  %x\n"),
        ("  %0 = add(%x, 1) /* ty=int32 */;\n  %x\n", "Remove %0", "  %x\n"),
        ("  let %a = 1; %x\n", "Remove %a", "  %x\n"),
        ("  let %a = 1;\n  %x\n", "Name it %_a", "  let %_a = 1;\n  %x\n"),
        ("  match ((%x, 1)) { (%p, %q) => { %p } }\n", "Change to `_`", "  match ((%x, 1)) { (%p, _) => { %p } }\n"),
    ],
)
def test_the_fixes(before: str, title: str, after: str):
    head = '#[version = "0.0.5"]\ndef @main(%x: int32) -> int32 {\n'
    snapshot = Snapshot.open(f"{head}{before}}}\n", "example")
    (fix,) = [fix for diagnostic in unused(snapshot) for fix in diagnostic.fixes if fix.title == title]
    assert apply_edits(snapshot.text, fix.edits) == f"{head}{after}}}\n"


def test_after_any_edits_the_hints_are_those_of_opening_afresh():
    lines = [
        "  %0 = nn.relu(%x);",
        "  %1 = add(%0, %x);",
        "  let %a = nn.relu(%1);",
        "  let %b = fn (%p: Tensor[(3), float32]) { %x };",
        "  %2 = add(%a, %1);",
        "  %3 = memory.kill(%2);",
    ]
    head = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(3), float32], %y: int32) -> Tensor[(3), float32] {\n'
    chooser = random.Random(4)
    present = [True] * len(lines)

    def write() -> str:
        body = "".join(f"{line}\n" for line, there in zip(lines, present, strict=True) if there)
        return f"{head}{body}  %x\n}}\n"

    snapshot = Snapshot.open(write(), "example")
    for _ in range(60):
        assert snapshot.diagnostics is not None
        index = chooser.randrange(len(lines))
        start = len(head) + sum(len(line) + 1 for line, there in zip(lines[:index], present, strict=False) if there)
        line = f"{lines[index]}\n"
        span = TextSpan(start, start + len(line) if present[index] else start)
        snapshot = snapshot.edit(span, "" if present[index] else line)
        present[index] = not present[index]
        assert snapshot.text == write()
        assert snapshot.diagnostics == Snapshot.open(snapshot.text, "example").diagnostics


def test_hints_follow_edits_of_other_functions():
    text = """#[version = "0.0.5"]
def @f(%x: int32) -> int32 { %x }
def @g(%x: int32) -> int32 {
  let %a = @f(%x);
  %0 = negative(%x);
  %x
}
"""
    snapshot = Snapshot.open(text, "main.relay")
    assert [hint.message for hint in unused(snapshot)] == ["%0 is never used"]
    moved = snapshot.edit(TextSpan(text.index("def"), text.index("def")), "// a line\n")
    assert [hint.span for hint in unused(moved)] == [TextSpan(moved.text.index("%0"), moved.text.index("%0") + 2)]
    renamed = moved.edit(TextSpan(moved.text.index("@f"), moved.text.index("@f") + 2), "@h")
    for each in (moved, renamed):
        afresh = Snapshot.open(each.text, "main.relay")
        assert [(hint.span, hint.message) for hint in unused(each)] == [(h.span, h.message) for h in unused(afresh)]


@pytest.mark.parametrize("functions", [50, 400])
def test_hints_of_functions_that_an_edit_leaves_alone_are_not_looked_for_again(functions: int):
    function = "def @f{}(%x: int32) -> int32 {{\n  %0 = negative(%x);\n  %x\n}}\n"
    text = '#[version = "0.0.5"]\n' + "".join(map(function.format, range(functions)))
    snapshot = Snapshot.open(text, "main.relay")
    hints = unused(snapshot)
    assert len(hints) == functions
    at = text.rindex("negative")
    edited = snapshot.edit(TextSpan(at, at + len("negative")), "exp")
    assert sum(one is other for one, other in zip(hints, unused(edited), strict=True)) == functions - 1


def test_the_hints_that_are_shown_of_many_stay_where_they_are_before_an_edit():
    function = "def @f{}(%x: int32) -> int32 {{\n  %0 = negative(%x);\n  %x\n}}\n"
    snapshot = Snapshot.open('#[version = "0.0.5"]\n' + "".join(map(function.format, range(90))), "main.relay")
    shown, left = snapshot.diagnostics_with_hints(40)
    assert (len(shown), left) == (40, 50)
    at = snapshot.text.index("negative", snapshot.text.index("@f20("))
    edited = snapshot.edit(TextSpan(at, at + len("negative")), "exp")
    after, left = edited.diagnostics_with_hints(40)
    assert left == 50
    assert [one is other for one, other in zip(shown, after, strict=True)] == [number < 20 for number in range(40)]
    afresh, _ = Snapshot.open(edited.text, "main.relay").diagnostics_with_hints(40)
    assert [(hint.span, hint.message) for hint in after] == [(hint.span, hint.message) for hint in afresh]


def test_a_call_of_a_function_that_comes_and_goes_changes_the_hints_before_it():
    function = "def @f{}(%x: int32) -> int32 {{\n  %0 = @last(%x);\n  %x\n}}\n"
    last = "def @last(%x: int32) -> int32 {\n  %x\n}\n"
    text = '#[version = "0.0.5"]\n' + "".join(map(function.format, range(300))) + last
    snapshot = Snapshot.open(text, "main.relay")
    assert len(unused(snapshot)) == 300
    name = TextSpan(text.rindex("last"), text.rindex("last") + 1)
    lost = snapshot.edit(name, "m")
    assert len(unused(lost)) == len(unused(Snapshot.open(lost.text, "main.relay")))
    assert len(unused(lost.edit(name, "l"))) == 300
