"""Sparse weights compute what the dense ones do."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import PassContext, PassError, create
from tests.passes.modules import computed, read, typed


def weight(shape, seed=0):
    """Weights of which most rows of a matrix are zeros."""
    random = np.random.default_rng(seed)
    values = random.uniform(-1, 1, shape).astype("float32")
    return np.where(random.uniform(size=shape) < 0.1, values, np.float32(0)).astype("float32")


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("blocks", [(1, 1), (2, 1), (4, 2)])
def test_a_constant_weight_of_zeros_becomes_blocks_that_compute_the_same(layout, blocks):
    shapes = {"NCHW": ((1, 8, 5, 5), (16, 8, 1, 1), "OIHW"), "NHWC": ((1, 5, 5, 8), (1, 1, 8, 16), "HWIO")}
    data_shape, weight_shape, kernel_layout = shapes[layout]
    data = ir.Var("x", ir.TensorType(data_shape, "float32"))
    call = apply(
        "nn.conv2d",
        data,
        ir.Constant(weight(weight_shape)),
        padding=(0, 0, 0, 0),
        channels=16,
        kernel_size=(1, 1),
        data_layout=layout,
        kernel_layout=kernel_layout,
    )
    module = typed(ir.IRModule.from_expr(ir.Function((data,), call)))
    options = {"layout": layout, "kernel_size": 1, "blocksize": blocks, "sparsity_threshold": 0.2}
    with PassContext(opt_level=5):
        after = create("Conv2dToSparse2", **options)(module)
        same = create("Conv2dToSparse2", **{**options, "sparsity_threshold": 0.999})(module)
    assert "nn.sparse_conv2d" in ir.to_text(after, show_meta_data=False)
    assert ir.structural_equal(same, module)
    x = np.random.default_rng(1).uniform(-1, 1, data_shape).astype("float32")
    np.testing.assert_allclose(computed(after, x), computed(module, x), rtol=1e-5, atol=1e-5)


def test_a_weight_becomes_three_parameters_at_the_end():
    module = read(
        "def @main(%w: Tensor[(32, 64), float32], %x: Tensor[(1, 64), float32]) { nn.dense(%x, %w, units=32) }"
    )
    after = typed(create("DenseToSparse", weight_name=["w"], weight_shape=[[2, 16, 1, 2, 3]])(module))
    assert [param.name_hint for param in after["main"].params] == ["x", "w.data", "w.indices", "w.indptr"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("DenseToSparse", {"weight_name": ["w"], "weight_shape": []}, "1 names, and weight_shape 0 shapes"),
        ("DenseToSparse", {"weight_name": ["w"], "weight_shape": [[1, 2]]}, "2 numbers, and 5 are needed"),
        (
            "Conv2dToSparse2",
            {"layout": "NCHW", "kernel_size": 1, "blocksize": [1], "sparsity_threshold": 0.5},
            "two positive numbers",
        ),
    ],
)
def test_what_does_not_agree_is_refused(name, options, message):
    with pytest.raises(PassError, match=message):
        create(name, **options)(read("def @main(%x: int32) { %x }"))
