"""What a type relation sees of the call that it types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

from ..attributes import Attrs
from ..diagnostics import Place, Related
from ..dimensions import Dim
from ..expressions import Call, Constant, Expr
from ..module import IRModule
from ..ops.operator import Op, RelationError
from ..type_visitor import same_type
from ..types import FuncType, GlobalTypeVar, IncompleteType, TensorType, Type, TypeVar
from .report import describe, disagreement
from .solver import Mismatch, TypeSolver, dims_may_be_equal

__all__ = ["UNKNOWN_RESULT", "CallContext", "OperatorFuncType", "constants_in", "spoken_of"]


class OperatorFuncType(FuncType):
    """The type of an operator that is used as a value: polymorphic, and bound by the operator's relation."""

    __slots__ = ("op",)

    def __init__(self, op: Op) -> None:
        params = tuple(TypeVar(argument.name) for argument in op.arguments)
        result = TypeVar("result")
        super().__init__(params, result, (*params, result))
        self.op: Final = op


class CallContext:
    """What a relation sees of a call (:class:`~relay_lsp.ir.ops.operator.RelationContext`)."""

    __slots__ = ("_module", "_solver", "arguments", "attrs", "output", "types")

    def __init__(
        self,
        module: IRModule,
        solver: TypeSolver,
        types: Sequence[Type],
        attrs: Attrs | None,
        output: Type,
        arguments: Sequence[Expr],
    ) -> None:
        self._module = module
        self._solver = solver
        self.types: Sequence[Type] = types
        self.attrs: Any = attrs
        self.output = output
        self.arguments = arguments

    def assign(self, argument: int, type: Type) -> None:
        """Unify the type of an argument with ``type``.

        Raises:
            RelationError: they disagree; the message says where.
        """
        given = self.types[argument]
        if given == type and isinstance(given, TensorType) and same_type(given, type):
            # The usual case: the weight is annotated as the operator wants it.
            return
        mismatches: list[Mismatch] = []
        self._solver.unify(given, type, mismatches)
        if mismatches:
            difference = disagreement(self._solver.resolved(mismatches[0]).turned())
            message = f"expected {describe(type)}, found {describe(given)}: {difference}"
            raise RelationError(message, argument=argument)

    def require_equal(self, lhs: Dim, rhs: Dim) -> bool:
        """Whether two dimensions can be equal."""
        return dims_may_be_equal(lhs, rhs)

    def find_type(self, name: str) -> GlobalTypeVar | None:
        """The algebraic data type that the module defines under ``name``, if it does."""
        return next((var for var in self._module.type_definitions if var.name == name), None)


_constant_fields: dict[type[Attrs], tuple[str, ...]] = {}


def constants_in(attrs: Attrs) -> list[Constant]:
    """The constants that are values of attributes, such as the shape of ``memory.alloc_tensor``."""
    names = _constant_fields.get(type(attrs))
    if names is None:
        fields = type(attrs).fields().values()
        names = _constant_fields[type(attrs)] = tuple(
            field.name for field in fields if _takes_constant(field.annotation)
        )
    values = [getattr(attrs, name) for name in names]
    return [value for value in values if isinstance(value, Constant)]


def _takes_constant(annotation: Any) -> bool:
    return annotation is Constant or Constant in get_args(annotation)


UNKNOWN_RESULT: Final = IncompleteType()
"""The result of a call that is typed at once, before its relation ran: nothing else can learn about it."""


def spoken_of(call: Call, failure: RelationError) -> list[Related]:
    """The other arguments that a relation's message speaks of."""
    return [
        Related(words, place=Place(call, argument=index))
        for index, words in failure.related
        if 0 <= index < len(call.args)
    ]
