"""Kernels take sizes from the arrays: they work where inference knows a dimension only as ``?``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Var
from relay_lsp.ir.inference import infer_expr
from relay_lsp.ir.types import ANY, TensorType

IMAGES, WEIGHT = (2, 4, 6, 6), (4, 4, 3, 3)

CALLS = [
    ("nn.conv2d", [IMAGES, WEIGHT], {}),
    ("nn.conv2d_transpose", [IMAGES, WEIGHT], {"strides": (2, 2)}),
    ("nn.max_pool2d", [IMAGES], {"pool_size": (2, 2), "ceil_mode": True, "strides": (4, 4)}),
    ("nn.adaptive_avg_pool2d", [IMAGES], {"output_size": (4, 3)}),
    ("nn.adaptive_max_pool2d", [IMAGES], {}),
    ("nn.global_avg_pool2d", [IMAGES], {}),
    ("nn.upsampling", [IMAGES], {"scale_h": 1.5, "scale_w": 2.0}),
    ("nn.correlation", [IMAGES, IMAGES], {}),
    ("nn.dense", [(2, 6), (3, 6)], {"units": None}),
    ("nn.batch_matmul", [(2, 3, 4), (2, 4, 5)], {}),
    ("nn.batch_flatten", [IMAGES], {}),
    ("nn.pad", [IMAGES, ()], {"pad_width": ((0, 0), (0, 0), (1, 1), (2, 0))}),
    ("nn.softmax", [(2, 6)], {}),
    ("nn.depth_to_space", [IMAGES], {"block_size": 2}),
    ("nn.layer_norm", [(2, 6), (6,), (6,)], {}),
]


@pytest.mark.parametrize(("name", "shapes", "attrs"), CALLS)
def test_unknown_dimensions(name: str, shapes: list[tuple[int, ...]], attrs: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(size=shape) for shape in shapes]
    op = ops.get(name)
    assert op.kernel is not None
    made = op.attrs_type(**attrs) if op.attrs_type else None

    def result(types: list[TensorType]) -> Any:
        variables = tuple(Var(f"x{number}", type) for number, type in enumerate(types))
        inferred = infer_expr(Call(op, variables, made))
        assert not inferred.diagnostics
        assert inferred.expr.checked_type is not None
        assert op.kernel is not None
        return op.kernel(made, arrays, inferred.expr.checked_type)

    known = result([TensorType(shape, "float64") for shape in shapes])
    data, *others = shapes
    unknown = result([TensorType((ANY,) * len(data), "float64"), *(TensorType(shape, "float64") for shape in others)])
    np.testing.assert_array_equal(unknown, known)
