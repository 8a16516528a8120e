"""Products of matrices and the bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Diagnostic

Array = np.ndarray[Any, Any]

TYPES = [
    ("nn.dense", ["1 64", "10 64"], {"units": None}, "1 10"),
    ("nn.dense", ["2 3 64", "10 64"], {"units": 10}, "2 3 10"),
    ("nn.dense", ["1 64", None], {"units": 10}, "1 10"),
    ("nn.dense", ["1 ?", "10 64"], {"units": None}, "1 10"),
    ("nn.dense", ["? 64", "? 64"], {"units": None}, "? ?"),
    ("nn.dense", ["1 64", "10 32"], {"units": None}, "1 10"),
    ("nn.dense", ["1 64 int8", "10 64 int8"], {"units": None, "out_dtype": "int32"}, "1 10 int32"),
    ("nn.matmul", ["1 64", "64 10"], {"units": None}, "1 10"),
    ("nn.matmul", ["64 3", "10 64"], {"units": 10, "transpose_a": True, "transpose_b": True}, "3 10"),
    ("nn.batch_matmul", ["2 3 4", "2 4 5"], {}, "2 3 5"),
    ("nn.batch_matmul", ["2 3 4", "1 5 4"], {"transpose_b": True}, "2 3 5"),
    ("nn.batch_matmul", ["2 4 3", "2 4 5"], {"transpose_a": True}, "2 3 5"),
    ("nn.batch_matmul", ["? 3 4", "2 9 5"], {}, "? 3 5"),
    ("nn.contrib_dense_pack", ["1 64", "5 64 2"], {"units": None}, "1 10"),
    ("nn.bias_add", ["1 64 7 7", "64"], {}, "1 64 7 7"),
    ("nn.bias_add", ["1 7 7 64", None], {"axis": -1}, "1 7 7 64"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "attrs", "expected"), TYPES)
def test_type(
    typed: Callable[..., str], name: str, arguments: list[str | None], attrs: dict[str, Any], expected: str
) -> None:
    assert typed(name, *arguments, **attrs) == expected


ERRORS = [
    ("nn.dense", ["1 64", "10 32"], {"units": 10}, 1, "dimension of data (64) does not match that of weight (32)"),
    ("nn.dense", ["1 64", "10 64"], {"units": 12}, "units", "units (12) does not match the 10 units of weight"),
    ("nn.dense", ["1 64", "10 64 1"], {"units": 10}, 1, "weight must be 2-dimensional"),
    ("nn.dense", ["", "10 64"], {"units": 10}, 0, "data must have at least 1 dimensions"),
    ("nn.batch_matmul", ["2 3 4", "3 4 5"], {}, 1, "batch of tensor_a (2) does not match the batch of tensor_b (3)"),
    ("nn.batch_matmul", ["2 3 4", "2 5 4"], {}, 1, "summed dimension of tensor_a (4)"),
    ("nn.batch_matmul", ["3 4", "2 4 5"], {}, 0, "tensor_a must be 3-dimensional"),
    ("nn.bias_add", ["1 64", "32"], {}, 1, "bias has 32 elements, but axis 1 of data has 64"),
    ("nn.bias_add", ["1 64", "64 int8"], {}, 1, "bias is of dtype int8, but data is of float32"),
    ("nn.bias_add", ["1 64", "64"], {"axis": 2}, "axis", "axis 2 is out of range for data with 2 dimensions"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "attrs", "place", "message"), ERRORS)
def test_error(
    rejected: Callable[..., Diagnostic],
    name: str,
    arguments: list[str],
    attrs: dict[str, Any],
    place: int | str,
    message: str,
) -> None:
    diagnostic = rejected(name, *arguments, **attrs)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert place in (diagnostic.place.argument, diagnostic.place.attribute)


def test_dense_multiplies_by_the_transpose(value: Callable[..., Array], random: np.random.Generator) -> None:
    data, weight = random.normal(size=(2, 3, 4)), random.normal(size=(5, 4))
    np.testing.assert_allclose(value("nn.dense", data, weight, units=5), data @ weight.T)


def test_dense_of_bytes_sums_in_the_wide_dtype(value: Callable[..., Array], random: np.random.Generator) -> None:
    data, weight = (random.integers(-128, 128, shape).astype("int8") for shape in ((3, 300), (4, 300)))
    result = value("nn.dense", data, weight, units=None, out_dtype="int32")
    np.testing.assert_array_equal(result, data.astype("int64") @ weight.astype("int64").T)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_transposed_operands(
    value: Callable[..., Array], random: np.random.Generator, transpose_a: bool, transpose_b: bool
) -> None:
    lhs, rhs = random.normal(size=(2, 3, 4)), random.normal(size=(2, 4, 5))
    given = (lhs.swapaxes(1, 2) if transpose_a else lhs, rhs.swapaxes(1, 2) if transpose_b else rhs)
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    np.testing.assert_allclose(value("nn.batch_matmul", *given, **flags), lhs @ rhs)
    matrices = (given[0][0], given[1][0])
    np.testing.assert_allclose(value("nn.matmul", *matrices, units=None, **flags), lhs[0] @ rhs[0])


def test_a_packed_weight_gives_the_same(value: Callable[..., Array], random: np.random.Generator) -> None:
    data, weight = random.normal(size=(2, 6)), random.normal(size=(8, 6))
    packed = np.ascontiguousarray(weight.reshape(2, 4, 6).transpose(0, 2, 1))
    result = value("nn.contrib_dense_pack", data, packed, units=None, weight_layout="NC4n")
    np.testing.assert_allclose(result, data @ weight.T)


def test_bias_runs_along_its_axis(value: Callable[..., Array], random: np.random.Generator) -> None:
    data, bias = random.normal(size=(2, 3, 4)), random.normal(size=3)
    np.testing.assert_allclose(value("nn.bias_add", data, bias, axis=-2), data + bias[:, None])
