"""Arithmetic over dimensions, folded as far as TVM folds it when it builds the expression.

Two numbers give a number; adding zero, or multiplying and dividing by one, gives the other operand; everything else
is kept as a :class:`DimOperation`. ``?`` is an operand like any other: the relations that want it to stay ``?`` ask for
it before they compute. Where the dtypes differ, the narrower operand is converted.

Source of the rule: ``src/tir/op/op.cc`` (``BinaryOpMatchTypes``), ``src/arith/const_fold.h``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..dimensions import ANY, Dim, DimCast, DimExpr, DimOperand, DimOperation, IntImm, Shape, immediate_dtype

__all__ = [
    "add",
    "are_equal",
    "ceil_divide",
    "convert",
    "floor_divide",
    "in_words",
    "maximum",
    "minimum",
    "multiply",
    "product",
    "simplify",
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


def are_equal(lhs: Dim, rhs: Dim) -> bool:
    """Whether the dimensions are the same number whatever the variables stand for, as ``n + 1`` and ``1 + n`` are.

    ``?`` is not known to equal anything. Sums and multiples are compared term by term; other arithmetic only as it is
    written, where TVM's simplifier may know more.

    Source of the rule: ``src/relay/op/type_relations.cc`` (``EqualCheck``).
    """
    if isinstance(lhs, int) or isinstance(rhs, int):
        return isinstance(lhs, int) and isinstance(rhs, int) and lhs == rhs
    if lhs is ANY or rhs is ANY:
        return False
    return lhs == rhs or not any(_difference(lhs, rhs).values())


def _difference(lhs: Dim, rhs: Dim) -> dict[DimExpr | None, int]:
    """How often each term occurs in ``lhs - rhs``; the key ``None`` is the number that is left."""
    terms: dict[DimExpr | None, int] = {}
    pending: list[tuple[DimOperand, int]] = [(rhs, -1), (lhs, 1)]
    while pending:
        dim, factor = pending.pop()
        if isinstance(dim, DimOperation):
            if dim.operator in ("+", "-"):
                pending += ((dim.rhs, factor if dim.operator == "+" else -factor), (dim.lhs, factor))
                continue
            if dim.operator == "*" and isinstance(dim.rhs, int):
                pending.append((dim.lhs, factor * dim.rhs))
                continue
            if dim.operator == "*" and isinstance(dim.lhs, int):
                pending.append((dim.rhs, factor * dim.lhs))
                continue
        if isinstance(dim, int):
            terms[None] = terms.get(None, 0) + factor * dim
        elif isinstance(dim, DimExpr):
            terms[dim] = terms.get(dim, 0) + factor
    return terms


def simplify(dim: Dim) -> Dim:
    """``dim`` with its sums and multiples put together term by term: ``((n + 2) - 3) + 1`` is ``n``.

    A term that is a quotient has its numerator put together likewise. TVM's simplifier knows more rules; where they
    would apply the expression stays as it was written.

    Source of the rule: ``src/arith/canonical_simplify.cc``.
    """
    if not isinstance(dim, DimOperation):
        return dim
    terms: dict[DimExpr | None, int] = {}
    for term, factor in _difference(dim, 0).items():
        if isinstance(term, DimOperation) and term.operator in ("//", "/") and isinstance(term.lhs, DimOperation):
            term = DimOperation(term.operator, _sum(_difference(term.lhs, 0)), term.rhs)
        terms[term] = terms.get(term, 0) + factor
    return _sum(terms)


def _sum(terms: Mapping[DimExpr | None, int]) -> Dim:
    """The terms, each as often as it occurs, from the left; the number comes last."""
    result: Dim = 0
    for term, factor in terms.items():
        if term is not None and factor:
            part = multiply(term, abs(factor))
            result = add(result, part) if factor > 0 else subtract(result, part)
    number = terms.get(None, 0)
    return add(result, number) if number >= 0 else subtract(result, -number)


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
