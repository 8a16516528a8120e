"""The numpy dtype that holds a Relay dtype."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["numpy_dtype"]

_DTYPES: dict[str, np.dtype[Any]] = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "int4": np.dtype(ml_dtypes.int4)}


def numpy_dtype(dtype: str) -> np.dtype[Any]:
    """The numpy dtype of the Relay dtype called ``dtype``; ``bool`` is ``uint1`` too, ``bfloat16`` is ``ml_dtypes``'.

    Raises:
        TypeError: numpy has none (a vector dtype, a handle, a custom dtype).
    """
    dtype_object = _DTYPES.get(dtype)
    if dtype_object is None:
        dtype_object = _DTYPES[dtype] = np.dtype("bool" if dtype == "uint1" else str(dtype))
    return dtype_object
