"""Hints about what a pipeline would change: one for a pass and a function, at the operator, with the count."""

from __future__ import annotations

from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.hints.pass_hints import pass_hints
from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.jobs import RunPasses

TEXT = """#[version = "0.0.5"]
def @one(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x);
  %1 = %0.0;
  %2 = nn.dropout(%1);
  %2.0
}

def @two(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x);
  %1 = %0.0;
  %2 = exp(%1);
  %3 = exp(%1);
  add(%2, %3)
}
"""


def hints(passes: str) -> list[tuple[str, str, TextSpan | None, int]]:
    outcome = RunPasses(TEXT, "a.relay", tuple(parse_pipeline(passes))).run(lambda _: None)
    changing = {step.name: step.operators for step in outcome.steps if step.changed}
    reported = list(pass_hints(TEXT, changing, outcome.changes, outcome.edits))
    return [
        (item.message, TEXT[item.span.start : item.span.end] if item.span else "", item.span, len(item.related))
        for item in reported
    ]


def test_there_is_one_for_a_pass_and_a_function_at_its_first_operator() -> None:
    first, second, third = hints("SimplifyInference, EliminateCommonSubexpr")
    assert first[:2] == ("SimplifyInference would change 2 nn.dropout in @one", "nn.dropout")
    assert first[3] == 1
    assert second[0] == "SimplifyInference would change 1 nn.dropout in @two"
    assert second[2] is not None
    assert second[2].start == TEXT.index("nn.dropout", TEXT.index("@two"))
    assert third[0].startswith("EliminateCommonSubexpr would change 2 exp in @two")


def test_a_pass_that_makes_nothing_of_a_value_points_at_the_function() -> None:
    functions = [("ToANormalForm would change @one", "@one"), ("ToANormalForm would change @two", "@two")]
    assert [item[:2] for item in hints("ToANormalForm")] == functions
