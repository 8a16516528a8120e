"""The values of calls: what rounding, integers, bounds and ties come to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]


def ints(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.asarray(values, np.int32)


def floats(*values: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.asarray(values, np.float32)


INTEGERS = [
    ("divide", ints(-7, 7, -7), ints(2, -2, -2), [-3, -3, 3]),
    ("floor_divide", ints(-7, 7, -7), ints(2, -2, -2), [-4, -4, 3]),
    ("trunc_divide", ints(-7, 7, -7), ints(2, -2, -2), [-3, -3, 3]),
    ("mod", ints(-7, 7, -7), ints(2, -2, -2), [-1, 1, -1]),
    ("floor_mod", ints(-7, 7, -7), ints(2, -2, -2), [1, -1, -1]),
    ("trunc_mod", ints(-7, 7, -7), ints(2, -2, -2), [-1, 1, -1]),
    ("right_shift", ints(-8, 8), ints(1, 2), [-4, 2]),
    ("left_shift", ints(3, -1), ints(2, 4), [12, -16]),
]


@pytest.mark.parametrize(("name", "lhs", "rhs", "result"), INTEGERS)
def test_integer_arithmetic(value: Value, name: str, lhs: Any, rhs: Any, result: list[int]) -> None:
    actual = value(f"{name}(%x, %y)", x=lhs, y=rhs)
    assert actual.dtype == np.int32
    assert actual.tolist() == result


def test_integers_wrap_around(value: Value) -> None:
    assert value("add(%x, %x)", x=np.asarray([100], np.int8)).tolist() == [-56]


ROUNDINGS = [
    ("round", [-3, -2, -1, 1, 2, 3]),
    ("floor", [-3, -2, -1, 0, 1, 2]),
    ("ceil", [-2, -1, 0, 1, 2, 3]),
    ("trunc", [-2, -1, 0, 0, 1, 2]),
]


@pytest.mark.parametrize(("name", "result"), ROUNDINGS)
def test_halves(value: Value, name: str, result: list[int]) -> None:
    assert value(f"{name}(%x)", x=floats(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)).tolist() == result


@pytest.mark.parametrize(("name", "reference"), [("exp", np.exp), ("tanh", np.tanh), ("erf", np.vectorize(math.erf))])
def test_approximations_are_close(value: Value, name: str, reference: Callable[[Any], Any]) -> None:
    data = np.linspace(-5, 5, 101, dtype=np.float32)
    np.testing.assert_allclose(value(f"fast_{name}(%x)", x=data), reference(data), rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(value(f"{name}(%x)", x=data), reference(data.astype(np.float64)), rtol=2e-6)


def test_cast_cuts_off_fractions(value: Value) -> None:
    assert value('cast(%x, dtype="int32")', x=floats(-1.9, 1.9)).tolist() == [-1, 1]
    assert value('cast(%x, dtype="bool")', x=floats(0.0, 0.5)).tolist() == [False, True]


def test_fixed_point_products_round_halves_up(value: Value) -> None:
    actual = value("fixed_point_multiply(%x, multiplier=1073741824, shift=0)", x=ints(3, -3, 5))
    assert actual.tolist() == [2, -1, 3]


INDEXING = [
    ("take(%x, %i)", ints(10, 20, 30), ints(-1, 1, 7), [10, 20, 30]),
    ('take(%x, %i, mode="wrap")', ints(10, 20, 30), ints(-1, 1, 7), [30, 20, 20]),
    ("gather(%x, %i, axis=0)", ints(10, 20, 30), ints(2, 2, 0), [30, 30, 10]),
    ('one_hot(%i, 1, 0, depth=2, dtype="int32")', ints(0), ints(1, 5), [[0, 1], [0, 0]]),
    ("unravel_index(%i, %x)", ints(7, 6), ints(22, 41, 37), [[3, 6, 6], [4, 5, 1]]),
    ("argwhere(%x)", ints(0, 3, 5), ints(0), [[1], [2]]),
    ("searchsorted(%x, %i)", ints(1, 3, 3, 5), ints(3, 9), [1, 4]),
    ("searchsorted(%x, %i, right=True)", ints(1, 3, 3, 5), ints(3, 0), [3, 0]),
]


@pytest.mark.parametrize(("call", "data", "indices", "result"), INDEXING)
def test_indexing(value: Value, call: str, data: Any, indices: Any, result: list[Any]) -> None:
    assert value(call, x=data, i=indices).tolist() == result


def test_take_with_batches(value: Value) -> None:
    data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    indices = np.asarray([[2, 0], [1, 1]], np.int32)
    actual = value("take(%x, %i, batch_dims=1, axis=2)", x=data, i=indices)
    np.testing.assert_array_equal(actual, np.stack([data[0][:, [2, 0]], data[1][:, [1, 1]]]))


def test_ties_keep_their_order(value: Value) -> None:
    data = ints(3, 1, 3, 2, 1)
    assert value('argsort(%x, dtype="int32")', x=data).tolist() == [1, 4, 3, 0, 2]
    assert value('argsort(%x, is_ascend=False, dtype="int32")', x=data).tolist() == [0, 2, 3, 1, 4]
    values, indices = value('topk(%x, k=3, dtype="int32")', x=data)
    assert (values.tolist(), indices.tolist()) == ([3, 3, 2], [0, 2, 3])


def test_argmax_over_equal_elements(value: Value) -> None:
    data = np.asarray([[1, 5, 5], [5, 0, 5]], np.float32)
    assert value("argmax(%x, axis=[1])", x=data).tolist() == [1, 0]
    assert value("argmax(%x, axis=[1], select_last_index=True)", x=data).tolist() == [2, 2]
    assert value("argmax(%x)", x=data) == 1


def test_mean_of_integers_is_cut_off(value: Value) -> None:
    assert value("mean(%x)", x=ints(-3, -4)) == -3


SLICES = [
    ("begin=[1], end=[9], strides=[2]", [1, 3, 5]),
    ("begin=[-1], end=[-9], strides=[-2]", [5, 3, 1]),
    ("begin=[2], end=[2], strides=[1]", []),
    ('begin=[2], end=[3], strides=[7], slice_mode="size"', [2, 3, 4]),
]


@pytest.mark.parametrize(("bounds", "result"), SLICES)
def test_slices(value: Value, bounds: str, result: list[int]) -> None:
    assert value(f"strided_slice(%x, {bounds}, axes=None)", x=ints(0, 1, 2, 3, 4, 5)).tolist() == result


def test_reverse_sequence_leaves_what_is_beyond_the_length(value: Value) -> None:
    data = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert value("reverse_sequence(%x, %n)", x=data, n=ints(2, 3)).tolist() == [[1, 0, 2], [5, 4, 3]]


def test_collapse_sums_what_broadcasting_repeats(value: Value) -> None:
    data = np.ones((2, 3, 4), np.float32)
    like = np.zeros((3, 1), np.float32)
    np.testing.assert_array_equal(value("collapse_sum_like(%x, %y)", x=data, y=like), np.full((3, 1), 8))


def test_diagonals_are_aligned(value: Value) -> None:
    actual = value(
        "matrix_set_diag(%x, %d, k1=-1, k2=1)",
        x=np.zeros((3, 3), np.int32),
        d=np.asarray([[0, 1, 2], [3, 4, 5], [6, 7, 0]], np.int32),
    )
    assert actual.tolist() == [[3, 1, 0], [6, 4, 2], [0, 7, 5]]


def test_layout_transform_pads_with_zeros(value: Value) -> None:
    actual = value('layout_transform(%x, src_layout="C", dst_layout="C2c")', x=ints(1, 2, 3))
    assert actual.tolist() == [[1, 2], [3, 0]]


def test_einsum_multiplies_matrices(value: Value) -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(value('einsum((%x, %y), equation="ij,jk->ik")', x=x, y=y), x @ y)
