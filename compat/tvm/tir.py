"""``tvm.tir``: numbers for attributes, and the dimension that is not known. What makes code is not here."""

from __future__ import annotations

from typing import NoReturn

from relay_lsp.ir.dimensions import AnyDim
from relay_lsp.ir.dimensions import FloatImm as _FloatImm
from relay_lsp.ir.dimensions import IntImm as _IntImm

__all__ = ["Any", "FloatImm", "IntImm"]

Any = AnyDim


def IntImm(dtype: str, value: int) -> int:  # noqa: N802 - TVM's name
    """An integer of a dtype."""
    return int(value) if dtype == "int32" else _IntImm(value, dtype)


def FloatImm(dtype: str, value: float) -> float:  # noqa: N802 - TVM's name
    """A number of a dtype."""
    return float(value) if dtype == "float32" else _FloatImm(value, dtype)


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"tvm.tir.{name} is not here: relay_lsp makes no code, and so has no loops over tensors")
