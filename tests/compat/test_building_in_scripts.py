"""What scripts for TVM build modules with: scopes, tuples, data types, texts, networks; and how they compare."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay
from relay_lsp.ir.expressions import Call, Expr, If, Let

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32]) {
  %0 = nn.relu(%x);
  add(%0, 1f)
}
"""


def text(expr: Expr) -> str:
    """An expression without the version and the free variables above it."""
    return "\n".join(line for line in str(expr).splitlines() if not line.startswith(("#[", "free_var")))


# ---- equality


def test_modules_are_equal_that_hold_the_same():
    one, other = relay.parse(TEXT), relay.parse(f"\n{TEXT}")
    assert tvm.ir.structural_equal(one, other)
    assert tvm.ir.structural_hash(one) == tvm.ir.structural_hash(other)
    tvm.ir.assert_structural_equal(one, relay.fromtext(one.astext()))


def test_what_differs_between_two_modules_is_said():
    other = relay.parse(TEXT.replace("nn.relu", "tanh"))
    assert not tvm.ir.structural_equal(relay.parse(TEXT), other)
    with pytest.raises(ValueError, match=r"def @main\.body\.args\[0\]\.op: .*nn\.relu.*tanh"):
        tvm.ir.assert_structural_equal(relay.parse(TEXT), other)


def test_free_variables_are_equal_to_themselves_unless_they_are_mapped():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    one, other = relay.exp(x), relay.exp(y)
    assert not tvm.ir.structural_equal(one, other)
    assert tvm.ir.structural_equal(one, other, map_free_vars=True)
    assert tvm.ir.structural_hash(one) != tvm.ir.structural_hash(other)
    assert tvm.ir.structural_hash(one, map_free_vars=True) == tvm.ir.structural_hash(other, map_free_vars=True)


# ---- scopes


def test_a_scope_builder_binds_and_branches():
    scope = relay.ScopeBuilder()
    cond, x = relay.var("cond", "bool"), relay.var("x", shape=(2,))
    doubled = scope.let("doubled", relay.add(x, x))
    with scope.if_scope(cond):
        inner = scope.let(("inner", relay.TensorType([2])), relay.exp(doubled))
        scope.ret(inner)
    with scope.else_scope():
        scope.ret(doubled)
    built = scope.get()
    assert isinstance(built, Let)
    assert isinstance(built.body, If)
    module = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([cond, x], built)))
    assert repr(module["main"].ret_type) == "Tensor[(2), float32]"


def _without_value(scope: Any) -> None:
    scope.get()


def _without_else(scope: Any) -> None:
    with scope.if_scope(relay.const(True)):
        scope.ret(relay.const(1))
    scope.get()


def _else_alone(scope: Any) -> None:
    with scope.else_scope():
        scope.ret(relay.const(1))


def _twice(scope: Any) -> None:
    scope.ret(relay.const(1))
    scope.ret(relay.const(2))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (_without_value, "ret was not called"),
        (_without_else, "no else_scope"),
        (_else_alone, "no if_scope"),
        (_twice, "said already"),
    ],
)
def test_an_incomplete_scope_is_refused(build: Any, message: str):
    with pytest.raises(RuntimeError, match=message):
        build(relay.ScopeBuilder())


def test_a_branch_that_fails_leaves_the_scope_as_it_was():
    scope = relay.ScopeBuilder()
    with pytest.raises(ZeroDivisionError), scope.if_scope(relay.const(True)):
        raise ZeroDivisionError
    scope.ret(relay.const(1))
    assert text(scope.get()) == "1"


# ---- tuples


def test_several_results_can_be_asked_for_as_a_tuple():
    parts = relay.split(relay.var("x", shape=(4,)), 2)
    assert parts.astuple() is parts
    wrapped = relay.TupleWrapper(parts, 2)
    assert len(wrapped) == 2
    assert [text(part).splitlines()[-1] for part in wrapped] == ["%0.0", "%0.1"]
    assert "(%1, %2)" in text(relay.concatenate(wrapped, 0))
    assert len(relay.Tuple([])) == 0


# ---- data types


def test_data_types_are_made_of_lists_and_put_into_a_module():
    module = tvm.IRModule()
    name, parameter = relay.GlobalTypeVar("Maybe"), relay.TypeVar("A")
    some, none = relay.Constructor("Some", [parameter], name), relay.Constructor("None", [], name)
    module[name] = relay.TypeData(name, [parameter], [some, none])
    assert module.get_type("Maybe") == (name, some, none)
    assert name(relay.scalar_type("int32")) == relay.TypeCall(name, [relay.scalar_type("int32")])
    assert name.name_hint == "Maybe"
    assert name.kind is relay.TypeKind.AdtHandle
    x = relay.var("x", relay.FuncType([relay.scalar_type("int32")], relay.TupleType([relay.scalar_type("bool")])))
    module["main"] = relay.Function([x], some(x))
    assert str(relay.transform.InferType()(module)["main"].ret_type).startswith("Maybe[fn (int32)")
    with pytest.raises(ValueError, match="no data type List; it has Maybe"):
        module.get_type("List")
    with pytest.raises(TypeError, match="its own kind of name"):
        module["Maybe"] = module[name]


# ---- texts, networks, passes on expressions


def test_a_text_may_use_what_another_module_defines():
    base = relay.parse(TEXT.replace("@main", "@first"))
    module = relay.parse(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n  @first(%x)\n}\n', init_module=base
    )
    assert sorted(var.name_hint for var in module.get_global_vars()) == ["first", "main"]


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("testing.mlp", "get_workload"),
        ("testing.resnet", "get_net"),
        ("op.nn", "dense"),
        ("op.annotation", "compiler_begin"),
        ("qnn.op", "requantize"),
    ],
)
def test_networks_and_operators_are_modules_to_import_from(module: str, function: str):
    assert callable(getattr(importlib.import_module(f"relay_lsp.compat.tvm.relay.{module}"), function))


def test_a_workload_takes_an_initializer():
    def fill(name: str, array: Any) -> None:
        array[:] = len(name)

    module, params = relay.testing.mlp.get_workload(batch_size=1)
    module, params = relay.testing.create_workload(module["main"], fill)
    assert set(np.unique(params["fc1_weight"])) == {len("fc1_weight")}


def test_a_pass_runs_on_an_expression():
    x = relay.var("x", shape=(2, 3))
    ones = relay.testing.run_opt_pass(relay.ones_like(x), relay.transform.SimplifyExpr())
    assert tvm.ir.structural_equal(ones, relay.testing.run_infer_type(relay.ones([2, 3], "float32")))


def test_a_type_is_written_into_the_expression_that_it_is_asked_of():
    x = relay.var("x", shape=(2, 3))
    negative = relay.negative(x)
    assert relay.transform.InferTypeLocal(negative) == x.type_annotation
    assert negative.checked_type == x.type_annotation


def test_the_batch_is_changed_by_the_parameter_itself():
    x = relay.var("x", shape=(1, 3))
    module = tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(x)))
    changed = relay.transform.ChangeBatch({x: 0}, batch_size=8)(module)
    assert repr(changed["main"].params[0].type_annotation) == "Tensor[(8, 3), float32]"


# ---- functors and analyses


class Depth(relay.ExprFunctor):
    """How many calls are nested in each other."""

    asked = 0

    def visit_call(self, call: Call) -> int:
        self.asked += 1
        return 1 + max(map(self.visit, call.args))

    def visit_var(self, _: Expr) -> int:
        return 0


def test_an_expression_functor_is_asked_once_for_each_expression():
    x = relay.var("x", shape=(2,))
    shared = relay.exp(x)
    depth = Depth()
    assert depth.visit(relay.add(shared, relay.exp(shared))) == 3
    assert depth.asked == 3
    with pytest.raises(NotImplementedError, match="Depth has no visit_constant"):
        depth.visit(relay.const(1))


def test_what_analyses_count_and_take_out():
    x = relay.var("x", shape=(1, 4, 8, 8))
    weight = relay.var("weight", shape=(4, 4, 1, 1))
    first = relay.nn.relu(relay.nn.conv2d(x, weight))
    module = tvm.IRModule.from_expr(relay.nn.conv2d(first, weight) + relay.nn.conv2d(first, weight))
    assert relay.analysis.count_layers(module, ["nn.conv2d"]) == 2
    assert text(relay.analysis.extract_intermdeiate_expr(module, 1)["main"].body).splitlines()[-1] == "nn.relu(%0)"
    fused = relay.analysis.extract_fused_functions(relay.transform.InferType()(module))
    assert sorted(str(function).count("nn.conv2d") for function in fused.values()) == [1, 1, 1]
    variable = relay.TypeVar("A")
    generic = relay.FuncType([variable], variable, [variable])
    assert relay.analysis.bound_type_vars(generic) == relay.analysis.all_type_vars(generic) == [variable]
    assert relay.analysis.free_type_vars(generic) == []


def test_an_executor_takes_values_for_free_variables():
    x = relay.var("x", shape=(2,))
    binds = {x: np.array([1, 2], "float32")}
    value = relay.create_executor("debug", device=tvm.device("cpu", 0)).evaluate(relay.add(x, x), binds)
    assert value.numpy().tolist() == [2, 4]
