"""Passes, mutators and visitors written for TVM; modules that change in place; and such a file as an extension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.passes import PassError, Trace, create
from relay_lsp.passes.infrastructure.extensions import load_file, unload


def chain(length: int) -> Any:
    value: Expr = relay.var("x", shape=(4,))
    for _ in range(length):
        value = relay.nn.relu(value)
    return value


class ToTanh(relay.ExprMutator):
    """Every ``nn.relu`` as ``tanh``."""

    def visit_call(self, call: Call) -> Expr:
        new = super().visit_call(call)
        return relay.tanh(new.args[0]) if new.op == relay.op.get("nn.relu") else new


def computed(mod: Any, *arrays: Any) -> Any:
    """What a module computes."""
    return evaluate(mod, *arrays)


def operators(expr: Expr) -> list[str]:
    named: list[str] = []
    relay.analysis.post_order_visit(expr, lambda each: named.append(repr(each.op)) if isinstance(each, Call) else None)
    return named


@pytest.mark.parametrize("length", [3, 5000])
def test_a_mutator_asks_for_each_expression_before_its_parts_at_any_depth(length: int) -> None:
    assert operators(ToTanh().visit(chain(length))) == ["tanh"] * length


def test_a_mutator_may_leave_parts_unvisited() -> None:
    visited: list[str] = []

    class Cut(relay.ExprMutator):
        def visit_call(self, call: Call) -> Expr:
            visited.append(repr(call.op))
            return call.args[0] if repr(call.op) == "nn.relu" else super().visit_call(call)

    x = relay.var("x", shape=(4,))
    assert operators(Cut().visit(relay.exp(relay.nn.relu(relay.tanh(x))))) == ["tanh", "exp"]
    assert visited == ["exp", "nn.relu"]


@pytest.mark.parametrize("length", [3, 5000])
def test_a_visitor_sees_each_expression_once(length: int) -> None:
    class Count(relay.ExprVisitor):
        calls = 0

        def visit_call(self, call: Call) -> None:
            self.calls += 1
            super().visit_call(call)

    counting = Count()
    value = chain(length)
    counting.visit(relay.Tuple([value, value]))
    assert counting.calls == length


@pytest.mark.parametrize("length", [3, 5000])
def test_an_overridden_visit_is_called_for_every_part(length: int) -> None:
    class Wrapping(relay.ExprMutator):
        def visit(self, root: Expr) -> Expr:
            new = super().visit(root)
            return relay.tanh(new.args[0]) if isinstance(new, Call) and new.op == relay.op.get("nn.relu") else new

    class Listing(relay.ExprVisitor):
        def __init__(self) -> None:
            super().__init__()
            self.seen: set[Expr] = set()

        def visit(self, expr: Expr) -> None:
            super().visit(expr)
            self.seen.add(expr)

    value = chain(length)
    assert operators(Wrapping().visit(value)) == ["tanh"] * length
    listing = Listing()
    listing.visit(value)
    assert len(listing.seen) == length + 2, "the calls, their operator and the variable"


@pytest.mark.parametrize("base", [relay.ExprMutator, relay.ExprVisitor])
def test_a_method_that_nothing_calls_is_refused(base: type) -> None:
    with pytest.raises(TypeError, match=r"visit_cal is never called.*did you mean visit_call\?"):
        type("Mine", (base,), {"visit_cal": lambda self, call: call})


def test_what_a_mutator_makes_is_recorded() -> None:
    @relay.transform.function_pass(opt_level=0)
    def to_tanh(func: Any, mod: Any, ctx: Any) -> Any:
        return ToTanh().visit(func)

    mod = tvm.IRModule.from_expr(chain(2))
    with Trace() as trace:
        after = to_tanh(mod)
    assert operators(after["main"]) == ["tanh", "tanh"]
    assert not trace.steps[-1].unexplained
    assert isinstance(after, tvm.IRModule)


def test_a_module_changes_in_place_and_passes_see_it() -> None:
    mod = tvm.IRModule.from_expr(chain(1))
    before = relay.transform.InferType()(mod)
    before["main"] = relay.Function([], relay.const(1) + relay.const(2))
    assert str(relay.transform.FoldConstant()(before)["main"].body) == "3 /* ty=int32 */"
    assert operators(mod["main"]) == ["nn.relu"]
    before.update_func(tvm.ir.GlobalVar("other"), mod["main"])
    assert [var.name_hint for var in before.get_global_vars()] == ["main", "other"]
    del before["other"]
    assert "other" not in before


def test_a_module_pass_may_change_its_module() -> None:
    @tvm.transform.module_pass(opt_level=0, name="Twice")
    class Twice:
        def transform_module(self, mod: Any, ctx: Any) -> Any:
            main = mod["main"]
            mod["main"] = relay.Function(main.params, main.body + main.body)
            return mod

    mod = tvm.IRModule.from_expr(chain(1))
    after = tvm.transform.Sequential([Twice()])(mod)
    assert computed(after, np.ones(4, "float32")).tolist() == [2.0] * 4
    assert operators(mod["main"]) == ["nn.relu"], "the pass got a copy"


def test_passes_that_run_on_one_expression() -> None:
    x = relay.var("x", shape=(2,))
    function = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([x], x * x)))["main"]
    gradient = relay.transform.gradient(function, mode="first_order")
    value, (slope,) = computed(tvm.IRModule.from_expr(gradient), np.array([2, 3], "float32"))
    assert (value.tolist(), slope.tolist()) == ([4.0, 9.0], [4.0, 6.0])
    assert str(relay.transform.FoldConstantExpr(relay.const(1) + relay.const(2), tvm.IRModule())).startswith("3")


def test_text_becomes_a_module() -> None:
    mod = relay.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(3), float32]) { nn.relu(%x) }')
    assert mod["main"].checked_type is not None
    with pytest.raises(tvm.TVMError):
        relay.parse("def @main(%x { }")


def test_a_pass_written_for_tvm_is_an_extension(tmp_path: Path) -> None:
    file = tmp_path / "scaling.py"
    file.write_text(
        """\
from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay


@relay.transform.function_pass(opt_level=1)
class TripleConstants:
    \"\"\"Every constant times three.\"\"\"

    def transform_function(self, func, mod, ctx):
        class Triple(tvm.relay.ExprMutator):
            def visit_constant(self, constant):
                return relay.multiply(relay.const(3.0), constant)

        return Triple().visit(func)
"""
    )
    extension = load_file(file)
    try:
        assert extension.fault is None
        assert extension.passes == ("TripleConstants",)
        mod = tvm.IRModule.from_expr(relay.var("x", shape=(1,)) + relay.const(2.0))
        assert operators(create("TripleConstants")(mod)["main"]) == ["multiply", "add"]
    finally:
        unload(str(file))


MADE_WITH_VALUES = """
from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay


@relay.transform.function_pass(opt_level=1)
class ScaleConstants:
    def __init__(self, multiplier, rounds: int = 1):
        self.factor = relay.const(multiplier, "float32")
        self.rounds = rounds

    def transform_function(self, func, mod, ctx):
        scaling = self

        class Scaling(tvm.relay.ExprMutator):
            def visit_constant(self, constant):
                value = constant
                for _ in range(scaling.rounds):
                    value = relay.multiply(scaling.factor, value)
                return value

        return Scaling().visit(func)
"""


def test_what_a_class_of_a_script_is_made_with_are_options_of_its_passes(tmp_path: Path) -> None:
    file = tmp_path / "scale.py"
    file.write_text(MADE_WITH_VALUES)
    load_file(file)
    try:
        module = relay.parse('#[version = "0.0.5"]\ndef @main(%x: float32) { add(%x, 1f) }')
        scaled = create("ScaleConstants", multiplier=3.0, rounds=2)
        assert dict(scaled.options) == {"multiplier": 3.0, "rounds": 2}
        assert computed(scaled(module), np.float32(0)) == 9
        for options, message in (
            ({}, "option multiplier must be given"),
            ({"multiplier": 3.0, "rounds": "two"}, "option rounds takes an integer"),
            ({"multiplie": 3.0}, "no option multiplie; did you mean multiplier?"),
        ):
            with pytest.raises(PassError, match=message):
                create("ScaleConstants", **options)
    finally:
        unload(str(file))


def test_attributes_are_asked_for_by_name() -> None:
    attrs = relay.nn.conv2d(relay.var("x"), relay.var("w"), padding=1, groups=2, data_layout="NHWC").attrs
    assert attrs["padding"] == attrs.get_int_tuple("padding") == (1, 1, 1, 1)
    assert (attrs.get_int("groups"), attrs.get_str("data_layout")) == (2, "NHWC")
    assert dict(attrs)["data_layout"] == "NHWC"
    assert "kernel_size" in attrs.keys()  # noqa: SIM118 - as scripts ask
    with pytest.raises(AttributeError, match="stride"):
        attrs["stride"]
    assert relay.Function([], relay.const(1)).with_attr("Primitive", tvm.tir.IntImm("int32", 1)).attrs == {
        "Primitive": 1
    }
    with pytest.raises(AttributeError, match=r"tvm\.tir\.PrimFunc is not here: relay_lsp makes no code"):
        tvm.tir.PrimFunc  # noqa: B018 # pyright: ignore


def test_a_shape_is_asked_for_as_integers() -> None:
    assert relay.TensorType((2, 3)).concrete_shape == (2, 3)
    with pytest.raises(TypeError, match="has no concrete shape: the dimension \\? is not known"):
        _ = relay.TensorType((2, relay.Any())).concrete_shape  # pyright: ignore


def test_a_function_is_bound_without_the_parameters_that_are_replaced() -> None:
    x, y, z = (relay.var(name, shape=(2,)) for name in "xyz")
    function: Any = relay.Function([x, y], relay.add(x, y))
    bound: Any = relay.bind(function, {x: relay.const(1.0)})
    assert bound.params == (y,)
    assert computed(tvm.IRModule.from_expr(bound), np.ones(2, "float32")).tolist() == [2, 2]
    assert relay.bind(function, {x: relay.nn.relu(z)}).params == (y, z)  # pyright: ignore
    assert relay.bind(function, {z: x}) is function
    assert tvm.ir.structural_equal(relay.bind(relay.add(x, y), {x: y}), relay.add(y, y))
    with pytest.raises(TypeError, match="not 'x'; bind_params_by_name takes names"):
        relay.bind(function, {"x": z})  # pyright: ignore
    with pytest.raises(tvm.TVMError, match="%y cannot be replaced: it is bound inside the expression"):
        relay.bind(relay.Let(y, x, y), {y: relay.const(1.0)})


def test_a_module_tells_what_it_holds() -> None:
    mod = tvm.IRModule.from_expr(chain(1)).with_attr("executor", "graph")
    assert (mod.get_attr("executor"), mod.get_attr("runtime")) == ("graph", None)
    assert mod.get_global_type_vars() == []
    for missing in (lambda: mod["mian"], lambda: mod[relay.GlobalVar("mian")], lambda: mod.get_global_var("mian")):
        with pytest.raises(ValueError, match="the module has no function @mian; it has @main"):
            missing()
    value = mod["main"]
    assert tvm.ir.structural_hash(value, map_free_vars=True) == tvm.ir.structural_hash(value)
