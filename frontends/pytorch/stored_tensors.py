"""The tensors in the archive of an exported program: bytes, and a table that says how they lie.

Source of the format: ``torch/_export/serde/schema.py`` of PyTorch (``TensorMeta``, ``PayloadMeta``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np

from relay_lsp.ir.expressions import NDArray

from .archive import Archive

__all__ = ["PROGRAM_DTYPES", "MalformedProgramError", "StoredTensors"]

Json = Mapping[str, Any]

PROGRAM_DTYPES: dict[int, Any] = {
    1: np.uint8,
    2: np.int8,
    3: np.int16,
    4: np.int32,
    5: np.int64,
    6: np.float16,
    7: np.float32,
    8: np.float64,
    12: np.bool_,
    13: ml_dtypes.bfloat16,
}
"""The dtypes of the format by their numbers."""

_MOST_ELEMENTS = 2**31


class MalformedProgramError(Exception):
    """The file is not as the format has it; the message says where."""


class StoredTensors:
    """The tensors in one folder of an archive."""

    def __init__(self, archive: Archive, folder: str, name: str) -> None:
        self._archive = archive
        self._folder = f"data/{folder}/"
        path = f"{self._folder}{name}_{folder}_config.json"
        self._entries: Mapping[str, Json] = json.loads(archive.read(path))["config"] if path in archive else {}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def array(self, name: str) -> NDArray:
        """The tensor called ``name``; its lengths are compared with what there is before anything is read.

        Raises:
            MalformedProgramError: it is missing, pickled, of another dtype, or shorter than it declares.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise MalformedProgramError(f"it has no weights for {name}")
        if entry["use_pickle"]:
            raise MalformedProgramError(f"{name} is pickled, which could run any code")
        meta = entry["tensor_meta"]
        dtype = PROGRAM_DTYPES.get(meta["dtype"])
        if dtype is None:
            raise MalformedProgramError(f"{name} has a dtype that Relay does not have")
        data = self._archive.read(f"{self._folder}{entry['path_name']}")
        sizes, strides = (_numbers(meta[part], name) for part in ("sizes", "strides"))
        (offset,) = _numbers([meta["storage_offset"]], name)
        item = np.dtype(dtype).itemsize
        there = len(data) // item
        last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        if 0 in sizes:
            return np.zeros(sizes, dtype)
        if last >= there or math.prod(sizes) > max(there, 2**20) or math.prod(sizes) > _MOST_ELEMENTS:
            raise MalformedProgramError(f"{name} declares {list(sizes)} elements and has {there}")
        flat = np.frombuffer(data, dtype, there)
        strided = np.lib.stride_tricks.as_strided(
            flat[offset:], sizes, [stride * item for stride in strides], writeable=False
        )
        return np.array(strided, order="C")


def _numbers(sizes: Sequence[Json], name: str) -> tuple[int, ...]:
    numbers = [size.get("as_int") for size in sizes]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise MalformedProgramError(f"{name} has a shape that is not known")
    return tuple(cast("list[int]", numbers))
