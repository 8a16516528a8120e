"""The instruments that come with the infrastructure."""

from __future__ import annotations

import re

import pytest

from relay_lsp.ir.expressions import Function, Var
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.types import TensorType
from relay_lsp.passes import PassContext, PassError, Sequential, create, module_pass
from relay_lsp.passes.instruments import (
    DumpIR,
    OperatorCounter,
    PassPrintingInstrument,
    PassProfiler,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    Verifier,
)
from tests.passes.modules import assert_same, read

TWICE = """
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  %1 = nn.relu(%x);
  add(%0, %1)
}
"""


def pipeline() -> Sequential:
    return Sequential([create("SimplifyInference"), create("EliminateCommonSubexpr")])


def test_timing_renders_a_tree_of_nested_passes():
    timing = PassTimingInstrument()
    with PassContext(opt_level=3, instruments=[timing]):
        pipeline()(read(TWICE))
        lines = timing.render().splitlines()
        assert [re.sub(r"[\d.]+", "N", line) for line in lines] == [
            "sequential: Nus [Nus] (N%; N%)",
            "\tInferType: Nus [Nus] (N%; N%)",
            "\tSimplifyInference: Nus [Nus] (N%; N%)",
            "\t\tInferType: Nus [Nus] (N%; N%)",
            "\tInferType: Nus [Nus] (N%; N%)",
            "\tEliminateCommonSubexpr: Nus [Nus] (N%; N%)",
            "\t\tInferType: Nus [Nus] (N%; N%)",
        ]
        assert "(100.00%; 100.00%)" in lines[0]
    assert timing.render() == "", "leaving the context clears what was measured"


def test_timing_of_a_running_pass_cannot_be_rendered():
    timing = PassTimingInstrument()
    timing.run_before_pass(read(TWICE), create("InferType").info)
    with pytest.raises(RuntimeError, match="still in a pass"):
        timing.render()


def test_the_counter_tells_what_each_pass_adds_and_takes():
    counter = OperatorCounter()
    with PassContext(opt_level=3, instruments=[counter]):
        pipeline()(read(TWICE))
    assert [
        (difference.depth, difference.pass_name, dict(difference.difference)) for difference in counter.differences
    ] == [
        (1, "EliminateCommonSubexpr", {"nn.relu": -1}),
        (0, "sequential", {"nn.relu": -1}),
    ]
    assert str(counter.differences[0]) == "EliminateCommonSubexpr: nn.relu -1"


def test_printing_before_and_after_some_passes():
    shown: list[str] = []
    printing = PassPrintingInstrument(["SimplifyInference"], ["EliminateCommonSubexpr"], show=shown.append)
    with PassContext(opt_level=3, instruments=[printing]):
        pipeline()(read(TWICE))
    assert [text.splitlines()[0] for text in shown] == [
        "// before SimplifyInference",
        "// after EliminateCommonSubexpr",
    ]


@pytest.mark.parametrize(("instrument", "when"), [(PrintBeforeAll, "before"), (PrintAfterAll, "after")])
def test_printing_around_all_passes(instrument, when):
    shown: list[str] = []
    with PassContext(instruments=[instrument(show=shown.append)]):
        create("InferType")(read(TWICE))
    assert [text.splitlines()[0] for text in shown] == [f"// {when} InferType"]


def test_every_state_goes_to_a_file_that_can_be_read_back(tmp_path):
    (tmp_path / "000_Old.relay").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    with PassContext(opt_level=3, instruments=[DumpIR(tmp_path, refresh=True)]):
        after = pipeline()(read(TWICE))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "000_InferType.relay",
        "001_InferType.relay",
        "002_SimplifyInference.relay",
        "003_InferType.relay",
        "004_InferType.relay",
        "005_EliminateCommonSubexpr.relay",
        "006_sequential.relay",
        "mine.txt",
    ]
    assert_same(parse((tmp_path / "006_sequential.relay").read_text()).module, after)


def test_the_verifier_stops_at_the_pass_that_breaks_the_module():
    @module_pass(opt_level=0)
    def break_it(mod, ctx):
        (main,) = mod.functions
        return mod.with_function(main, Function(mod[main].params, Var("nowhere", TensorType((4,), "float32"))))

    with PassContext(instruments=[Verifier()]), pytest.raises(PassError) as raised:
        Sequential([create("SimplifyInference"), break_it])(read(TWICE))
    assert "left a broken module" in raised.value.message
    assert raised.value.pass_name == "break_it"


def test_the_profiler_counts_expressions_and_bytes():
    profiler = PassProfiler()
    with PassContext(opt_level=3, instruments=[profiler]):
        pipeline()(read(TWICE))
    costs = {cost.pass_name: cost for cost in profiler.costs}
    eliminated = costs["EliminateCommonSubexpr"]
    assert eliminated.nodes_after == eliminated.nodes_before - 1
    assert eliminated.depth == 1
    assert costs["sequential"].bytes_peak >= 0


def test_print_ir_shows_the_module_and_leaves_it_alone(capsys):
    module = read(TWICE)
    assert create("PrintIR", header="here")(module) is module
    assert capsys.readouterr().err.startswith('PrintIR(here):\n#[version = "0.0.5"]\n')
    assert create("DebugPrint")(module) is module
    assert "/* si=[" in capsys.readouterr().err
