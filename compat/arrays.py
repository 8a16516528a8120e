"""``ScriptArray``: numpy's array with the two names by which scripts ask TVM's arrays for their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from relay_lsp.ir.expressions import NDArray

__all__ = ["ScriptArray", "as_script_array", "as_script_value"]


class ScriptArray(np.ndarray):  # type: ignore[type-arg]
    """An array that scripts make or are given. What is computed from it is numpy's own."""

    def numpy(self) -> NDArray:
        """The numbers."""
        return self.view(np.ndarray)

    def asnumpy(self) -> NDArray:
        """As :meth:`numpy`, by its older name."""
        return self.numpy()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = True) -> Any:
        """What numpy computes from the array is an array or a number of numpy's."""
        del context, return_scalar
        return np.asarray(array).view(np.ndarray)[()]


def as_script_array(values: Any, dtype: str | None = None) -> Any:
    """An array of these numbers, which are not copied where they are an array."""
    return np.asarray(values, dtype).view(ScriptArray)


def as_script_value(value: Any) -> Any:
    """What an evaluation gave, with its arrays as scripts take them."""
    if isinstance(value, tuple):
        return tuple(as_script_value(each) for each in value)  # pyright: ignore[reportUnknownVariableType]
    return as_script_array(value) if isinstance(value, (np.ndarray, np.generic)) else value
