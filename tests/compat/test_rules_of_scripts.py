"""Rules that scripts give operators, as TVM's functions take them; they come before ours, and go with their file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay
from relay_lsp.compat.tvm.relay.testing.temp_op_attr import TempOpAttr
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.passes.infrastructure.extensions import load_file, unload
from relay_lsp.passes.infrastructure.operator_rules import operator_rules


def layer() -> Any:
    """A module of a convolution and what follows it."""
    data, weight = relay.var("data", shape=(1, 16, 8, 8)), relay.var("weight", shape=(16, 16, 3, 3))
    conv = relay.nn.conv2d(data, weight, channels=16, kernel_size=(3, 3), padding=(1, 1))
    return relay.transform.InferType()(tvm.IRModule.from_expr(relay.nn.relu(conv)))


def calls(mod: Any) -> list[Call]:
    """The calls of operators in ``@main``, in the order of evaluation."""
    found: list[Call] = []
    relay.analysis.post_order_visit(mod["main"], lambda each: found.append(each) if isinstance(each, Call) else None)
    return found


def attributes(mod: Any, operator: str, name: str) -> list[object]:
    """What an attribute is in the calls of an operator."""
    return [call.attrs[name] for call in calls(mod) if str(call.op) == operator and call.attrs is not None]


def names(mod: Any) -> list[str]:
    """The operators that ``@main`` calls."""
    return [str(call.op) for call in calls(mod)]


def taken_by_own() -> list[str]:
    """The operators whose calls a compiler called ``own`` takes."""
    mod = relay.transform.AnnotateTarget("own")(layer())
    ends = [call for call in calls(mod) if str(call.op) == "annotation.compiler_end" and "own" in repr(call.attrs)]
    return [str(value.op) for end in ends for value in end.args if isinstance(value, Call)]


def test_a_legalization_gets_attributes_arguments_and_types():
    asked: list[tuple[Any, ...]] = []

    def in_tanh(attrs: Any, inputs: list[Expr], types: list[Any]) -> Expr:
        asked.append((attrs, len(inputs), [repr(type) for type in types]))
        return relay.tanh(inputs[0])

    with TempOpAttr("nn.relu", "FTVMLegalize", in_tanh):
        assert names(relay.transform.Legalize()(layer())) == ["nn.conv2d", "tanh"]
    assert asked == [(None, 1, ["Tensor[(1, 16, 8, 8), float32]"] * 2)]
    assert names(relay.transform.Legalize()(layer())) == ["nn.conv2d", "nn.relu"]


def test_a_layout_travels_on_from_the_call_that_a_rule_altered():
    def in_blocks(attrs: Any, inputs: list[Expr], types: list[Any], result: Any) -> Expr:
        assert types[0].shape == result.shape
        changed = {**dict(attrs), "data_layout": "NCHW16c", "kernel_layout": "OIHW16i16o"}
        return relay.nn.conv2d(*inputs, **changed)

    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", in_blocks):
        altered = relay.transform.AlterOpLayout()(layer())
    assert names(altered) == ["layout_transform", "layout_transform", "nn.conv2d", "nn.relu", "layout_transform"]


def test_a_conversion_gets_the_layouts_that_are_desired():
    def convert(attrs: Any, inputs: list[Expr], types: list[Any], desired: list[str]) -> Expr:
        assert desired == ["NHWC", "default"]
        return relay.nn.conv2d(*inputs, **{**dict(attrs), "data_layout": desired[0], "kernel_layout": "HWIO"})

    with TempOpAttr("nn.conv2d", "FTVMConvertOpLayout", convert):
        converted = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(layer())
    assert attributes(converted, "nn.conv2d", "kernel_layout") == ["HWIO"]


def test_a_precision_may_sum_in_another_dtype_than_it_gives():
    def always(call: Call, dtype: str) -> list[Any]:
        return [0, "float32", dtype]

    with TempOpAttr("nn.conv2d", "FTVMMixedPrecisionConversionType", always):
        mixed = relay.transform.ToMixedPrecision("float16")(layer())
    assert attributes(mixed, "nn.conv2d", "out_dtype") == ["float32"]
    assert names(mixed)[-2:] == ["cast", "nn.relu"]

    def never(call: Call, dtype: str) -> list[Any]:
        return [relay.transform.mixed_precision.MIXED_PRECISION_NEVER, dtype, dtype]

    with TempOpAttr("nn.conv2d", "FTVMMixedPrecisionConversionType", never):
        assert names(relay.transform.ToMixedPrecision("float16")(layer())) == ["nn.conv2d", "nn.relu"]


@pytest.mark.parametrize(
    ("attribute", "rule", "transform", "message"),
    [
        ("FTVMLegalize", lambda *_: 1, relay.transform.Legalize, "gave 1, and must give an expression, or None"),
        ("FTVMAlterOpLayout", lambda *_: 1, relay.transform.AlterOpLayout, "gave 1, and must give a call, or None"),
        (
            "FTVMMixedPrecisionConversionType",
            lambda *_: [7, "float16", "float16"],
            relay.transform.ToMixedPrecision,
            "must give a category",
        ),
    ],
)
def test_what_a_rule_gives_is_checked(attribute: str, rule: Any, transform: Any, message: str):
    with TempOpAttr("nn.conv2d", attribute, rule), pytest.raises(tvm.TVMError, match=message):
        transform()(layer())


def test_a_rule_that_fails_is_told_with_its_line_at_the_call():
    def fails(attrs: Any, inputs: list[Expr], types: list[Any]) -> Expr:
        return attrs["units"]

    line = fails.__code__.co_firstlineno + 1
    message = rf"the rule for nn\.relu failed with TypeError: .* \(test_rules_of_scripts\.py, line {line}\)"
    with TempOpAttr("nn.relu", "FTVMLegalize", fails), pytest.raises(tvm.TVMError, match=message) as raised:
        relay.transform.Legalize()(layer())
    (finding,) = raised.value.diagnostics
    assert finding.place is not None
    assert isinstance(finding.place.expr, Call)


def test_a_compiler_takes_an_operator_for_a_while():
    with TempOpAttr("nn.relu", "target.own", lambda call: len(call.args) == 1):
        assert taken_by_own() == ["nn.relu"]
    assert taken_by_own() == []


def test_an_attribute_or_an_operator_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(tvm.TVMError, match=r"there is no operator nn\.conv2e; did you mean nn\.conv2d"):
        relay.op.register_legalize("nn.conv2e", lambda *_: None)
    with pytest.raises(tvm.TVMError, match="FTVMStrategy cannot be registered here"):
        tvm.ir.register_op_attr("nn.conv2d", "FTVMStrategy", lambda *_: None)


RULE = """
from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay


@relay.op.register_legalize("nn.relu")
def in_tanh(attrs, inputs, types):
    return relay.tanh(inputs[0])


@tvm.ir.register_op_attr("nn.relu", "target.own")
def takes(call):
    return True
"""


def test_the_rules_of_a_file_go_with_it_and_with_its_failure(tmp_path: Path):
    file = tmp_path / "rules.py"
    file.write_text(RULE)
    assert load_file(file).fault is None
    assert names(relay.transform.Legalize()(layer())) == ["nn.conv2d", "tanh"]
    assert taken_by_own() == ["nn.relu"]
    unload(str(file.resolve()))
    assert operator_rules() == {}
    assert taken_by_own() == []
    file.write_text(f"{RULE}\nraise ValueError('half of it')\n")
    fault = load_file(file).fault
    assert fault is not None
    assert "half of it" in fault.message
    assert operator_rules() == {}
