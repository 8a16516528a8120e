"""The judge of evaluation."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from relay_lsp import ir
from relay_lsp.ir.types import DataType

from ..records import Record
from .comparison import typed_module

_TOLERANCE = {"float32": 1e-4, "float64": 1e-6, "float16": 2e-2, "bfloat16": 5e-2}


def _array(value: dict[str, Any]) -> Any:
    dtype = DataType(value["dtype"])
    if dtype == "bfloat16":
        return np.array(value["data"], dtype=ml_dtypes.bfloat16).reshape(value["shape"])
    return np.array(value["data"], dtype=str(dtype)).reshape(value["shape"])


def _same_value(expected: Any, actual: Any, place: str) -> str | None:
    if isinstance(expected, list):
        if not isinstance(actual, tuple) or len(actual) != len(expected):
            return f"{place}: expected a tuple of {len(expected)}, got {type(actual).__name__}"
        for index, (want, got) in enumerate(zip(expected, actual, strict=True)):
            problem = _same_value(want, got, f"{place}.{index}")
            if problem:
                return problem
        return None
    return array_difference(_array(expected), np.asarray(actual), place)


def array_difference(want: np.ndarray, got: np.ndarray, place: str) -> str | None:
    """How ``got`` differs in shape, dtype or, beyond the dtype's rounding, in its numbers; ``place`` names it."""
    if want.shape != got.shape:
        return f"{place}: shape {got.shape}, expected {want.shape}"
    if want.dtype != got.dtype:
        return f"{place}: dtype {got.dtype}, expected {want.dtype}"
    tolerance = _TOLERANCE.get(want.dtype.name, 0.0)
    wide_want, wide_got = want.astype("float64"), got.astype("float64")
    scale = float(np.max(np.abs(wide_want[np.isfinite(wide_want)]), initial=0.0))
    if np.allclose(wide_want, wide_got, rtol=tolerance, atol=tolerance * max(1e-3, min(scale, 1.0)), equal_nan=True):
        return None
    worst = float(np.nanmax(np.abs(wide_want - wide_got)))
    return f"{place}: largest difference {worst:g} at scale {scale:g} ({want.dtype})"


def evaluate(record: Record) -> str | None:
    """``@main``, or the only function, gives the recorded output on the inputs, within the dtype's rounding."""
    module, problem = typed_module(record["module"], "module")
    if module is None:
        return problem
    names = [var.name_hint for var in module]
    function = names[0] if len(names) == 1 else "main"
    value = ir.evaluate(module, *map(_array, record["inputs"]), function=function)
    return _same_value(record["output"], value, "output")
