"""What the counter reports for ResNet-18 with bound parameters, as TVM's own counter reports it."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.expressions import Constant, Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.testing import resnet
from relay_lsp.ir.types import TensorType
from relay_lsp.passes import PassContext, Sequential, create
from relay_lsp.passes.binding import bind
from relay_lsp.passes.instruments import OperatorCounter


def resnet_18() -> IRModule:
    """ResNet-18 whose parameters are positive constants."""
    main = resnet(num_layers=18)["main"]
    data, *params = main.params
    generator = np.random.default_rng(0)

    def value(param: Var) -> Expr:
        assert isinstance(param.type_annotation, TensorType)
        shape = tuple(dim for dim in param.type_annotation.shape if isinstance(dim, int))
        return Constant(generator.uniform(0.5, 1.5, shape).astype("float32"))

    body = bind(main.body, {param: value(param) for param in params})
    return IRModule.from_expr(Function((data,), body))


def test_a_pipeline_of_five_passes():
    names = ["SimplifyInference", "FoldConstant", "FoldScaleAxis", "FoldConstant", "FuseOps"]
    counter = OperatorCounter()
    with PassContext(opt_level=3, instruments=[counter]):
        Sequential([create(name) for name in names])(resnet_18())
    assert [
        (difference.depth, difference.pass_name, dict(difference.difference)) for difference in counter.differences
    ] == [
        (
            1,
            "SimplifyInference",
            {
                "add": 57,
                "divide": 19,
                "expand_dims": 38,
                "multiply": 56,
                "negative": 19,
                "nn.batch_norm": -19,
                "sqrt": 19,
            },
        ),
        (
            1,
            "FoldConstant",
            {"add": -38, "divide": -19, "expand_dims": -38, "multiply": -37, "negative": -19, "sqrt": -19},
        ),
        (2, "BackwardFoldScaleAxis", {"expand_dims": 9, "squeeze": 9}),
        (2, "ForwardFoldScaleAxis", {"divide": 9, "expand_dims": 22, "multiply": 4, "squeeze": 9}),
        (2, "FoldConstant", {"divide": -9, "expand_dims": -31, "multiply": -22, "squeeze": -18}),
        (1, "FoldScaleAxis", {"multiply": -18}),
        (0, "sequential", {"add": 19, "multiply": 1, "nn.batch_norm": -19}),
    ]
