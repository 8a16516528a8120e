"""What came from what, over one step and over many."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SequentialSpan
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassContext, Sequential, Trace, create, function_pass, module_pass
from tests.passes.modules import read

BATCH_NORM = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %gamma: Tensor[(4), float32], %beta: Tensor[(4), float32],
          %mean: Tensor[(4), float32], %var: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  %1 = nn.batch_norm(%0, %gamma, %beta, %mean, %var);
  %2 = %1.0;
  %3 = nn.dropout(%2);
  exp(%3.0)
}
"""


def calls(module: IRModule, name: str) -> list[Call]:
    everything = post_order(*module.functions.values())
    return [expr for expr in everything if isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == name]


def call(module: IRModule, name: str) -> Call:
    (only_call,) = calls(module, name)
    return only_call


def names(exprs: tuple[Expr, ...]) -> list[str]:
    return [repr(expr.op) if isinstance(expr, Call) else type(expr).__name__ for expr in exprs]


def test_every_new_expression_leads_back_to_what_it_was_made_from():
    before = read(BATCH_NORM)
    with Trace() as trace:
        after = create("SimplifyInference")(before)
    step = trace.steps[-1]
    assert step.name == "SimplifyInference"
    assert names(trace.origins(call(after, "sqrt"))) == ["TupleGetItem", "nn.batch_norm"]
    assert trace.origins(call(after, "nn.relu")) == (call(before, "nn.relu"),)
    assert names(trace.origins(call(after, "exp"))) == ["exp"]
    assert set(names(trace.descendants(call(before, "nn.batch_norm")))) >= {"sqrt", "add", "multiply", "divide"}


def test_what_a_value_became_is_what_stands_in_its_place():
    before = read(BATCH_NORM)
    with Trace() as trace:
        create("SimplifyInference")(before)
    dropped = call(before, "exp").args[0]
    assert names(trace.descendants(dropped)) == ["add"]


def test_the_span_of_a_new_expression_is_that_of_all_its_sources():
    before = read(BATCH_NORM)
    after = create("SimplifyInference")(before)
    batch_norm = call(before, "nn.batch_norm")
    span = call(after, "sqrt").span
    assert isinstance(span, SequentialSpan)
    assert batch_norm.span in span.spans
    assert call(after, "exp").span == call(before, "exp").span


def test_history_runs_through_all_steps():
    before = read(
        """
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          %1 = nn.relu(%x);
          %2 = nn.dropout(%1);
          add(%0, %2.0)
        }
        """
    )
    with PassContext(opt_level=3), Trace() as trace:
        pipeline = Sequential([create("SimplifyInference"), create("EliminateCommonSubexpr"), create("ToANormalForm")])
        after = pipeline(before)
    first, second = calls(before, "nn.relu")
    joined = [event for event in trace.history(second) if event.kind == "joined"]
    assert "EliminateCommonSubexpr" in [event.pass_name for event in joined]
    (left,) = calls(after, "nn.relu")
    assert set(trace.origins(left)) >= {first}
    assert left in trace.descendants(first)
    assert trace.before is before
    assert trace.after is after
    assert [step.path for step in trace.steps] == [("sequential",)] * len(trace.steps)
    assert [step.name for step in trace.steps if not step.is_requirement] == [
        "SimplifyInference",
        "EliminateCommonSubexpr",
        "ToANormalForm",
    ]


def test_a_removed_value_says_which_pass_removed_it():
    before = read(
        """
        def @main(%x: Tensor[(4), float32]) {
          let %unused = exp(%x);
          let %used = nn.relu(%x);
          %used
        }
        """
    )
    with Trace() as trace:
        create("DeadCodeElimination")(before)
    removed = trace.removed_by(call(before, "exp"))
    assert removed is not None
    assert removed.name == "DeadCodeElimination"
    assert trace.descendants(call(before, "exp")) == ()
    assert trace.removed_by(call(before, "nn.relu")) is None


def test_a_pass_that_says_nothing_is_found_out_and_its_function_answers():
    @function_pass(opt_level=0)
    def replace_everything(func, mod, ctx):
        x = Var("x", func.params[0].type_annotation)
        return Function((x,), apply("exp", x))

    before = read("def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }")
    with Trace() as trace:
        after = replace_everything(before)
    assert trace.steps[-1].unexplained
    assert names(trace.origins(call(after, "exp"))) == ["Function"]


def test_passes_inside_a_pass_belong_to_its_step():
    @module_pass(opt_level=0)
    def both(mod, ctx):
        return create("ToANormalForm")(create("SimplifyInference")(mod))

    before = read(BATCH_NORM)
    with Trace() as trace:
        after = both(before)
    assert [step.name for step in trace.steps] == ["both"]
    assert names(trace.origins(call(after, "sqrt"))) == ["TupleGetItem", "nn.batch_norm"]


def test_outlining_gathers_what_one_expression_became_and_is_undone():
    before = read(BATCH_NORM)
    with Trace() as trace:
        simplified = create("SimplifyInference")(before)
        outlined = create("OutLiner")(simplified)
        inlined = create("InlineOutlined")(outlined)
    assert "outlined_batch_norm_0" in outlined
    function = outlined["outlined_batch_norm_0"]
    assert function.attrs["Outlined"] == "nn.batch_norm"
    assert names(trace.origins(outlined.get_global_var("outlined_batch_norm_0"))) == ["TupleGetItem", "nn.batch_norm"]
    assert len(calls(outlined, "sqrt")) == 1
    assert "outlined_batch_norm_0" not in inlined
    assert names(trace.origins(call(inlined, "sqrt"))) == ["TupleGetItem", "nn.batch_norm"]


def effort(ask: Callable[[Expr], object], expr: Expr) -> int:
    """How many functions are called to get an answer."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        ask(expr)
    finally:
        sys.setprofile(None)
    return calls


def trace_of_a_chain(count: int, passes: Sequence[str]) -> tuple[Trace, Expr, Expr]:
    """A trace over a chain of ``count`` operators, with an expression of the first and one of the last module."""
    body = "\n".join(f"  %{number} = nn.relu({'%x' if not number else f'%{number - 1}'});" for number in range(count))
    module = before = read(f"def @main(%x: Tensor[(4), float32]) {{\n{body}\n  %{count - 1}\n}}")
    with Trace() as trace:
        for name in passes:
            module = create(name)(module)
    return trace, calls(before, "nn.relu")[count // 2], calls(module, "nn.relu")[count // 2]


def test_an_answer_costs_what_it_tells_and_not_the_size_of_the_module():
    pair = ("ToANormalForm", "ToGraphNormalForm")
    efforts: list[list[int]] = []
    for count in (20, 2000):
        trace, first, last = trace_of_a_chain(count, pair)
        assert 0 < len(trace.history(last)) < 20
        efforts.append(
            [
                effort(trace.origins, last),
                effort(trace.descendants, first),
                effort(trace.history, last),
            ]
        )
    assert efforts[0] == efforts[1]


def test_steps_that_leave_a_value_alone_cost_nothing():
    few, many = (["ToANormalForm", *["FastMath", "DivToMul"] * times] for times in (1, 10))
    efforts = []
    for passes in (few, many):
        trace, _, last = trace_of_a_chain(30, passes)
        efforts.append(effort(trace.history, last))
    assert efforts[0] == efforts[1]
