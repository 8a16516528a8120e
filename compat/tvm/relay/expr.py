"""``tvm.relay.expr``: the classes of expressions, and what makes variables and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
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
from relay_lsp.passes.binding import bind

from ...arrays import as_script_array

__all__ = [
    "Call",
    "Constant",
    "Expr",
    "If",
    "Let",
    "RefCreate",
    "RefRead",
    "RefWrite",
    "RelayExpr",
    "Tuple",
    "TupleGetItem",
    "Var",
    "bind",
    "const",
    "var",
]

RelayExpr = Expr

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


def const(value: Any, dtype: str | None = None, span: AnySpan | None = None) -> Constant:
    """A constant. Without a dtype, what is 64 bits wide in numpy becomes 32 bits wide, as in TVM."""
    array = np.asarray(value)
    made = constant(array, dtype or _NARROWED.get(array.dtype.name, array.dtype.name))
    return Constant(as_script_array(made.data), made.dtype, span)
