"""Losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Diagnostic

Array = np.ndarray[Any, Any]


def test_cross_entropy(typed: Callable[..., str], value: Callable[..., Array]) -> None:
    assert typed("nn.cross_entropy", "2 3", "2 3") == ""
    predictions, targets = np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(value("nn.cross_entropy", predictions, targets), np.log(8) / 2)
    logarithms = np.log(predictions)
    np.testing.assert_allclose(value("nn.cross_entropy_with_logits", logarithms, targets), np.log(8) / 2)


def test_negative_log_likelihood(value: Callable[..., Array]) -> None:
    predictions = np.array([[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]])
    targets, weights = np.array([0, 1, 1], "int32"), np.array([1.0, 10.0])
    attrs = {"ignore_index": -100}
    each = value("nn.nll_loss", predictions, targets, weights, reduction="none", **attrs)
    np.testing.assert_allclose(each, [1, 40, 60])
    np.testing.assert_allclose(value("nn.nll_loss", predictions, targets, weights, reduction="sum", **attrs), 101)
    np.testing.assert_allclose(value("nn.nll_loss", predictions, targets, weights, **attrs), 101 / 21)
    ignored = value("nn.nll_loss", predictions, targets, weights, ignore_index=1)
    np.testing.assert_allclose(ignored, 1)


def test_negative_log_likelihood_of_images(typed: Callable[..., str]) -> None:
    assert typed("nn.nll_loss", "2 5 4 4", "2 4 4 int32", "5", ignore_index=0, reduction="none") == "2 4 4"


ERRORS = [
    ("nn.cross_entropy", ["2 3", "3 3"], {}, 1, "batch of y (3) does not match batch of x (2)"),
    ("nn.cross_entropy", ["3", "3"], {}, 0, "x must be 2-dimensional"),
    ("nn.nll_loss", ["2 5", "2 2 int32", "5"], {"ignore_index": 0}, 0, "one dimension more than targets"),
    ("nn.nll_loss", ["2 5", "2 int32", "4"], {"ignore_index": 0}, 2, "5 classes, but weights has 4"),
    ("nn.nll_loss", ["2 5", "2", "5"], {"ignore_index": 0}, 1, "targets must be signed integers"),
    ("nn.nll_loss", ["2 5", "2 int32", "5 float16"], {"ignore_index": 0}, 2, "weights is of dtype float16"),
]


@pytest.mark.parametrize(("name", "arguments", "attrs", "argument", "message"), ERRORS)
def test_error(
    rejected: Callable[..., Diagnostic],
    name: str,
    arguments: list[str],
    attrs: dict[str, Any],
    argument: int,
    message: str,
) -> None:
    diagnostic = rejected(name, *arguments, **attrs)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert diagnostic.place.argument == argument
