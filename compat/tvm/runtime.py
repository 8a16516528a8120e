"""Arrays and devices. Arrays are numpy's, with ``numpy()`` as in TVM where a script makes them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from relay_lsp.ir.expressions import VirtualDevice

from ..arrays import as_script_array

__all__ = ["NDArray", "cpu", "cuda", "nd"]

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
    return as_script_array(values)


def _empty(shape: Sequence[int], dtype: str = "float32", device: object = None) -> Any:
    del device
    return as_script_array(np.zeros(tuple(shape), dtype))


NDArray = np.ndarray
nd: Final = SimpleNamespace(array=_array, empty=_empty, NDArray=NDArray)
