"""Resizing: which elements of the image a result is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]

ROW = np.array([[[0, 10, 20, 30]]], np.float32)


def resized(value: Value, size: int, **attributes: str) -> list[float]:
    given = "".join(f', {name}="{text}"' for name, text in attributes.items())
    return value(f"image.resize1d(%x, size=[{size}], roi=[0f, 0f]{given})", x=ROW)[0, 0].tolist()


def test_linear_interpolation_lies_between_neighbours(value: Value) -> None:
    assert resized(value, 8) == [0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30]


def test_aligned_corners_keep_first_and_last(value: Value) -> None:
    assert resized(value, 7, coordinate_transformation_mode="align_corners") == [0, 5, 10, 15, 20, 25, 30]


@pytest.mark.parametrize(
    ("rounding", "expected"), [("floor", [0, 0, 10, 20, 20, 30]), ("ceil", [0, 10, 20, 20, 30, 30])]
)
def test_nearest_neighbours_follow_the_rounding(value: Value, rounding: str, expected: list[float]) -> None:
    result = resized(
        value, 6, method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method=rounding
    )
    assert result == expected


def test_cubic_interpolation_keeps_a_straight_line(value: Value) -> None:
    inner = resized(value, 8, method="cubic")[2:6]
    assert np.allclose(np.diff(inner), 5, atol=0.7)


def test_layouts_resize_the_same_image(value: Value) -> None:
    image = np.random.default_rng(0).random((1, 2, 4, 5), np.float32)
    attributes = "size=[3, 7], roi=[0f, 0f, 0f, 0f]"
    first = value(f"image.resize2d(%x, {attributes})", x=image)
    last = value(f'image.resize2d(%x, {attributes}, layout="NHWC")', x=image.transpose(0, 2, 3, 1).copy())
    assert np.array_equal(first, last.transpose(0, 3, 1, 2))


def test_a_volume_resizes_along_three_axes(value: Value) -> None:
    volume = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    call = (
        "image.resize3d(%x, size=[3, 3, 3], roi=[0f, 0f, 0f, 0f, 0f, 0f], "
        'coordinate_transformation_mode="align_corners")'
    )
    assert value(call, x=volume)[0, 0, 1, 1, 1] == volume.mean()


def test_a_box_outside_the_image_is_extrapolated(value: Value) -> None:
    image = np.ones((1, 1, 4, 4), np.float32)
    boxes = np.array([[0, 0, 1, 1], [0, 0.5, 1, 1.5]], np.float32)
    crops = value(
        "image.crop_and_resize(%x, %b, %i, crop_size=[2, 3], extrapolation_value=9f)",
        x=image,
        b=boxes,
        i=np.zeros(2, np.int32),
    )
    assert crops[:, 0, 0].tolist() == [[1, 1, 1], [1, 1, 9]]


def test_types_and_errors(type_of: Value, error_of: Value) -> None:
    call = "image.resize2d(%x, size=[8, ?], roi=[0f, 0f, 0f, 0f])".replace("?", "16")
    assert repr(type_of(call, x="Tensor[(?, 3, 4, 4), float32]")) == "Tensor[(?, 3, 8, 16), float32]"
    error = error_of("image.resize2d(%x, size=[8], roi=[0f, 0f, 0f, 0f])", x="Tensor[(1, 3, 4, 4), float32]")
    assert error.message == "image.resize2d: size must have 2 elements, not 1"
    assert error.place is not None
    assert error.place.attribute == "size"
