"""What a call of constants is: the rule that folding constants follows, wherever it is done.

Source of the rule: ``src/relay/transforms/fold_constant.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..arrays import numpy_dtype
from ..expressions import Call, Constant, Expr, Tuple
from ..lazy_numpy import np
from ..ops.application import is_call_to
from ..ops.operator import Op
from ..types import TensorType, Type, is_static
from ..visitor import rewrite_post_order
from .evaluate import evaluate_expr
from .values import EvaluationError

__all__ = ["asks_for_shape", "fold_call", "fold_shape_of", "is_constant", "without_device"]

_ASKS_FOR_SHAPE = ("shape_of", "vm.shape_of", "ndarray_size")


def without_device(expr: Expr) -> Expr:
    """``expr`` without a note of where it lives."""
    return expr.args[0] if isinstance(expr, Call) and is_call_to(expr, "on_device") else expr


def is_constant(expr: Expr) -> bool:
    """Whether ``expr`` is a constant or a tuple of constants, wherever they live."""
    waiting = [expr]
    while waiting:
        current = without_device(waiting.pop())
        if isinstance(current, Tuple):
            waiting.extend(current.fields)
        elif not isinstance(current, Constant):
            return False
    return True


def asks_for_shape(call: Call) -> bool:
    """Whether a call's value depends on the shape of its argument alone."""
    return isinstance(call.op, Op) and call.op.name in _ASKS_FOR_SHAPE


def fold_shape_of(call: Call, type: Type | None) -> Constant | None:
    """The value of a call that :func:`asks_for_shape` of an argument of ``type``.

    ``None`` where that is not static, and where there is no array of the dtype that is asked for, or none is written:
    such a call is left to what runs it.
    """
    if not isinstance(type, TensorType) or not is_static(type.shape):
        return None
    try:
        dtype = numpy_dtype(getattr(call.attrs, "dtype", "int32"))
    except TypeError:
        return None
    if isinstance(call.op, Op) and call.op.name == "ndarray_size":
        # A scalar has one element, but TVM's folder says 0.
        value: int | tuple[Any, ...] = math.prod(dim for dim in type.shape if isinstance(dim, int)) if type.shape else 0
    else:
        value = type.shape or 0
    try:
        return Constant(np.array(value, dtype))
    except OverflowError:
        return None  # A shape that its dtype cannot hold stays a question.


def fold_call(call: Call, args: Sequence[Expr], fold_qnn: bool = False) -> Expr | None:
    """The value of ``call`` with ``args`` as its arguments, or ``None`` where it is not folded.

    Calls without arguments (``zeros``, ``ones``), of stateful operators, copies between devices, of operators that
    have no kernel here and, unless ``fold_qnn``, of quantised ones stay, and so does what is no call of constants.
    """
    op = call.op
    if not args or not isinstance(op, Op) or op.stateful or asks_for_shape(call):
        return None
    if (op.non_computational and not (op.name.startswith("qnn.") and fold_qnn)) or op.name == "device_copy":
        return None
    if op.kernel is None or not all(map(is_constant, args)):
        return None
    try:
        value = evaluate_expr(Call(op, tuple(map(_without_devices, args)), call.attrs))
    except EvaluationError:
        return None
    return _as_expr(value)


def _without_devices(expr: Expr) -> Expr:
    expr = _copied(without_device(expr))
    return rewrite_post_order(expr, lambda _, new: _copied(without_device(new))) if isinstance(expr, Tuple) else expr


def _copied(expr: Expr) -> Expr:
    """A constant that has no type yet as another object: evaluation types what it computes, and that one stays."""
    if isinstance(expr, Constant) and expr.checked_type is None:
        return Constant(expr.data, expr.dtype, expr.span, expr.virtual_device)
    return expr


def _as_expr(value: Any) -> Expr:
    if isinstance(value, tuple):
        return Tuple(tuple(_as_expr(part) for part in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return Constant(np.asarray(value))
