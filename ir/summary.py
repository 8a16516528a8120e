"""One line about an expression, for messages and debuggers: what it is, not all that is below it."""

from __future__ import annotations

from .expressions import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem
from .ops.operator import Op
from .printing import scalar_text
from .visitor import children

__all__ = ["summary"]


def summary(expr: Expr) -> str:
    """``<Call nn.conv2d(%x, %weight, padding=[0, 0, 0, 0]): Tensor[(1, 4, 6, 6), float32]>``."""
    type_text = "" if expr.checked_type is None else f": {expr.checked_type!r}"
    return f"<{type(expr).__name__} {_content(expr)}{type_text}>"


def _content(expr: Expr) -> str:
    if isinstance(expr, Constant):
        return _operand(expr)
    if isinstance(expr, Call):
        parts = [_operand(arg) for arg in expr.args]
        if expr.attrs is not None:
            fields = expr.attrs.fields().values()
            values = ((field, getattr(expr.attrs, field.name, None)) for field in fields)
            parts += [f"{field.name}={value!r}" for field, value in values if field.required or value != field.default]
        return f"{_operand(expr.op)}({', '.join(parts)})"
    if isinstance(expr, Function):
        return f"fn ({', '.join(map(_operand, expr.params))})"
    if isinstance(expr, TupleGetItem):
        return f"{_operand(expr.tuple_value)}.{expr.index}"
    if isinstance(expr, Let):
        return f"let {_operand(expr.var)} = {_operand(expr.value)}"
    return f"({', '.join(map(_operand, children(expr)))})"


def _operand(expr: Expr) -> str:
    """A part of an expression, without the parts that it has itself."""
    if isinstance(expr, Constant):
        return scalar_text(expr) or f"constant {expr.tensor_type!r}"
    if isinstance(expr, Call):
        return f"{expr.op!r}(…)" if isinstance(expr.op, Op) else "call"
    if isinstance(expr, (Function, Let, Tuple, TupleGetItem)):
        return type(expr).__name__
    return repr(expr) if not children(expr) else type(expr).__name__
