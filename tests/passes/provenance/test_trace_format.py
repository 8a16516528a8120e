"""The trace format: a trace is written as lines of JSON, and read back as a trace that answers the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassContext, Sequential, Trace, create, provenance
from relay_lsp.passes.layers import layers_in
from relay_lsp.passes.provenance import TraceDetails, TraceFormatError, trace_schema
from tests.passes.modules import typed

VERSION = '#[version = "0.0.5"]\n'
SCHEMA = Path(provenance.__file__).with_name("trace-format.schema.json")

CONVOLUTION = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %g: Tensor[(4), float32]) {
  %0 = nn.batch_norm(%x, %g, %g, %g, %g) /* si=torch.batch_norm_1 */;
  %1 = %0.0 /* si=torch.batch_norm_1 */;
  %2 = nn.relu(%1) /* si=torch.relu_2 */;
  %3 = add(%2, 1f);
  %4 = nn.dropout(%3);
  multiply(%4.0, 1f)
}
"""

CLOSURES = """
type List[A] {
  Cons(A, List[A]),
  Nil,
}
def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
def @main(%x: Tensor[(3), float32], %y: Tensor[(3), float32]) -> Tensor[(3), float32] {
  let %add = fn (%a: Tensor[(3), float32]) -> Tensor[(3), float32] { add(%a, %x) };
  %0 = @twice(%add, %y);
  %1 = Cons(%0, Nil);
  match (%1) {
    Cons(%head, _) => { %2 = (%head, %y); add(%2.0, add(%2.1, %2.0)) },
    Nil => { %y },
  }
}
"""

TENSORS = """
def @main(%x: Tensor[(2), float32]) {
  %0 = add(%x, meta[relay.Constant][0]);
  multiply(%0, meta[relay.Constant][0])
}
"""


def run(text: str, *names: str, opt_level: int = 4) -> Trace:
    constants = [Constant(np.arange(2, dtype="float32"))]
    parsed = parse(VERSION + text, metadata={"relay.Constant": constants})
    with PassContext(opt_level=opt_level), Trace(lambda: layers_in(parsed)) as trace:
        Sequential([create(name) for name in names])(parsed.module)
    return trace


def pair(ours: IRModule, theirs: IRModule) -> dict[Expr, Expr]:
    """The expressions of two modules that are the same, side by side."""

    def order(module: IRModule) -> list[Expr]:
        names = sorted(module.functions, key=lambda var: var.name_hint)
        return post_order(*(module.functions[var] for var in names))

    return dict(zip(order(ours), order(theirs), strict=True))


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (CONVOLUTION, ["SimplifyInference", "FoldConstant", "FuseOps", "DefuseOps", "ToANormalForm"]),
        (CLOSURES, ["EliminateCommonSubexpr", "LambdaLift", "ToANormalForm", "DeadCodeElimination"]),
        (TENSORS, ["InferType", "FuseOps", "FoldConstant"]),
    ],
)
def test_a_trace_that_is_read_back_answers_as_the_one_that_was_written(text: str, passes: list[str]):
    written = run(text, *passes)
    read = Trace.from_json(written.to_json())
    assert [(step.name, step.changed, step.seconds) for step in read.steps] == [
        (step.name, step.changed, step.seconds) for step in written.steps
    ]
    assert read.before
    assert written.before
    assert read.after
    assert written.after
    first, last = pair(written.before, read.before), pair(written.after, read.after)
    assert structural_equal(typed(read.after), typed(written.after), map_free_vars=True)
    assert to_text(read.after, show_types=False, show_spans=False) == to_text(
        written.after, show_types=False, show_spans=False
    )
    for ours, theirs in last.items():
        if isinstance(ours, Call):
            assert {first[origin] for origin in written.origins(ours)} == set(read.origins(theirs))
    for ours, theirs in first.items():
        assert {last[each] for each in written.descendants(ours) if each in last} == {
            each for each in read.descendants(theirs) if each in last.values()
        }
        ours_gone, theirs_gone = written.removed_by(ours), read.removed_by(theirs)
        assert (ours_gone and ours_gone.name) == (theirs_gone and theirs_gone.name)


def test_layers_are_of_every_expression_that_comes_from_them():
    lines = [json.loads(line) for line in run(CONVOLUTION, "SimplifyInference").to_json().splitlines()]
    strings = [string for line in lines for string in line.get("strings", ())]
    last = [line for line in lines if line["record"] == "stage"][-1]["new"]
    layers = {
        strings[label]: json.loads(strings[layer])
        for label, layer in zip(last["label"], last["layers"], strict=True)
        if layer >= 0
    }
    assert layers["sqrt"] == ["torch.batch_norm_1"]
    assert layers["nn.relu"] == ["torch.relu_2"]
    assert "multiply" in layers


def test_every_expression_stands_where_its_place_says():
    parsed = parse(VERSION + CONVOLUTION)
    with PassContext(), Trace() as trace:
        create("SimplifyInference")(parsed.module)
    stage = json.loads(trace.to_json(parsed=parsed).splitlines()[1])
    assert stage["text"] == VERSION + CONVOLUTION
    names = [stage["strings"][label] for label in stage["new"]["label"]]
    texts = {
        names[expression]: stage["text"][start : start + length]
        for expression, start, length in zip(stage["order"], stage["start"], stage["length"], strict=True)
    }
    assert texts["nn.dropout"] == "nn.dropout(%3)"
    assert texts["1f"] == "1f"


def test_a_step_says_what_it_removed_and_what_it_only_rebuilt():
    lines = [json.loads(line) for line in run(CONVOLUTION, "SimplifyInference").to_json().splitlines()]
    strings = [string for line in lines for string in line.get("strings", ())]
    labels = [label for line in lines if line["record"] == "stage" for label in line["new"]["label"]]
    step = next(line for line in lines if line["record"] == "step" and line["name"] == "SimplifyInference")
    rebuilt = {strings[labels[number]] for number in step["rebuilt"]}
    assert {"nn.relu", "add"} <= rebuilt
    assert "sqrt" not in rebuilt
    assert step["unexplained"] == []
    assert step["has_effect"]


def test_a_text_that_stays_as_it_was_is_not_written_again():
    trace = run(CONVOLUTION, "SimplifyInference", "AnnotateSpans")
    stages = [json.loads(line) for line in trace.to_json().splitlines() if '"record":"stage"' in line]
    assert [stage["same_text"] for stage in stages] == [-1, -1, -1, 2]
    assert stages[3]["text"] is None
    assert Trace.from_json(trace.to_json()).after


def test_a_pass_that_the_context_does_not_admit_is_in_the_trace():
    with PassContext(opt_level=1, disabled_pass=["InferType"]), Trace() as trace:
        Sequential([create("InferType"), create("FoldConstant")])(parse(VERSION + CONVOLUTION).module)
    lines = [json.loads(line) for line in trace.json_lines(TraceDetails(start=parse(VERSION + CONVOLUTION).module))]
    skipped = [(line["name"], line["reason"]) for line in lines if line["record"] == "skipped"]
    assert skipped == [("InferType", "disabled"), ("FoldConstant", "level")]
    assert [item.reason for item in Trace.from_json(map(json.dumps, lines)).skipped] == ["disabled", "level"]


def test_weights_can_stay_out():
    trace = run(TENSORS, "InferType")
    assert trace.after
    (kept,) = [expr for expr in post_order(*trace.after.functions.values()) if isinstance(expr, Constant)]
    read = Trace.from_json(trace.to_json()).after
    assert read
    constants = [expr for expr in post_order(*read.functions.values()) if isinstance(expr, Constant)]
    assert [list(each.data) for each in constants] == [list(kept.data)]
    without = trace.to_json(weights=False)
    assert '"data":null' in without
    assert Trace.from_json(without).after


def test_names_that_would_break_json_or_html_come_back():
    hostile = '</script>"\\‮ \u2028, [x] 🙂'
    text = VERSION + CONVOLUTION.replace("torch.relu_2 */", f"{hostile} */")
    parsed = parse(text)
    with PassContext(), Trace() as trace:
        create("SimplifyInference")(parsed.module)
    written = trace.to_json(parsed=parsed)
    assert json.loads(written.split("\n")[1])["text"] == text
    assert Trace.from_json(written).before


def test_remarks_are_read_back_as_they_were_written():
    with PassContext(opt_level=4), Trace(remarks=True) as trace:
        create("FuseOps")(parse(VERSION + CONVOLUTION).module)
    (before,) = [step for step in trace.steps if step.name == "FuseOps"]
    (after,) = [step for step in Trace.from_json(trace.to_json()).steps if step.name == "FuseOps"]
    assert before.remarks
    said = [(each.kind, each.rule, each.message()) for each in before.remarks]
    assert [(each.kind, each.rule, each.message()) for each in after.remarks] == said


def test_the_schema_in_the_repository_is_that_of_the_records():
    assert SCHEMA.read_text(encoding="utf-8") == trace_schema(), (
        "write it anew: .venv/bin/python -m relay_lsp.passes.provenance"
    )


def test_a_trace_that_was_cut_off_gives_what_is_there():
    lines = run(CONVOLUTION, "SimplifyInference", "FuseOps").to_json().splitlines()
    assert len(Trace.from_json(lines[:-3]).steps) < len(Trace.from_json(lines).steps)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"record":"trace","format":"relay-lsp-trace","version":99,"producer":"relay-lsp 9"}',
            "version 99",
        ),
        ('{"record":"trace","format":"other","version":1}', "'other'"),
        ('{"record":"end","stages":0,"steps":0}', "no header"),
        ('{"record":"stage"}', "line 1"),
        ("def @main() {}", "line 1"),
    ],
)
def test_what_is_no_trace_is_refused_with_the_line_and_the_reason(line: str, message: str):
    with pytest.raises(TraceFormatError, match=message):
        Trace.from_json(line)


def test_a_place_that_nothing_above_has_is_refused():
    lines = run(CONVOLUTION, "SimplifyInference").to_json().splitlines()
    broken = [line.replace('"before":0', '"before":77') for line in lines]
    with pytest.raises(TraceFormatError, match="nothing above"):
        Trace.from_json(broken)


BRANCHES = """
def @other(%x: Tensor[(4), float32], %c: bool) -> Tensor[(4), float32] {
  let %t: Tensor[(4), float32] = if (%c) { exp(%x) } else { nn.relu(%x) };
  %0 = fn (%p: Tensor[(4), float32], Composite="dnnl.tanh", Primitive=1) -> Tensor[(4), float32] { tanh(%p) };
  %1 = split(%t, indices_or_sections=2);
  %2 = (%1.0, %1.1);
  add(%0(%t), concatenate(%2))
}
def @main(%x: Tensor[(4), float32]) { @other(%x, True) }
"""


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (CONVOLUTION, ["SimplifyInference", "FoldConstant", "FuseOps", "DefuseOps", "ToANormalForm"]),
        (BRANCHES, ["FastMath", "FuseOps", "DefuseOps", "Inline", "ToANormalForm", "ToGraphNormalForm"]),
        (TENSORS, ["FastMath", "FuseOps", "FoldConstant"]),
    ],
)
def test_forms_make_the_modules_that_the_texts_say(text: str, passes: list[str]):
    lines = run(text, *passes).to_json().splitlines()
    stages = [json.loads(line)["new"] for line in lines if line.startswith('{"record":"stage"')]
    assert any(new["forms"] for new in stages[1:])
    assert stages[0]["forms"] is None
    by_forms, by_texts = Trace.from_json(lines), Trace.from_json(without_forms(lines))
    for ours, theirs in zip(by_forms.steps, by_texts.steps, strict=True):
        assert to_text(ours.after, show_spans=False) == to_text(theirs.after, show_spans=False)
        assert structural_equal(typed(ours.after), typed(theirs.after), map_free_vars=True)
        assert len(ours.removed) == len(theirs.removed)


def without_forms(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        record = json.loads(line)
        if record["record"] == "stage":
            del record["new"]["forms"], record["definitions"]
        yield json.dumps(record)


def test_a_form_that_makes_no_expression_leaves_its_stage_to_the_text():
    lines = run(CONVOLUTION, "SimplifyInference").to_json().splitlines()
    stage = next(number for number, line in enumerate(lines) if '"stage":1' in line)
    record = json.loads(lines[stage])
    record["new"]["forms"] = [record["new"]["kind"][0]] * len(record["new"]["forms"])
    broken = [*lines[:stage], json.dumps(record), *lines[stage + 1 :]]
    expected, read = Trace.from_json(lines).after, Trace.from_json(broken).after
    assert expected
    assert read
    assert to_text(read, show_spans=False) == to_text(expected, show_spans=False)


def test_modules_with_data_types_are_read_from_their_texts():
    lines = run(CLOSURES, "LambdaLift", "ToANormalForm").to_json().splitlines()
    assert all('"forms":null' in line for line in lines if line.startswith('{"record":"stage"'))
