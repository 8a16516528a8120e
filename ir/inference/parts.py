"""Leaves, tuples and references: expressions that need only the types of their parts.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..diagnostics import Place
from ..expressions import (
    Constant,
    Constructor,
    ErrorExpr,
    Expr,
    GlobalVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from ..ops.operator import Op
from ..types import ERROR, ErrorType, FuncType, IncompleteType, RelayRefType, TupleType, Type, TypeCall
from .context import OperatorFuncType
from .inferencer import Inferencer, Stack
from .report import Finding, count, describe, disagreement, name_of
from .solver import Mismatch

__all__ = ["type_leaf", "type_parts"]

_UNIT: Final = TupleType(())


def type_leaf(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type what has no parts."""
    if isinstance(expr, Var):
        inferencer.bind(expr)
    elif isinstance(expr, Constant):
        inferencer.conclude(expr, expr.checked_type or expr.tensor_type)
    elif isinstance(expr, GlobalVar):
        signature = inferencer.signatures.of(expr)
        if signature is None:
            inferencer.report.error("undefined-global", f"{name_of(expr)} is not defined in this module", Place(expr))
        inferencer.conclude(expr, signature or ERROR)
    elif isinstance(expr, Constructor):
        inferencer.conclude(expr, _constructor_type(inferencer, expr))
    elif isinstance(expr, Op):
        inferencer.conclude(expr, OperatorFuncType(expr))


def _constructor_type(inferencer: Inferencer, constructor: Constructor) -> Type:
    known = inferencer.constructor_types.get(constructor)
    if known is None:
        data = inferencer.module.type_definitions.get(constructor.belong_to)
        if data is None:
            message = f"the data type {constructor.belong_to.name} of {constructor.name_hint} is not defined"
            inferencer.report.error("undefined-type", message, Place(constructor))
            known = ERROR
        else:
            result = TypeCall(constructor.belong_to, data.type_vars)
            known = FuncType(constructor.inputs, result, data.type_vars)
            inferencer.check_kinds(known, Place(constructor))
        inferencer.constructor_types[constructor] = known
    return known


def type_parts(inferencer: Inferencer, expr: Expr, stage: int, stack: Stack) -> None:
    """Type an expression that needs only the types of its parts."""
    parts: Sequence[Expr]
    if isinstance(expr, Tuple):
        parts = expr.fields
    elif isinstance(expr, TupleGetItem):
        parts = (expr.tuple_value,)
    elif isinstance(expr, RefCreate):
        parts = (expr.value,)
    elif isinstance(expr, RefRead):
        parts = (expr.ref,)
    elif isinstance(expr, RefWrite):
        parts = (expr.ref, expr.value)
    elif isinstance(expr, ErrorExpr):
        parts = expr.parts
    else:
        parts = ()
    if stage == 0 and inferencer.push_parts(expr, parts, stack):
        return
    if inferencer.trusted(expr, parts):
        assert expr.checked_type is not None
        inferencer.conclude(expr, expr.checked_type)
    elif isinstance(expr, Tuple):
        types = inferencer.types
        inferencer.conclude(expr, TupleType(tuple([types[field] for field in parts])))
    elif isinstance(expr, TupleGetItem):
        inferencer.conclude(expr, _field_type(inferencer, expr))
    elif isinstance(expr, RefCreate):
        inferencer.conclude(expr, RelayRefType(inferencer.types[expr.value]))
    elif isinstance(expr, RefRead):
        inferencer.conclude(expr, _content_type(inferencer, expr, expr.ref))
    elif isinstance(expr, RefWrite):
        _write(inferencer, expr)
        inferencer.conclude(expr, _UNIT)
    else:
        inferencer.broken = True
        inferencer.solver.silence([inferencer.types[part] for part in parts])
        inferencer.conclude(expr, ERROR)


def _field_type(inferencer: Inferencer, expr: TupleGetItem) -> Type:
    tuple_type = inferencer.solver.find(inferencer.types[expr.tuple_value])
    if isinstance(tuple_type, IncompleteType):
        deferred = _DeferredField(inferencer, expr, tuple_type)
        inferencer.solver.defer(deferred)
        return deferred.output
    return field_of(inferencer, expr, tuple_type)


def field_of(inferencer: Inferencer, expr: TupleGetItem, tuple_type: Type) -> Type:
    """The type of a field of a tuple type that is known."""
    if isinstance(tuple_type, ErrorType):
        return ERROR
    if not (isinstance(tuple_type, TupleType) and 0 <= expr.index < len(tuple_type.fields)):
        _no_field(inferencer, expr, tuple_type)
        return ERROR
    return tuple_type.fields[expr.index]


def _no_field(inferencer: Inferencer, expr: TupleGetItem, tuple_type: Type) -> None:
    if not inferencer.report.is_worded:
        inferencer.report.count(expr)
    elif not isinstance(tuple_type, TupleType):
        message = f"{name_of(expr.tuple_value)} is {describe(tuple_type)}, not a tuple, and has no fields"
        inferencer.report.error("not-a-tuple", message, Place(expr), inferencer.origins(expr.tuple_value))
    else:
        fields = tuple_type.fields
        last = f"; the last one is .{len(fields) - 1}" if fields else ""
        message = f"{name_of(expr.tuple_value)} has {count(len(fields), 'field')}, there is no .{expr.index}{last}"
        inferencer.report.error("tuple-index-out-of-range", message, Place(expr), inferencer.origins(expr.tuple_value))


def _content_type(inferencer: Inferencer, expr: Expr, ref: Expr) -> Type:
    given = inferencer.solver.find(inferencer.types[ref])
    if isinstance(given, RelayRefType):
        return given.value
    content = IncompleteType()
    mismatches: list[Mismatch] = []
    inferencer.solver.unify(given, RelayRefType(content), mismatches)
    if mismatches:
        message = f"{name_of(ref)} is {describe(inferencer.solver.resolve(given))}, not a reference"
        inferencer.report.error("not-a-reference", message, Place(expr, argument=0), inferencer.origins(ref))
        return ERROR
    return content


def _write(inferencer: Inferencer, expr: RefWrite) -> None:
    content = _content_type(inferencer, expr, expr.ref)

    def explain(mismatch: Mismatch) -> Finding:
        given = describe(inferencer.resolved(expr.value))
        difference = disagreement(mismatch)
        message = f"{name_of(expr.ref)} holds {describe(inferencer.solver.resolve(content))}, not {given}: {difference}"
        return Finding("type-mismatch", message, Place(expr, argument=1), inferencer.origins(expr.ref, expr.value))

    inferencer.unify(content, inferencer.types[expr.value], expr, explain)


class _DeferredField:
    """A field of a tuple whose type is not known yet."""

    __slots__ = ("_expr", "_inferencer", "_tuple_type", "output", "queued")

    def __init__(self, inferencer: Inferencer, expr: TupleGetItem, tuple_type: Type) -> None:
        self.queued = False
        self.output: Final = IncompleteType()
        self._inferencer: Final = inferencer
        self._expr: Final = expr
        self._tuple_type: Final = tuple_type

    def waits_for(self) -> list[Type]:
        return [self._tuple_type]

    def run(self) -> bool:
        solver = self._inferencer.solver
        tuple_type = solver.find(self._tuple_type)
        if isinstance(tuple_type, IncompleteType):
            return False
        mismatches: list[Mismatch] = []
        solver.unify(self.output, field_of(self._inferencer, self._expr, tuple_type), mismatches)
        return True
