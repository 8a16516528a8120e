"""What is at fault in one place makes no errors in others: what follows from it is not known."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot

_TEXT = """#[version = "0.0.5"]
type Maybe[A] {
  Some(A, Tensor[(1), float32]),
  Nothing,
}
def @main(%m: Maybe[int32], %t: Tensor[(1), float32]) {
  %0 = Some(1, %t);
  let %n: Maybe[int32] = Nothing;
  match (%m) {
    Some(%x, _) => %x,
    Nothing => 0,
  }
}
"""


def errors(text: str) -> list[str]:
    """What is wrong with a text, each with the number of its line."""
    shown = [each for each in Snapshot.open(text, "example").diagnostics if each.severity is Severity.ERROR]
    return [f"{text.count(chr(10), 0, each.span.start)}: {each.code}" for each in shown if each.span is not None]


def test_the_whole_text_is_sound() -> None:
    assert errors(_TEXT) == []


@pytest.mark.parametrize(
    ("constructor", "error"),
    [
        ("Some(A, 3)", "2: unexpected-token"),
        ("Some(A, %x)", "2: unexpected-token"),
        ("Some(A, $)", "2: unknown-character"),
        ("Some(A", "2: missing-token"),
        ("Some(A Tensor[(1), float32])", "2: missing-token"),
        ("Some A, Tensor[(1), float32])", "2: missing-token"),
    ],
)
def test_of_a_constructor_that_cannot_be_read_it_is_not_known_what_it_takes(constructor: str, error: str) -> None:
    assert errors(_TEXT.replace("Some(A, Tensor[(1), float32])", constructor)) == [error]


def test_nor_is_it_whether_it_takes_anything() -> None:
    assert errors(_TEXT.replace("Nothing,\n}", "Nothing(A, 3),\n}")) == ["3: unexpected-token"]


@pytest.mark.parametrize(
    ("arm", "error"),
    [
        ("Some(%x", "9: expected-token"),
        ("Some", "9: missing-token"),
        ("3 => 4,", "9: expected-token"),
        ("Some(%x, => %x,", "9: missing-token"),
        ("Some(%x, %) => %x,", "9: unknown-character"),
        ("Some(%x, 3) => %x,", "9: unexpected-token"),
        ("Some(%x, _),", "9: expected-token"),
        ("Some(%x, _) = %x,", "9: expected-token"),
        ("Some %x => %x,", "9: expected-token"),
    ],
)
def test_what_an_arm_would_cover_that_cannot_be_read_is_not_known(arm: str, error: str) -> None:
    assert errors(_TEXT.replace("Some(%x, _) => %x,", arm)) == [error]


@pytest.mark.parametrize(
    "written",
    [
        "let %f: Maybe = Some(1, %t);",
        "let %f: Maybe[int32, int32] = Some(1, %t);",
        "let %f = fn (%y: int32) -> Maybe { Some(%y, %t) };",
        "let %f = fn (%y: Maybe) { 1 };\n  let %g = %f(Nothing);",
    ],
)
def test_a_type_of_the_wrong_kind_agrees_with_every_value(written: str) -> None:
    assert errors(_TEXT.replace("let %n: Maybe[int32] = Nothing;", written)) == ["7: kind-mismatch"]


@pytest.mark.parametrize(
    "text",
    [
        _TEXT,
        _TEXT.replace("%t: Tensor[(1), float32]) {", "%t: Tensor[(1), float32]) -> int32 {"),
        _TEXT.replace("%0 = Some(1, %t)", "%0 = fn (%y: Tensor[(?, 2), float32]) { add(%y, 1f) }"),
        _TEXT.replace("let %n: Maybe[int32] = Nothing", "let %n: (Tensor[(1), float32], int32) = (%t, 1)"),
    ],
)
@pytest.mark.parametrize("written", ["Tensr", "tensor", "T"])
def test_a_misspelled_tensor_is_what_is_wrong_and_not_its_shape(text: str, written: str) -> None:
    before, _, after = text.rpartition("Tensor[(")
    damaged = f"{before}{written}[({after}"
    (error,) = [each for each in Snapshot.open(damaged, "example").diagnostics if each.severity is Severity.ERROR]
    assert error.span is not None
    assert (error.span.start, damaged[error.span.start : error.span.end]) == (len(before), written)
    (fix,) = error.fixes
    assert apply_edits(damaged, fix.edits) == text


def test_each_misspelled_tensor_of_a_head_is_told() -> None:
    damaged = _TEXT.replace("%t: Tensor[(1)", "%t: Tensr[(1), float32], %u: tensor[(2)")
    assert errors(damaged) == ["5: unexpected-token", "5: unexpected-token"]
