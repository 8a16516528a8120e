"""Functions: their heads, and what is made of a head and a body."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from ...expressions import Expr, Function, Var, VirtualDevice
from ...types import IncompleteType, Type, TypeVar
from ..programs import Step
from ..scopes import Definition, SymbolKind
from ..shapes import ShapeNode
from ..tokens import NAME
from ..units import SyntaxOrigin
from .attributes import GivenAttribute
from .context import FAILED, LoweringContext

__all__ = ["FunctionLowering", "ParameterList"]


class ParameterList(msgspec.Struct, frozen=True):
    """The parameters of a function, and the attributes that follow them."""

    variables: list[Var]
    attributes: list[GivenAttribute]


class FunctionLowering(LoweringContext):
    """The actions of the rules that read functions."""

    def _do_enter_function(self, step: Step, values: list[Any]) -> Definition | None:
        self.scope.push()
        self.type_scope.push()
        return None

    def _do_type_parameters(self, step: Step, values: list[Any]) -> list[TypeVar]:
        made: list[TypeVar] = []
        for child in step.node.children:
            if isinstance(child, int) and self.statement.kinds[child] == NAME:
                token = self.statement.token(child)
                variable = self._type_variable(self._texts[token])
                self.type_scope.add(
                    variable.name, self._define(SymbolKind.TYPE_PARAMETER, variable.name, token, variable)
                )
                made.append(variable)
        return made

    def _type_variable(self, name: str) -> TypeVar:
        """What a type parameter stands for: no other is the same, whatever it is called."""
        return TypeVar(name)

    def _do_parameter(self, step: Step, values: list[Any]) -> Var:
        device = next((value for value in values if isinstance(value, VirtualDevice)), None)
        annotation = next((value for value in values if isinstance(value, Type)), None)
        return self._parameter(self.statement.token(step.node.first), annotation, device, step.node)

    def _parameter(self, token: int, annotation: Type | None, device: VirtualDevice | None, node: ShapeNode) -> Var:
        """The parameter whose name is a token of the statement that is read, bound from here on."""
        name = self._texts[token]
        var = Var(name[1:], annotation, None, device)
        self.scope.add(var.name_hint, self._define(SymbolKind.PARAMETER, name, token, var))
        self.origins[var] = SyntaxOrigin(self.unit, self.statement, node)
        return var

    def _do_device(self, step: Step, values: list[Any]) -> VirtualDevice | None:
        for item in values[0]:
            if item.name == "virtual_device" and isinstance(item.value, VirtualDevice):
                return item.value
        return None

    def _do_parameters(self, step: Step, values: list[Any]) -> ParameterList:
        attributes: list[GivenAttribute] = []
        if values and isinstance(values[-1], list):
            attributes = [item for item in values.pop() if self._is_usable(item)]
        return ParameterList(values, attributes)

    def _is_usable(self, item: GivenAttribute) -> bool:
        """Whether an attribute of a function has a value that it may have; asked while its own statement is read."""
        if item.name != "virtual_device" or item.value is FAILED or isinstance(item.value, VirtualDevice):
            return item.value is not FAILED
        message = "virtual_device takes a VirtualDevice of the metadata section"
        self.report("invalid-attribute-value", message, self._range(item.node))
        return False

    def _do_result_type(self, step: Step, values: list[Any]) -> Type | None:
        return None if isinstance(values[-1], IncompleteType) else values[-1]

    def _do_arrow(self, step: Step, values: list[Any]) -> None:
        return None

    def _do_function(self, step: Step, values: list[Any]) -> Expr:
        body = self._as_expr(values.pop())
        function = self.make_function(values, body)
        self.scope.pop()
        self.type_scope.pop()
        return self._mark(function, step.node)

    def _do_header(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def make_function(self, values: list[Any], body: Expr) -> Function:
        """A function of what was read of its head, and its body."""
        type_parameters: list[TypeVar] = []
        parameters: list[Var] = []
        attributes: list[GivenAttribute] = []
        result: Type | None = None
        for value in values:
            if isinstance(value, ParameterList):
                parameters, attributes = value.variables, value.attributes
            elif isinstance(value, list):
                type_parameters = cast("list[TypeVar]", value)
            elif isinstance(value, Type):
                result = value
        attrs: dict[str, Any] = {}
        device: VirtualDevice | None = None
        for item in attributes:
            if item.name == "virtual_device":
                device = item.value
            else:
                attrs[item.name] = item.value
        return Function(tuple(parameters), body, result, tuple(type_parameters), attrs, None, device)
