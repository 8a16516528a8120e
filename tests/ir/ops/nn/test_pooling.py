"""Pools: their types, their errors, and their values against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Diagnostic

Array = np.ndarray[Any, Any]

TYPES = [
    ("nn.max_pool1d", "1 3 10", {"pool_size": (2,), "strides": (2,)}, "1 3 5"),
    ("nn.max_pool2d", "1 64 112 112", {"pool_size": (3, 3), "strides": (2, 2), "padding": (1, 1, 1, 1)}, "1 64 56 56"),
    ("nn.max_pool2d", "1 64 8 8", {"pool_size": (3, 3), "strides": (2, 2)}, "1 64 3 3"),
    ("nn.max_pool2d", "1 64 8 8", {"pool_size": (3, 3), "strides": (2, 2), "ceil_mode": True}, "1 64 4 4"),
    ("nn.max_pool2d", "1 8 8 64", {"pool_size": (2, 2), "layout": "NHWC"}, "1 7 7 64"),
    ("nn.max_pool2d", "1 4 8 8 16", {"pool_size": (2, 2), "layout": "NCHW16c"}, "1 4 7 7 16"),
    ("nn.avg_pool2d", "? 64 ? 8", {"pool_size": (2, 2), "dilation": (1, 3)}, "? 64 ? 5"),
    ("nn.avg_pool3d", "1 3 8 8 8", {"pool_size": (2, 2, 2), "padding": (1, 0, 0, 0, 0, 0)}, "1 3 8 7 7"),
    ("nn.global_avg_pool2d", "1 64 7 7", {}, "1 64 1 1"),
    ("nn.global_max_pool2d", "1 7 7 64", {"layout": "NHWC"}, "1 1 1 64"),
    ("nn.adaptive_avg_pool1d", "1 3 10", {"output_size": (4,)}, "1 3 4"),
    ("nn.adaptive_max_pool2d", "1 3 10 9", {"output_size": (4,)}, "1 3 4 4"),
    ("nn.adaptive_max_pool2d", "1 3 10 9", {}, "1 3 10 9"),
    ("nn.adaptive_avg_pool3d", "1 3 8 8 8", {"output_size": (4, 2, 1)}, "1 3 4 2 1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "attrs", "expected"), TYPES)
def test_type(typed: Callable[..., str], name: str, data: str, attrs: dict[str, Any], expected: str) -> None:
    assert typed(name, data, **attrs) == expected


ERRORS = [
    ("nn.max_pool2d", "1 3 8", {"pool_size": (2, 2)}, None, "data has 3 dimensions (1, 3, 8), but layout NCHW has 4"),
    ("nn.max_pool2d", "1 3 8 8", {"pool_size": (2,)}, "pool_size", "pool_size has 1 elements"),
    ("nn.max_pool2d", "1 3 8 8", {"pool_size": (2, 2), "strides": (0, 1)}, "strides", "strides must not be 0"),
    ("nn.max_pool2d", "1 3 8 8", {"pool_size": (2, 2), "padding": (1, 1, 1)}, "padding", "not 3"),
    ("nn.max_pool2d", "1 3 8 8", {"pool_size": (2, 2), "layout": "NCHW2h"}, "layout", "may not split them"),
    ("nn.global_avg_pool2d", "1 3 8 8", {"layout": "NCW"}, "layout", "layout must have H and W"),
    ("nn.adaptive_avg_pool3d", "1 3 8 8 8", {"output_size": (1, 2)}, "output_size", "not 2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "attrs", "attribute", "message"), ERRORS)
def test_error(
    rejected: Callable[..., Diagnostic],
    name: str,
    data: str,
    attrs: dict[str, Any],
    attribute: str | None,
    message: str,
) -> None:
    diagnostic = rejected(name, data, **attrs)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert diagnostic.place.attribute == attribute


def pooled(
    row: list[float], window: int, stride: int, padding: tuple[int, int], ceil: bool, include: bool
) -> list[float]:
    """The averages of the windows over one row, by the definition."""
    before, after = padding
    room = len(row) + before + after - window + (stride - 1 if ceil else 0)
    averages = []
    for start in range(-before, room // stride * stride - before + 1, stride):
        inside = [row[place] for place in range(start, start + window) if 0 <= place < len(row)]
        counted = min(start + window, len(row) + after) - start if include else len(inside)
        averages.append(sum(inside) / max(counted, 1))
    return averages


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize(("window", "stride", "padding"), [(3, 2, (1, 1)), (2, 2, (0, 0)), (4, 3, (2, 1))])
def test_average_pool_counts_what_is_there(
    value: Callable[..., Array], window: int, stride: int, padding: tuple[int, int], ceil_mode: bool, include: bool
) -> None:
    row = [1.0, 5.0, 2.0, 8.0, 3.0, 9.0, 4.0, 7.0]
    attrs = {"pool_size": (window,), "strides": (stride,), "padding": padding}
    result = value("nn.avg_pool1d", np.array([[row]]), **attrs, ceil_mode=ceil_mode, count_include_pad=include)
    np.testing.assert_allclose(result[0, 0], pooled(row, window, stride, padding, ceil_mode, include))


def test_maximum_pool_never_chooses_padding(value: Callable[..., Array]) -> None:
    data = -np.arange(1.0, 17.0).reshape(1, 1, 4, 4)
    result = value("nn.max_pool2d", data, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    np.testing.assert_array_equal(result[0, 0], [[-1, -2], [-5, -6]])


def test_average_of_integers_rounds_towards_zero(value: Callable[..., Array]) -> None:
    data = np.array([[[-3, -4, 3, 4]]], "int32")
    result = value("nn.avg_pool1d", data, pool_size=(2,), strides=(2,))
    np.testing.assert_array_equal(result[0, 0], [-3, 3])


def test_adaptive_pool_parts_overlap_where_sizes_do_not_divide(value: Callable[..., Array]) -> None:
    data = np.arange(5.0).reshape(1, 1, 5)
    np.testing.assert_allclose(value("nn.adaptive_avg_pool1d", data, output_size=(3,))[0, 0], [0.5, 2, 3.5])
    np.testing.assert_allclose(value("nn.adaptive_max_pool1d", data, output_size=(3,))[0, 0], [1, 3, 4])


def test_global_pool_is_the_pool_over_everything(value: Callable[..., Array], random: np.random.Generator) -> None:
    data = random.normal(size=(2, 3, 4, 5))
    np.testing.assert_allclose(value("nn.global_avg_pool2d", data), data.mean(axis=(2, 3), keepdims=True))
    np.testing.assert_allclose(value("nn.global_max_pool2d", data), data.max(axis=(2, 3), keepdims=True))


def test_average_pool_gradient_is_the_adjoint(value: Callable[..., Array], random: np.random.Generator) -> None:
    attrs = {"pool_size": (3, 2), "strides": (2, 2), "padding": (1, 0, 1, 1)}
    data = random.normal(size=(2, 3, 7, 6))
    forward = value("nn.avg_pool2d", data, **attrs)
    back = random.normal(size=forward.shape)
    gradient = value("nn.avg_pool2d_grad", back, data, **attrs)
    np.testing.assert_allclose((forward * back).sum(), (data * gradient).sum())


def test_maximum_pool_gradient_goes_to_the_first_largest(value: Callable[..., Array]) -> None:
    data = np.array([[1.0, 3.0, 3.0], [0.0, 2.0, 1.0], [5.0, 1.0, 1.0]]).reshape(1, 1, 3, 3)
    back = np.array([[10.0, 20.0], [30.0, 40.0]]).reshape(1, 1, 2, 2)
    result = value("nn.max_pool2d_grad", back, data, pool_size=(2, 2))
    np.testing.assert_array_equal(result[0, 0], [[0, 30, 0], [0, 40, 0], [30, 0, 0]])
