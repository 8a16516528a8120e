"""Arithmetic over quantised tensors stands for arithmetic over the reals, up to one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.evaluation import evaluate_expr
from relay_lsp.ir.expressions import Call, Constant
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.nn.dense import DensePackAttrs
from relay_lsp.ir.types import DataType

Value = Callable[..., Any]


def reals(values: Any, scale: float, zero_point: int) -> Any:
    return (values.astype(np.float64) - zero_point) * scale


@pytest.mark.parametrize(("name", "function"), [("add", np.add), ("subtract", np.subtract), ("mul", np.multiply)])
def test_binary_operators_compute_in_steps_of_the_result(value: Value, name: str, function: Any) -> None:
    generator = np.random.default_rng(1)
    lhs, rhs = (generator.integers(0, 256, (4, 5), np.uint8) for _ in range(2))
    result = value(f"qnn.{name}(%a, %b, 0.01f, 100, 0.02f, 130, 0.05f, 128)", a=lhs, b=rhs)
    expected = function(reals(lhs, 0.01, 100), reals(rhs, 0.02, 130))
    within = np.clip(expected, (0 - 128) * 0.05, (255 - 128) * 0.05)
    assert np.abs(reals(result, 0.05, 128) - within).max() <= 0.05 * 1.01


@pytest.mark.parametrize("name", ["tanh", "exp", "sigmoid", "hardswish", "abs", "erf"])
def test_functions_are_looked_up(value: Value, name: str) -> None:
    patterns = np.arange(256, dtype=np.uint8)
    result = value(f"qnn.{name}(%x, 0.02f, 128, 0.05f, 0)", x=patterns)
    x = reals(patterns, 0.02, 128)
    expected = {
        "tanh": np.tanh(x),
        "exp": np.exp(x),
        "sigmoid": 1 / (1 + np.exp(-x)),
        "hardswish": x * np.clip(x + 3, 0, 6) / 6,
        "abs": np.abs(x),
        "erf": value("erf(%x)", x=x),
    }[name]
    assert np.abs(reals(result, 0.05, 0) - np.clip(expected, 0, 255 * 0.05)).max() <= 0.0251


def test_leaky_relu_bends_at_the_zero_point(value: Value) -> None:
    data = np.array([20, 60, 100], np.uint8)
    result = value("qnn.leaky_relu(%x, 0.5f, 60, 0.5f, 60, alpha=0.5f)", x=data)
    assert result.tolist() == [40, 60, 100]


def test_convolution_pads_with_the_zero_point(value: Value) -> None:
    data, weight = np.full((1, 1, 3, 3), 7, np.uint8), np.ones((1, 1, 3, 3), np.int8)
    call = 'qnn.conv2d(%x, %w, 7, 0, 1f, 1f, padding=[1, 1, 1, 1], channels=1, kernel_size=[3, 3], out_dtype="int32")'
    assert not value(call, x=data, w=weight).any()


def test_dense_moves_both_operands_by_their_zero_points(value: Value) -> None:
    generator = np.random.default_rng(2)
    data, weight = generator.integers(0, 256, (3, 8), np.uint8), generator.integers(-128, 128, (4, 8), np.int8)
    result = value('qnn.dense(%x, %w, 12, -3, 1f, 1f, units=4, out_dtype="int32")', x=data, w=weight)
    assert (result == (data.astype(int) - 12) @ (weight.astype(int) + 3).T).all()
    assert result.dtype == np.int32


def test_a_packed_weight_gives_what_the_plain_one_does() -> None:
    generator = np.random.default_rng(3)
    data, weight = generator.integers(0, 256, (3, 8), np.uint8), generator.integers(-128, 128, (6, 8), np.int8)
    packed = weight.reshape(3, 2, 2, 4).transpose(0, 2, 1, 3)  # units in threes of two, inputs in twos of four
    zero_points = np.arange(6, dtype=np.int32)
    attrs = DensePackAttrs(units=None, out_dtype=DataType("int32"), weight_layout="NC2n4c")
    arguments = (data, packed, np.int32(12), zero_points, np.float32(1), np.float32(1))
    constants = tuple(Constant(np.asarray(argument)) for argument in arguments)
    result = evaluate_expr(Call(get("qnn.contrib_dense_pack"), constants, attrs))
    assert (np.asarray(result) == (data.astype(int) - 12) @ (weight.astype(int) - zero_points[:, None]).T).all()


def test_concatenate_brings_its_fields_to_one_scale(value: Value) -> None:
    data = np.array([[10, 20]], np.uint8)
    result = value("qnn.concatenate((%a, %b), (1f, 0.5f), (0, 0), 1f, 0, axis=1)", a=data, b=data)
    assert result.tolist() == [[10, 20, 5, 10]]
