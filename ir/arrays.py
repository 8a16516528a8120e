"""Arrays of numpy as Relay has them: the dtype that holds a Relay dtype, and rounding as C does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lazy_numpy import np

if TYPE_CHECKING:
    from .expressions import NDArray

__all__ = ["numpy_dtype", "round_away_from_zero"]

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


def round_away_from_zero(values: NDArray) -> NDArray:
    """The nearest whole numbers, halves away from zero (C's ``round``; numpy's takes the even one)."""
    truncated = np.trunc(values)
    with np.errstate(invalid="ignore"):
        step = np.where(np.abs(values - truncated) >= 0.5, np.sign(values), 0)
    return truncated + step.astype(values.dtype)
