"""Sparse tensors as coordinates and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]


@pytest.mark.parametrize(
    ("indices", "values", "shape", "expected"),
    [
        (1, 7, "[3]", [0, 7, 0]),
        ([0, 2], [7, 8], "[3]", [7, 0, 8]),
        ([[0, 0], [1, 2]], [7, 8], "[2, 3]", [[7, 0, 0], [0, 0, 8]]),
        ([[0, 0], [1, 9]], 7, "[2, 3]", [[7, 0, 0], [0, 0, 0]]),
    ],
)
def test_values_stand_at_their_coordinates(
    value: Value, indices: Any, values: Any, shape: str, expected: list[Any]
) -> None:
    arguments = {"i": np.array(indices, np.int32), "v": np.array(values, np.int32), "d": np.array(0, np.int32)}
    assert value(f"sparse_to_dense(%i, %v, %d, output_shape={shape})", **arguments).tolist() == expected
    size = np.array(eval(shape), np.int64)
    assert value("dyn.sparse_to_dense(%i, %v, %d, %s)", s=size, **arguments).tolist() == expected


def test_empty_rows_are_filled(value: Value) -> None:
    indices, values, empty = value(
        "sparse_fill_empty_rows(%i, %v, %s, %d)",
        i=np.array([[0, 1], [0, 3], [2, 0], [3, 1]], np.int64),
        v=np.array([1, 2, 3, 4], np.int64),
        s=np.array([5, 6], np.int64),
        d=np.array(10, np.int64),
    )
    assert indices.tolist() == [[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]]
    assert values.tolist() == [1, 2, 10, 3, 4, 10]
    assert empty.tolist() == [0, 1, 0, 0, 1]


def test_a_reshape_moves_the_coordinates(value: Value) -> None:
    indices, shape = value(
        "sparse_reshape(%i, %p, %n)",
        i=np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]], np.int64),
        p=np.array([2, 3, 6], np.int64),
        n=np.array([9, -1], np.int64),
    )
    assert indices.tolist() == [[0, 0], [0, 1], [1, 2], [4, 2], [8, 1]]
    assert shape.tolist() == [9, 4]


def test_the_type_of_a_dense_tensor(type_of: Value, error_of: Value) -> None:
    types = {"i": "Tensor[(3, 2), int32]", "v": "Tensor[(3), float32]", "d": "float32"}
    assert repr(type_of("sparse_to_dense(%i, %v, %d, output_shape=[4, 5])", **types)) == "Tensor[(4, 5), float32]"
    call = "dyn.sparse_to_dense(%i, %v, %d, %s)"
    assert repr(type_of(call, s="Tensor[(2), int64]", **types)) == "Tensor[(?, ?), float32]"
    error = error_of("sparse_to_dense(%i, %v, %v, output_shape=[4, 5])", **types)
    assert error.message.startswith("sparse_to_dense: default_value must be 0-dimensional (a scalar)")
