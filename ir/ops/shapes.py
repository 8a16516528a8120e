"""Arithmetic over dimensions, folded as far as TVM folds it when it builds the expression.

Two numbers give a number; adding zero, or multiplying and dividing by one, gives the other operand; everything else
is kept as a :class:`DimOperation`. ``?`` is an operand like any other: the relations that want it to stay ``?`` ask for
it before they compute. Where the dtypes differ, the narrower operand is converted.

Source of the rule: ``src/tir/op/op.cc`` (``BinaryOpMatchTypes``), ``src/arith/const_fold.h``.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..dimensions import ANY, Dim, DimCast, DimExpr, DimOperation, IntImm, Shape, immediate_dtype

__all__ = [
    "add",
    "ceil_divide",
    "convert",
    "floor_divide",
    "in_words",
    "maximum",
    "minimum",
    "multiply",
    "product",
    "subtract",
    "truncate_divide",
]


def add(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs + rhs``."""
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(lhs, int):
        if isinstance(rhs, int):
            return _number(lhs + rhs, lhs)
        if lhs == 0:
            return rhs
    elif rhs == 0:
        return lhs
    return DimOperation("+", lhs, rhs)


def subtract(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs - rhs``."""
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(lhs, int) and isinstance(rhs, int):
        return _number(lhs - rhs, lhs)
    if rhs == 0 and isinstance(rhs, int):
        return lhs
    return DimOperation("-", lhs, rhs)


def multiply(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs * rhs``."""
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(lhs, int):
        if isinstance(rhs, int):
            return _number(lhs * rhs, lhs)
        if lhs == 1:
            return rhs
        if lhs == 0:
            return lhs
    elif isinstance(rhs, int):
        if rhs == 1:
            return lhs
        if rhs == 0:
            return rhs
    return DimOperation("*", lhs, rhs)


def floor_divide(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs / rhs`` rounded towards negative infinity.

    Raises:
        ZeroDivisionError: ``rhs`` is the number zero.
    """
    return _divide("//", lhs, rhs)


def truncate_divide(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs / rhs`` rounded towards zero, as C divides integers.

    Raises:
        ZeroDivisionError: ``rhs`` is the number zero.
    """
    return _divide("/", lhs, rhs)


def ceil_divide(lhs: Dim, rhs: Dim) -> Dim:
    """``lhs / rhs`` rounded up, as TVM writes it: ``(lhs + (rhs - 1)) // rhs``.

    Raises:
        ZeroDivisionError: ``rhs`` is the number zero.
    """
    return floor_divide(add(lhs, subtract(rhs, 1)), rhs)


def maximum(lhs: Dim, rhs: Dim) -> Dim:
    """The larger one."""
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(lhs, int) and isinstance(rhs, int):
        return max(lhs, rhs)
    return lhs if lhs is rhs else DimOperation("max", lhs, rhs)


def minimum(lhs: Dim, rhs: Dim) -> Dim:
    """The smaller one."""
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(lhs, int) and isinstance(rhs, int):
        return min(lhs, rhs)
    return lhs if lhs is rhs else DimOperation("min", lhs, rhs)


def product(dims: Iterable[Dim]) -> Dim:
    """All of them multiplied, from the left; 1 for none."""
    result: Dim = 1
    for dim in dims:
        result = multiply(result, dim)
    return result


def convert(dim: Dim, dtype: str) -> Dim:
    """``dim`` as a dimension of ``dtype``; ``?`` has none and stays."""
    if isinstance(dim, int):
        return int(dim) if dtype == "int32" else IntImm(dim, dtype)
    return dim if dim is ANY or dim.dtype == dtype else DimCast(dtype, dim)


def in_words(shape: Shape) -> str:
    """The shape as messages and types show it: ``(1, ?, 64)``."""
    return f"({', '.join(map(str, shape))})"


def _divide(operator: str, lhs: Dim, rhs: Dim) -> Dim:
    lhs, rhs = _matched(lhs, rhs)
    if isinstance(rhs, int):
        if rhs == 0:
            raise ZeroDivisionError("division of a dimension by zero")
        if isinstance(lhs, int):
            quotient = lhs // rhs
            if operator == "/" and quotient < 0 and quotient * rhs != lhs:
                quotient += 1
            return _number(quotient, lhs)
        if rhs == 1:
            return lhs
    if isinstance(lhs, int) and lhs == 0:
        return lhs
    return DimOperation(operator, lhs, rhs)


def _number(value: int, like: int) -> int:
    return IntImm(value, like.dtype) if isinstance(like, IntImm) else value


def _matched(lhs: Dim, rhs: Dim) -> tuple[Dim, Dim]:
    """Both operands in the wider of their dtypes."""
    if type(lhs) is int and type(rhs) is int:
        return lhs, rhs
    lhs_dtype = lhs.dtype if isinstance(lhs, DimExpr) else immediate_dtype(lhs)
    rhs_dtype = rhs.dtype if isinstance(rhs, DimExpr) else immediate_dtype(rhs)
    if lhs_dtype == rhs_dtype:
        return lhs, rhs
    if _bits(lhs_dtype) < _bits(rhs_dtype):
        return _widened(lhs, rhs_dtype), rhs
    return lhs, _widened(rhs, lhs_dtype)


def _widened(dim: Dim, dtype: str) -> Dim:
    if isinstance(dim, int):
        return IntImm(dim, dtype)
    return DimCast(dtype, dim)


def _bits(dtype: str) -> int:
    digits = dtype.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else 1
