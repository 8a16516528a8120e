"""Legalize: what quantised and other operators become keeps its meaning, and is plain."""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, create
from relay_lsp.passes.verification import verify
from tests.passes.modules import assert_same, read, typed

CONVOLUTION = """
def @main(%x: Tensor[(1, 4, 6, 6), uint8], %w: Tensor[({channels}, {inputs}, 3, 3), uint8]) {{
  qnn.conv2d(%x, %w, {data}, {weight}, 1f, 1f, channels={channels}, kernel_size=[3, 3], out_dtype="int32", {attrs})
}}
"""

QUANTISED = {
    "add": "def @main(%x: Tensor[(4), int8], %y: Tensor[(4), int8]) { qnn.add(%x, %y, 0.5f, 3, 0.25f, 1, 0.75f, -2) }",
    "subtract, one operand as the result": "def @main(%x: Tensor[(4), int8], %y: Tensor[(4), int8]) "
    "{ qnn.subtract(%x, %y, 0.5f, 3, 0.25f, 1, 0.5f, 3) }",
    "mul": "def @main(%x: Tensor[(4), uint8], %y: Tensor[(4), uint8]) { qnn.mul(%x, %y, 0.5f, 3, 0.25f, 1, 0.75f, 2) }",
    "leaky_relu": "def @main(%x: Tensor[(9), int8]) { qnn.leaky_relu(%x, 0.5f, 3, 0.25f, 1, alpha=0.3f) }",
    "concatenate": "def @main(%x: Tensor[(4), int8], %y: Tensor[(4), int8]) "
    "{ qnn.concatenate((%x, %y), (0.5f, 0.25f), (3, 1), 0.5f, 3) }",
    "requantize": 'def @main(%x: Tensor[(2, 4), int32]) { qnn.requantize(%x, 0.5f, 3, 2f, 1, out_dtype="int8") }',
    "requantize to the nearest": "def @main(%x: Tensor[(2, 4), int32]) "
    '{ qnn.requantize(%x, 0.5f, 3, 2f, 1, rounding="TONEAREST", out_dtype="int8") }',
    "requantize in float32": "def @main(%x: Tensor[(2, 4), int32]) "
    '{ qnn.requantize(%x, 0.5f, 3, 2f, 1, rounding="TONEAREST", compute_dtype="float32", out_dtype="int8") }',
    "quantize along an axis": "def @main(%x: Tensor[(2, 3, 4), float32], %s: Tensor[(3), float32]) "
    '{ qnn.quantize(%x, %s, 1, axis=1, out_dtype="uint8") }',
    "dequantize along an axis": "def @main(%x: Tensor[(2, 3, 4), int8], %s: Tensor[(3), float32], "
    "%z: Tensor[(3), int32]) { qnn.dequantize(%x, %s, %z, axis=1) }",
    "hardswish": "def @main(%x: Tensor[(9), int8]) { qnn.hardswish(%x, 0.5f, 3, 0.25f, 1) }",
    "dense": "def @main(%x: Tensor[(2, 4), uint8], %w: Tensor[(3, 4), uint8]) "
    '{ qnn.dense(%x, %w, 3, 5, 1f, 1f, units=3, out_dtype="int32") }',
    "dense with computed zero points": "def @main(%x: Tensor[(2, 4), uint8], %w: Tensor[(3, 4), uint8], "
    '%z: int32, %q: Tensor[(3), int32]) { qnn.dense(%x, %w, %z, %q, 1f, 1f, units=3, out_dtype="int32") }',
    "batch_matmul": "def @main(%x: Tensor[(2, 3, 4), int8], %y: Tensor[(2, 5, 4), int8]) "
    '{ qnn.batch_matmul(%x, %y, 3, 5, 1f, 1f, out_dtype="int32", transpose_b=True) }',
    "conv2d": CONVOLUTION.format(channels=2, inputs=4, data=3, weight=5, attrs="padding=[1, 0, 0, 2]"),
    "conv2d, symmetric": CONVOLUTION.format(channels=2, inputs=4, data=0, weight=0, attrs="padding=[0, 0, 0, 0]"),
    "conv2d, depthwise": CONVOLUTION.format(channels=4, inputs=1, data=3, weight=5, attrs="groups=4, strides=[2, 2]"),
    "conv2d, grouped": CONVOLUTION.format(channels=2, inputs=2, data=3, weight=5, attrs="groups=2"),
    "conv2d, dilated": CONVOLUTION.format(channels=2, inputs=4, data=3, weight=5, attrs="dilation=[2, 2]"),
}


def operators(module) -> set[str]:
    """The names of all operators that are called."""
    return {
        expr.op.name
        for function in module.functions.values()
        for expr in post_order(function)
        if isinstance(expr, Call) and isinstance(expr.op, Op)
    }


@pytest.mark.parametrize("text", QUANTISED.values(), ids=QUANTISED)
def test_quantised_operators_become_plain_ones_that_compute_the_same(text):
    before = typed(read(text))
    after = typed(create("QnnCanonicalize")(before))
    assert not [name for name in operators(after) if name.startswith("qnn.")]
    assert verify(before, after).agrees


@pytest.mark.parametrize("name", ["abs", "erf", "exp", "hardswish", "log", "rsqrt", "sigmoid", "sqrt", "tanh"])
def test_functions_of_one_quantised_tensor_become_tables(name):
    before = typed(read(f"def @main(%x: Tensor[(300), int8]) {{ qnn.{name}(%x, 0.05f, 3, 0.1f, 1) }}"))
    after = typed(create("QnnLegalize")(before))
    assert operators(after) == {"reinterpret", "take"}
    assert verify(before, after).agrees


PLAIN = {
    "a transposed convolution in NHWC": """
        def @main(%x: Tensor[(1, 5, 5, 2), float32], %w: Tensor[(3, 3, 4, 2), float32]) {
          nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWOI")
        }""",
    "a transposed convolution in NDHWC": """
        def @main(%x: Tensor[(1, 3, 3, 3, 2), float32], %w: Tensor[(2, 4, 3, 3, 3), float32]) {
          nn.conv3d_transpose(%x, %w, channels=4, kernel_size=[3, 3, 3], data_layout="NDHWC", kernel_layout="IODHW")
        }""",
    "the gradient of a weight": """
        def @main(%dy: Tensor[(2, 4, 3, 3), float32], %x: Tensor[(2, 3, 8, 8), float32]) {
          nn.conv2d_backward_weight(%dy, %x, strides=[2, 2], padding=[0, 0, 0, 0], channels=4, kernel_size=[3, 3],
                                    kernel_layout="NCHW", out_layout="OIHW")
        }""",
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_plain_operators_in_unusual_forms_become_usual_ones(text):
    before = typed(read(text))
    after = typed(create("Legalize")(before))
    assert after is not before
    assert verify(before, after).agrees


def test_clipping_to_what_a_requantisation_keeps_is_left_out():
    assert_same(
        create("Legalize")(
            read(
                """
                def @main(%x: Tensor[(4), int32]) {
                  %0 = qnn.requantize(%x, 0.5f, 3, 2f, 1, out_dtype="int8");
                  (clip(%0, a_min=-128f, a_max=127f), clip(%0, a_min=0f, a_max=127f))
                }
                """
            )
        ),
        read(
            """
            def @main(%x: Tensor[(4), int32]) {
              %0 = qnn.requantize(%x, 0.5f, 3, 2f, 1, out_dtype="int8");
              (%0, clip(%0, a_min=0f, a_max=127f))
            }
            """
        ),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            'def @main(%x: Tensor[(4), int32], %s: float32) { qnn.requantize(%x, 1f, 0, %s, 0, out_dtype="int8") }',
            "the output scale must be a constant",
        ),
        (
            'def @main(%x: Tensor[(4), int32]) { qnn.requantize(%x, 1f, 0, 0f, 0, out_dtype="int8") }',
            "the output scale must not be 0",
        ),
        (
            "def @main(%x: Tensor[(4, ?), uint8], %w: Tensor[(3, ?), uint8]) "
            '{ qnn.dense(%x, %w, 3, 5, 1f, 1f, units=3, out_dtype="int32") }',
            "dimension 1 of argument 0 must be known",
        ),
    ],
)
def test_what_cannot_be_replaced_is_refused_with_the_reason(text, reason):
    with pytest.raises(PassError, match=reason) as caught:
        create("Legalize", legalize_map_attr_name="FTVMQnnCanonicalize")(read(text))
    assert caught.value.diagnostics[0].place is not None
