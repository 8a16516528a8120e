"""A cursor stays at the value that it stood at when passes change the text."""

from __future__ import annotations

from relay_lsp.server.features.passes.following import place_after
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  %0 = nn.relu(%x);
  %1 = nn.dropout(%0);
  %2 = add(%1.0, %x);
  multiply(%2, %x)
}
"""


def line_after(pass_names: str, marked: str) -> str:
    """The line on which the cursor is after passes, with a bar at it; before, it is at the beginning of ``marked``."""
    calls = tuple(PassCall(name) for name in pass_names.split(", "))
    outcome = RunPasses(MODEL, "model.relay", calls).run(lambda _: None)
    assert outcome.changed
    steps = [(step.text, step.origins) for step in outcome.steps if step.changed]
    place = place_after(MODEL.index(marked), MODEL, outcome.edits, steps)
    text = outcome.text[:place] + "|" + outcome.text[place:]
    return next(line.strip() for line in text.splitlines() if "|" in line)


def test_what_a_pass_leaves_alone_keeps_the_cursor() -> None:
    assert line_after("SimplifyInference", "multiply(").endswith("|multiply(%2, %x)")


def test_a_call_that_goes_into_a_fused_function_takes_the_cursor_with_it() -> None:
    assert "|nn.relu(" in line_after("FuseOps", "nn.relu(")
    assert "|add(" in line_after("FuseOps", "add(")


def test_from_the_name_of_a_statement_it_follows_its_value() -> None:
    assert "|add(" in line_after("FuseOps", "%2 = add")


def test_it_is_followed_through_every_step_of_a_pipeline() -> None:
    assert "|add(" in line_after("SimplifyInference, FuseOps", "add(")
    assert "|multiply(" in line_after("ToANormalForm, ToGraphNormalForm, FuseOps", "multiply(")
