"""Shapes as values: a constant where they are known, else a question at run time.

Source of the rule: ``shape_of`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.types import is_static

from ...inspection import rank_of, shape_of
from ...operators import reshape

__all__ = ["integers", "scalar_of", "shape_value"]


def shape_value(expr: Expr, dtype: str = "int64") -> Expr:
    """The shape of a tensor, as a tensor of one dimension."""
    shape = shape_of(expr)
    if is_static(shape):
        return Constant(np.array([int(dim) for dim in shape if isinstance(dim, int)], numpy_dtype(dtype)))
    return call("shape_of", expr, dtype=dtype)


def integers(values: Sequence[int], dtype: str = "int64") -> Constant:
    """A constant tensor of integers."""
    return Constant(np.array(values, numpy_dtype(dtype)))


def scalar_of(value: Expr) -> Expr:
    """``value``, which has one element, without dimensions."""
    return reshape(value, []) if rank_of(value) > 0 else value
