"""What an expression is besides its operands, as a text, and the expression back from it and new operands.

A trace states it of new expressions, so that a reader makes them without parsing the text of every stage. It is what
nearly all expressions of nearly all modules are made of; a stage with others is read from its text:

- ``Call``: the attributes as Relay writes them (``strides=[1, 1]``); of a call of no operator, nothing.
- ``Var``: the type annotation, if there is one.
- ``Function``: the attributes and the result, as in ``fn (Primitive=1) -> float32``.
- ``Tuple``, ``TupleGetItem``, ``Let``, ``If``, ``GlobalVar`` and scalars: nothing; the label says the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import AttributeTexts, MetadataTable, scalar_text, type_to_text, value_text
from relay_lsp.ir.syntax import parse_expr
from relay_lsp.ir.types import Type

__all__ = ["FormReader", "FormWriter", "UnreadableFormError"]

_NOTHING_ELSE = (Tuple, TupleGetItem, Let, If, GlobalVar)


class UnreadableFormError(ValueError):
    """A form that gives no expression: the text of the stage must be read."""


class FormWriter:
    """Gives the forms of expressions, each text of attributes and of a type made once."""

    def __init__(self, attribute_texts: AttributeTexts) -> None:
        self._attribute_texts = attribute_texts
        self._table = MetadataTable(show=True)
        self._types: dict[Type, str] = {}
        self._attributes: dict[int, tuple[Attrs, str | None]] = {}

    def forms(self, exprs: Iterable[Expr]) -> list[str] | None:
        """The form of each expression; ``None`` where one of them has none."""
        forms: list[str] = []
        for expr in exprs:
            form = self._form(expr)
            if form is None:
                return None
            forms.append(form)
        return forms

    def _form(self, expr: Expr) -> str | None:
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, Var):
            if expr.virtual_device is not None:
                return None
            return "" if expr.type_annotation is None else self._type(expr.type_annotation)
        if isinstance(expr, Function):
            return self._function(expr)
        if isinstance(expr, Constant):
            # Tensors have records of their own.
            return "" if expr.virtual_device is None else None
        return "" if isinstance(expr, _NOTHING_ELSE) else None

    def _call(self, call: Call) -> str | None:
        op, attrs = call.op, call.attrs
        if Op in map(type, call.args):
            return None
        if not isinstance(op, Op):
            return "" if attrs is None and not isinstance(op, Constructor) else None
        if attrs is None:
            return ""
        if op.attrs_type is not type(attrs) and (op.attrs_type is None or op.attrs_type.type_key != attrs.type_key):
            return None
        known = self._attributes.get(id(attrs))
        if known is None:
            references = self._table.references_made
            text = ", ".join(self._attribute_texts.of(attrs, self._table))
            known = self._attributes[id(attrs)] = (attrs, text if self._table.references_made == references else None)
        return known[1]

    def _function(self, function: Function) -> str | None:
        if function.type_params or function.virtual_device is not None:
            return None
        references = self._table.references_made
        attributes = ", ".join(f"{name}={value_text(value, self._table)}" for name, value in function.attrs.items())
        result = "" if function.ret_type is None else f" -> {self._type(function.ret_type)}"
        return f"fn ({attributes}){result}" if self._table.references_made == references else None

    def _type(self, type: Type) -> str:
        text = self._types.get(type)
        if text is None:
            text = self._types[type] = type_to_text(type)
        return text


class FormReader:
    """Makes expressions of forms; each form is parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[str, Expr] = {}

    def expression(self, kind: str, label: str, form: str, parts: Sequence[Expr | None]) -> Expr:
        """The expression of a kind and a label, with a form, of operands; ``None`` stands for an operator.

        Raises:
            UnreadableFormError: these make no expression.
        """
        operands = [part for part in parts if part is not None]
        if kind == "Call" and parts:
            calls_operator = parts[0] is None
            if len(operands) == len(parts) - calls_operator:
                return self._call_of(label, form, operands) if calls_operator else Call(operands[0], operands[1:])
        elif len(operands) == len(parts):
            return self._other(kind, label, form, operands)
        raise UnreadableFormError(f"an operator is an operand of a {kind}")

    def _other(self, kind: str, label: str, form: str, operands: Sequence[Expr]) -> Expr:
        match kind, operands:
            case "Tuple", _:
                return Tuple(operands)
            case "TupleGetItem", [value]:
                return TupleGetItem(value, int(label.removeprefix(".")))
            case "Let", [Var() as var, value, body]:
                return Let(var, value, body)
            case "If", [condition, true_branch, false_branch]:
                return If(condition, true_branch, false_branch)
            case "GlobalVar", []:
                return GlobalVar(label.removeprefix("@"))
            case "Var", []:
                return Var(label.removeprefix("%"), self._annotation(form))
            case "Function", [*params, body]:
                return self._function(form, params, body)
            case "Constant", []:
                scalar = self._parse(label)
                if isinstance(scalar, Constant) and scalar_text(scalar) == label:
                    return Constant(scalar.data, scalar.dtype)
            case _:
                pass
        raise UnreadableFormError(f"there is no {kind} {label} of {len(operands)} operands")

    def _call_of(self, label: str, form: str, arguments: Sequence[Expr]) -> Call:
        written = ", ".join(("()",) * len(arguments) + ((form,) if form else ()))
        call = self._parse(f"{label}({written})")
        if not isinstance(call, Call) or not isinstance(call.op, Op) or len(call.args) != len(arguments):
            raise UnreadableFormError(f"{label} is no operator")
        return Call(call.op, arguments, call.attrs)

    def _annotation(self, form: str) -> Type | None:
        if not form:
            return None
        function = self._parse(f"fn (%x: {form}) {{ () }}")
        if not isinstance(function, Function):
            raise UnreadableFormError(f"{form} is no type")
        return function.params[0].type_annotation

    def _function(self, form: str, params: Sequence[Expr], body: Expr) -> Function:
        function = self._parse(f"{form} {{ () }}")
        variables = [param for param in params if isinstance(param, Var)]
        if not isinstance(function, Function) or len(variables) != len(params):
            raise UnreadableFormError(f"{form} is no function")
        return Function(variables, body, function.ret_type, (), function.attrs)

    def _parse(self, text: str) -> Expr:
        known = self._parsed.get(text)
        if known is None:
            parsed = parse_expr(text)
            if any(each.severity is Severity.ERROR for each in parsed.diagnostics):
                raise UnreadableFormError(f"{text} is no expression")
            known = self._parsed[text] = parsed.expr
        return known
