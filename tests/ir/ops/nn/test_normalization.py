"""Normalizations and activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.ops.data_layout import LayoutError
from relay_lsp.ir.ops.nn.normalization import L2NormalizeAttrs
from relay_lsp.ir.types import TensorType

Array = np.ndarray[Any, Any]

TYPES = [
    ("nn.batch_norm", ["1 3 8 8", "3", "3", "3", "3"], {}, "1 3 8 8, 3, 3"),
    ("nn.batch_norm", ["1 8 8 3", None, None, None, None], {"axis": -1}, "1 8 8 3, 3, 3"),
    ("nn.instance_norm", ["1 3 8 8", "3", "3"], {}, "1 3 8 8"),
    ("nn.layer_norm", ["1 3 8", "8", "8"], {}, "1 3 8"),
    ("nn.group_norm", ["1 6 8 8", "6", "6"], {"num_groups": 3}, "1 6 8 8"),
    ("nn.lrn", ["1 6 8 8"], {}, "1 6 8 8"),
    ("nn.l2_normalize", ["1 6 8 8"], {"eps": 1e-6, "axis": (1,)}, "1 6 8 8"),
    ("nn.relu", ["? 3 int8"], {}, "? 3 int8"),
    ("nn.leaky_relu", ["2 3"], {"alpha": 0.1}, "2 3"),
    ("nn.prelu", ["2 3", "3"], {}, "2 3"),
    ("nn.softmax", ["2 3"], {}, "2 3"),
    ("nn.log_softmax", ["2 3"], {"axis": 1}, "2 3"),
    ("nn.dropout", ["2 3"], {"rate": 0.1}, "2 3, 2 3"),
]


@pytest.mark.parametrize(("name", "arguments", "attrs", "expected"), TYPES)
def test_type(
    typed: Callable[..., str], name: str, arguments: list[str | None], attrs: dict[str, Any], expected: str
) -> None:
    assert typed(name, *arguments, **attrs) == expected


ERRORS = [
    ("nn.batch_norm", ["1 3 8 8", "3", "4", "3", "3"], {}, 2, "beta has 4 elements, but axis 1 of data has 3"),
    ("nn.batch_norm", ["1 3 8 8", "3", "3", "3", "3"], {"axis": 4}, "axis", "axis 4 is out of range"),
    ("nn.batch_norm", ["1 3 8 8", "3", "3", "3", "3"], {"axis": -2}, "axis", "axis must be at least -1"),
    ("nn.instance_norm", ["1 3", "3", "3"], {}, 0, "data must have at least 3 dimensions"),
    ("nn.layer_norm", ["1 3 8", "3", "8"], {}, 1, "gamma has 3 elements, but axis -1 of data has 8"),
    ("nn.softmax", ["2 3"], {"axis": 2}, "axis", "axis 2 is out of range"),
    ("nn.prelu", ["2 3", "3"], {"axis": -1}, "axis", "axis must be at least 0"),
]


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


def standardized(data: Array, axes: tuple[int, ...], epsilon: float = 1e-5) -> Array:
    return (data - data.mean(axis=axes, keepdims=True)) / np.sqrt(data.var(axis=axes, keepdims=True) + epsilon)


def test_batch_norm_uses_the_moving_statistics(value: Callable[..., Any], random: np.random.Generator) -> None:
    data = random.normal(size=(2, 3, 4, 4))
    gamma, beta, mean, variance = (random.uniform(1, 2, 3) for _ in range(4))
    result, new_mean, new_variance = value("nn.batch_norm", data, gamma, beta, mean, variance, epsilon=0.1)
    shape = (3, 1, 1)
    expected = (data - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 0.1)
    np.testing.assert_allclose(result, expected * gamma.reshape(shape) + beta.reshape(shape))
    assert new_mean is mean
    assert new_variance is variance


def test_scale_and_center_switch_gamma_and_beta_off(value: Callable[..., Any], random: np.random.Generator) -> None:
    data, gamma, beta = random.normal(size=(2, 5)), random.normal(size=5), random.normal(size=5)
    plain = standardized(data, (1,))
    np.testing.assert_allclose(value("nn.layer_norm", data, gamma, beta), plain * gamma + beta)
    np.testing.assert_allclose(value("nn.layer_norm", data, gamma, beta, scale=False), plain + beta)
    np.testing.assert_allclose(value("nn.layer_norm", data, gamma, beta, center=False), plain * gamma)


def test_group_norm_lies_between_instance_and_layer_norm(
    value: Callable[..., Any], random: np.random.Generator
) -> None:
    data, ones, zeros = random.normal(size=(2, 6, 4)), np.ones(6), np.zeros(6)
    each = value("nn.group_norm", data, ones, zeros, num_groups=6)
    np.testing.assert_allclose(each, value("nn.instance_norm", data, ones, zeros))
    np.testing.assert_allclose(
        value("nn.group_norm", data, ones, zeros, num_groups=1), standardized(data, (1, 2)), rtol=1e-6
    )
    halves = [standardized(data[:, part], (1, 2)) for part in (slice(3), slice(3, 6))]
    np.testing.assert_allclose(value("nn.group_norm", data, ones, zeros, num_groups=2), np.concatenate(halves, axis=1))


def test_lrn_sums_the_squares_of_neighbouring_channels(value: Callable[..., Any]) -> None:
    data = np.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1, 1)
    result = value("nn.lrn", data, size=3, alpha=3.0, beta=1.0, bias=1.0)
    np.testing.assert_allclose(result.ravel(), [1 / 6, 2 / 15, 3 / 30, 4 / 26])


def test_l2_normalize_gives_unit_length(value: Callable[..., Any]) -> None:
    data = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(value("nn.l2_normalize", data, eps=1e-10, axis=(1,)), [[0.6, 0.8], [0, 0]])


def test_activations(value: Callable[..., Any]) -> None:
    data = np.array([[-2.0, 3.0]], "float32")
    np.testing.assert_array_equal(value("nn.relu", data), [[0, 3]])
    np.testing.assert_array_equal(value("nn.leaky_relu", data, alpha=0.5), [[-1, 3]])
    np.testing.assert_array_equal(value("nn.prelu", data, np.array([2, 7], "float32")), [[-4, 3]])


def test_softmax_of_large_numbers_does_not_overflow(value: Callable[..., Any]) -> None:
    data = np.array([[1000.0, 1000.0], [-1000.0, 1000.0]], "float32")
    np.testing.assert_allclose(value("nn.softmax", data), [[0.5, 0.5], [0, 1]])
    np.testing.assert_allclose(value("nn.log_softmax", data), [[-np.log(2), -np.log(2)], [-2000, 0]], rtol=1e-6)


def test_the_channel_axis_follows_the_layout() -> None:
    op = ops.get("nn.batch_norm")
    attrs = op.default_attrs()
    assert op.infer_layout is not None
    assert attrs is not None
    types = (TensorType((1, 8, 8, 32)), *(TensorType((32,)),) * 4)
    old = ("NHWC", "C", "C", "C", "C")
    inferred = op.infer_layout(attrs.replace(axis=3), ("NCHW", "C", "C", "C", "C"), old, types)
    assert inferred.inputs == ("NCHW", "C", "C", "C", "C")
    assert inferred.outputs == ("NCHW", "C", "C")
    assert inferred.attrs == attrs.replace(axis=1)
    with pytest.raises(LayoutError, match="run along C, which NCHW16c splits; run SimplifyInference before"):
        op.infer_layout(attrs.replace(axis=3), ("NCHW16c", "C", "C", "C", "C"), old, types)


def test_the_normalized_axes_follow_the_layout() -> None:
    infer_layout = ops.get("nn.l2_normalize").infer_layout
    assert infer_layout is not None
    attrs = L2NormalizeAttrs(eps=1e-6, axis=(1, -1))
    inferred = infer_layout(attrs, ("NHWC",), ("NCHW",), (TensorType((1, 3, 8, 8)),))
    assert inferred.attrs == attrs.replace(axis=(3, 2))
