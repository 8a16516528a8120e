"""Sampling on a grid, and dilation of grey images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]

IDENTITY = np.array([[[1, 0, 0], [0, 1, 0]]], np.float32)


@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
def test_the_identity_samples_the_image_itself(value: Value, method: str, padding_mode: str) -> None:
    image = np.random.default_rng(0).random((1, 3, 5, 6), np.float32)
    result = value(
        f'image.grid_sample(%x, image.affine_grid(%m, target_shape=[5, 6]), method="{method}", '
        f'padding_mode="{padding_mode}")',
        x=image,
        m=IDENTITY,
    )
    assert np.allclose(result, image, atol=1e-5)


def test_what_lies_outside_follows_the_padding_mode(value: Value) -> None:
    image = np.array([[[[1, 2, 3]]]], np.float32)
    grid = np.array([[[[-2.0, 0.0, 2.0]], [[0.0, 0.0, 0.0]]]], np.float32)
    sampled = {
        mode: value(f'image.grid_sample(%x, %g, padding_mode="{mode}")', x=image, g=grid)[0, 0, 0].tolist()
        for mode in ("zeros", "border", "reflection")
    }
    assert sampled == {"zeros": [0, 2, 0], "border": [1, 2, 3], "reflection": [2, 2, 2]}


def test_a_volume_is_sampled_by_three_coordinates(value: Value) -> None:
    volume = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    grid = np.zeros((1, 3, 1, 1, 1), np.float32)
    assert value('image.grid_sample(%x, %g, layout="NCDHW")', x=volume, g=grid).item() == volume.mean()


def test_dilation_takes_the_greatest_sum(value: Value) -> None:
    image = np.array([[[[0, 5, 0], [0, 0, 0], [0, 0, 1]]]], np.float32)
    weight = np.array([[[0, 1], [2, 3]]], np.float32)
    result = value("image.dilation2d(%x, %w)", x=image, w=weight)
    assert result[0, 0].tolist() == [[6, 5], [3, 4]]
