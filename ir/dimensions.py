"""Dimensions of a tensor: numbers, ``?``, symbolic variables and arithmetic over them.

Source of the rule: ``include/tvm/tir/var.h`` (``SizeVar``, ``Any``), ``src/arith`` for what is folded.
"""

from __future__ import annotations

from typing import Final, TypeAlias


class DimExpr:
    """A dimension that is not a number."""

    __slots__ = ()


class AnyDim(DimExpr):
    """``?``: a dimension known only at run time (TVM's ``tir.Any``). Two of them are not known to be equal."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"

    def __reduce__(self) -> str:
        return "ANY"


ANY: Final = AnyDim()
"""The one ``?``."""


class SizeVar(DimExpr):
    """A named dimension, equal only to itself (TVM's ``tir.Var`` and ``tir.SizeVar``)."""

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: str = "int32") -> None:
        self.name: Final = name
        self.dtype: Final = dtype

    def __repr__(self) -> str:
        return self.name


class DimOperation(DimExpr):
    """Arithmetic over dimensions; ``operator`` is one of ``+ - * // % min max`` or a comparison."""

    __slots__ = ("lhs", "operator", "rhs")

    def __init__(self, operator: str, lhs: Dim, rhs: Dim) -> None:
        self.operator: Final = operator
        self.lhs: Final = lhs
        self.rhs: Final = rhs

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DimOperation)
            and self.operator == other.operator
            and self.lhs == other.lhs
            and self.rhs == other.rhs
        )

    def __hash__(self) -> int:
        return hash((self.operator, self.lhs, self.rhs))

    def __repr__(self) -> str:
        return f"({self.lhs} {self.operator} {self.rhs})"


Dim: TypeAlias = int | DimExpr
Shape: TypeAlias = tuple[Dim, ...]


def is_static(shape: Shape) -> bool:
    """Whether every dimension is a number."""
    for dim in shape:
        if not isinstance(dim, int):
            return False
    return True
