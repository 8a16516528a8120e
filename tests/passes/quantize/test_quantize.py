"""Quantisation keeps what a network computes, up to its steps, and does what the configuration says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassContext, PassError, Trace, bind_params_by_name, create
from relay_lsp.passes.quantize import find_scale_by_kl, qconfig, quantize
from relay_lsp.passes.verification import verify
from tests.passes.modules import assert_same, computed, read, typed

RANDOM = np.random.default_rng(0)
PARAMS = {
    "w": RANDOM.standard_normal((4, 3, 3, 3), np.float32) * np.float32(0.3),
    "v": RANDOM.standard_normal((4, 4, 3, 3), np.float32) * np.float32(0.3),
    "b": RANDOM.standard_normal(4, np.float32),
    "g": np.ones(4, np.float32),
}
IMAGE = RANDOM.standard_normal((1, 3, 8, 8), np.float32)


def network():
    """Two convolutions, a batch norm, a residual connection, and pooling."""
    return read(
        """
        def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32], %b: Tensor[(4), float32],
            %v: Tensor[(4, 4, 3, 3), float32], %g: Tensor[(4), float32]) {
          %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], kernel_size=[3, 3], channels=4);
          %1 = nn.batch_norm(%0, %g, %b, %b, %g);
          %2 = nn.relu(%1.0);
          %3 = nn.conv2d(%2, %v, padding=[1, 1, 1, 1], kernel_size=[3, 3], channels=4);
          %4 = add(%3, %2);
          %5 = nn.max_pool2d(%4, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0]);
          nn.batch_flatten(%5)
        }
        """
    )


def quantized(**options):
    with qconfig(**{"skip_conv_layers": [], **options}):
        return quantize(network(), PARAMS, [{"x": IMAGE}, {"x": IMAGE * 0.5}])


def calls(module, *names: str) -> list[Any]:
    """The calls of these operators in every function."""
    return [expr for var in module.functions for expr in post_order(module[var]) if is_call_to(expr, *names)]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, 0.7),
        ({"rounding": "TONEAREST", "weight_scale": "max"}, 0.7),
        ({"calibrate_mode": "percentile", "calibrate_chunk_by": 2}, 0.7),
        ({"round_for_shift": False}, 0.9),
        ({"do_simulation": True}, 0.3),
        ({"skip_conv_layers": [0, 1]}, 1e-5),
        ({"debug_enabled_ops": ["nn.conv2d", "annotation.cast_hint"]}, 0.7),
    ],
)
def test_the_result_is_close(options, error):
    wanted = computed(bind_params_by_name(network(), PARAMS), IMAGE)
    got = computed(quantized(**options), IMAGE)
    assert np.abs(got - wanted).max() <= error * np.abs(wanted).max()


def test_layers_compute_on_integers_but_for_those_that_are_skipped():
    layers = calls(typed(quantized(skip_conv_layers=[0])), "nn.conv2d")
    dtypes = [str(layer.checked_type.dtype) for layer in layers]
    assert dtypes == ["float32", "int32"]


def test_simulation_stays_in_floats():
    assert calls(quantized(do_simulation=True), "relay.op.annotation.simulated_quantize")
    assert not calls(quantized(), "relay.op.annotation.simulated_quantize")


def test_conversions_become_functions_of_their_own():
    whole, parted = quantized(), quantized(partition_conversions="fully_integral")
    assert {var.name_hint for var in parted.functions} == {
        "main",
        "quantize_inputs",
        "quantized_main",
        "dequantize_outputs",
    }
    assert np.array_equal(computed(whole, IMAGE), computed(parted, IMAGE))


def test_an_input_that_is_used_twice_is_converted_once():
    module = read(
        """
        def @main(%x: Tensor[(4), float32]) {
          %0 = multiply(%x, 16f);
          %1 = cast(%0, dtype="int8");
          %2 = nn.relu(%1);
          %3 = negative(%1);
          %4 = subtract(%2, %3);
          cast(%4, dtype="float32")
        }
        """
    )
    after = create("PartitionConversions")(module)
    assert len(after["quantized_main"].params) == 1
    values = np.array([-1, 0, 0.5, 2], np.float32)
    assert np.array_equal(computed(module, values), computed(after, values))


def test_main_takes_what_it_took():
    text = """
        def @main(%first: float32, %unused: float32, %second: float32) {
          let %a = multiply(%second, 4f);
          let %b = exp(%first);
          subtract(exp(%a), %b)
        }
        """
    module = read(text)
    after = create("PartitionConversions")(module)
    assert [param.name_hint for param in after["main"].params] == ["first", "unused", "second"]
    assert verify(module, after).agrees
    both = read("def @main(%x: float32) { add(exp(add(%x, 2f)), exp(%x)) }")
    assert verify(both, create("PartitionConversions")(both)).agrees


def test_each_part_has_variables_of_its_own():
    module = read("def @main(%x: float32) { let %y = add(%x, 2f); let %z = %y; (%z, exp(%x)) }")
    after = create("PartitionConversions")(module)
    bound = [param for function in after.functions.values() for param in function.params]
    assert len(bound) == len(set(bound))
    assert_same(parse(to_text(after)).module, after)


def test_a_layer_in_floats_between_integers_is_refused_where_all_must_be_integers():
    module = read(
        """
        def @main(%x: Tensor[(1, 4, 4, 4), float32], %w: Tensor[(4, 4, 1, 1), float32], %b: Tensor[(4), float32]) {
          %0 = nn.conv2d(%x, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1], channels=4);
          nn.bias_add(%0, %b)
        }
        """
    )
    params = {"w": np.ones((4, 4, 1, 1), np.float32), "b": np.ones(4, np.float32)}
    with (
        qconfig(skip_conv_layers=[], partition_conversions="fully_integral"),
        pytest.raises(PassError, match="does more than to convert"),
    ):
        quantize(module, params)


def test_the_first_value_is_scaled_by_a_shift_to_the_left_where_its_scale_is_smaller():
    """As TVM's own test of a weight of 256 has it."""
    module = read(
        """
        def @main(%x: Tensor[(1, 16, 8, 8), float32], %w: Tensor[(16, 16, 3, 3), float32]) {
          %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], kernel_size=[3, 3], channels=16);
          nn.relu(%0)
        }
        """
    )
    after = quantize(module, {"w": np.full((16, 16, 3, 3), 256, np.float32)})
    assert [int(shift.args[1].data) for shift in calls(after, "left_shift")] == [1]


def test_after_a_global_average_everything_stays_in_floats():
    module = read(
        """
        def @main(%x: Tensor[(1, 4, 4, 4), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
          %0 = nn.conv2d(%x, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1], channels=4);
          %1 = nn.global_avg_pool2d(%0);
          nn.conv2d(%1, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1], channels=4)
        }
        """
    )
    with Trace(remarks=True) as trace:
        create("QuantizeAnnotate", skip_conv_layers=[])(create("QuantizePartition")(module))
    reasons = [remark.message() for step in trace.steps for remark in step.remarks if remark.kind == "missed"]
    assert "kept in floats: it comes after nn.global_avg_pool2d, where quantisation ends" in reasons


def divergence_at(counts, half, steps):
    """The divergence when ``2 * half + 1`` bins are kept and merged into ``steps``, from its definition."""
    zero = len(counts) // 2
    kept = [0, *counts[zero - half + 1 : zero + half + 1]]
    own = list(kept)
    own[0], own[-1] = sum(counts[: zero - half + 1]), kept[-1] + sum(counts[zero + half + 1 :])
    width, other = len(kept) // steps, [0.0] * len(kept)
    for step in range(steps):
        places = range(step * width, len(kept) if step == steps - 1 else (step + 1) * width)
        filled = sum(kept[place] != 0 for place in places)
        for place in places:
            if filled and own[place]:
                other[place] = sum(kept[each] for each in places) / filled

    def smooth(values):
        zeros = values.count(0)
        taken = 0.0001 * zeros / (len(values) - zeros) if zeros < len(values) else 1
        return [] if taken >= 1 else [value - taken if value else 0.0001 for value in values]

    p, q = smooth(own), smooth(other)
    if not q:
        return float("inf")
    return sum(a / sum(p) * np.log(a / sum(p) / (b / sum(q))) for a, b in zip(p, q, strict=True))


def test_the_threshold_is_where_the_divergence_is_least():
    values = np.concatenate([RANDOM.standard_normal(3000), [9.0]]).astype(np.float32)
    counts, edges = np.histogram(values, bins=201, range=(-9, 9))
    divergences = [divergence_at(counts.tolist(), half, 31) for half in range(15, 101)]
    wanted = edges[100 + 15 + int(np.argmin(divergences)) + 1]
    assert find_scale_by_kl(values, bins=201, quantized_bins=31) == pytest.approx(wanted)
    assert wanted < 5


@pytest.mark.parametrize(
    ("name", "options", "text", "reason"),
    [
        (
            "QuantizeCalibrate",
            {"calibrate_mode": "kl_divergence"},
            "relay.op.annotation.simulated_quantize(%x, %s, %l, %h, kind=1)",
            "needs a data set: give dataset or dataset_files",
        ),
        (
            "QuantizeCalibrate",
            {"calibrate_mode": "percentile", "dataset": [{"y": [1.0]}]},
            "relay.op.annotation.simulated_quantize(%x, %s, %l, %h, kind=1)",
            "batch 0 of the data set has no value for %x",
        ),
        (
            "QuantizeCalibrate",
            {},
            "relay.op.annotation.simulated_quantize(%x, %s, %l, %h, kind=2)",
            "the weight must be a constant: bind the parameters",
        ),
        (
            "QuantizeRealize",
            {},
            "relay.op.annotation.simulated_quantize(%x, %s, %l, %h, kind=1)",
            "run QuantizeCalibrate before",
        ),
        ("QuantizeCalibrate", {"calibrate_mode": "magic"}, "%x", "must be one of global_scale, kl_divergence"),
        ("QuantizeAnnotate", {"skip_conv_layers": "0"}, "%x", "takes a list of integers or None"),
        ("QuantizePartition", {"dtype_input": "int7x"}, "%x", "takes a dtype"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(name, options, text, reason):
    module = read(f"def @main(%x: Tensor[(4), float32], %s: float32, %l: float32, %h: float32) {{ {text} }}")
    with pytest.raises(PassError, match=reason):
        create(name, **options)(module)


def test_an_option_that_is_not_known_is_refused():
    with pytest.raises(PassError, match="there is no option skip_dense_layers of quantisation"):
        qconfig(skip_dense_layers=False)


def test_the_pass_does_what_the_function_does():
    with PassContext(opt_level=3):
        after = create("AutoQuantize", skip_conv_layers=[])(bind_params_by_name(network(), PARAMS))
        assert_same(after, quantized())
