"""Questions about a value that a pass answers, and which of its remarks are the answer."""

from __future__ import annotations

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.passes.explanations import questions_at, remarks_on
from relay_lsp.server.worker.remarks import PlacedRemark

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  %1 = multiply(%0, 2f);
  %2 = reshape(%1, newshape=[1, 4]);
  %3 = nn.dense(%2, %2, units=None);
  @helper(%1)
}

def @helper(%y: Tensor[(4), float32]) {
  %y
}
"""

FUSED, FOLDED = "Why was this not fused?", "Why was this not folded?"
SCALE, PRECISION = "Why was this scale not folded?", "Why was this kept in its precision?"
COMBINED = "Why was this not combined with others?"


@pytest.mark.parametrize(
    ("at", "titles"),
    [
        ("nn.relu(", [FUSED, PRECISION]),
        ("%0 = ", [FUSED, PRECISION]),
        ("multiply(", [FUSED, FOLDED, SCALE, PRECISION]),
        ("reshape(", [FUSED, PRECISION]),
        ("nn.dense(", [FUSED, COMBINED, PRECISION]),
        ("@helper(%1", []),
        ("def @helper", []),
    ],
)
def test_what_can_be_asked_at_a_place(at: str, titles: list[str]) -> None:
    snapshot = Snapshot.open(MODEL, "model.relay")
    assert [question.title for question in questions_at(snapshot, MODEL.index(at))] == titles


def remark(start: int, end: int) -> PlacedRemark:
    return PlacedRemark("FuseOps", "missed", "opaque", "%0", (), "main", "", TextSpan(start, end))


def test_the_answer_is_about_the_value_or_else_about_what_is_inside_of_it() -> None:
    outer, inner, elsewhere = remark(10, 30), remark(15, 20), remark(40, 50)
    assert remarks_on([outer, inner, elsewhere], TextSpan(10, 30)) == [outer]
    assert remarks_on([inner, elsewhere], TextSpan(10, 30)) == [inner]
    assert remarks_on([elsewhere], TextSpan(10, 30)) == []
