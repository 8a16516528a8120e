"""The public functions of evaluation: types first, then the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..arrays import numpy_dtype
from ..diagnostics import Diagnostic, Severity
from ..expressions import Constructor, Expr, NDArray, Var
from ..inference import infer_expr, infer_types
from ..lazy_numpy import np
from ..module import IRModule
from ..ops import Op
from ..types import TensorType, TupleType, Type
from .machine import Machine
from .values import ADTValue, Closure, EvaluationError, Reference, Value

__all__ = ["evaluate", "evaluate_and_keep", "evaluate_expr"]


def evaluate(module: IRModule, *arguments: object, function: str = "main") -> Value:
    """The result of a function of ``module``.

    Args:
        module: the module; its types are inferred first.
        *arguments: one for each parameter: an array (or what numpy makes one of), a tuple, or a value that an
            evaluation gave. An array of another dtype is converted to that of the parameter, as TVM's executors do.
        function: which function, without ``@``.

    Returns:
        An array, a tuple, or another value.

    Raises:
        EvaluationError: the module is ill-typed, an argument does not fit its parameter, an operator has no kernel or
            refuses its arguments, or no arm of a ``match?`` takes a value.
    """
    return evaluate_and_keep(module, *arguments, function=function)[0]


def evaluate_and_keep(
    module: IRModule, *arguments: object, function: str = "main"
) -> tuple[Value, Mapping[Expr, Value]]:
    """What :func:`evaluate` gives, and the value of each expression of the function that was evaluated for it.

    Expressions inside other functions have a value for each call, and are not among them.

    Raises:
        EvaluationError: as for :func:`evaluate`.
    """
    inferred = infer_types(module)
    _require_no_errors(inferred.diagnostics)
    if function not in inferred.module:
        raise EvaluationError(f"there is no function @{function}")
    main = inferred.module[function]
    if len(arguments) != len(main.params):
        raise EvaluationError(f"@{function} takes {len(main.params)} arguments, but there are {len(arguments)}", main)
    values = [_as_argument(value, param) for value, param in zip(arguments, main.params, strict=True)]
    result, kept = Machine(inferred.module).call_and_keep(main, values)
    return result, {inferred.replaced.get(expr, expr): value for expr, value in kept.items()}


def evaluate_expr(expr: Expr, environment: Mapping[Var, Value] | None = None, module: IRModule | None = None) -> Value:
    """The value of an expression.

    Args:
        expr: the expression. Where it has no type yet, its type is inferred first.
        environment: the values of its free variables.
        module: the functions that it calls by name; it must be typed.

    Raises:
        EvaluationError: as for :func:`evaluate`.
    """
    if expr.checked_type is None:
        inferred = infer_expr(expr, module)
        _require_no_errors(inferred.diagnostics)
        expr = inferred.expr
    return Machine(module).evaluate(expr, environment)


def _require_no_errors(diagnostics: Sequence[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            place = diagnostic.place
            raise EvaluationError(diagnostic.message, None if place is None else place.expr, diagnostic.code)


def _as_argument(value: object, param: Var) -> Value:
    """``value`` as the parameter takes it.

    Raises:
        EvaluationError: its shape or structure is another.
    """
    return _converted(value, param.checked_type or param.type_annotation, param)


def _converted(value: Any, expected: Type | None, param: Var) -> Value:
    if isinstance(value, (ADTValue, Closure, Reference, Op, Constructor)):
        return value
    if isinstance(expected, TupleType):
        fields = tuple(cast("Sequence[Any]", value)) if isinstance(value, (tuple, list)) else ()
        if len(fields) != len(expected.fields):
            raise EvaluationError(f"%{param.name_hint} takes a tuple of {len(expected.fields)} values", param)
        return tuple(
            _converted(field, field_type, param) for field, field_type in zip(fields, expected.fields, strict=True)
        )
    if not isinstance(expected, TensorType):
        return np.asarray(value)
    array: NDArray = np.asarray(value)
    fits = array.ndim == expected.ndim and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(expected.shape, array.shape, strict=True)
    )
    if not fits:
        raise EvaluationError(
            f"%{param.name_hint} takes {expected!r}, not an array {array.shape} of {array.dtype.name}", param
        )
    return array.astype(numpy_dtype(expected.dtype), copy=False)
