"""A let whose value is a sequence of statements, as TVM prints it without parentheses: errors stay where they are."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(10), float64], %g: Tensor[(10), float64]) {
  let %a = let %b = (%x, %g);
  let %c = %b.0;
  let %d = sin(%c);
  %5 = zeros_like(%d);
  let %e = (%d, %5);
  let %k = fn (%y: Tensor[(10), float64]) {
    let %z = cos(%y);
    %z
  };
  let %f = %e;
  %f;
  let %h = %g;
  let %i = %a.0;
  let %j = multiply(%i, %h);
  %j
}
"""
_NESTED = _TEXT.replace(") {\n  let %a", ") {\n  %97 = fn (%x: Tensor[(10), float64]) {\n  let %a").replace(
    "  %j\n}\n", "  %j\n  };\n  %97(%x)\n}\n"
)
"""The same in a function inside of the statement, where it is read with that."""

_STATEMENTS = (
    "let %new = nn.relu(%c);",
    "let %new: Tensor[(10), float64] = add(%c, %c);",
    "%98 = nn.relu(%c);",
    "let %new = (%c, %b);",
    "nn.relu(%c)",
)


def _errors(snapshot: Snapshot) -> list[tuple[str, int]]:
    errors = [each for each in snapshot.diagnostics if each.severity is Severity.ERROR]
    return [(each.message, snapshot.text.count("\n", 0, each.span.start)) for each in errors if each.span is not None]


@pytest.mark.parametrize(
    ("text", "line"), [*[(_TEXT, line) for line in (4, 5, 7, 11)], *[(_NESTED, line) for line in (5, 6, 8, 12)]]
)
@pytest.mark.parametrize("statement", _STATEMENTS)
def test_a_statement_typed_in_the_value_makes_errors_in_itself_alone(statement: str, text: str, line: int) -> None:
    lines = text.splitlines(keepends=True)
    at = len("".join(lines[:line]))
    snapshot = Snapshot.open(text, "example.relay")
    assert not _errors(snapshot)
    snapshot = snapshot.edit(TextSpan(at, at), "  \n")
    for number, letter in enumerate(statement):
        place = at + 2 + number
        snapshot = snapshot.edit(TextSpan(place, place), letter)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), place, whole=True) is None
        elsewhere = [error for error in _errors(snapshot) if error[1] != line]
        assert not elsewhere, (statement[: number + 1], elsewhere)
    assert statement[-1] != ";" or not _errors(snapshot)


@pytest.mark.parametrize(
    ("written", "edited", "expected", "nested"),
    [
        ("(%x, %g);", "(%x, %g)", "expected `;`, found `let`", None),
        ("let %b = (%x, %g)", "let %b (%x, %g)", "expected `=`, found `(`", None),
        ("let %b = (%x, %g)", "let %b = ", "expected an expression, found `;`", None),
        ("let %d = sin(%c);", "let %d = sin(%c)", "expected `;`, found `%5`", None),
        ("  %f;\n", "  %f\n", "expected `;`", "expected `;`, found `let`"),
        ("  %f;\n", "", "expected an expression here", "expected an expression, found `let`"),
    ],
)
def test_what_is_lost_in_the_value_is_one_error(written: str, edited: str, expected: str, nested: str | None) -> None:
    for text, wanted in ((_TEXT, expected), (_NESTED, nested or expected)):
        snapshot = Snapshot.open(text.replace(written, edited, 1), "example.relay")
        assert [message for message, _ in _errors(snapshot)] == [wanted]


_BRANCH = """#[version = "0.0.5"]
def @main(%c: bool, %x: Tensor[(10), float64]) {
  if (%c) {
    %0 = exp(%x);
    add(%0, %x)
  } else {
    %x
  }
}
"""


@pytest.mark.parametrize("typed", ["let %t = let %i", "let %t = let %i =", "let %t = let %i = exp(%x);", "let %t ="])
def test_a_let_typed_as_the_value_of_a_let_above_a_value_makes_errors_in_itself_alone(typed: str) -> None:
    errors = _errors(Snapshot.open(_BRANCH.replace("    %0", f"    {typed}\n    %0"), "example.relay"))
    assert {line for _, line in errors} == {3}


def test_a_let_without_a_name_in_front_of_the_value_is_contained() -> None:
    errors = _errors(Snapshot.open(_TEXT.replace("let %b =", "let  =", 1), "example.relay"))
    assert errors == [("expected a local variable, found `=`", 2), ("undefined variable %b", 3)]


def test_a_second_name_in_its_own_value_does_not_hide_a_let() -> None:
    text = """#[version = "0.0.5"]
def @main() -> int32 {
  let %f = fn (%x: int32) -> int32 {
    %2 = %f;
    %2(%x)
  };
  %f(10)
}
"""
    assert not _errors(Snapshot.open(text, "example.relay"))


@pytest.mark.parametrize("typed", ["n", "nn.relu", "%98", "%9", "%5", "add(%d, %d)", "(%d, %e)"])
@pytest.mark.parametrize("text", [_TEXT, _NESTED])
def test_an_expression_typed_in_the_value_does_not_end_it(text: str, typed: str) -> None:
    snapshot = Snapshot.open(text.replace("  let %e", f"  {typed}\n  let %e", 1), "example.relay")
    lines = {line for _, line in _errors(snapshot)}
    assert lines == {snapshot.text.count("\n", 0, snapshot.text.index("  let %e")) - 1}


_MATCH = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}
def @main(%l: List[int32]) -> int32 {
  match (%l) {
    @typed
    Cons(%z: int32, _) => {
      %z
    },
    Nil => {
      0
    },
  }
}
"""


@pytest.mark.parametrize("typed", ["%z", "x", "Nil =>", "Cons(%a, ", "Cons(%a: int32", "let %z = ", "add(", ")"])
def test_what_is_typed_above_a_typed_pattern_makes_errors_in_itself_alone(typed: str) -> None:
    snapshot = Snapshot.open(_MATCH.replace("@typed", typed), "example.relay")
    assert {line for _, line in _errors(snapshot)} == {7}
