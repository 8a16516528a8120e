"""Convolutions: their types, their errors, and their values against plain loops."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Diagnostic

Typed = Callable[..., str]
Array = np.ndarray[Any, Any]

GIVEN = {"channels": 8, "kernel_size": (3, 3)}
BLOCKS = {"data_layout": "NCHW3c", "out_layout": "NCHW4c"}
GRADIENT = {"kernel_size": (3, 3), "kernel_layout": "NCHW", "out_layout": "OIHW"}

TYPES = [
    ("nn.conv1d", "1 3 10", "8 3 3", {}, "1 8 8"),
    ("nn.conv1d", "1 10 3", "3 3 8", {"data_layout": "NWC", "kernel_layout": "WIO"}, "1 8 8"),
    ("nn.conv2d", "1 3 224 224", "64 3 7 7", {"strides": (2, 2), "padding": (3,)}, "1 64 112 112"),
    ("nn.conv2d", "1 3 9 9", "8 3 3 3", {"padding": (1, 2)}, "1 8 9 11"),
    ("nn.conv2d", "1 3 9 9", "8 3 3 3", {"padding": (1, 0, 2, 0), "dilation": (2, 2)}, "1 8 8 5"),
    ("nn.conv2d", "1 9 9 3", "3 3 3 8", {"data_layout": "NHWC", "kernel_layout": "HWIO"}, "1 7 7 8"),
    ("nn.conv2d", "1 3 9 9", "8 3 3 3", {"out_layout": "NHWC"}, "1 7 7 8"),
    ("nn.conv2d", "1 4 9 9", "8 2 3 3", {"groups": 2}, "1 8 7 7"),
    ("nn.conv2d", "1 4 9 9", "4 1 3 3", {"groups": 4, "channels": 4, "kernel_size": (3, 3)}, "1 4 7 7"),
    ("nn.conv2d", "1 4 9 9", "4 2 3 3", {"groups": 4, **GIVEN}, "1 8 7 7"),
    ("nn.conv2d", "1 4 9 9", "2 4 2 3 3", {"groups": 2, "kernel_layout": "GOIHW", **GIVEN}, "1 8 7 7"),
    ("nn.conv2d", "? 3 ? 9", "8 3 3 3", {}, "? 8 ? 7"),
    ("nn.conv2d", "1 ? 9 9", "8 3 3 3", {}, "1 8 7 7"),
    ("nn.conv2d", "1 3 9 9", None, GIVEN, "1 8 7 7"),
    ("nn.conv2d", "1 3 9 9 int8", "8 3 3 3 int8", {"out_dtype": "int32"}, "1 8 7 7 int32"),
    ("nn.conv2d", "1 1 9 9 3", "8 3 3 3", BLOCKS, "1 2 7 7 4"),
    ("nn.conv3d", "1 3 9 9 9", "8 3 3 3 3", {"strides": (2, 1, 1)}, "1 8 4 7 7"),
    ("nn.conv1d_transpose", "1 3 10", "3 8 3", {"strides": (2,), "output_padding": (1,)}, "1 8 22"),
    ("nn.conv2d_transpose", "1 3 9 9", "3 8 3 3", {"strides": (2, 2), "padding": (1, 1)}, "1 8 17 17"),
    ("nn.conv2d_transpose", "1 4 9 9", "4 2 3 3", {"groups": 4, **GIVEN}, "1 8 11 11"),
    ("nn.conv3d_transpose", "1 3 5 5 5", "3 8 3 3 3", {}, "1 8 7 7 7"),
    ("nn.conv2d_backward_weight", "1 8 7 7", "1 3 9 9", GRADIENT, "8 3 3 3"),
    ("nn.deformable_conv2d", "1 4 9 9", "1 18 7 7", GIVEN, "1 8 7 7"),
    ("nn.contrib_conv2d_NCHWc", "1 1 9 9 3", "anything", {**GIVEN, **BLOCKS}, "1 2 7 7 4"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "weight", "attrs", "expected"), TYPES)
def test_type(typed: Typed, name: str, data: str, weight: str | None, attrs: dict[str, Any], expected: str) -> None:
    arguments = [data, "7" if weight == "anything" else weight]
    if name == "nn.deformable_conv2d":
        arguments.append("8 4 3 3")
    assert typed(name, *arguments, **attrs) == expected


ERRORS = [
    ("1 3 9 9", "8 4 3 3", {}, 1, None, "channels of data (3) do not match the input"),
    ("1 4 9 9", "8 4 3 3", {"groups": 2}, 1, None, "in 2 groups of 2 do not match the input channels"),
    ("1 3 9 9", "8 3 3 3", {"channels": 4}, None, "channels", "channels (4) does not match the output"),
    ("1 3 9 9", "8 3 3 3", {"channels": 8, "kernel_size": (5, 3)}, None, "kernel_size", "not match the kernel (3, 3)"),
    ("1 3 9 9", "8 3 3 3", {"kernel_size": (3,)}, None, "kernel_size", "kernel_size must have 2 elements, not 1"),
    ("1 3 9", "8 3 3 3", {}, 0, None, "a tensor of layout NCHW has 4 dimensions, not 3"),
    ("1 3 9 9", "8 3 3", {}, 1, None, "a tensor of layout OIHW has 4 dimensions, not 3"),
    ("1 3 9 9", "8 3 3 3", {"data_layout": "NCDHW"}, None, "data_layout", "must have the axes of NCHW"),
    ("1 3 9 9", "8 3 3 3", {"kernel_layout": "OI3"}, None, "kernel_layout", "kernel_layout must have the axes of OIHW"),
    ("1 3 9 9", "8 3 3 3", {"padding": (1, 1, 1)}, None, "padding", "padding may have 1, 2, 4 elements, not 3"),
    ("1 3 9 9", "8 3 3 3", {"strides": (1,)}, None, "strides", "strides has 1 elements, but at least 2 are needed"),
    ("1 3 9 9", "8 3 3 3", {"strides": (0, 1)}, None, "strides", "strides must not be 0"),
    ("1 3 9 9", "8 3 3 3", {"groups": 0}, None, "groups", "groups must not be 0"),
    ("1 4 9 9", None, {"groups": 2, "channels": 8, "kernel_size": (3, 3)}, 1, None, "must be known"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "weight", "attrs", "argument", "attribute", "message"), ERRORS)
def test_error(
    rejected: Callable[..., Diagnostic],
    data: str,
    weight: str | None,
    attrs: dict[str, Any],
    argument: int | None,
    attribute: str | None,
    message: str,
) -> None:
    diagnostic = rejected("nn.conv2d", data, weight, **attrs)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert (diagnostic.place.argument, diagnostic.place.attribute) == (argument, attribute)


def convolved(data: Array, weight: Array, stride: int, padding: int, dilation: int, groups: int) -> Array:
    """A convolution of images by plain loops."""
    padded = np.pad(data, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    channels, per_group, height, width = weight.shape
    rows = (padded.shape[2] - (height - 1) * dilation - 1) // stride + 1
    columns = (padded.shape[3] - (width - 1) * dilation - 1) // stride + 1
    result = np.zeros((data.shape[0], channels, rows, columns), data.dtype)
    for channel, row, column in itertools.product(range(channels), range(rows), range(columns)):
        first = channel // (channels // groups) * per_group
        top, left = row * stride, column * stride
        seen = padded[
            :,
            first : first + per_group,
            top : top + (height - 1) * dilation + 1 : dilation,
            left : left + (width - 1) * dilation + 1 : dilation,
        ]
        result[:, channel, row, column] = (seen * weight[channel]).sum(axis=(1, 2, 3))
    return result


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [(1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 2), (2, 1, 1, 4)],
)
def test_conv2d_agrees_with_loops(
    value: Callable[..., Array], random: np.random.Generator, stride: int, padding: int, dilation: int, groups: int
) -> None:
    data = random.normal(size=(2, 4, 9, 8)).astype("float32")
    weight = random.normal(size=(8, 4 // groups, 3, 2)).astype("float32")
    attrs = {"strides": (stride,) * 2, "padding": (padding,), "dilation": (dilation,) * 2, "groups": groups}
    if groups == 4:
        weight = weight[:4]
    expected = convolved(data, weight, stride, padding, dilation, groups)
    np.testing.assert_allclose(value("nn.conv2d", data, weight, **attrs), expected, rtol=1e-4, atol=1e-5)


def test_integers_are_exact_and_wrap_around(value: Callable[..., Array], random: np.random.Generator) -> None:
    data = random.integers(-128, 128, (1, 8, 6, 6)).astype("int8")
    weight = random.integers(-128, 128, (4, 8, 3, 3)).astype("int8")
    expected = convolved(data.astype("int64"), weight.astype("int64"), 1, 0, 1, 1)
    np.testing.assert_array_equal(value("nn.conv2d", data, weight, out_dtype="int32"), expected)
    np.testing.assert_array_equal(value("nn.conv2d", data, weight, out_dtype="int16"), expected.astype("int16"))


def test_large_integers_take_the_exact_way(value: Callable[..., Array], random: np.random.Generator) -> None:
    data = random.integers(-(2**31), 2**31, (1, 2, 4, 4))
    weight = random.integers(-(2**31), 2**31, (2, 2, 3, 3))
    np.testing.assert_array_equal(value("nn.conv2d", data, weight), convolved(data, weight, 1, 0, 1, 1))


@pytest.mark.parametrize("layouts", [("NHWC", "HWIO"), ("NCHW2c", "OIHW2i4o"), ("HWNC", "IHWO")])
def test_layouts_change_only_the_order(
    value: Callable[..., Array], random: np.random.Generator, layouts: tuple[str, str]
) -> None:
    from relay_lsp.ir.ops.data_layout import Layout, convert_array

    data_layout, kernel_layout = layouts
    data, weight = random.normal(size=(1, 4, 6, 5)), random.normal(size=(8, 4, 3, 3))
    images, weights = Layout.parse("NCHW"), Layout.parse("OIHW")
    result = value(
        "nn.conv2d",
        np.ascontiguousarray(convert_array(data, images, Layout.parse(data_layout))),
        np.ascontiguousarray(convert_array(weight, weights, Layout.parse(kernel_layout))),
        data_layout=data_layout,
        kernel_layout=kernel_layout,
        out_layout="NCHW",
    )
    np.testing.assert_allclose(result, value("nn.conv2d", data, weight))


def test_a_depthwise_weight_may_hold_a_multiplier(value: Callable[..., Array], random: np.random.Generator) -> None:
    data, weight = random.normal(size=(1, 3, 5, 5)), random.normal(size=(3, 2, 3, 3))
    result = value("nn.conv2d", data, weight, groups=3, channels=6, kernel_size=(3, 3))
    np.testing.assert_allclose(result, convolved(data, weight.reshape(6, 1, 3, 3), 1, 0, 1, 3))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolution_is_the_adjoint(
    value: Callable[..., Array], random: np.random.Generator, rank: int, groups: int
) -> None:
    """``<conv(x), y> = <x, conv_transpose(y)>``, with the same weight."""
    attrs = {"strides": (2,) * rank, "padding": (1,) * 2 * rank, "groups": groups}
    data, weight = random.normal(size=(2, 4, *(7,) * rank)), random.normal(size=(6, 4 // groups, *(3,) * rank))
    if rank == 1 and groups == 2:
        attrs |= {"channels": 6, "kernel_size": (3,)}
    forward = value(f"nn.conv{rank}d", data, weight, **attrs)
    back = random.normal(size=forward.shape)
    attrs |= {"channels": 4, "kernel_size": (3,) * rank}
    backward = value(f"nn.conv{rank}d_transpose", back, weight, **attrs)
    np.testing.assert_allclose((forward * back).sum(), (data * backward).sum())


@pytest.mark.parametrize("groups", [1, 2])
def test_weight_gradient_is_the_adjoint(value: Callable[..., Array], random: np.random.Generator, groups: int) -> None:
    """``<conv(x, w), y> = <w, conv_backward_weight(y, x)>``."""
    attrs = {"strides": (2, 1), "padding": (1, 1, 0, 2), "groups": groups, "kernel_size": (3, 2)}
    data, weight = random.normal(size=(2, 4, 7, 6)), random.normal(size=(6, 4 // groups, 3, 2))
    forward = value("nn.conv2d", data, weight, **attrs)
    back = random.normal(size=forward.shape)
    gradient = value("nn.conv2d_backward_weight", back, data, **attrs, kernel_layout="NCHW", out_layout="OIHW")
    np.testing.assert_allclose((forward * back).sum(), (weight * gradient).sum())


def test_deformable_convolution_without_offsets_is_a_convolution(
    value: Callable[..., Array], random: np.random.Generator
) -> None:
    data, weight = random.normal(size=(2, 4, 7, 7)), random.normal(size=(6, 4, 3, 3))
    offset = np.zeros((2, 2 * 18, 5, 5))
    result = value("nn.deformable_conv2d", data, offset, weight, deformable_groups=2)
    np.testing.assert_allclose(result, value("nn.conv2d", data, weight))


def test_deformable_convolution_by_whole_offsets_looks_elsewhere(
    value: Callable[..., Array], random: np.random.Generator
) -> None:
    data, weight = random.normal(size=(1, 2, 7, 7)), random.normal(size=(3, 2, 1, 1))
    offset = np.zeros((1, 2, 7, 7))
    offset[:, 0], offset[:, 1] = 1, -0.5
    result = value("nn.deformable_conv2d", data, offset, weight)
    halves = np.pad((data[..., 1:, :-1] + data[..., 1:, 1:]) / 2, ((0, 0), (0, 0), (0, 1), (1, 0)))
    np.testing.assert_allclose(result, value("nn.conv2d", halves, weight), atol=1e-12)


def test_correlation_of_equal_images_peaks_without_displacement(
    value: Callable[..., Array], random: np.random.Generator
) -> None:
    data = random.normal(size=(1, 3, 8, 8)).astype("float32")
    result = value("nn.correlation", data, data, max_displacement=2, padding=(2, 2))
    assert result.shape == (1, 25, 8, 8)
    np.testing.assert_allclose(result[0, 12], (data[0] ** 2).mean(axis=0), rtol=1e-5)
    differences = value("nn.correlation", data, data, max_displacement=2, padding=(2, 2), is_multiply=False)
    assert not differences[0, 12].any()


def test_a_convolution_of_a_network_takes_well_under_a_second(value: Callable[..., Array]) -> None:
    data, weight = np.ones((1, 64, 56, 56), "float32"), np.ones((64, 64, 3, 3), "float32")
    start = time.perf_counter()
    value("nn.conv2d", data, weight, padding=(1, 1))
    value("nn.conv2d", data.astype("int8"), weight.astype("int8"), padding=(1, 1), out_dtype="int32")
    assert time.perf_counter() - start < 2
