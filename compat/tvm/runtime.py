"""Arrays and devices. An array is numpy's: where TVM has ``array.numpy()``, ours is that already."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from relay_lsp.ir.expressions import VirtualDevice

__all__ = ["cpu", "cuda", "nd"]

_CPU: Final = 1
_CUDA: Final = 2


def cpu(device_id: int = 0) -> VirtualDevice:
    """A processor."""
    return VirtualDevice(_CPU, device_id)


def cuda(device_id: int = 0) -> VirtualDevice:
    """A graphics processor."""
    return VirtualDevice(_CUDA, device_id)


def _array(values: Any, device: object = None) -> Any:
    del device
    return np.asarray(values)


nd: Final = SimpleNamespace(array=_array, NDArray=np.ndarray)
