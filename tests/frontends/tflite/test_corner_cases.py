"""What operators do at the edges of their meaning: by their definition, which LiteRT follows, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.frontends.tflite import read_tflite

from .cases import INT64, SAME, VALID, Case, case, fixed, out, real, steps, weights
from .models import Tensor, constant, evaluated, imported
from .test_numbers import RECORDINGS


def computed(made: Case, **inputs: Any) -> Any:
    """The only output of the module, and the inputs that it was computed of."""
    data, arrays = made.build()
    arrays.update(inputs)
    (result,) = evaluated(imported(data), arrays)
    return result, arrays


def refusal(made: Case) -> str:
    """What is said of the operator, which is kept by its name."""
    first, *_ = read_tflite(made.build()[0]).diagnostics
    assert first.place.operator == made.operator
    return str(first)


# ---- weights in fewer bits than the tensor (quantisation of the dynamic range)


def test_quantised_weights_of_a_dense_layer_of_floats_stand_for_numbers() -> None:
    weight = weights(4, 6, dtype="int8", scale=0.02, zero_point=0)
    result, arrays = computed(case("FULLY_CONNECTED", [real(2, 6), weight], table="FullyConnectedOptions", version=3))
    np.testing.assert_allclose(result, arrays["x0"] @ (np.asarray(weight.data) * 0.02).T, rtol=1e-4, atol=1e-5)


def test_quantised_weights_of_a_product_of_floats_stand_for_numbers() -> None:
    weight = weights(3, 4, 5, dtype="int8", scale=0.02, zero_point=0)
    result, arrays = computed(case("BATCH_MATMUL", [real(3, 2, 4), weight], table="BatchMatMulOptions", version=4))
    np.testing.assert_allclose(result, arrays["x0"] @ (np.asarray(weight.data) * 0.02), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("operator", "shape", "axis", "options"),
    [
        ("CONV_2D", (4, 1, 1, 2), 0, {"table": "Conv2DOptions"}),
        ("DEPTHWISE_CONV_2D", (1, 1, 1, 4), 3, {"table": "DepthwiseConv2DOptions", "DepthMultiplier": 2}),
    ],
)
def test_quantised_weights_of_a_convolution_of_floats_have_a_scale_for_each_channel(
    operator: str, shape: tuple[int, ...], axis: int, options: dict[str, Any]
) -> None:
    scales = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    weight = weights(*shape, dtype="int8", axis=axis, scale=scales, zero_point=0)
    made = case(operator, [real(1, 3, 3, 2), weight], StrideH=1, StrideW=1, version=4, **options)
    result, arrays = computed(made)
    if operator == "CONV_2D":
        expected = arrays["x0"] @ (np.asarray(weight.data).reshape(4, 2) * scales[:, None]).T
    else:
        expected = np.repeat(arrays["x0"], 2, axis=3) * (np.asarray(weight.data).reshape(4) * scales)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_weights_of_integers_that_stand_for_nothing_are_refused() -> None:
    made = case("FULLY_CONNECTED", [real(2, 6), weights(4, 6, dtype="int8")], table="FullyConnectedOptions")
    assert "x1 of int8 and x0 of float32 are multiplied, and not both of them are quantised" in refusal(made)


# ---- sizes


@pytest.mark.parametrize(
    ("size", "kernel", "padding"), [(10, 3, VALID), (9, 3, VALID), (8, 1, SAME), (7, 3, SAME), (8, 3, SAME)]
)
def test_a_transposed_convolution_has_the_size_that_the_model_says(size: int, kernel: int, padding: int) -> None:
    weight = fixed(np.ones((1, kernel, kernel, 1)), "float32")
    ones = np.ones((1, 4, 4, 1), np.float32)
    options: dict[str, Any] = {"table": "TransposeConvOptions", "Padding": padding, "StrideH": 2, "StrideW": 2}
    result, _ = computed(case("TRANSPOSE_CONV", [fixed([1, size, size, 1]), weight, ones], **options))
    line = np.zeros(16)
    for start in range(0, 8, 2):
        line[start : start + kernel] += 1
    before = max(0, (-(-size // 2) - 1) * 2 + kernel - size) // 2 if padding == SAME else 0
    expected = line[before : before + size]
    np.testing.assert_allclose(result[0, :, :, 0], np.outer(expected, expected))


def test_a_transposed_convolution_of_an_impossible_size_is_refused() -> None:
    made = case("TRANSPOSE_CONV", [fixed([1, 20, 20, 1]), weights(1, 3, 3, 1), real(1, 4, 4, 1)],
                table="TransposeConvOptions", Padding=VALID, StrideH=2, StrideW=2)  # fmt: skip
    assert "the result is to be of [20, 20], and the windows reach [9, 9]" in refusal(made)


def test_padding_is_that_of_a_shape_that_is_given() -> None:
    made = case("MAX_POOL_2D", [real(1, 4, 4, 1)], table="Pool2DOptions", Padding=SAME, StrideH=2, StrideW=2,
                FilterHeight=3, FilterWidth=3)  # fmt: skip
    array = np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1)
    (result,) = evaluated(imported(made.build()[0], shape_dict={"x0": (1, 5, 5, 1)}), {"x0": array})
    np.testing.assert_array_equal(result[0, :, :, 0], [[6, 8, 9], [16, 18, 19], [21, 23, 24]])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (case("RESHAPE", [real(2, 6), fixed([0, 6])]), "a size of 0 is none that x0 can be reshaped to"),
        (case("RESHAPE", [real(2, 6), fixed([-2])]), "a size of -2 is none that x0 can be reshaped to"),
        (
            case("SPLIT_V", [real(2, 6), fixed([1, 3]), fixed(1)], out(), out(), table="SplitVOptions", NumSplits=2),
            "parts of [1, 3] do not make up the 6 that there are",
        ),
        (case("SLICE", [real(3, 4), fixed([1, 0]), fixed([5, -1])]), "a slice from 1 to 6 is none of a dimension of 3"),
        (case("GATHER", [real(3, 4), fixed([3])], table="GatherOptions"), "an index is outside of the 3 elements"),
        (case("GATHER", [real(3, 4), fixed([-1])], table="GatherOptions"), "an index is outside of the 3 elements"),
    ],
)
def test_sizes_and_places_that_there_are_not(made: Case, words: str) -> None:
    assert words in refusal(made)


# ---- choices, places and reductions


def test_a_condition_of_one_dimension_selects_rows() -> None:
    condition = np.array([True, False, True])
    result, arrays = computed(case("SELECT", [condition, real(3, 3), real(3, 3)]))
    np.testing.assert_array_equal(result, np.where(condition[:, None], arrays["x1"], arrays["x2"]))


def test_dimensions_in_common_are_counted_from_the_end() -> None:
    places = np.array([[0, 2], [1, 1]], np.int32)
    made = case("GATHER", [real(2, 3, 4), places], table="GatherOptions", Axis=-1, BatchDims=-1, version=5)
    result, arrays = computed(made)
    np.testing.assert_array_equal(result, np.take_along_axis(arrays["x0"], places[:, None, :], 2))


def test_a_place_of_64_bits_has_them() -> None:
    made = case("ARG_MAX", [real(2, 3), fixed(1)], out("int64"), table="ArgMaxOptions", OutputType=INT64)
    result, arrays = computed(made)
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result, arrays["x0"].argmax(1))


@pytest.mark.parametrize("operator", ["MEAN", "SUM", "REDUCE_MAX"])
def test_a_reduction_of_no_dimension_changes_nothing(operator: str) -> None:
    result, arrays = computed(case(operator, [real(2, 3), fixed(np.zeros(0))], table="ReducerOptions"))
    np.testing.assert_array_equal(result, arrays["x0"])


def test_an_element_that_is_taken_begins_at_the_first_where_the_mask_says_so() -> None:
    made = case("STRIDED_SLICE", [real(3, 4), fixed([1, 0]), fixed([2, 4]), fixed([1, 1])],
                table="StridedSliceOptions", ShrinkAxisMask=1, BeginMask=1)  # fmt: skip
    result, arrays = computed(made)
    np.testing.assert_array_equal(result, arrays["x0"][0])


def test_softmax_of_a_beta_of_0_is_even() -> None:
    result, _ = computed(case("SOFTMAX", [real(2, 4)], table="SoftmaxOptions", Beta=0.0))
    np.testing.assert_allclose(result, np.full((2, 4), 0.25))


# ---- quantisation


def test_quantising_with_a_scale_for_each_row() -> None:
    rows = Tensor("", (2, 2), "int8", scale=[0.1, 0.5])
    result, _ = computed(case("QUANTIZE", [np.array([[1, 2], [1, 2]], np.float32)], rows))
    np.testing.assert_array_equal(result, [[10, 20], [2, 4]])


def test_results_of_another_type_than_the_model_says_are_refused() -> None:
    made = case("ADD", [real(2, 3), real(2, 3)], out("int32"), table="AddOptions")
    assert "y0 is to be of int32, and ADD gives float32 here [type-mismatch]" in refusal(made)
    layer = case("FULLY_CONNECTED", [steps(2, 6), weights(4, 6, dtype="int8", scale=0.02, zero_point=0)],
                 table="FullyConnectedOptions")  # fmt: skip
    assert "y0 is to be of float32, and FULLY_CONNECTED gives int32 here" in refusal(layer)


# ---- layers that are covered in part


def test_states_that_are_computed_are_refused() -> None:
    inputs: list[Any] = [real(1, 5, 3)]
    inputs += [weights(4, 3) for _ in range(4)] + [weights(4, 4) for _ in range(4)]
    inputs += [None] * 3 + [weights(4) for _ in range(4)] + [None] * 2
    states = [Tensor("", (1, 4)), Tensor("", (1, 4), is_variable=True)]
    made = case("UNIDIRECTIONAL_SEQUENCE_LSTM", [*inputs, *states, None, None, None, None],
                table="UnidirectionalSequenceLSTMOptions", FusedActivationFunction=4)  # fmt: skip
    assert "input x18: states that the model computes are not converted" in refusal(made)


def test_the_number_of_detections_is_a_float() -> None:
    recording = RECORDINGS["TFLite_Detection_PostProcess"]
    *_, count = evaluated(imported(recording.model), recording.inputs)
    assert count.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (b"max_classes_per_detection", 2, "attribute max_classes_per_detection: a box of several classes"),
        (b"num_classes", 3, "attribute num_classes: the first class must be that of the background, and there are 3"),
    ],
)
def test_detections_that_are_counted_otherwise_are_refused(name: bytes, value: int, words: str) -> None:
    from flatbuffers import flexbuffers

    given: dict[str, Any] = {
        "max_detections": 3, "max_classes_per_detection": 1, "num_classes": 2, "y_scale": 10.0, "x_scale": 10.0,
        "h_scale": 5.0, "w_scale": 5.0, "nms_iou_threshold": 0.5, "nms_score_threshold": 0.1, name.decode(): value,
    }  # fmt: skip
    builder: Any = flexbuffers.Builder()
    with builder.Map():
        for key, number in given.items():
            builder.Int(key, number) if isinstance(number, int) else builder.Float(key, number)
    anchors = constant("", np.ones((2, 4), np.float32))
    outputs = [out(), out(), out(), out()]
    made = case("TFLite_Detection_PostProcess", [real(1, 2, 4), real(1, 2, 3), anchors], *outputs)
    made.custom_options = bytes(builder.Finish())
    assert words in refusal(made)
