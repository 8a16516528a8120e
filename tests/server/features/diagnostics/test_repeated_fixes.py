"""All fixes in one edit, with those of the faults that come to light once others are mended."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Fix, Severity, TextEdit, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.features.diagnostics.repairs import with_repairs
from relay_lsp.server.features.diagnostics.repeated_fixes import edits_until_mended

HEAD = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 16, 8, 8), float32], %w: Tensor[(32, 16, 3, 3), float32]) {
  """


def diagnose(snapshot: Snapshot) -> Sequence[Diagnostic]:
    return with_repairs(snapshot, diagnostics(snapshot))


def mended(body: str, code: str = "") -> str:
    """The body of a function after all fixes, or those of one kind."""
    snapshot = Snapshot.open(f"{HEAD}{body}\n}}\n", "model.relay")
    edits = list(edits_until_mended(snapshot, diagnose, code))
    after = apply_edits(snapshot.text, edits[-1] if edits else ())
    assert after.startswith(HEAD)
    return after[len(HEAD) :].removesuffix("\n}\n")


def test_two_faults_of_a_call_are_mended_at_once():
    body = "nn.conv2d(%x, %w, kernel_size=[5, 5], channels=7)"
    assert mended(body) == "nn.conv2d(%x, %w, kernel_size=[3, 3], channels=32)"


def test_a_fault_that_another_one_hid_is_mended_in_the_same_edit():
    body = "%0 = sigmoyd(%x);\n  nn.conv2d(%0, %w, kernel_size=[3, 3], channels=7)"
    assert mended(body) == "%0 = sigmoid(%x);\n  nn.conv2d(%0, %w, kernel_size=[3, 3], channels=32)"


def test_of_one_kind_no_other_is_mended():
    body = "%0 = sigmoyd(%x);\n  %1 = nn.conv2d(%x, %w, kernel_size=[5, 5], channels=7);\n  (%0, %1)"
    assert mended(body, "type-mismatch") == body.replace("[5, 5]", "[3, 3]").replace("=7", "=32")


def test_hints_of_a_kind_are_mended_where_that_kind_is_asked_for():
    """A value that only unused ones use is unused once these are gone."""
    value = "nn.conv2d(%x, %w, kernel_size=[3, 3], channels=32)"
    body = f"%0 = exp(%x);\n  %1 = exp(%0);\n  %2 = sigmoid(%x);\n  {value}"
    assert mended(body) == body
    assert mended(body, "unused-value") == value


def test_what_is_right_gets_no_edit():
    snapshot = Snapshot.open(f"{HEAD}nn.relu(%x)\n}}\n", "model.relay")
    assert not list(edits_until_mended(snapshot, diagnose))


@pytest.mark.parametrize("rounds", [
    [[(0, 1, "aa")], [(0, 2, "b")]],
    [[(0, 0, "x"), (3, 5, "")], [(0, 2, "long"), (4, 4, "!")]],
    [[(2, 4, "123456")], [(3, 5, ""), (7, 9, "Z")], [(0, 8, "q")]],
    [[(1, 1, "-"), (8, 8, "end")], [(9, 12, "")], [(2, 9, "")]],
])  # fmt: skip
def test_the_one_edit_does_what_all_rounds_did(rounds: list[list[tuple[int, int, str]]]):
    """Each round replaces parts of what the rounds before have made."""
    texts = ["//345678"]
    fixes: dict[str, Sequence[TextEdit]] = {}
    for each in rounds:
        edits = [TextEdit(TextSpan(start, end), new) for start, end, new in each]
        fixes[texts[-1]] = edits
        texts.append(apply_edits(texts[-1], edits))

    def diagnose_round(snapshot: Snapshot) -> Sequence[Diagnostic]:
        return [
            Diagnostic("fault", Severity.ERROR, "", edit.span, fixes=(Fix("", (edit,)),))
            for edit in fixes.get(snapshot.text, ())
        ]

    *_, edits = edits_until_mended(Snapshot.open(texts[0], "model.relay"), diagnose_round)
    assert apply_edits(texts[0], edits) == texts[-1]


def test_fixes_that_undo_one_another_come_to_an_end():
    def undo(snapshot: Snapshot) -> Sequence[Diagnostic]:
        span = TextSpan(2, 3)
        new = "b" if snapshot.text == "//a" else "a"
        return [Diagnostic("fault", Severity.ERROR, "", span, fixes=(Fix("", (TextEdit(span, new),)),))]

    *_, edits = edits_until_mended(Snapshot.open("//a", "model.relay"), undo)
    assert [edit.new_text for edit in edits] == ["a"]
