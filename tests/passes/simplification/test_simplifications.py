"""The small print of what SimplifyExpr and SimplifyInference put in the place of an operator."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import create
from tests.passes.modules import assert_same, read


def plus(constant: np.ndarray) -> IRModule:
    value = Var("x", TensorType((3, 4), "float32"))
    return IRModule.from_expr(Function((value,), apply("add", value, Constant(constant))))


def test_one_element_is_neutral_whatever_its_rank():
    after = create("SimplifyExpr")(plus(np.zeros((1, 1), np.float32)))
    assert_same(after, read("def @main(%x: Tensor[(3, 4), float32]) { %x }"))


def test_several_elements_are_left_alone():
    before = plus(np.zeros((1, 4), np.float32))
    assert_same(create("SimplifyExpr")(before), before)


def test_epsilon_is_rounded_to_float32_whatever_the_dtype():
    before = read(
        """
        def @main(%x: Tensor[(2, 4), float64], %gamma: Tensor[(4), float64], %beta: Tensor[(4), float64]) {
          nn.layer_norm(%x, %gamma, %beta)
        }
        """
    )
    main = create("SimplifyInference")(before)["main"]
    constants = [expr for expr in post_order(main) if isinstance(expr, Constant)]
    assert [(float(constant.data), constant.dtype) for constant in constants] == [(float(np.float32(1e-5)), "float64")]
    assert not any(isinstance(expr, Call) and repr(expr.op) == "nn.layer_norm" for expr in post_order(main))
