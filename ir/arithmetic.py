"""What Python's operators on expressions stand for: ``a + b``, ``-a``, ``a < b``, ``a[0]``, ``mean, variance = a``.

Source of the rule: ``ExprWithOp`` and ``TupleWrapper`` in ``python/tvm/relay/expr.py``. TVM refuses a number as an
operand and asks for ``const``; here it becomes a constant of the other operand's dtype where that is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from .builder import call, constant
from .expressions import Call, Constant, Expr, Tuple, TupleGetItem, Var
from .ops.operator import Op, OpPattern
from .ops.result_counts import result_count
from .types import TensorType, TupleType, Type

__all__ = ["cast", "operate", "project", "results"]


def operate(name: str, *operands: Expr | float) -> Expr:
    """A call of the operator ``name``; a number among the operands takes the dtype of the other one.

    Raises:
        TypeError: an operand is no expression, or a number where the other operand's dtype is not known yet.
    """
    dtype = next((known for each in operands if (known := _dtype(each)) is not None), None)
    return call(name, *(_expression(each, dtype) for each in operands))


def cast(expr: Expr, dtype: str) -> Expr:
    """``expr`` in another dtype."""
    return call("cast", expr, dtype=dtype)


def project(expr: Expr, index: int) -> Expr:
    """The field of a tuple that is written out, or ``expr.index``.

    Raises:
        TypeError: ``index`` is no number.
        IndexError: there is no such field, as far as is known.
    """
    if not isinstance(index, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a field of a tuple has a number, not {index!r}; for parts of a tensor there is strided_slice")
    count = _count(expr)
    if count is not None and not -count <= index < count:
        raise IndexError(f"{expr!r} has {count} fields, and none with number {index}")
    if isinstance(expr, Tuple):
        return expr.fields[index]
    if index < 0 and count is None:
        raise IndexError(f"how many fields {expr!r} has is not known; count from its first one")
    return TupleGetItem(expr, index + (count or 0) if index < 0 else index, expr.span)


def results(expr: Expr) -> Iterator[Expr]:
    """Each field of a tuple, as ``a, b = expr`` takes them.

    Raises:
        TypeError: how many there are is not known: the expression is no call of several results, and has no type yet.
    """
    count = _count(expr)
    if count is None:
        raise TypeError(f"{expr!r} is not known to be a tuple; infer types first, or take fields by number")
    return (project(expr, index) for index in range(count))


def _count(expr: Expr) -> int | None:
    if isinstance(expr, Tuple):
        return len(expr.fields)
    known = expr.checked_type or (expr.type_annotation if isinstance(expr, Var) else None)
    return len(known.fields) if isinstance(known, TupleType) else result_count(expr)


def _dtype(operand: Expr | float) -> str | None:
    """The dtype of a tensor, also before types are inferred: the result of arithmetic has that of its operands."""
    current = operand
    while isinstance(current, Expr):
        if isinstance(current, Constant):
            return current.dtype
        known: Type | None = current.checked_type or (current.type_annotation if isinstance(current, Var) else None)
        if isinstance(known, TensorType):
            return known.dtype
        if not isinstance(current, Call) or not isinstance(current.op, Op) or current.op.name in _TRUTH_VALUES:
            return None
        if current.op.name == "cast":
            return getattr(current.attrs, "dtype", None)
        if current.op.pattern > OpPattern.BROADCAST or not current.args:
            return None
        current = current.args[0]
    return None


_TRUTH_VALUES = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isfinite", "isinf", "where")
)
"""Operators whose result has not the dtype of their first operand."""


def _expression(operand: Expr | float, dtype: str | None) -> Expr:
    if isinstance(operand, Expr):
        return operand
    if not isinstance(operand, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{operand!r} is no expression")
    if dtype is None:
        raise TypeError(f"the dtype of the other operand is not known yet: write constant({operand!r}, dtype)")
    return constant(operand, dtype)
