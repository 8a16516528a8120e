"""``tvm.relay.expr``: the classes of expressions, and what makes variables and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from relay_lsp.frontends.operators import Outputs
from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.spans import AnySpan
from relay_lsp.ir.types import TensorType, Type
from relay_lsp.ir.visitor import free_vars, post_order
from relay_lsp.passes import PassError
from relay_lsp.passes.binding import bind as _bind

from ...arrays import as_script_array

__all__ = [
    "Call",
    "Constant",
    "Expr",
    "GlobalVar",
    "If",
    "Let",
    "RefCreate",
    "RefRead",
    "RefWrite",
    "RelayExpr",
    "Tuple",
    "TupleGetItem",
    "TupleWrapper",
    "Var",
    "bind",
    "const",
    "var",
]

RelayExpr = Expr


class TupleWrapper(Outputs):
    """An expression that gives ``size`` values, as a sequence of these.

    Functions of operators give such an expression itself here, which can be indexed and gone through as well.
    """

    @property
    def tuple_value(self) -> Expr:
        """The expression."""
        return self.value

    def astuple(self) -> Expr:
        """The expression."""
        return self.value

    def astext(self) -> str:
        """The text of the expression."""
        return self.value.astext()


_NARROWED: Final[Mapping[str, str]] = {"int64": "int32", "float64": "float32"}


def var(
    name_hint: str,
    type_annotation: Type | str | None = None,
    shape: Sequence[Any] | None = None,
    dtype: str = "float32",
    span: AnySpan | None = None,
) -> Var:
    """A variable of a type, of a shape and dtype, or without either.

    Raises:
        ValueError: a type is given, and a shape as well.
    """
    if type_annotation is not None and shape is not None:
        raise ValueError("Can only specify either type_annotation or shape.")
    if shape is not None:
        type_annotation = TensorType(tuple(shape), dtype)
    elif isinstance(type_annotation, str):
        type_annotation = TensorType((), type_annotation)
    return Var(name_hint, type_annotation, span)


def bind(expr: Expr, binds: Mapping[Var, Expr]) -> Expr:
    """``expr`` with each variable of ``binds`` replaced.

    A function no longer has the parameters that are replaced; what is free in the values becomes its last parameters.

    Raises:
        TypeError: something else than a variable is to be replaced.
        TVMError: a variable is to be replaced that is bound inside ``expr``.

    Source of the rule: ``src/relay/ir/expr_functor.cc`` (``Bind``).
    """
    for each in binds:
        if not isinstance(each, Var):  # pyright: ignore[reportUnnecessaryIsInstance] - a script's may be a name
            raise TypeError(f"bind replaces variables, not {each!r}; bind_params_by_name takes names")
    root = expr.body if isinstance(expr, Function) else expr
    free = set(free_vars(root))
    for each in post_order(root):
        if isinstance(each, Var) and each in binds and each not in free:
            raise PassError(f"{each!r} cannot be replaced: it is bound inside the expression", place=each)
    body = _bind(root, binds)
    if not isinstance(expr, Function):
        return body
    params = [param for param in expr.params if param not in binds]
    if body is root and len(params) == len(expr.params):
        return expr
    outer = free_vars(expr)
    params.extend(each for each in free_vars(body) if each not in params and each not in outer)
    return Function(params, body, expr.ret_type, expr.type_params, expr.attrs, expr.span, expr.virtual_device)


def const(value: Any, dtype: str | None = None, span: AnySpan | None = None) -> Constant:
    """A constant. Without a dtype, what is 64 bits wide in numpy becomes 32 bits wide, as in TVM."""
    array = np.asarray(value)
    made = constant(array, dtype or _NARROWED.get(array.dtype.name, array.dtype.name))
    return Constant(as_script_array(made.data), made.dtype, span)
