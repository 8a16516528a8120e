"""Patterns, tables of patterns and operators of a compiler, and evaluation, as scripts for TVM spell them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay
from relay_lsp.compat.tvm.relay.dataflow_pattern import (
    DFPatternCallback,
    FunctionPattern,
    dominates,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple_get_item,
    is_var,
    rewrite,
    wildcard,
)
from relay_lsp.compat.tvm.relay.op.contrib.register import get_pattern_table, register_pattern_table
from relay_lsp.passes.infrastructure.operator_rules import register_rule


def layer() -> Any:
    x, w, b = (relay.var(name, shape=shape) for name, shape in (("x", (1, 3, 8, 8)), ("w", (4, 3, 3, 3)), ("b", (4,))))
    return relay.Function([x, w, b], relay.nn.relu(relay.nn.bias_add(relay.nn.conv2d(x, w, padding=1), b)))


def biased() -> Any:
    return is_op("nn.bias_add")(is_op("nn.conv2d")(wildcard(), wildcard()), wildcard())


def test_patterns_match_what_they_say():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    body = layer().body
    let = relay.var("v")
    assert (is_op("add") | is_op("subtract")).match(relay.op.op.get("subtract"))
    assert biased().optional(is_op("nn.relu")).match(body)
    assert not is_op("nn.bias_add")(is_op("nn.conv2d")(wildcard(), is_constant()), wildcard()).match(body.args[0])
    assert is_op("nn.conv2d")(wildcard(), wildcard()).has_attr({"data_layout": "NCHW"}).match(body.args[0].args[0])
    assert not wildcard().has_shape((1, 4, 8, 9)).match(body)
    assert (wildcard() + (is_expr(relay.const(0)) | is_expr(relay.const(0.0)))).match(x + relay.const(0))
    assert wildcard().has_attr({"Composite": "add"}).match(relay.Function([x], x).with_attr("Composite", "add"))
    assert FunctionPattern([wildcard(), wildcard()], wildcard() + wildcard()).match(relay.Function([x, y], x + y))
    assert is_if(is_op("less")(is_var("x"), wildcard()), is_var("x"), is_var("y")).match(relay.If(x < y, x, y))
    assert is_let(is_var("v"), wildcard(), is_var("v")).match(relay.Let(let, x, let))
    pair = relay.split(x, 2)
    assert is_tuple_get_item(is_op("split")(wildcard()), 1).match(pair[1])
    path = dominates(is_op("exp")(wildcard()), is_op("negative")(wildcard()), is_op("add")(wildcard(), wildcard()))
    assert path.match(relay.negative(relay.exp(x)) + relay.negative(relay.exp(x))) is False


def test_a_callback_rewrites_with_the_numbers_of_a_constant():
    class Halves(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.x, self.divisor = wildcard(), is_constant()
            self.pattern = self.x / self.divisor

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            return node_map[self.x][0] * relay.const(1 / node_map[self.divisor][0].data.numpy().item())

    x = relay.var("x", shape=(2,))
    made = rewrite(Halves(), x / relay.const(4.0))
    assert tvm.ir.structural_equal(made, x * relay.const(0.25))


def test_a_match_becomes_a_function_of_its_own():
    made = biased().partition(layer().body, {"Composite": "one_layer"})
    (call,) = made.args
    assert call.op.attrs["Composite"] == "one_layer"
    assert biased().partition(layer().body, check=lambda expr: False) is not None


def test_a_compiler_of_a_script_gets_its_part_of_a_module():
    @register_pattern_table("script_compiler")
    def _table() -> Any:
        return [("script_compiler.conv2d_bias", biased())]

    @tvm.ir.register_op_attr("nn.relu", "target.script_compiler")
    def _relu(expr: Any) -> bool:
        return len(expr.args) == 1

    pipeline = tvm.transform.Sequential(
        [
            relay.transform.MergeComposite(get_pattern_table("script_compiler")),
            relay.transform.AnnotateTarget("script_compiler"),
            relay.transform.MergeCompilerRegions(),
            relay.transform.PartitionGraph(),
        ]
    )
    mod = pipeline(tvm.IRModule.from_expr(layer()))
    (part,) = [each for each in mod.functions.values() if each.attrs.get("Compiler") == "script_compiler"]
    assert 'Composite="script_compiler.conv2d_bias"' in part.astext()
    with pytest.raises(tvm.TVMError, match="TOpPattern cannot be registered here"):
        tvm.ir.register_op_attr("nn.relu", "TOpPattern", lambda: None)
    register_rule("target.script_compiler", "nn.relu", None)


@pytest.mark.parametrize("kind", ["debug", "graph", "vm"])
def test_an_executor_computes_what_the_module_says(kind: str):
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    mod = tvm.IRModule.from_expr(relay.Function([x, w], x * w))
    params = {"w": tvm.nd.array(np.array([2, 3], "float32"))}
    run = relay.create_executor(kind, mod, tvm.cpu(), "llvm", params).evaluate()
    assert run(np.ones(2, "float32")).numpy().tolist() == [2, 3]
    assert run(x=np.ones(2, "float32")).asnumpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match="@main takes x, w; x is missing"):
        run()
    assert relay.create_executor(kind).evaluate(relay.const(2.0) + relay.const(1.0)).numpy() == 3


def test_what_makes_code_names_what_there_is_instead():
    with pytest.raises(RuntimeError, match=r"create_executor evaluates"):
        relay.build(tvm.IRModule.from_expr(layer()), "llvm")
    with pytest.raises(ImportError, match=r"relay_viz is not here: `relay-lsp explore`"):
        from relay_lsp.compat.tvm.contrib import relay_viz  # noqa: F401 # pyright: ignore
    with pytest.raises(RuntimeError, match="unknown execution strategy: gpu"):
        relay.create_executor("gpu")


def test_a_target_of_a_script_is_a_text_or_a_dict_and_is_entered():
    target = tvm.target.Target(
        {"kind": "llvm", "mcpu": "skylake-avx512", "mattr": ["+avx512f", "+fma"], "num-cores": 4}
    )
    assert target == tvm.target.Target("llvm -mcpu=skylake-avx512 -mattr=+avx512f,+fma -num-cores=4", host="llvm")
    assert isinstance(target, tvm.target.Target)
    assert tvm.target.Target(target) is target
    assert tvm.target.Target.current() is None
    with target:
        assert tvm.target.Target.current(allow_none=False) is target
    with pytest.raises(ValueError, match="no target is entered"):
        tvm.target.Target.current(allow_none=False)
    with pytest.raises(tvm.TVMError, match=r"a target needs its kind, such as \{\"kind\": \"llvm\"\}"):
        tvm.target.Target({"mcpu": "skylake-avx512"})


def test_the_text_of_a_target_names_it_again():
    target = tvm.target.Target("llvm -mtriple='a b' -num-cores=0")
    assert tvm.target.Target(str(target)) == target
