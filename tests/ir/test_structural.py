"""Structural equality: what may differ and what may not."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.dimensions import ANY, FloatImm, IntImm, SizeVar
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, If, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import first_difference, structural_equal, structural_hash
from relay_lsp.ir.types import FuncType, TensorType, TupleType, TypeVar

ADD = Op("test.add", doc="")
RELU = Op("test.relu", doc="")
FLOAT = TensorType((2, 3), "float32")


def call(op: Expr, *args: Expr) -> Call:
    return Call(op, args)


def constant(*values: float, dtype: str = "float32") -> Constant:
    return Constant(np.array(values, dtype))


def assert_equal(a: object, b: object, map_free_vars: bool = False) -> None:
    assert first_difference(a, b, map_free_vars) is None
    assert structural_equal(a, b, map_free_vars)
    assert structural_hash(a) == structural_hash(b)


def doubled(name: str) -> Function:
    x = Var(name, FLOAT)
    return Function((x,), call(ADD, x, x))


def test_names_of_parameters_do_not_matter() -> None:
    assert_equal(doubled("x"), doubled("y"))


def test_which_parameter_is_used_matters() -> None:
    x, y = Var("x", FLOAT), Var("y", FLOAT)
    first = Function((x, y), call(RELU, x))
    second = Function((x, y), call(RELU, y))
    assert not structural_equal(first, second)
    swapped = Function((y, x), call(RELU, y))
    assert_equal(first, swapped)


def test_free_variables_are_equal_only_to_themselves_unless_mapped() -> None:
    x, y = Var("x"), Var("y")
    assert_equal(call(RELU, x), call(RELU, x))
    assert not structural_equal(call(RELU, x), call(RELU, y))
    assert_equal(call(RELU, x), call(RELU, y), map_free_vars=True)
    assert not structural_equal(call(ADD, x, y), call(ADD, x, x), map_free_vars=True)


def test_sharing_of_graph_nodes_matters() -> None:
    x = Var("x")
    shared = call(RELU, x)
    once = call(ADD, shared, shared)
    twice = call(ADD, call(RELU, x), call(RELU, x))
    assert not structural_equal(once, twice)
    assert not structural_equal(twice, once)
    assert "args[1]" in (first_difference(once, twice) or "")


def test_sharing_of_constants_and_projections_does_not_matter() -> None:
    x = Var("x")
    one = constant(1.0)
    assert_equal(call(ADD, one, one), call(ADD, constant(1.0), constant(1.0)))
    item = TupleGetItem(x, 0)
    assert_equal(call(ADD, item, item), call(ADD, TupleGetItem(x, 0), TupleGetItem(x, 0)))
    assert_equal(call(ADD, Tuple(()), Tuple(())), call(ADD, *[Tuple(())] * 2))


@pytest.mark.parametrize(
    "other", [constant(2.0), constant(1.0, dtype="float64"), constant(1.0, 1.0), Constant(np.array(1.0, "float32"))]
)
def test_constants_differ_in_value_dtype_or_shape(other: Constant) -> None:
    assert not structural_equal(constant(1.0), other)


def test_let_renames_its_variable() -> None:
    def doubled_in_a_let(name: str) -> Let:
        var = Var(name)
        return Let(var, constant(1.0), call(ADD, var, var))

    assert_equal(doubled_in_a_let("a"), doubled_in_a_let("b"))


def test_type_parameters_are_renamed() -> None:
    def identity(name: str) -> FuncType:
        var = TypeVar(name)
        return FuncType((var,), var, (var,))

    assert_equal(identity("A"), identity("B"))
    free = TypeVar("C")
    assert not structural_equal(identity("A"), FuncType((free,), free, (TypeVar("A"),)))


def test_dimensions_compare_with_their_dtype() -> None:
    n = SizeVar("n")
    assert_equal(TensorType((1, n, ANY)), TensorType((1, n, ANY)))
    assert not structural_equal(TensorType((1,)), TensorType((IntImm(1, "int64"),)))
    assert not structural_equal(TensorType((n,)), TensorType((SizeVar("n"),)))
    assert structural_equal(TensorType((n,)), TensorType((SizeVar("m"),)), map_free_vars=True)


def test_numbers_compare_by_value_and_dtype() -> None:
    assert structural_equal({"a": 1e-5}, {"a": 1e-5 + 1e-12})
    assert structural_equal({"a": float("inf")}, {"a": float("inf")})
    assert not structural_equal({"a": 1.0}, {"a": FloatImm(1.0, "float64")})
    assert not structural_equal({"a": 1}, {"a": True})
    assert not structural_equal({"a": 1}, {"b": 1})


def test_spans_and_inferred_types_do_not_matter() -> None:
    x = Var("x")
    typed = call(RELU, x)
    typed.checked_type = TupleType(())
    assert_equal(typed, call(RELU, x))


def test_functions_of_modules_correspond_by_name() -> None:
    def module(first: str, second: str) -> IRModule:
        f, main, x = GlobalVar(first), GlobalVar(second), Var("x", FLOAT)
        return IRModule({f: doubled("a"), main: Function((x,), call(f, x))})

    assert_equal(module("f", "main"), module("f", "main"))
    assert not structural_equal(module("f", "main"), module("g", "main"))
    assert "@g" in (first_difference(module("f", "main"), module("g", "main")) or "")


def test_the_first_difference_names_the_place() -> None:
    x = Var("x", FLOAT)
    one = Function((x,), If(x, call(RELU, x), x))
    other = Function((x,), If(x, call(ADD, x), x))
    difference = first_difference(one, other)
    assert difference is not None
    assert difference.startswith("body.true_branch.op: ")
    assert "test.relu" in difference
    assert "test.add" in difference


def test_a_chain_of_100_000_calls_and_lets() -> None:
    def chain(length: int) -> Function:
        x = Var("x", FLOAT)
        value: Expr = x
        for _ in range(length):
            value = call(RELU, value)
        return Function((x,), value)

    assert_equal(chain(100_000), chain(100_000))
    assert not structural_equal(chain(1000), chain(1001))


def test_sharing_ten_times_doubled_is_linear() -> None:
    def doubled_often(times: int) -> Function:
        x = Var("x", FLOAT)
        value: Expr = x
        for _ in range(times):
            value = call(ADD, value, value)
        return Function((x,), value)

    assert_equal(doubled_often(500), doubled_often(500))
