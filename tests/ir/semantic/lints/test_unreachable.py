"""Hints about text that can never run: arms, branches, functions; and that nothing is said where it is not sure."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity, Tag, apply_edits
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot
from tests.fixture import read_fixture

OPTION = "type Option[A] { Some(A), None, }\n"


def check(source: str) -> None:
    """The hints stand at the carets, in the words beside them."""
    fixture = read_fixture(source)
    hints = unreachable(fixture.snapshot)
    assert [(hint.span, hint.message) for hint in hints] == [
        (mark.span, mark.label) for mark in sorted(fixture.annotations, key=lambda mark: mark.span)
    ]
    assert all(hint.severity is Severity.HINT and hint.tags == (Tag.UNNECESSARY,) for hint in hints)


def mended(source: str) -> str:
    """The text after the fix of its only hint."""
    text = read_fixture(source).text
    (hint,) = unreachable(Snapshot.open(text, "fixture.relay"))
    (fix,) = hint.fixes
    result = apply_edits(text, fix.edits)
    assert not Snapshot.open(result, "fixture.relay").diagnostics
    return result.partition("\n")[2]


def test_an_arm_after_one_that_takes_everything() -> None:
    check(
        OPTION
        + """
def @main(%o: Option[float32]) -> float32 {
  match (%o) {
    Some(%x) => %x,
    _ => 0f,
    None => 1f,
//  ^^^^^^^^^^ no value reaches this arm
  }
}
"""
    )


def test_an_arm_whose_pattern_was_there_already() -> None:
    check(
        OPTION
        + """
def @main(%o: Option[float32]) -> float32 {
  match (%o) { Some(%x) => %x, Some(%y) => { add(%y, 1f) }, None => 1f }
//                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^ no value reaches this arm
}
"""
    )


def test_an_arm_that_several_before_it_cover_together() -> None:
    check(
        OPTION
        + """
def @main(%o: (Option[float32], Option[float32])) -> float32 {
  match (%o) {
    (Some(%x), None) => %x,
    (None, _) => 1f,
    (_, Some(%y)) => %y,
    (Some(_), _) => 2f,
//  ^^^^^^^^^^^^^^^^^^ no value reaches this arm
  }
}
"""
    )


def test_the_arm_is_removed_with_its_comma() -> None:
    text = mended(
        OPTION
        + "def @main(%o: Option[float32]) -> float32 {\n  match (%o) { Some(%x) => %x, _ => 0f, None => 1f, }\n}\n"
    )
    assert "{ Some(%x) => %x, _ => 0f, }" in text


def test_a_branch_that_a_literal_rules_out() -> None:
    check("""
def @main(%x: float32) -> float32 {
  %0 = if (False) { tanh(%x) } else { exp(%x) };
//                ^^^^^^^^^^^^ the condition is False, so this branch never runs
  if (True) { %0 } else { if (%x > 0f) { 1f } else { 2f } }
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the condition is True, so this branch never runs
}
""")


def test_a_comment_in_a_condition_changes_nothing() -> None:
    check("""
def @main(%x: float32) -> float32 {
  if (False /* ty=bool */) { tanh(%x) } else { exp(%x) }
//                         ^^^^^^^^^^^^ the condition is False, so this branch never runs
}
""")


def test_the_branch_that_runs_is_kept() -> None:
    assert "%0 = (exp(%x));" in mended("""
def @main(%x: float32) -> float32 {
  %0 = if (False) { tanh(%x) } else { exp(%x) };
  %0
}
""")


def test_a_condition_in_a_comment_or_one_that_is_computed_says_nothing() -> None:
    check("""
def @main(%x: float32, %c: bool) -> float32 {
  // if (False) { } else { }
  if (%c) { %x } else { exp(%x) }
}
""")


def test_functions_that_main_never_calls() -> None:
    check("""
def @lost(%x: float32) -> float32 { @lost_too(%x) }
//  ^^^^^ @main never calls @lost, neither directly nor through others
def @lost_too(%x: float32) -> float32 { @lost(%x) }
//  ^^^^^^^^^ @main never calls @lost_too, neither directly nor through others
def @main(%x: float32) -> float32 { @used(%x) }
def @used(%x: float32) -> float32 { @used_too(%x) }
def @used_too(%x: float32) -> float32 { %x }
""")


def test_without_a_main_any_function_may_be_called() -> None:
    check("""
def @one(%x: float32) -> float32 { %x }
def @two(%x: float32) -> float32 { %x }
""")


@pytest.mark.parametrize(
    "body",
    [
        "match (%o) { _ => 0f, None(%x) => 1f }",
        "match (%o) { _ => 0f, Non => 1f }",
        "match (%o) { _ => 0f, None => ",
        "match (%o { _ => 0f, None => 1f }",
        "if (False) { 1f",
        "if (False { 1f } else { 2f }",
    ],
)
def test_of_what_is_broken_nothing_is_said(body: str) -> None:
    fixture = read_fixture(f"{OPTION}def @main(%o: Option[float32]) -> float32 {{ {body} }}")
    assert fixture.snapshot.diagnostics
    assert unreachable(fixture.snapshot) == []


def test_an_empty_text_has_nothing_that_cannot_run():
    assert unreachable(Snapshot.open("", "example")) == []
