"""What a converter asks of the expressions that it gets: types, shapes, values.

Source of the rules: ``infer_type``, ``infer_shape``, ``shape_of`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

from typing import Final

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.inference import infer_local
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import Dim, TensorType, Type, is_static

from .diagnostics import ConversionError

__all__ = ["dtype_of", "rank_of", "shape_of", "static_shape_of", "tensor_type_of", "type_of"]

_GREATEST_DIMENSION: Final = 2**63 - 1


def type_of(expr: Expr, module: IRModule | None = None) -> Type:
    """The type of ``expr``, which is inferred where it has none; each call costs what is new below it.

    ``module`` has the data types that ``expr`` names.

    Raises:
        ConversionError: it is ill-typed.
    """
    if isinstance(expr, Constant):
        return expr.tensor_type
    if expr.checked_type is None:
        inferred = infer_local(expr, module)
        for diagnostic in inferred.diagnostics:
            if diagnostic.severity is Severity.ERROR:
                raise ConversionError(diagnostic.message, code=diagnostic.code)
        if inferred.expr is not expr and expr.checked_type is None:
            # What had to be rebuilt (a function without its result) stays as it was made; its type is known.
            expr.checked_type = inferred.expr.checked_type
    type = expr.checked_type
    if type is None:
        raise ConversionError("the type of a value is not known", code="cannot-infer-type")
    if isinstance(type, TensorType):
        for dim in type.shape:
            if isinstance(dim, int) and dim > _GREATEST_DIMENSION:
                raise ConversionError(f"a dimension would be {dim}, which int64 does not have", code="type-mismatch")
    return type


def tensor_type_of(expr: Expr) -> TensorType:
    """The type of a tensor.

    Raises:
        ConversionError: ``expr`` is ill-typed or no tensor.
    """
    type = type_of(expr)
    if not isinstance(type, TensorType):
        raise ConversionError(f"a tensor is expected, not a value of type {type!r}", code="type-mismatch")
    return type


def dtype_of(expr: Expr) -> str:
    """The dtype of a tensor: ``float32``."""
    return str(tensor_type_of(expr).dtype)


def shape_of(expr: Expr) -> tuple[Dim, ...]:
    """The shape of a tensor; dimensions that are not known are ``?`` or symbols."""
    return tensor_type_of(expr).shape


def rank_of(expr: Expr) -> int:
    """The number of a tensor's dimensions."""
    return tensor_type_of(expr).ndim


def static_shape_of(expr: Expr, what: str = "its input") -> tuple[int, ...]:
    """The shape of a tensor in numbers.

    Raises:
        ConversionError: a dimension is not known; the message says of what.
    """
    shape = shape_of(expr)
    if not is_static(shape):
        raise ConversionError(f"the shape of {what} must be known, and is ({', '.join(map(str, shape))})")
    return tuple(int(dim) for dim in shape if isinstance(dim, int))
