"""Types, and the definitions of algebraic data types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...dimensions import ANY, DimExpr
from ...ops import operator as operators
from ...types import (
    ERROR,
    DataType,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)
from ..literals import NumberError, read_number
from ..programs import Step
from ..scopes import Definition, SymbolKind
from ..suggestions import DTYPES
from ..tokens import META
from .context import FAILED, LoweringContext

__all__ = ["TypeLowering", "is_built_in"]


def names_a_dtype(name: str) -> bool:
    """Whether a name that is no data type's is read as that of a type of numbers, or a misspelled one."""
    return name.startswith(("int", "uint", "float", "bool")) or DataType(name).is_valid


def is_built_in(name: str) -> bool:
    """Whether a name that is no constructor's and no data type's is that of an operator or a dtype."""
    return operators.find(name) is not None or names_a_dtype(name)


class TypeLowering(LoweringContext):
    """The actions of the rules that make types."""

    def _do_annotation(self, step: Step, values: list[Any]) -> Type | None:
        return None if isinstance(values[0], IncompleteType) else values[0]

    def _do_tensor_type(self, step: Step, values: list[Any]) -> Type:
        shape = values[0]
        position = [child for child in step.node.children if isinstance(child, int)][3]
        token = self.statement.token(position)
        dtype = self._dtype(token)
        if dtype is None or FAILED in shape:
            return ERROR
        return TensorType(tuple(shape), dtype)

    def _dtype(self, token: int) -> DataType | None:
        name = self._texts[token].strip('"')  # which is reported
        dtype = DataType(f"{name}32" if name in ("int", "uint", "float") else name)
        if dtype.is_valid:
            return dtype
        self._report_unknown("unknown-dtype", "unknown dtype", name, token, lambda: DTYPES)
        return None

    def _do_shape(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def _do_dimension(self, step: Step, values: list[Any]) -> Any:
        position = step.node.first
        token = self.statement.token(position)
        kind = self.statement.kinds[position]
        if kind == "?":
            return ANY
        if kind == META:
            value = self._metadata(token)
            if value is FAILED or isinstance(value, (DimExpr, int)):
                return value
            message = "this entry of the metadata section is not a dimension"
            self.report("invalid-dimension", message, self.unit.span(token))
            return FAILED
        number = read_number(self._texts[token], False)
        if isinstance(number, NumberError):
            self.report(number.code, number.message, self.unit.span(token))
            return FAILED
        return number

    def _do_named_type(self, step: Step, values: list[Any]) -> Type:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        arguments: tuple[Type, ...] = values[0] if values else ()
        definition = self.type_scope.find(name) or self.names.types.get(name)
        if definition is not None:
            self._use(token, definition)
            head = definition.value
            assert isinstance(head, Type)
            if arguments or isinstance(head, GlobalTypeVar):
                return TypeCall(head, arguments)
            return head
        if not arguments and names_a_dtype(name):
            dtype = self._dtype(token)
            return ERROR if dtype is None else TensorType((), dtype)
        if self.names.is_expression:
            variable = GlobalTypeVar(name)
            self.names.types[name] = Definition(SymbolKind.TYPE, name, None, -1, variable)
            return TypeCall(variable, arguments)
        self._report_unknown("undefined-type", "unknown type", name, token, self._types_in_scope)
        return ERROR

    def _types_in_scope(self) -> Iterable[str]:
        """Everything that the name of a type may have meant."""
        return ("Tensor", *DTYPES, *self.names.types, *self.type_scope.names())

    def _do_type_arguments(self, step: Step, values: list[Any]) -> tuple[Type, ...]:
        return tuple(values)

    def _do_tuple_type(self, step: Step, values: list[Any]) -> Type:
        return TupleType(self._types(values))

    def _types(self, values: list[Any]) -> tuple[Type, ...]:
        return tuple(values)

    def _do_function_type(self, step: Step, values: list[Any]) -> Type:
        types = [value for value in values if isinstance(value, Type)]
        return FuncType(tuple(types[:-1]), types[-1])

    def _do_incomplete_type(self, step: Step, values: list[Any]) -> Type:
        return IncompleteType()

    def _do_reference_type(self, step: Step, values: list[Any]) -> Type:
        return RelayRefType(values[0])

    def _do_type_definition(
        self, step: Step, values: list[Any]
    ) -> tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]:
        parameters: list[TypeVar] = []
        constructors: list[tuple[int, tuple[Type, ...]]] = []
        for value, node in zip(values, step.node.nodes(), strict=True):
            if node.rule == "type_parameters":
                parameters = value
            else:
                constructors = value
        return parameters, constructors

    def _do_constructors(self, step: Step, values: list[Any]) -> list[tuple[int, tuple[Type, ...]]]:
        return values

    def _do_constructor(self, step: Step, values: list[Any]) -> tuple[int, tuple[Type, ...]]:
        """The token of the name, and what the constructor takes: one part without a type, where that is not known."""
        return self.statement.token(step.node.first), (ERROR,) if self._is_mended(step.node) else self._types(values)
