"""Arrays and devices. Arrays are numpy's, with ``numpy()`` as in TVM where a script makes them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Final, cast

import numpy as np

from relay_lsp.ir.expressions import VirtualDevice

from ..arrays import as_script_array

__all__ = ["NDArray", "convert", "cpu", "cuda", "device", "nd"]

_CPU: Final = 1
_CUDA: Final = 2


def cpu(device_id: int = 0) -> VirtualDevice:
    """A processor."""
    return VirtualDevice(_CPU, device_id)


def cuda(device_id: int = 0) -> VirtualDevice:
    """A graphics processor."""
    return VirtualDevice(_CUDA, device_id)


_KINDS: Final = {"cpu": _CPU, "llvm": _CPU, "cuda": _CUDA, "gpu": _CUDA}


def device(dev_type: str, dev_id: int = 0) -> VirtualDevice:
    """A device by the name of its kind.

    Raises:
        ValueError: there is no such kind; evaluation is numpy's, whichever is chosen.
    """
    kind = dev_type.split()[0] if dev_type else ""
    if kind not in _KINDS:
        raise ValueError(f"there is no device {dev_type!r} here; there are {', '.join(_KINDS)}")
    return VirtualDevice(_KINDS[kind], dev_id)


def convert(value: Any) -> Any:
    """A list as a tuple, for what keeps it; everything else as it is."""
    return tuple(map(convert, cast("Sequence[object]", value))) if isinstance(value, (list, tuple)) else value


def _array(values: Any, device: object = None) -> Any:
    del device
    return as_script_array(values)


def _empty(shape: Sequence[int], dtype: str = "float32", device: object = None) -> Any:
    del device
    return as_script_array(np.zeros(tuple(shape), dtype))


NDArray = np.ndarray
nd: Final = SimpleNamespace(array=_array, empty=_empty, NDArray=NDArray)
