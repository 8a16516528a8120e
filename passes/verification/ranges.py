"""Keeping a comparison within the numbers that a narrower dtype has.

A pass that computes in fewer bits promises its result only for values that those bits can hold: float16 ends at 65504.
Inputs are made smaller until that is so of every value on the way, rather than allowing for what overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import ml_dtypes
import numpy as np

from relay_lsp.ir.evaluation import ADTValue, Value
from relay_lsp.ir.expressions import NDArray

__all__ = ["fits", "float_limits", "is_float", "narrowest_float", "rounded_floats"]

_HEADROOM = 2.0
"""Sums on the way to a value may be larger than the value."""


def is_float(array: NDArray) -> bool:
    """Whether an array holds floats, those of 16 bits included."""
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def float_limits(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The smallest normal number and the largest number of a dtype of floats."""
    limits = cast("Any", ml_dtypes.finfo)(dtype)
    return float(limits.smallest_normal), float(limits.max)


def narrowest_float(values: Iterable[Value]) -> np.dtype[Any] | None:
    """The dtype of floats with the smallest range among values; ``None`` where there are no floats."""
    dtypes = {array.dtype for array in _floats(values)}
    return min(dtypes, key=lambda dtype: float_limits(dtype)[1], default=None)


def fits(values: Iterable[Value], dtype: np.dtype[Any]) -> bool:
    """Whether a dtype of floats can hold every finite number among values, and sums twice as large."""
    largest = float_limits(dtype)[1] / _HEADROOM
    return all(_largest(array) <= largest for array in _floats(values))


def rounded_floats(values: tuple[Value, ...], dtype: np.dtype[Any]) -> tuple[Value, ...]:
    """Values with their floats rounded to numbers of ``dtype``, in the dtypes that they have."""
    return tuple(_rounded(value, dtype) for value in values)


def _rounded(value: Value, dtype: np.dtype[Any]) -> Value:
    if isinstance(value, tuple):
        return tuple(_rounded(part, dtype) for part in value)
    if isinstance(value, np.ndarray) and is_float(value):
        return value.astype(dtype).astype(value.dtype)
    return value


def _largest(array: NDArray) -> float:
    wide = np.abs(array.astype(np.float64))
    return float(np.max(wide, initial=0.0, where=np.isfinite(wide)))


def _floats(values: Iterable[Value]) -> Iterator[NDArray]:
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, tuple):
            pending.extend(value)
        elif isinstance(value, ADTValue):
            pending.extend(value.fields)
        elif isinstance(value, np.ndarray) and is_float(value):
            yield value
