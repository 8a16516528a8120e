"""What the documents behind the pass infrastructure describe, walked through with our own names.

TVM's "How to Use TVM Pass Infra", "How to Use TVM Pass Instrument", the notes on ``AnnotateSpans``, and the discussion
of TVM Explorer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.builder import call, constant, function, item, set_span, var
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import ExprMutator, PassContext, Sequential, Trace, create, function_pass, pass_instrument
from relay_lsp.passes.instruments import OperatorCounter, PassTimingInstrument
from tests.passes.instruments.test_operator_counts_on_resnet import resnet_18


def calls(module: IRModule) -> list[str]:
    """The operators that are called, in the order of evaluation."""
    return [expr.op.name for expr in post_order(module["main"]) if isinstance(expr, Call) and isinstance(expr.op, Op)]


def functions(module: IRModule) -> int:
    """How many functions stand inside the main function."""
    return sum(isinstance(expr, Function) for expr in post_order(module["main"].body))


# The pass infrastructure


@pytest.fixture
def example() -> IRModule:
    """A convolution, constants that can be folded, and the same sum twice."""
    c = constant(np.ones((1, 64, 54, 54), "float32"))
    x, weight = var("x", (1, 64, 56, 56), "float32"), var("weight", (64, 64, 3, 3), "float32")
    y = call("multiply", call("add", c, c), constant(2.0))
    y = call("add", call("nn.conv2d", x, weight), y)
    return IRModule.from_expr(function(call("add", call("add", y, c), call("add", y, c)), [x, weight]))


def test_passes_one_by_one(example: IRModule) -> None:
    folded = create("FoldConstant")(example)
    assert calls(folded) == ["nn.conv2d", "add", "add", "add", "add"]
    once = create("EliminateCommonSubexpr")(folded)
    assert calls(once) == ["nn.conv2d", "add", "add", "add"]
    alone = create("FuseOps", fuse_opt_level=0)(once)
    assert functions(alone) == 4, "without fusion each operator is a kernel of its own"


PIPELINE = ("FoldConstant", "EliminateCommonSubexpr", "FuseOps")


@pytest.mark.parametrize(
    ("context", "additions"),
    [
        (PassContext(), 4),
        (PassContext(opt_level=3), 3),
        (PassContext(opt_level=3, disabled_pass=["EliminateCommonSubexpr"]), 4),
        (PassContext(opt_level=0, required_pass=["EliminateCommonSubexpr"]), 4),
    ],
    ids=["level 2", "level 3", "disabled", "required"],
)
def test_a_sequence_runs_what_the_context_admits(example: IRModule, context: PassContext, additions: int) -> None:
    with context:
        module = Sequential([create(name) for name in PIPELINE])(example)
    assert calls(module).count("add") == additions


def test_fusion_makes_one_kernel_of_the_convolution_and_what_follows(example: IRModule) -> None:
    with PassContext(opt_level=3):
        module = Sequential([create("FoldConstant"), create("EliminateCommonSubexpr"), create("FuseOps")])(example)
    assert functions(module) == 1


def test_a_pass_of_ones_own(example: IRModule) -> None:
    @function_pass(opt_level=1)
    class CustomPipeline:
        """Multiply every constant."""

        def __init__(self, multiplier: Constant) -> None:
            self.multiplier = multiplier

        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            multiplier = self.multiplier

            class Multiply(ExprMutator):
                def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:
                    return apply("multiply", multiplier, pre)

            return Multiply().visit_function(func)

    custom = CustomPipeline(multiplier=constant(3.0))
    assert custom.info.name == "CustomPipeline"
    with Trace() as trace:
        changed = custom(example)
    assert calls(changed).count("multiply") == 1 + 2
    assert not trace.steps[-1].unexplained
    x, weight = np.zeros((1, 64, 56, 56), "float32"), np.zeros((64, 64, 3, 3), "float32")
    assert np.all(evaluate(example, x, weight) == 2 * (2 * 2 + 1))
    assert np.all(evaluate(changed, x, weight) == 2 * (2 * 3 * 2 * 3 + 3))


def test_looking_at_the_module_between_two_passes(example: IRModule, capsys: pytest.CaptureFixture[str]) -> None:
    with PassContext(opt_level=3):
        Sequential([create("FoldConstant"), create("PrintIR", header="between"), create("EliminateCommonSubexpr")])(
            example
        )
    shown = capsys.readouterr().err
    assert shown.startswith("PrintIR(between):")
    assert shown.count(" add(") == 4


# Instruments


def test_how_many_operators_come_and_go() -> None:
    counter, timing = OperatorCounter(), PassTimingInstrument()
    desired = {"nn.conv2d": ["NHWC", "HWIO"]}
    passes = [create("FoldConstant"), create("ConvertLayout", desired_layouts=desired), create("FoldConstant")]
    with PassContext(opt_level=4, instruments=[counter, timing]):
        Sequential(passes)(resnet_18())
        profiles = timing.render()
    assert profiles.startswith("sequential: ")
    assert "\n\tConvertLayout: " in profiles
    assert [
        (difference.depth, difference.pass_name, dict(difference.difference)) for difference in counter.differences
    ] == [
        (1, "CanonicalizeOps", {"add": 1, "nn.bias_add": -1}),
        (1, "ConvertLayout", {"expand_dims": 1, "layout_transform": 23}),
        (1, "FoldConstant", {"expand_dims": -1, "layout_transform": -21}),
        (0, "sequential", {"add": 1, "layout_transform": 2, "nn.bias_add": -1}),
    ]


def test_an_instrument_that_fails_on_entering_takes_the_others_out_again() -> None:
    said: list[str] = []

    class Says:
        def __init__(self, name: str) -> None:
            self.label = name

        def enter_pass_ctx(self) -> None:
            said.append(f"{self.label} enters")

        def exit_pass_ctx(self) -> None:
            said.append(f"{self.label} exits")

    @pass_instrument
    class Fine(Says):
        """Does nothing else."""

    @pass_instrument
    class Fails(Says):
        def enter_pass_ctx(self) -> None:
            super().enter_pass_ctx()
            raise ValueError(f"{self.label} fails")

    instruments: list[Any] = [Fine("first"), Fails("second"), Fine("third")]
    context = PassContext(instruments=instruments)
    with pytest.raises(ValueError, match="second fails"), context:
        raise AssertionError("the block does not run")
    assert said == ["first enters", "second enters", "first exits"]
    assert context.instruments == []


# Spans


def test_spans_of_a_module_that_was_built() -> None:
    x = var("x", (3, 4), "float32")
    module = IRModule.from_expr(function(call("clip", x, a_min=-np.inf, a_max=np.inf)))
    body = create("AnnotateSpans")(module)["main"].body
    assert body.span is not None
    assert str(body.span).startswith("GeneratedSource:")


def test_spans_stay_through_passes_that_need_no_layout_of_text() -> None:
    x, weight = var("x", (1, 3, 8, 8), "float32"), var("weight", (3, 3, 3, 3), "float32")
    module = IRModule.from_expr(function(call("nn.relu", call("nn.conv2d", x, weight, padding=(1, 1)))))
    with PassContext(opt_level=3):
        module = Sequential([create("FuseOps"), create("AnnotateSpans"), create("DefuseOps")])(module)
    assert functions(module) == 0
    assert all(expr.span is not None for expr in post_order(module["main"].body) if isinstance(expr, Call))


def test_timing_in_the_context_that_is_there_already(example: IRModule) -> None:
    timing = PassTimingInstrument()
    context = PassContext.current()

    def run() -> None:
        module = example
        for name in ("AnnotateSpans", "ToANormalForm", "InferType"):
            module = create(name)(module)

    context.override_instruments([timing])
    try:
        run()
        profiles = timing.render()
    finally:
        context.override_instruments(None)
    assert all(name in profiles for name in ("AnnotateSpans", "ToANormalForm", "InferType"))
    run()
    assert timing.render() == ""


# TVM Explorer


def test_from_a_layer_to_what_it_became_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The n-to-n map of the discussion: a normalisation and its projection become eight operators, and a function."""
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    x, weight = var("input", (1, 3, 8, 8), "float32"), var("conv1.weight", (4, 3, 3, 3), "float32")
    statistics = [var(f"bn1.{name}", (4,), "float32") for name in ("weight", "bias", "mean", "var")]
    convolution = set_span(call("nn.conv2d", x, weight), "torch._convolution_3")
    normalised = item(call("nn.batch_norm", convolution, *statistics), 0)
    normalised = set_span(normalised, "torch.batch_norm_8")
    before = IRModule.from_expr(function(normalised, [x, weight, *statistics]))

    with Trace() as trace:
        simplified = create("SimplifyInference")(before)
        outlined = create("OutLiner")(simplified)
    projection = next(expr for expr in post_order(before["main"]) if isinstance(expr, TupleGetItem))
    made = [
        expr
        for expr in post_order(simplified["main"])
        if isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name != "nn.conv2d"
    ]
    assert len(made) >= 8
    layer = Span(SourceName("torch.batch_norm_8"))
    for expr in made:
        assert set(trace.origins(expr)) >= {projection, projection.tuple_value}
        assert expr.span is not None
        assert layer in (expr.span.spans if isinstance(expr.span, SequentialSpan) else (expr.span,))
    assert trace.descendants(projection)

    assert calls(outlined) == ["nn.conv2d"], "the layer is one call now"
    outlined_function = outlined.get_global_var("outlined_batch_norm_0")
    assert set(trace.origins(outlined_function)) == {projection, projection.tuple_value}


def test_without_a_trace_the_spans_tell_what_belongs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    x = var("x", (4,), "float32")
    gelu = set_span(call("multiply", x, call("erf", x)), "torch.gelu_2")
    module = IRModule.from_expr(function(set_span(call("exp", gelu), "torch.exp_3")))
    outlined = create("OutLiner")(module)
    assert "outlined_gelu_2_0" in outlined
    assert calls(outlined) == ["exp"]
    assert calls(create("InlineOutlined")(outlined)) == ["erf", "multiply", "exp"]
