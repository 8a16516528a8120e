"""Convolutions with transformed, packed or sparse weights give what the plain ones give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Diagnostic

Array = np.ndarray[Any, Any]
Value = Callable[..., Any]


@pytest.mark.parametrize(("tile", "kernel"), [(2, 3), (4, 3), (6, 3), (2, 5), (4, 5)])
def test_winograd_in_two_dimensions(value: Value, random: np.random.Generator, tile: int, kernel: int) -> None:
    data, weight = random.normal(size=(1, 3, 9, 9)), random.normal(size=(4, 3, kernel, kernel))
    transformed = value("nn.contrib_conv2d_winograd_weight_transform", weight, tile_size=tile)
    assert transformed.shape == (tile + kernel - 1, tile + kernel - 1, 4, 3)
    result = value(
        "nn.contrib_conv2d_winograd_without_weight_transform",
        data,
        np.ascontiguousarray(transformed.transpose(0, 1, 3, 2)),
        tile_size=tile,
        padding=(1, 1),
        channels=4,
        kernel_size=(kernel, kernel),
    )
    np.testing.assert_allclose(result, value("nn.conv2d", data, weight, padding=(1, 1)))


@pytest.mark.parametrize("depth", [1, 3])
def test_winograd_in_three_dimensions(value: Value, random: np.random.Generator, depth: int) -> None:
    data, weight = random.normal(size=(1, 3, 5, 6, 6)), random.normal(size=(4, 3, depth, 3, 3))
    transformed = value("nn.contrib_conv3d_winograd_weight_transform", weight, tile_size=2)
    assert transformed.shape == ((4, 4, 4, 4, 3) if depth == 3 else (4, 4, 1, 4, 3))
    result = value(
        "nn.contrib_conv3d_winograd_without_weight_transform",
        data,
        np.ascontiguousarray(transformed.swapaxes(3, 4)),
        tile_size=2,
        channels=4,
        kernel_size=(depth, 3, 3),
    )
    np.testing.assert_allclose(result, value("nn.conv3d", data, weight))


def test_winograd_matrix_of_the_smallest_tile(value: Value) -> None:
    """A weight of ``F(2x2, 3x3)`` with a single one in its corner gives the outer product of G's first column."""
    weight = np.zeros((1, 1, 3, 3))
    weight[0, 0, 0, 0] = 1
    column = np.array([1, 0.5, 0.5, 0])
    result = value("nn.contrib_conv2d_winograd_weight_transform", weight, tile_size=2)
    np.testing.assert_allclose(result[..., 0, 0], np.outer(column, column))


def test_gemm_tiles(value: Value, random: np.random.Generator) -> None:
    data, weight = random.normal(size=(1, 6, 6, 3)), random.normal(size=(3, 3, 3, 5))
    tiles = value("nn.contrib_conv2d_gemm_weight_transform", weight, tile_rows=4, tile_cols=16)
    assert tiles.shape == (2, 2, 4, 16)
    np.testing.assert_array_equal(tiles[0, 0], weight.reshape(27, 5)[:16, :4].T)
    attrs = {"channels": 5, "kernel_size": (3, 3), "data_layout": "NHWC", "kernel_layout": "HWIO"}
    result = value("nn.contrib_conv2d_gemm_without_weight_transform", data, tiles, **attrs)
    np.testing.assert_allclose(result, value("nn.conv2d", data, weight, **attrs))


def test_channels_in_blocks(value: Value, random: np.random.Generator) -> None:
    data, weight = random.normal(size=(1, 8, 6, 6)), random.normal(size=(8, 8, 3, 3))
    blocked = data.reshape(1, 2, 4, 6, 6).transpose(0, 1, 3, 4, 2)
    packed = weight.reshape(2, 4, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1)
    attrs = {"channels": 8, "kernel_size": (3, 3), "data_layout": "NCHW4c", "kernel_layout": "OIHW4i4o"}
    result = value("nn.contrib_conv2d_NCHWc", np.ascontiguousarray(blocked), np.ascontiguousarray(packed), **attrs)
    plain = value("nn.conv2d", data, weight)
    np.testing.assert_allclose(result.transpose(0, 1, 4, 2, 3).reshape(plain.shape), plain)


def test_a_transformed_weight_does_not_tell_the_kernel(rejected: Callable[..., Diagnostic]) -> None:
    diagnostic = rejected("nn.contrib_conv2d_NCHWc", "1 8 6 6", "8 8 3 3", channels=8)
    assert diagnostic.place is not None
    assert diagnostic.place.attribute == "kernel_size"


def compressed(matrix: Array) -> tuple[Array, Array, Array]:
    """A matrix in compressed rows."""
    rows, columns = np.nonzero(matrix)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1))
    return matrix[rows, columns], columns.astype("int32"), starts.astype("int32")


def blocks(matrix: Array, height: int, width: int) -> tuple[Array, Array, Array]:
    """A matrix in rows of blocks."""
    grid = matrix.reshape(matrix.shape[0] // height, height, -1, width).swapaxes(1, 2)
    used = grid.any(axis=(2, 3))
    rows, columns = np.nonzero(used)
    starts = np.searchsorted(rows, np.arange(len(grid) + 1))
    return np.ascontiguousarray(grid[rows, columns]), columns.astype("int32"), starts.astype("int32")


@pytest.fixture
def sparse(random: np.random.Generator) -> Array:
    return random.normal(size=(8, 6)) * (random.random((8, 6)) < 0.4)


@pytest.mark.parametrize("given", [compressed, lambda matrix: blocks(matrix, 4, 2)])
def test_sparse_dense(value: Value, random: np.random.Generator, sparse: Array, given: Callable[..., Any]) -> None:
    data = random.normal(size=(3, 6))
    np.testing.assert_allclose(value("nn.sparse_dense", data, *given(sparse)), data @ sparse.T)
    np.testing.assert_allclose(value("nn.sparse_dense", data, *given(sparse), sparse_lhs=True), sparse @ data.T)
    np.testing.assert_allclose(value("nn.internal.sparse_dense_padded", data, *given(sparse)), data @ sparse.T)


def test_sparse_add_and_transpose(value: Value, random: np.random.Generator) -> None:
    square = random.normal(size=(5, 5)) * (random.random((5, 5)) < 0.4)
    dense = random.normal(size=(5, 5))
    np.testing.assert_allclose(value("nn.sparse_add", dense, *compressed(square)), dense + square)
    for array, expected in zip(value("nn.sparse_transpose", *compressed(square)), compressed(square.T), strict=True):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("size", [1, 3])
def test_sparse_convolution(value: Value, random: np.random.Generator, size: int) -> None:
    columns = size * size * 6
    matrix = random.normal(size=(8, columns)) * (random.random((8, columns)) < 0.4)
    images = random.normal(size=(1, 5, 4, 6))
    weight = matrix.reshape(8, size, size, 6).transpose(1, 2, 3, 0)
    attrs = {"padding": (size // 2,), "data_layout": "NHWC", "kernel_layout": "HWIO"}
    plain = value("nn.conv2d", images, np.ascontiguousarray(weight), **attrs)
    result = value("nn.sparse_conv2d", images, *blocks(matrix, 2, 3), kernel_size=(size, size))
    np.testing.assert_allclose(result, plain)
    channels_first = np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    result = value("nn.sparse_conv2d", channels_first, *blocks(matrix, 2, 3), kernel_size=(size, size), layout="NCHW")
    np.testing.assert_allclose(result, plain.transpose(0, 3, 1, 2))


@pytest.mark.parametrize("unipolar", [False, True])
def test_bits_of_a_weight(value: Value, random: np.random.Generator, unipolar: bool) -> None:
    """With ``unipolar`` the two bits of a weight stand for -1 or 1 and for -2 or 2."""
    data, weight = random.integers(0, 4, (2, 16)).astype("uint8"), random.integers(0, 4, (3, 16)).astype("uint8")
    signed = weight.astype(int)
    if unipolar:
        signed = np.where(weight & 1, 1, -1) + np.where(weight & 2, 2, -2)
    attrs = {"data_bits": 2, "weight_bits": 2, "out_dtype": "int16", "unipolar": unipolar}
    result = value("nn.bitserial_dense", data, weight, units=3, **attrs)
    np.testing.assert_array_equal(result, data.astype(int) @ signed.T)
    packed = value("nn.bitpack", weight, bits=2, pack_axis=1, bit_axis=1, pack_type="uint8")
    assert packed.shape == (3, 2, 2)
    np.testing.assert_array_equal(value("nn.bitserial_dense", data, packed, units=3, **attrs), result)


def test_packed_convolution(value: Value, random: np.random.Generator) -> None:
    data = random.integers(0, 2, (1, 8, 5, 5)).astype("uint8")
    weight = random.integers(0, 2, (4, 8, 3, 3)).astype("uint8")
    attrs = {"channels": 4, "padding": (1, 1), "out_dtype": "int32", "unipolar": False}
    plain = value("nn.conv2d", data, weight, padding=(1, 1), out_dtype="int32")
    np.testing.assert_array_equal(value("nn.bitserial_conv2d", data, weight, **attrs), plain)
    packed = value("nn.bitpack", weight, pack_axis=1, bit_axis=4, pack_type="uint8")
    np.testing.assert_array_equal(value("nn.bitserial_conv2d", data, packed, **attrs), plain)
