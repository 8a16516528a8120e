"""Where a type comes from: from an expression back to the annotation, constant or operator that made its shape.

What two types do not have in common (a dimension, a dtype) is followed: through names, fields of tuples, and calls of
operators, to an argument that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from ..diagnostics import Place, Related
from ..expressions import Call, Constant, Expr, Let, Tuple, TupleGetItem, Var
from ..ops.operator import Op, OpPattern
from ..type_visitor import same_type, type_children
from ..types import DataType, ErrorType, TensorType, Type
from .report import describe, name_of

__all__ = ["Origins"]

_LONGEST: Final = 1000
_MOST_FIELDS: Final = 16
_MOST_PARTS: Final = 200

_Mark: TypeAlias = "int | DataType"


class Origins:
    """Follows types back, in one function; ``type_of`` gives what is known, ``values`` what each ``let`` binds."""

    __slots__ = ("_type_of", "_values")

    def __init__(self, type_of: Callable[[Expr], Type | None], values: Mapping[Var, Expr]) -> None:
        self._type_of: Final = type_of
        self._values: Final = values

    def of(
        self, exprs: Sequence[Expr], against: Type | None = None, about: frozenset[int] = frozenset()
    ) -> list[Related]:
        """Where the types of ``exprs`` come from, which disagree with each other, or with the type ``against``.

        ``about`` are the dimensions that the message speaks of: what has one of these is followed first.
        """
        compared = [part for expr in exprs for part in self._fields(expr)][:_MOST_FIELDS]
        marks = [_marks(self._type_of(expr)) for expr in compared]
        marks_against = _marks(against)
        origins: list[Related] = []
        for index, expr in enumerate(compared):
            others = marks_against
            if against is None:
                others = others.union(*(other for place, other in enumerate(marks) if place != index))
            own = marks[index] - others
            related = self._origin(expr, (own & about) or own)
            if related is not None and related not in origins:
                origins.append(related)
        return origins

    def _fields(self, expr: Expr) -> Sequence[Expr]:
        value = self._values.get(expr, expr) if isinstance(expr, Var) else expr
        return value.fields if isinstance(value, Tuple) and value.fields else (expr,)

    def _origin(self, expr: Expr, marks: frozenset[_Mark]) -> Related | None:
        current = expr
        for _ in range(_LONGEST):
            following = self._followed(current, marks)
            if following is None:
                break
            current = following
        known_type = self._type_of(current)
        if known_type is None or isinstance(known_type, ErrorType):
            return None  # nothing is known, or what is wrong there is reported there
        if isinstance(current, Var):
            words = "is declared" if current.type_annotation is not None else "is"
            return Related(f"{name_of(current)} {words} {describe(known_type)} here", place=Place(current))
        if isinstance(current, Constant):
            return Related(f"this constant is {describe(known_type)}", place=Place(current))
        if current is expr:
            return None
        if isinstance(current, Call):
            return Related(f"{name_of(current.op)} gives {describe(known_type)} here", place=Place(current))
        return Related(f"{name_of(current)} is {describe(known_type)} here", place=Place(current))

    def _followed(self, expr: Expr, marks: frozenset[_Mark]) -> Expr | None:
        """The next expression on the way back; ``None`` where the type is written down or made."""
        if isinstance(expr, Var):
            # An annotated variable is where its type is written down.
            return self._values.get(expr) if expr.type_annotation is None else None
        if isinstance(expr, Let):
            return expr.body
        if isinstance(expr, TupleGetItem):
            fields = self._fields(expr.tuple_value)
            if fields[0] is not expr.tuple_value and 0 <= expr.index < len(fields):
                return fields[expr.index]
            return expr.tuple_value if marks & _marks(self._type_of(expr.tuple_value)) else None
        if isinstance(expr, Call) and isinstance(expr.op, Op):
            return self._argument(expr, expr.op, marks)
        return None

    def _argument(self, call: Call, op: Op, marks: frozenset[_Mark]) -> Expr | None:
        """The argument that a call's type comes from, where one has what is looked for."""
        arguments = [part for argument in call.args for part in self._fields(argument)][:_MOST_FIELDS]
        for argument in arguments:
            if marks & _marks(self._type_of(argument)):
                return argument
        result = self._type_of(call)
        if op.pattern > OpPattern.BROADCAST or result is None:
            return None
        shape = result.shape if isinstance(result, TensorType) else ()
        for argument in arguments:
            type = self._type_of(argument)
            # A cast keeps the shape, and it is the shape that one mostly asks for.
            if type is not None and (same_type(type, result) or (shape and _shape(type) == shape)):
                return argument
        return None


def _shape(type: Type) -> object:
    return type.shape if isinstance(type, TensorType) else None


def _marks(type: Type | None) -> frozenset[_Mark]:
    """The dtypes in a type, and its dimensions as far as they tell anything: 1 is everywhere."""
    marks: set[_Mark] = set()
    stack = [] if type is None else [type]
    for _ in range(_MOST_PARTS):
        if not stack:
            break
        current = stack.pop()
        if isinstance(current, TensorType):
            marks.add(current.dtype)
            marks.update(dim for dim in current.shape if isinstance(dim, int) and dim != 1)
        else:
            stack.extend(type_children(current))
    return frozenset(marks)
