"""``qnn.quantize``, ``qnn.dequantize``, ``qnn.requantize``: values, types, and what is wrong with a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]


def test_quantize_rounds_halves_away_from_zero(value: Value) -> None:
    data = np.array([-1.5, -0.5, 0.5, 1.5, 0.4], np.float32)
    assert value('qnn.quantize(%x, 1f, 0, out_dtype="int8")', x=data).tolist() == [-2, -1, 1, 2, 0]


def test_quantize_stays_in_the_range_of_its_dtype(value: Value) -> None:
    data = np.array([-1e10, 0, 1e10], np.float32)
    assert value('qnn.quantize(%x, 0.5f, 10, out_dtype="uint8")', x=data).tolist() == [0, 10, 255]
    assert value('qnn.quantize(%x, 0.5f, 0, out_dtype="int32")', x=data).tolist() == [-(2**31), 0, 2**31 - 1]


def test_a_vector_of_scales_belongs_to_the_channels_of_axis(value: Value) -> None:
    data = np.ones((2, 3), np.float32)
    scale, zero_point = np.array([1, 0.5], np.float32), np.array([0, 100], np.int32)
    result = value('qnn.quantize(%x, %s, %z, out_dtype="int8", axis=0)', x=data, s=scale, z=zero_point)
    assert result.tolist() == [[1, 1, 1], [102, 102, 102]]
    back = value("qnn.dequantize(%q, %s, %z, axis=0)", q=result, s=scale, z=zero_point)
    assert back.tolist() == data.tolist()
    assert back.dtype == np.float32


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [("UPWARD", [-1, 0, 1, 2]), ("TONEAREST", [-2, -1, 1, 2])],
)
@pytest.mark.parametrize("compute_dtype", ["int64", "float32", "float64"])
def test_requantize_rounds_as_it_is_told(value: Value, rounding: str, compute_dtype: str, expected: list[int]) -> None:
    data = np.array([-3, -1, 1, 3], np.int32)
    result = value(
        f'qnn.requantize(%x, 1f, 0, 2f, 0, rounding="{rounding}", compute_dtype="{compute_dtype}", out_dtype="int8")',
        x=data,
    )
    assert result.tolist() == expected


def test_the_result_has_the_shape_of_the_data(type_of: Value) -> None:
    call = 'qnn.quantize(%x, 1f, 0, out_dtype="int8")'
    assert repr(type_of(call, x="Tensor[(1, ?), float32]")) == "Tensor[(1, ?), int8]"


@pytest.mark.parametrize(
    ("call", "types", "argument", "message"),
    [
        (
            'qnn.quantize(%x, 1f, 0, out_dtype="int8")',
            {"x": "Tensor[(2), int32]"},
            0,
            "qnn.quantize: data must be of dtype float32, but it is int32",
        ),
        (
            'qnn.quantize(%x, 1f, 0f, out_dtype="int8")',
            {"x": "Tensor[(2), float32]"},
            2,
            "qnn.quantize: output_zero_point must be of dtype int32, but it is float32",
        ),
        (
            "qnn.dequantize(%x, %s, 0)",
            {"x": "Tensor[(2, 3), int8]", "s": "Tensor[(2), float32]"},
            1,
            "qnn.dequantize: input_scale must be a scalar or have one element for each of the 3 channels, "
            "but it is Tensor[(2), float32]",
        ),
        (
            'qnn.requantize(%x, 1f, 0, %s, 0, out_dtype="int8")',
            {"x": "Tensor[(2, 3), int8]", "s": "Tensor[(3), float32]"},
            3,
            "qnn.requantize: output_scale must be a scalar float32, but it is Tensor[(3), float32]",
        ),
    ],
)
def test_the_argument_at_fault_is_named(
    error_of: Value, call: str, types: dict[str, str], argument: int, message: str
) -> None:
    error = error_of(call, **types)
    assert error.message.startswith(message)
    assert error.place is not None
    assert error.place.argument == argument


@pytest.mark.parametrize(
    ("call", "attribute", "message"),
    [
        (
            'qnn.quantize(%x, %s, 0, out_dtype="int8", axis=2)',
            "axis",
            "qnn.quantize: axis 2 is out of range for a tensor of rank 2; it must be from -2 to 1",
        ),
        (
            'qnn.quantize(%x, 1f, 0, out_dtype="float16")',
            "out_dtype",
            "qnn.quantize: out_dtype must be int8, uint8, int16 or int32, but it is float16",
        ),
    ],
)
def test_the_attribute_at_fault_is_named(error_of: Value, call: str, attribute: str, message: str) -> None:
    error = error_of(call, x="Tensor[(2, 3), float32]", s="Tensor[(3), float32]")
    assert error.message == message
    assert error.place is not None
    assert error.place.attribute == attribute
