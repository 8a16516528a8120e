"""Computing on integers gives what computing on the numbers that they stand for gives, up to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import PassError, create
from relay_lsp.passes.fake_quantization import rules
from tests.passes.modules import assert_same, computed, read, typed


def converted(text, **options):
    before = typed(read(text))
    return before, typed(create("FakeQuantizationToInteger", **options)(before))


def operators(module):
    return ir.to_text(module, show_types=False, show_spans=False, show_meta_data=False)


def assert_close(before, after, *inputs, steps=1):
    """The quantised results differ by rounding at most."""
    wanted = computed(before, *inputs).astype(int)
    got = computed(after, *inputs).astype(int)
    assert np.abs(wanted - got).max() <= steps


IMAGE = np.random.default_rng(0).integers(-60, 60, (1, 3, 8, 8), dtype=np.int8)
KERNEL = np.random.default_rng(1).integers(-60, 60, (4, 3, 3, 3), dtype=np.int8)


def test_a_convolution_with_bias_computes_on_integers():
    before, after = converted(
        """
        def @main(%x: Tensor[(1, 3, 8, 8), int8], %w: Tensor[(4, 3, 3, 3), int8]) {
          %0 = qnn.dequantize(%x, 0.1f, 1);
          %1 = qnn.dequantize(%w, 0.05f, 0);
          %2 = nn.conv2d(%0, %1, padding=[1, 1, 1, 1], kernel_size=[3, 3], channels=4);
          %3 = nn.relu(%2);
          qnn.quantize(%3, 1.5f, -3, out_dtype="int8")
        }
        """
    )
    assert "qnn.conv2d" in operators(after)
    assert "dequantize" not in operators(after)
    assert_close(before, after, IMAGE, KERNEL)


@pytest.mark.parametrize(
    "operator",
    [
        "nn.max_pool2d(%0, pool_size=[2, 2])",
        "nn.avg_pool2d(%0, pool_size=[2, 2])",
        "nn.global_avg_pool2d(%0)",
        "clip(%0, a_min=-1f, a_max=2f)",
        "reshape(%0, newshape=[3, 64])",
        "add(%0, %0)",
        "multiply(%0, %0)",
        "maximum(%0, subtract(%0, %0))",
        "sigmoid(%0)",
        "nn.pad(%0, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]])",
        "concatenate((%0, %0), axis=1)",
        "mean(%0, axis=[2, 3])",
    ],
)
def test_an_operator_computes_on_integers(operator):
    before, after = converted(
        f"""
        def @main(%x: Tensor[(1, 3, 8, 8), int8]) {{
          %0 = qnn.dequantize(%x, 0.05f, 2);
          %1 = {operator};
          qnn.quantize(%1, 0.05f, 2, out_dtype="int8")
        }}
        """
    )
    assert "dequantize" not in operators(after)
    assert_close(before, after, IMAGE)


UNKNOWN = """
def @main(%x: Tensor[(1, 3, 8, 8), int8]) {
  %0 = qnn.dequantize(%x, 0.05f, 2);
  %1 = nn.relu(%0);
  %2 = sin(%1);
  qnn.quantize(%2, 0.05f, 2, out_dtype="int8")
}
"""


def test_a_region_with_an_operator_without_a_rule_stays():
    before, after = converted(UNKNOWN)
    assert_same(after, before)


def test_hard_fail_says_which_operator_has_no_rule():
    with pytest.raises(PassError, match="there is no rule for sin"):
        create("FakeQuantizationToInteger", hard_fail=True)(read(UNKNOWN))


def test_use_qat_converts_single_operators_of_such_a_region():
    before, after = converted(UNKNOWN, use_qat=True)
    assert "maximum(%x, meta" in operators(after)
    assert "qnn.dequantize" in operators(after)
    assert_close(before, after, IMAGE)


def test_a_parameter_in_the_region_keeps_it():
    before, after = converted(
        """
        def @main(%x: Tensor[(4), int8], %y: Tensor[(4), float32]) {
          %0 = qnn.dequantize(%x, 0.05f, 2);
          %1 = add(%0, %y);
          qnn.quantize(%1, 0.05f, 2, out_dtype="int8")
        }
        """
    )
    assert_same(after, before)


def test_a_call_of_a_function_in_the_region_is_refused():
    with pytest.raises(PassError, match="calls a function"):
        create("FakeQuantizationToInteger")(
            read(
                """
                def @main(%x: Tensor[(4), int8]) {
                  %0 = qnn.dequantize(%x, 0.05f, 2);
                  %1 = fn (%y: Tensor[(4), float32]) { nn.relu(%y) };
                  %2 = %1(%0);
                  qnn.quantize(%2, 0.05f, 2, out_dtype="int8")
                }
                """
            )
        )


def test_users_give_operators_rules(monkeypatch):
    from relay_lsp.passes.fake_quantization import region

    monkeypatch.setattr(region, "_rules", dict(region._rules))

    @region.register_fake_quantization_to_integer("negative")
    def negative(call, where):
        return apply("negative", call.args[0]), where.tensor_type(call.args[0])

    before, after = converted(
        """
        def @main(%x: Tensor[(1, 3, 8, 8), int8]) {
          qnn.quantize(negative(qnn.dequantize(%x, 0.05f, 0)), 0.05f, 0, out_dtype="int8")
        }
        """
    )
    assert "qnn" not in operators(after)
    assert_close(before, after, IMAGE)
    assert rules  # The rules of TVM's operators are there besides.
