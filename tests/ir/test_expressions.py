"""Expressions in Python programs: their text, what they say of themselves, and Python's operators on them."""

from __future__ import annotations

import operator

import pytest

from relay_lsp.ir.builder import call, constant, function, var
from relay_lsp.ir.expressions import Call, Expr, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.syntax import parse


def vector(name: str, dtype: str = "float32") -> Expr:
    return var(name, (3,), dtype)


def body(expr: Expr) -> str:
    """The statements of the text of an expression, without its free variables."""
    return "\n".join(line for line in str(expr).splitlines() if not line.startswith("free_var"))


def test_arithmetic_is_written_as_in_python() -> None:
    x, y = vector("x"), vector("y")
    assert body(-(x + y) / 2.0) == "%0 = add(%x, %y);\n%1 = negative(%0);\ndivide(%1, 2f)"
    assert body(1 - x) == "subtract(1f, %x)"
    assert body((x < y).astype("int32") * 3) == '%0 = less(%x, %y);\n%1 = cast(%0, dtype="int32");\nmultiply(%1, 3)'


def test_a_number_takes_the_dtype_of_the_other_operand_where_that_is_known() -> None:
    assert body(vector("x", "int64") + 1) == "add(%x, 1i64)"
    with pytest.raises(TypeError, match="dtype of the other operand is not known"):
        operator.add(var("x"), 1)


@pytest.mark.parametrize("compare", ["__lt__", "__le__", "__gt__", "__ge__"])
def test_comparisons_are_calls(compare: str) -> None:
    made = getattr(vector("x"), compare)(vector("y"))
    assert isinstance(made, Call)
    assert isinstance(made.op, Op)
    assert made.op.name == {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}[compare[2:4]]


def test_expressions_are_compared_by_identity() -> None:
    x = vector("x")
    assert x == x
    assert x != vector("x")


def test_results_are_taken_by_number_or_by_name() -> None:
    normalised = call("nn.batch_norm", *(vector(name) for name in "abcde"))
    value, mean, variance = normalised
    assert [repr(each) for each in (value, mean, variance)] == [
        f"<TupleGetItem nn.batch_norm(…).{index}>" for index in range(3)
    ]
    assert repr(normalised[-1]) == repr(variance)
    with pytest.raises(IndexError, match="has 3 fields"):
        normalised[3]
    x = vector("x")
    assert list(Tuple([x])) == [x]
    assert len(list(call("split", x, indices_or_sections=3, axis=0))) == 3


def test_what_is_no_tuple_has_no_fields() -> None:
    with pytest.raises(TypeError, match="not known to be a tuple"):
        list(vector("x"))


def test_an_expression_says_what_it_is() -> None:
    conv = call("nn.conv2d", vector("x"), vector("w"), padding=1)
    assert repr(conv) == "<Call nn.conv2d(%x, %w, padding=(1, 1, 1, 1))>"
    assert repr(call("add", conv, constant(2.0))) == "<Call add(nn.conv2d(…), 2f)>"
    assert repr(function(conv)) == "<Function fn (%x, %w)>"


def test_a_module_prints_as_its_text() -> None:
    module = IRModule.from_expr(vector("x") + vector("y"))
    assert str(module) == "def @main(%x: Tensor[(3), float32], %y: Tensor[(3), float32]) {\n  add(%x, %y)\n}\n"
    assert repr(module) == "<IRModule @main(%x, %y)>"
    assert structural_equal(parse(module.text()).module, module)


def test_lists_may_stand_for_tuples() -> None:
    x = vector("x")
    assert Tuple([x]).fields == (x,)
    assert function(x, [x]).params == (x,)  # type: ignore[list-item]


def test_any_function_value_can_be_called() -> None:
    x = vector("x")
    made = var("f")(x)
    assert isinstance(made, Call)
    assert made.args == (x,)
