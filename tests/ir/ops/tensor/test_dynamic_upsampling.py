"""Upsampling by factors that are known only when the module runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Value = Callable[..., Any]


def test_the_factors_are_arguments(value: Value) -> None:
    image = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    call = "dyn.nn.upsampling(%x, %h, %w, scale_h=0f, scale_w=0f)"
    result = value(call, x=image, h=np.float32(1), w=np.float32(2))
    assert result[0, 0].tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    volume = image.reshape(1, 1, 1, 2, 2)
    call = "dyn.nn.upsampling3d(%x, %d, %h, %w, scale_d=0f, scale_h=0f, scale_w=0f)"
    result = value(call, x=volume, d=np.float32(3), h=np.float32(1), w=np.float32(1))
    assert result.shape == (1, 1, 3, 2, 2)
