"""Which values a match does not cover."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.expressions import Clause, Constructor, Match, Pattern, PatternConstructor, PatternWildcard, Var
from relay_lsp.ir.inference import unmatched_cases
from relay_lsp.ir.module import TypeData
from relay_lsp.ir.types import GlobalTypeVar, TypeCall

Errors = Callable[[str], list[Diagnostic]]

LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"


@pytest.mark.parametrize(
    ("arms", "missing"),
    [
        ("Cons(_, _) => { 0 }, Nil => { 0 },", None),
        ("_ => { 0 },", None),
        ("%all => { 0 },", None),
        ("Cons(_, Nil) => { 0 }, Cons(_, Cons(_, _)) => { 0 }, Nil => { 0 },", None),
        ("Cons(_, _) => { 0 },", "Nil"),
        ("Cons(_, Nil) => { 0 }, Nil => { 0 },", "Cons(_, Cons(_, _))"),
        ("Cons(_, Nil) => { 0 },", "Cons(_, Cons(_, _)), Nil"),
    ],
)
def test_missing_arms(errors: Errors, arms: str, missing: str | None) -> None:
    reported = errors(LIST + "def @main(%l: List[int32]) { match (%l) {" + arms + "} }")
    assert [error.message for error in reported] == ([f"this match does not cover {missing}"] if missing else [])


def test_tuples_are_taken_apart(errors: Errors) -> None:
    (error,) = errors(
        LIST
        + """
def @main(%l: List[int32], %m: List[int32]) {
  match ((%l, %m)) {
    (Nil, _) => { 0 },
    (_, Nil) => { 0 },
  }
}
"""
    )
    assert error.message == "this match does not cover (Cons(_, _), Cons(_, _))"


def test_a_match_with_a_question_mark_need_not_cover_everything(errors: Errors) -> None:
    assert not errors(LIST + "def @main(%l: List[int32]) { match? (%l) { Nil => { 0 }, } }")


def test_the_patterns_for_a_fix_are_given(errors: Errors) -> None:
    (error,) = errors(LIST + "def @main(%l: List[int32]) { match (%l) { Nil => { 0 }, } }")
    (pattern,) = error.data  # type: ignore[misc]
    assert isinstance(pattern, PatternConstructor)
    assert pattern.constructor.name_hint == "Cons"
    assert len(pattern.patterns) == 2


def test_a_pattern_of_another_type(errors: Errors) -> None:
    (error,) = errors(LIST + "def @main(%x: float32) { match (%x) { Nil => { 0 }, _ => { 1 }, } }")
    assert error.code == "wrong-pattern"


def test_arms_that_differ(errors: Errors) -> None:
    (error,) = errors(LIST + "def @main(%l: List[int32]) { match (%l) { Nil => { 0 }, Cons(%h, _) => { (%h,) }, } }")
    assert error.message == "the arms differ: the first is int32, this one is (int32,): (int32,) is not int32"


def test_a_deep_pattern_takes_no_recursion() -> None:
    header = GlobalTypeVar("Nat")
    zero, successor = Constructor("Z", (), header), Constructor("S", (TypeCall(header, ()),), header)
    pattern: Pattern = PatternWildcard()
    for _ in range(10_000):
        pattern = PatternConstructor(successor, (pattern,))
    match = Match(Var("n", TypeCall(header, ())), (Clause(pattern, Var("x")),))
    missing = unmatched_cases(match, {header: TypeData(header, (), (zero, successor))})
    assert len(missing) == 64


def test_the_pattern_that_does_not_fit_is_underlined(check_errors: Callable[[str], None]) -> None:
    check_errors("""
type List[A] { Cons(A, List[A]), Nil, }
def @main(%l: List[int32]) {
  match (%l) {
    Cons((%h, _), Cons(_, Nil(_))) => 0,
//       ^^^^^^^ wrong-pattern: the pattern (%h, _) takes (_, _), but the value is int32
//                        ^^^^^^ wrong-pattern: Nil has 0 fields, but this pattern has 1
    Cons(%h: float32, _) => 1,
//       ^^^^^^^^^^^ wrong-pattern: the pattern %h takes float32, but the value is int32
    _ => 2,
  }
}
""")
