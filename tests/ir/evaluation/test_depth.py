"""Deep programs run: evaluation keeps its own stack."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Call, Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.ir.types import TensorType

TYPE = TensorType((2,), "float32")
ONES = np.ones(2, np.float32)


def test_a_chain_of_100_000_calls() -> None:
    x = Var("x", TYPE)
    body: Expr = x
    for _ in range(100_000):
        body = Call(get("add"), (body, x))
    result = evaluate(IRModule.from_expr(Function((x,), body)), ONES)
    assert isinstance(result, np.ndarray)
    assert np.array_equal(result, [100_001, 100_001])


def test_10_000_nested_functions_each_called() -> None:
    x = Var("x", TYPE)
    body: Expr = x
    for index in range(10_000):
        body = Call(Function((Var(f"z{index}", TYPE),), body), (x,))
    result = evaluate(IRModule.from_expr(Function((x,), body)), ONES)
    assert isinstance(result, np.ndarray)
    assert np.array_equal(result, ONES)
