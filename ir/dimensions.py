"""Dimensions of a tensor: numbers, ``?``, symbolic variables and arithmetic over them.

A plain ``int`` stands for TVM's ``IntImm`` of dtype ``int32`` and a plain ``float`` for a ``FloatImm`` of dtype
``float32``; the rarer dtypes, which the text marks (``10i64``), are :class:`IntImm` and :class:`FloatImm`. Both are
numbers and compare as such; only structural equality and printing look at the dtype.

Source of the rule: ``include/tvm/tir/var.h`` (``SizeVar``, ``Any``), ``include/tvm/tir/expr.h``, ``src/arith`` for
what is folded.
"""

from __future__ import annotations

from typing import Final, TypeAlias


class IntImm(int):
    """An integer with a dtype other than ``int32``: ``10i64``, ``3i16``."""

    dtype: str

    def __new__(cls, value: int, dtype: str = "int64") -> IntImm:
        """``value`` with its dtype."""
        made = super().__new__(cls, value)
        made.dtype = dtype
        return made

    def __reduce__(self) -> tuple[type[IntImm], tuple[int, str]]:
        return IntImm, (int(self), self.dtype)


class FloatImm(float):
    """A float with a dtype other than ``float32``: ``2f64``, ``1f16``."""

    dtype: str

    def __new__(cls, value: float, dtype: str = "float64") -> FloatImm:
        """``value`` with its dtype."""
        made = super().__new__(cls, value)
        made.dtype = dtype
        return made

    def __reduce__(self) -> tuple[type[FloatImm], tuple[float, str]]:
        return FloatImm, (float(self), self.dtype)


def immediate_dtype(value: float) -> str:
    """The dtype of the number ``value`` as TVM would hold it."""
    if isinstance(value, (IntImm, FloatImm)):
        return value.dtype
    if isinstance(value, bool):
        return "bool"
    return "int32" if isinstance(value, int) else "float32"


class DimExpr:
    """A dimension that is not a number."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        """The dtype of the dimension's value; nearly always ``int32`` or ``int64``."""
        return "int32"


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
    """A named dimension, equal only to itself.

    With ``nonnegative`` it is TVM's ``tir.SizeVar``, without it TVM's ``tir.Var``.
    """

    __slots__ = ("_dtype", "name", "nonnegative")

    def __init__(self, name: str, dtype: str = "int32", nonnegative: bool = True) -> None:
        self.name: Final = name
        self._dtype: Final = dtype
        self.nonnegative: Final = nonnegative

    @property
    def dtype(self) -> str:
        """The dtype it was declared with."""
        return self._dtype

    def __repr__(self) -> str:
        return self.name


class DimOperation(DimExpr):
    """Arithmetic over dimensions; ``operator`` is one of ``+ - * / // % min max`` or a comparison."""

    __slots__ = ("lhs", "operator", "rhs")

    def __init__(self, operator: str, lhs: DimOperand, rhs: DimOperand) -> None:
        self.operator: Final = operator
        self.lhs: Final = lhs
        self.rhs: Final = rhs

    @property
    def dtype(self) -> str:
        """``bool`` for a comparison, else the dtype of the operands."""
        if self.operator in ("==", "!=", "<", "<=", ">", ">="):
            return "bool"
        return self.lhs.dtype if isinstance(self.lhs, DimExpr) else immediate_dtype(self.lhs)

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


class DimCast(DimExpr):
    """A dimension converted to another dtype (``tir.Cast``)."""

    __slots__ = ("_dtype", "value")

    def __init__(self, dtype: str, value: DimOperand) -> None:
        self._dtype: Final = dtype
        self.value: Final = value

    @property
    def dtype(self) -> str:
        """The dtype that it is converted to."""
        return self._dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DimCast) and self._dtype == other.dtype and self.value == other.value

    def __hash__(self) -> int:
        return hash((self._dtype, self.value))

    def __repr__(self) -> str:
        return f"{self._dtype}({self.value})"


class DimCall(DimExpr):
    """A function of dimensions (``tir.Call``): ``tir.round`` in the result of an upsampling by a fraction."""

    __slots__ = ("_dtype", "args", "function")

    def __init__(self, function: str, args: tuple[DimOperand, ...], dtype: str) -> None:
        self.function: Final = function
        self.args: Final = args
        self._dtype: Final = dtype

    @property
    def dtype(self) -> str:
        """The dtype of the result."""
        return self._dtype

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DimCall)
            and self.function == other.function
            and self._dtype == other.dtype
            and self.args == other.args
        )

    def __hash__(self) -> int:
        return hash((self.function, self.args, self._dtype))

    def __repr__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.args))})"


Dim: TypeAlias = int | DimExpr
DimOperand: TypeAlias = int | float | DimExpr
Shape: TypeAlias = tuple[Dim, ...]


def is_static(shape: Shape) -> bool:
    """Whether every dimension is a number."""
    return all(isinstance(dim, int) for dim in shape)
