"""What operators become for a target: 8-bit products as its instructions want them, with the same results."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.printing import to_text
from relay_lsp.passes import PassContext, create, optimize
from relay_lsp.passes.legalization import register_legalization
from relay_lsp.passes.targets import Target, TargetKind, register_target_kind
from tests.passes.modules import assert_same, read, typed

FAST = "llvm -mcpu=cascadelake"
SLOW = "llvm"


def legalized(text, target, attribute="FTVMLegalize"):
    return typed(create("Legalize", legalize_map_attr_name=attribute, target=target)(read(text)))


def text_of(module):
    return to_text(module, show_types=False, show_spans=False)


def random_arrays(module):
    generator = np.random.default_rng(0)
    arrays = []
    for param in module["main"].params:
        dtype, shape = str(param.checked_type.dtype), tuple(param.checked_type.shape)
        bounds = np.iinfo(dtype)
        arrays.append(generator.integers(bounds.min, bounds.max + 1, shape).astype(dtype))
    return arrays


def conv2d(data, weight, layouts=("NCHW", "OIHW"), padding=1, outputs=8):
    shapes = (
        ("(1, 6, 5, 5)", f"({outputs}, 6, 3, 3)") if layouts[0] == "NCHW" else ("(1, 5, 5, 6)", f"(3, 3, 6, {outputs})")
    )
    return (
        f"def @main(%x: Tensor[{shapes[0]}, {data}], %w: Tensor[{shapes[1]}, {weight}]) {{ nn.conv2d(%x, %w, "
        f"padding=[{padding}, {padding}, {padding}, {padding}], channels={outputs}, kernel_size=[3, 3], "
        f'data_layout="{layouts[0]}", kernel_layout="{layouts[1]}", out_dtype="int32") }}'
    )


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (conv2d("int8", "int8"), FAST),
        (conv2d("uint8", "int8", padding=0), FAST),
        (conv2d("int8", "int8", ("NHWC", "HWIO")), FAST),
        (conv2d("uint8", "int8"), "llvm -device=arm_cpu -mtriple=aarch64-linux-gnu"),
        (
            "def @main(%x: Tensor[(3, 10), int8], %w: Tensor[(5, 10), int8]) "
            '{ nn.dense(%x, %w, units=None, out_dtype="int32") }',
            FAST,
        ),
        (
            "def @main(%x: Tensor[(2, 3, 8), int8], %w: Tensor[(2, 16, 8), int8]) "
            '{ nn.batch_matmul(%x, %w, out_dtype="int32", transpose_b=True) }',
            FAST,
        ),
    ],
)
def test_eight_bit_products_fill_blocks_and_compute_the_same(text, target):
    before, after = typed(read(text)), legalized(text, target)
    assert not ir.structural_equal(before, after)
    arrays = random_arrays(before)
    np.testing.assert_array_equal(ir.evaluate(after, *arrays), ir.evaluate(before, *arrays))
    assert_same(legalized(text, SLOW), before)


def quantized(operator, data, weight, zeros=("3", "8")):
    shapes = {"qnn.dense": ("(2, 4)", "(5, 4)"), "qnn.conv2d": ("(1, 4, 5, 5)", "(6, 4, 3, 3)")}[operator]
    more = "units=5" if operator == "qnn.dense" else "channels=6, kernel_size=[3, 3], padding=[0, 0, 0, 0]"
    return (
        f"def @main(%x: Tensor[{shapes[0]}, {data}], %w: Tensor[{shapes[1]}, {weight}]) "
        f'{{ {operator}(%x, %w, {zeros[0]}, {zeros[1]}, 1f, 1f, {more}, out_dtype="int32") }}'
    )


@pytest.mark.parametrize("operator", ["qnn.dense", "qnn.conv2d"])
@pytest.mark.parametrize(
    ("target", "data", "weight", "words"),
    [
        (SLOW, "uint8", "int8", 'dtype="int16"'),
        (FAST, "int8", "uint8", 'dtype="uint8"'),
        ("cuda", "uint8", "uint8", 'dtype="int8"'),
        ("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mattr=+v8.4a", "uint8", "int8", 'dtype="int8"'),
        ("vulkan", "uint8", "int8", 'dtype="int8"'),
    ],
)
def test_quantized_products_have_the_dtypes_of_the_target(operator, target, data, weight, words):
    text = quantized(operator, data, weight)
    before, after = typed(read(text)), legalized(text, target, "FTVMQnnLegalize")
    assert words in text_of(after)
    arrays = random_arrays(before)
    np.testing.assert_array_equal(ir.evaluate(after, *arrays), ir.evaluate(before, *arrays))


@pytest.mark.parametrize(("target", "data", "weight"), [(FAST, "uint8", "int8"), ("cuda", "int8", "int8")])
def test_what_suits_the_target_stays(target, data, weight):
    text = quantized("qnn.dense", data, weight)
    assert_same(legalized(text, target, "FTVMQnnLegalize"), typed(read(text)))


def test_requantization_is_computed_in_float_where_vectors_round():
    text = 'def @main(%x: Tensor[(4), int32]) { qnn.requantize(%x, 0.5f, 0, 0.25f, 0, out_dtype="int8") }'
    assert "fixed_point_multiply" in text_of(legalized(text, SLOW, "FTVMQnnCanonicalize"))
    assert "floor" in text_of(legalized(text, FAST, "FTVMQnnCanonicalize"))


def test_a_build_legalizes_for_its_target():
    with PassContext(opt_level=1):
        after = optimize(read(quantized("qnn.dense", "uint8", "int8")), "llvm")
    assert 'dtype="int16"' in text_of(after)
    with Target.parse(FAST):
        assert_same(create("Legalize")(read(conv2d("int8", "int8"))), legalized(conv2d("int8", "int8"), FAST))


def test_a_target_of_ones_own_has_legalizations_of_its_own():
    register_target_kind(TargetKind("without_tanh", 12, ("without_tanh",)))
    register_legalization("FTVMLegalize", "tanh", "without_tanh", lambda call, target: apply("fast_tanh", *call.args))
    text = "def @main(%x: Tensor[(4), float32]) { tanh(%x) }"
    assert "fast_tanh(%x)" in text_of(legalized(text, "without_tanh"))
    assert "fast_tanh(%x)" not in text_of(legalized(text, "llvm"))
