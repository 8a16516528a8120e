"""Type comments that say another type than the one that is inferred: one warning for a cause, and fixes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import Severity, apply_edits
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.inference import infer_statement
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.semantic.lints.stale_type_comments import (
    stale_type_comments,
    trust_type_comments,
    type_comment_updates,
)
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import Type
from tests.fixture import read_fixture

RESNET = Path("examples/resnet18.relay").read_text()


def check(source: str) -> None:
    """The warnings stand at the carets and end as is said there; once all comments are updated there is none."""
    fixture = read_fixture(source)
    warnings = stale_type_comments(fixture.snapshot)
    marks = sorted(fixture.annotations, key=lambda mark: mark.span)
    assert [warning.span for warning in warnings] == [mark.span for mark in marks]
    for warning, mark in zip(warnings, marks, strict=True):
        written = fixture.text[mark.span.start : mark.span.end]
        assert warning.message == f"the type comment says {written}, and {mark.label}"
    assert all(warning.severity is Severity.WARNING for warning in warnings)
    updated = apply_edits(fixture.text, type_comment_updates(fixture.snapshot))
    assert stale_type_comments(Snapshot.open(updated, "updated.relay")) == []


def test_a_comment_that_says_the_inferred_type_is_left_alone() -> None:
    assert stale_type_comments(Snapshot.open(RESNET, "resnet18.relay")) == []


def test_a_comment_behind_a_value() -> None:
    check("""
def @main(%x: Tensor[(1, 64), float32]) {
  nn.relu(%x) /* ty=Tensor[(64, 1), float32] */
//                  ^^^^^^^^^^^^^^^^^^^^^^^^ the type is Tensor[(1, 64), float32]
}
""")


def test_type_variables_stand_for_themselves() -> None:
    check("""
type List[A] {
  Cons(A, List[A]),
  Nil,
}

def @first[A](%xs: List[A] /* ty=List[A] */, %other: A /* ty=List[A] */) -> A {
//                                                           ^^^^^^^ the type is A
  match (%xs) {
    Cons(%x: A /* ty=A */, _) => {
      %x
    },
    Nil => {
      %other
    },
  }
}
""")


def test_what_follows_from_a_cause_is_counted_with_it() -> None:
    check("""
def @main(%x: Tensor[(4), float32]) {
  let %a = nn.relu(%x) /* ty=Tensor[(5), float32] span=relu_0:0:0 */;
//                           ^^^^^^^^^^^^^^^^^^^^ the type is Tensor[(4), float32]; 2 more comments differ because of it
  let %b = (%a, %x) /* ty=(Tensor[(5), float32], Tensor[(4), float32]) */;
  %b.0 /* ty=Tensor[(5), float32] */
}
""")


def test_a_comment_behind_a_parameter_and_what_follows_from_it() -> None:
    check("""
def @main(%x: Tensor[(4), int8]
  /* ty=Tensor[(5), int8] */) {
//      ^^^^^^^^^^^^^^^^^ the type is Tensor[(4), int8]; 1 more comment differs because of it
  nn.relu(%x) /* ty=Tensor[(5), int8] */
}
""")


def test_comments_inside_a_statement() -> None:
    check("""
def @main(%x: Tensor[(4), float32]) {
  %1 = fn (%p: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] {
    %0 = nn.relu(%p) /* ty=Tensor[(3), float32] */;
//                         ^^^^^^^^^^^^^^^^^^^^ the type is Tensor[(4), float32]
    nn.relu(%0) /* ty=Tensor[(4), float32] */
  };
  %1(nn.relu(%x) /* ty=Tensor[(7), float32] */)
//                     ^^^^^^^^^^^^^^^^^^^^ the type is Tensor[(4), float32]
}
""")


def test_a_comment_behind_the_name_of_a_let() -> None:
    check("""
def @main(%x: Tensor[(4), float32]) {
  let %a: Tensor[(4), float32] /* ty=Tensor[(5), float32] */ = nn.relu(%x) /* ty=Tensor[(4), float32] */;
//                                   ^^^^^^^^^^^^^^^^^^^^ the type is Tensor[(4), float32]
  %a
}
""")


def test_what_is_at_fault_and_what_is_no_type_is_left_alone() -> None:
    check("""
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.rulu(%x) /* ty=Tensor[(5), float32] */;
  %1 = nn.relu(%x) /* ty=as it was */;
  (%0, %1)
}
""")


def test_a_function_does_not_follow_from_a_value_of_another_that_has_the_same_name() -> None:
    warnings = stale_type_comments(
        Snapshot.open(
            """
def @first(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* ty=Tensor[(5), float32] */;
  %0
}
def @second(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* ty=Tensor[(4), float32] */;
  nn.relu(%0) /* ty=Tensor[(5), float32] */
}
""",
            "two.relay",
        )
    )
    assert [len(warning.related) for warning in warnings] == [0, 0]


def test_one_edit_of_a_model_is_one_warning_whose_fix_mends_all() -> None:
    text = RESNET.replace("strides=[2, 2]", "strides=[1, 1]", 1)
    snapshot = Snapshot.open(text, "resnet18.relay")
    (warning,) = stale_type_comments(snapshot)
    assert warning.span is not None
    assert snapshot.lines.line_and_column(warning.span.start)[0] == text[: text.index("strides=[1, 1]")].count("\n")
    assert [fix.title for fix in warning.fixes] == [
        "Update this type comment",
        "Update this type comment and those that differ because of it",
    ]
    mended = apply_edits(text, warning.fixes[1].edits)
    assert stale_type_comments(Snapshot.open(mended, "resnet18.relay")) == []
    assert mended.count("\n") == text.count("\n")


def test_an_edit_makes_what_it_changes_stale_and_undoing_it_true_again() -> None:
    snapshot = Snapshot.open(RESNET, "resnet18.relay")
    assert stale_type_comments(snapshot) == []
    at = RESNET.index("strides=[2, 2]") + len("strides=[")
    edited = snapshot.edit(TextSpan(at, at + 1), "1")
    assert len(stale_type_comments(edited)) == 1
    assert stale_type_comments(edited.edit(TextSpan(at, at + 1), "2")) == []


def test_comments_that_were_just_printed_are_not_compared_again() -> None:
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  %0 = nn.relu(%x) /* ty=int32 */;
  %1 = nn.relu(%0) /* ty=int32 */;
  nn.relu(%1)
}
"""
    snapshot = Snapshot.open(text, "printed.relay")
    start = text.index("%0 =")
    trust_type_comments(snapshot, [TextSpan(start, text.index(";", start) + 1)])
    (edit,) = type_comment_updates(snapshot)
    assert edit.span.start == text.rindex("int32")
    assert edit.new_text == "Tensor[(2), float32]"


def _fused(count: int, wrong: int) -> str:
    """Functions as FuseOps binds them, whose types take turns; in one of them a comment inside says another type."""
    lines = ['#[version = "0.0.5"]', "def @main(%x: Tensor[(8), float32], %y: Tensor[(4), float32]) {"]
    for number in range(count):
        type, value = (("Tensor[(8), float32]", "%x"), ("Tensor[(4), float32]", "%y"))[number % 2]
        said = "int8" if number == wrong else type
        lines.append(f"  %{number} = fn (%p: {type}, Primitive=1) -> {type} {{")
        lines.append(f"    %{count + number} = add(%p, {value}) /* a */ /* ty={said} */;")
        lines.append(f"    nn.relu(%{count + number}) /* ty={type} */")
        lines.append(f"  }} /* ty=fn ({type}) -> {type} */;")
    return "\n".join([*lines, "  (%0, %1)", "}", ""])


@pytest.mark.parametrize("wrong", [0, 1, 48, 49])
def test_a_comment_in_a_function_that_is_like_others_is_compared_with_its_own_type(wrong: int):
    text = _fused(50, wrong)
    (warning,) = stale_type_comments(Snapshot.open(text, "fused.relay"))
    assert warning.span is not None
    assert text[warning.span.start : warning.span.end] == "int8"
    assert text.count("\n", 0, warning.span.start) == 2 + 4 * wrong + 1
    assert f"the type is Tensor[({(8, 4)[wrong % 2]}), float32]" in warning.message


def test_the_parts_of_statements_that_are_alike_are_typed_once(monkeypatch: pytest.MonkeyPatch):
    typed: list[object] = []
    snapshot = Snapshot.open(_fused(300, -1), "fused.relay")

    def counted(value: Expr, known: Mapping[Expr, Type], module: IRModule) -> object:
        typed.append(value)
        return infer_statement(value, known, module)

    monkeypatch.setattr("relay_lsp.ir.semantic.lowered_statement.infer_statement", counted)
    assert stale_type_comments(snapshot) == []
    assert len(typed) < 20
