"""The numpy dtype that holds a Relay dtype."""

from __future__ import annotations

from typing import Any

from .lazy_numpy import np

__all__ = ["numpy_dtype"]

_DTYPES: dict[str, np.dtype[Any]] = {}


def numpy_dtype(dtype: str) -> np.dtype[Any]:
    """The numpy dtype of the Relay dtype called ``dtype``; ``bool`` is ``uint1`` too, ``bfloat16`` is ``ml_dtypes``'.

    Raises:
        TypeError: numpy has none (a vector dtype, a handle, a custom dtype).
    """
    dtype_object = _DTYPES.get(dtype)
    if dtype_object is None:
        dtype_object = _DTYPES[dtype] = np.dtype(_described(str(dtype)))
    return dtype_object


def _described(dtype: str) -> Any:
    """What numpy takes for a Relay dtype."""
    if dtype in ("bfloat16", "int4"):
        import ml_dtypes  # as numpy, loaded when a tensor is there

        return ml_dtypes.bfloat16 if dtype == "bfloat16" else ml_dtypes.int4
    return "bool" if dtype == "uint1" else dtype
