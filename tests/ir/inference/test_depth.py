"""Deep programs: inference keeps its own stack and takes linear time."""

from __future__ import annotations

from relay_lsp.ir import infer_types
from relay_lsp.ir.expressions import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.ir.types import TensorType

TYPE = TensorType((1, 64), "float32")


def check_types(body: Expr, params: tuple[Var, ...]) -> IRModule:
    inferred = infer_types(IRModule.from_expr(Function(params, body)))
    assert not inferred.diagnostics
    assert inferred.module["main"].checked_type is not None
    return inferred.module


def test_a_chain_of_100_000_calls() -> None:
    x = Var("x", TYPE)
    body: Expr = x
    for _ in range(100_000):
        body = Call(get("nn.relu"), (body,))
    assert check_types(body, (x,))["main"].ret_type == TYPE


def test_10_000_nested_functions() -> None:
    body: Expr = Tuple(())
    for _ in range(10_000):
        body = Function((Var("x", TYPE),), body)
    check_types(body, ())


def test_10_000_nested_functions_without_a_known_parameter() -> None:
    body: Expr = Tuple(())
    for _ in range(10_000):
        body = Function((Var("x"),), body)
    inferred = infer_types(IRModule.from_expr(body))
    assert len(inferred.diagnostics) == 10_000


def test_a_chain_of_100_000_calls_whose_type_is_known_last() -> None:
    """The parameter is open until the call at the very outside: every relation waits, and is solved."""
    x, open_parameter = Var("x", TYPE), Var("z")
    body: Expr = open_parameter
    for _ in range(100_000):
        body = Call(get("nn.relu"), (body,))
    assert check_types(Call(Function((open_parameter,), body), (x,)), (x,))["main"].ret_type == TYPE


def test_10_000_nested_functions_that_learn_their_parameter_from_their_call() -> None:
    x = Var("x", TYPE)
    body: Expr = x
    for _ in range(10_000):
        body = Call(Function((Var("z"),), body), (x,))
    assert check_types(body, (x,))["main"].ret_type == TYPE


def test_100_000_lets() -> None:
    x = Var("x", TYPE)
    variables = [Var(f"v{index}") for index in range(100_000)]
    body: Expr = variables[-1]
    for index in reversed(range(100_000)):
        body = Let(variables[index], Call(get("nn.relu"), (variables[index - 1] if index else x,)), body)
    assert check_types(body, (x,))["main"].ret_type == TYPE


def test_a_tuple_of_100_000_fields_in_deep_tuples() -> None:
    x = Var("x", TYPE)
    body: Expr = Tuple((x,) * 100_000)
    for _ in range(1_000):
        body = Tuple((body,))
    for _ in range(1_000):
        body = TupleGetItem(body, 0)
    check_types(body, (x,))
