"""The context of passes, as users state it."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.passes.pipeline_comment import pipeline_comment, pipeline_context
from relay_lsp.server.pass_calls import PassCall, PassCallError
from relay_lsp.server.pass_contexts import ContextOptions, config_entry, read_context_comment
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.verification import VerifyPasses

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  exp(%x)
}
"""
CALLS = (PassCall("FastMath"), PassCall("DeadCodeElimination"))


def skipped(context: ContextOptions) -> dict[str, str]:
    """The passes that the context does not admit, and why."""
    outcome = RunPasses(TEXT, "a.relay", CALLS, context=context).run(lambda _: None)
    assert outcome.failed is None
    return {step.name: step.skipped for step in outcome.steps if step.skipped}


def ran_by_name(context: ContextOptions) -> dict[str, str]:
    """The passes that run only because they are asked for by name, and why the context would not admit them."""
    return dict(RunPasses(TEXT, "a.relay", CALLS, context=context).run(lambda _: None).by_name)


def test_a_pipeline_runs_what_its_context_admits():
    assert skipped(ContextOptions(3, gates=True)) == {
        "FastMath": "its level 4 is above 3, and it is not required",
    }
    assert skipped(ContextOptions(4, gates=True)) == {}
    assert skipped(ContextOptions(3, required=("FastMath",), gates=True)) == {}
    assert skipped(ContextOptions(4, disabled=("FastMath",), gates=True)) == {"FastMath": "it is disabled"}


def test_a_pass_that_is_asked_for_by_name_always_runs():
    assert skipped(ContextOptions(0, disabled=("FastMath",))) == {}
    assert ran_by_name(ContextOptions(0, disabled=("FastMath",)))["FastMath"] == "it is disabled"
    assert ran_by_name(ContextOptions(3)) == {"FastMath": "its level 4 is above 3, and it is not required"}
    assert ran_by_name(ContextOptions(4)) == {}
    assert ran_by_name(ContextOptions(3, gates=True)) == {}


PARALLEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 1, 1), float32], %v: Tensor[(4, 4, 1, 1), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[0, 0, 0, 0]);
  %1 = nn.conv2d(%x, %v, padding=[0, 0, 0, 0]);
  (%0, %1)
}
"""
COMBINE = PassCall("CombineParallelConv2D", options={"min_num_branches": 2})


@pytest.mark.parametrize(
    ("context", "skipped"),
    [
        (ContextOptions(3), ""),
        (ContextOptions(3, required=("CombineParallelConv2D",), gates=True), ""),
        (ContextOptions(3, required=("CombineParallelConv2d",), gates=True), ""),
        (ContextOptions(3, gates=True), "its level 4 is above 3, and it is not required"),
        (ContextOptions(4, disabled=("CombineParallelConv2D",), gates=True), "it is disabled"),
    ],
)
def test_a_pass_that_tvm_calls_otherwise_is_known_by_its_own_name(context: ContextOptions, skipped: str):
    outcome = RunPasses(PARALLEL, "a.relay", (COMBINE,), context=context).run(lambda _: None)
    (step,) = (each for each in outcome.steps if each.name != "InferType")
    assert (step.name, step.skipped, step.changed) == ("CombineParallelConv2D", skipped, not skipped)
    if not skipped:
        assert step.call == COMBINE


def test_verification_skips_what_the_pipeline_skips():
    def verified(context: ContextOptions) -> str:
        return VerifyPasses(TEXT, "a.relay", CALLS[:1], context=context).run(lambda _: None).message

    reason = "FastMath is skipped: its level 4 is above 3, and it is not required"
    assert verified(ContextOptions(3, gates=True)) == f"nothing to compare: no pass changed the module; {reason}"
    assert verified(ContextOptions(4, gates=True)).startswith("1 step compared")
    assert verified(ContextOptions(3)).startswith("1 step compared")


def test_a_config_that_is_none_is_a_refusal():
    outcome = RunPasses(TEXT, "a.relay", CALLS, context=ContextOptions(config={"no.such": 1})).run(lambda _: None)
    assert outcome.failed is not None
    assert "no.such" in outcome.failed


def test_a_comment_states_passes_and_a_context():
    text = '// relay-lsp: FastMath, FoldConstant[fold_qnn=True]; opt_level=4, disable=[A, B], config={"k": 1}\n' + TEXT
    assert pipeline_comment(text) == "FastMath, FoldConstant[fold_qnn=True]"
    context = read_context_comment(pipeline_context(text), ContextOptions())
    assert context == ContextOptions(4, disabled=("A", "B"), config={"k": 1})


@pytest.mark.parametrize("text", ["opt_level", "opt_level=high", "level=3", "config=4", "=3"])
def test_a_comment_that_cannot_be_read_says_why(text: str):
    with pytest.raises(PassCallError):
        read_context_comment(text, ContextOptions())


def test_an_entry_of_the_config_is_a_key_and_a_literal():
    assert config_entry("relay.FuseOps.max_depth=4") == ("relay.FuseOps.max_depth", 4)
    with pytest.raises(PassCallError, match="KEY=VALUE"):
        config_entry("relay.FuseOps.max_depth")
