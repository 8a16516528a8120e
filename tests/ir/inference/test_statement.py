"""Typing one statement from the types of what it uses."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Function, Var
from relay_lsp.ir.inference import CANNOT_INFER, infer_statement
from relay_lsp.ir.ops import get
from relay_lsp.ir.types import ERROR, TensorType

TYPE = TensorType((2, 3), "float32")


def test_what_is_known_is_not_looked_into() -> None:
    used = Call(get("nn.relu"), (Var("x"),))
    statement = Call(get("add"), (used, used))
    inferred = infer_statement(statement, {used: TYPE})
    assert inferred.type == TYPE
    assert inferred.complete
    assert list(inferred.types) == [statement]


def test_nothing_is_written() -> None:
    x = Var("x")
    statement = Call(get("nn.relu"), (x,))
    infer_statement(statement, {x: TYPE})
    assert statement.checked_type is None


def test_an_error_before_the_statement_is_not_its_own() -> None:
    x = Var("x")
    inferred = infer_statement(Call(get("nn.relu"), (x,)), {x: ERROR})
    assert inferred.type is ERROR
    assert not inferred.diagnostics


def test_a_statement_that_needs_its_function_says_so() -> None:
    param = Var("a")
    inferred = infer_statement(Function((param,), Call(get("nn.relu"), (param,))), {})
    assert not inferred.complete
    assert [each.code for each in inferred.diagnostics] == [CANNOT_INFER]
