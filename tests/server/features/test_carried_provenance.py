"""Provenance carried into comments from the history of a buffer, and stripped again."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.history import HistoryStep
from relay_lsp.server.features.refactoring import Refactoring, RefactoringError, refactorings
from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.jobs import RunPasses

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = add(%x, %x) /* si=[torch.add_1] */;
  %1 = add(%x, %x) /* ty=Tensor[(4), float32] span=net.py:7:3 */;
  %2 = nn.dropout(%1);
  multiply(%0, %2.0)
}
"""


def steps(text: str, pipeline: str) -> list[HistoryStep]:
    outcome = RunPasses(text, "model.relay", parse_pipeline(pipeline)).run(lambda _: None)
    remembered_steps: list[HistoryStep] = []
    for step in outcome.steps:
        if step.changed:
            remembered_steps.append(HistoryStep(step.name, text, step.text, step.origins))
            text = step.text
    return remembered_steps


def offered(text: str, made: list[HistoryStep]) -> dict[str, Refactoring]:
    return {item.name: item for item in refactorings(Snapshot.open(text, "model.relay"), TextSpan(60, 60), made)}


def test_each_statement_says_where_it_came_from() -> None:
    made = steps(MODEL, "SimplifyInference, EliminateCommonSubexpr")
    text = made[-1].after
    carried = apply_edits(text, offered(text, made)["provenance.carry"].edits())
    assert carried.splitlines()[2:4] == [
        "  %0 = add(%x, %x) /* si=[torch.add_1, net.py:7:3, model.relay:5:8, model.relay:6:16]"
        " from=model.relay:3:8, model.relay:4:8, model.relay:5:8, model.relay:6:16 */;",
        "  multiply(%0, %0) /* si=[model.relay:6:3] from=model.relay:6:3 */ /* ty=Tensor[(4), float32] */",
    ]
    again = Snapshot.open(carried, "model.relay")
    assert not again.diagnostics
    stripped = apply_edits(carried, offered(carried, [])["provenance.strip"].edits())
    assert "si=" not in stripped
    assert "from=" not in stripped


def test_it_is_not_offered_where_the_text_is_not_what_the_passes_made() -> None:
    made = steps(MODEL, "SimplifyInference")
    assert "provenance.carry" not in offered(made[-1].after + "// edited\n", made)
    assert "provenance.carry" not in offered(MODEL, [])


def test_broken_history_is_refused_with_words() -> None:
    made = [HistoryStep("FoldConstant", "def @main( {", MODEL, ())]
    with pytest.raises(RefactoringError, match="not known of any value"):
        offered(MODEL, made)["provenance.carry"].edits()
