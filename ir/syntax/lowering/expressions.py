"""Expressions: names are resolved, literals converted, calls made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...attributes import Attrs
from ...diagnostics import Fix, Place, Related, TextEdit
from ...expressions import (
    Call,
    Constant,
    Constructor,
    ErrorExpr,
    Expr,
    GlobalVar,
    If,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from ...ops import operator as operators
from ...ops.operator import Op
from ...spans import Span
from ...text.text_span import TextSpan
from ...types import ERROR
from ..literals import NumberError, read_number, read_string
from ..programs import Step
from ..scopes import Definition, SymbolKind
from ..suggestions import replacement
from ..tokens import BOOLEAN, FLOAT, GRAPH, INFIX_OPERATORS, MATCH
from .attributes import AttributeLowering, GivenAttribute
from .context import FAILED

__all__ = ["ExpressionLowering"]

_CONSTANTS: Final = ("None", "True", "False")
"""The names that an attribute takes: strings, also those of dtypes and layouts, stand in quotes."""


class ExpressionLowering(AttributeLowering):
    """The actions of the rules that make expressions, functions apart."""

    def _do_constant(self, step: Step, values: list[Any]) -> Any:
        position = step.node.first
        token = self.statement.token(position)
        kind, text = self.statement.kinds[position], self._texts[token]
        if kind == BOOLEAN:
            if step.raw:
                return int(text == "True")
            return self._mark(Constant(text == "True", "bool"), step.node)
        value = read_number(text, kind == FLOAT)
        if isinstance(value, NumberError):
            span = self.unit.span(token)
            fixes = [replacement(span, value.suggestion)] if value.suggestion else []
            self.report(value.code, value.message, span, fixes)
            return FAILED if step.raw else ErrorExpr()
        if step.raw:
            return value
        return self._mark(Constant(value), step.node)

    def _do_string(self, step: Step, values: list[Any]) -> Any:
        return read_string(self._text(step.node.first))

    def _do_list(self, step: Step, values: list[Any]) -> Any:
        return FAILED if FAILED in values else tuple(values)

    def _do_local(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        position = self.scope.find(name[1:])
        if position is None:
            self._report_unknown(
                "undefined-variable",
                "undefined variable",
                name,
                token,
                lambda: (f"%{other}" for other in self.scope.names()),
            )
            return ErrorExpr()
        self._use(token, position)
        assert isinstance(position.value, Expr)
        return self._mark(position.value, step.node)

    def _do_graph(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        graph = self._find_graph(int(name[1:]))
        if graph is None:
            if (
                token == self.statement.first
                and self.statement.kinds.startswith(GRAPH + "(")
                and self._ends_statement()
            ):
                gap = TextSpan(self.unit.span(token).start, self.unit.span(token + 1).start)
                end = self.unit.span(token).end
                fix = Fix("Insert `=`", (TextEdit(TextSpan(end, end), " ="),))
                self.report("missing-token", f"expected `=` after {name}, which is not bound yet", gap, [fix])
                self._bind_graph(token, ErrorExpr())
                return ErrorExpr()
            self._report_unknown(
                "undefined-variable", "undefined variable", name, token, lambda: (f"%{other}" for other in self.graph)
            )
            return ErrorExpr()
        self._use(token, graph)
        assert isinstance(graph.value, Expr)
        return self._mark(graph.value, step.node)

    def _ends_statement(self) -> bool:
        return self.statement.kinds.endswith(";")

    def _do_global(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        definition = self.names.globals.get(name[1:])
        if definition is None:
            if not self.names.is_expression:
                self._report_unknown(
                    "undefined-global",
                    "the module has no function",
                    name,
                    token,
                    lambda: (f"@{other}" for other in self.names.globals),
                )
                return ErrorExpr()
            definition = Definition(SymbolKind.FUNCTION, name, None, -1, GlobalVar(name[1:]))
            self.names.globals[name[1:]] = definition
        self._use(token, definition)
        if definition.name[1:] in self.names.unreadable:
            return ErrorExpr()
        assert isinstance(definition.value, Expr)
        return self._mark(definition.value, step.node)

    def _do_name(self, step: Step, values: list[Any]) -> Any:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        if step.raw and name in ("None", "nullptr"):
            return None
        constructor = self.names.constructors.get(name)
        if constructor is not None:
            return self._constructor(constructor, token, step)
        op = operators.find(name)
        if op is not None:
            return op
        if step.raw:
            quoted = () if name.capitalize() in _CONSTANTS else (f'"{name}"',)
            self._report_unknown(
                "undefined-operator", "an attribute takes no", name, token, lambda: (*_CONSTANTS, *quoted)
            )
            return FAILED
        if step.callee or "." in name:
            self._report_unknown(
                "undefined-operator", "unknown operator", name, token, self._operators, is_of_module=True
            )
        else:
            self._report_unknown(
                "undefined-operator", "unknown name", name, token, self._values, otherwise=f"a value is written %{name}"
            )
        return ErrorExpr()

    def _values(self) -> Iterable[str]:
        """Everything that a name without a sign may have meant that is not called."""
        return (*_CONSTANTS[1:], *self.names.constructors)

    def _operators(self) -> Iterable[str]:
        """Everything that the name of an operator may have meant."""
        return (*operators.registered(), *self.names.constructors)

    def _nearest_operators(self, name: str) -> list[str]:
        """What an unknown operator probably means, as it is reported."""
        return self.names.nearest.closest(name, self._operators, count=3, is_of_module=True)

    def _constructor(self, definition: Definition, token: int, step: Step) -> Expr:
        self._use(token, definition)
        constructor = definition.value
        assert isinstance(constructor, Constructor)
        unit = definition.unit
        if definition.name in self.names.late or (unit is not None and unit.number > self.unit.number):
            span = unit.span(definition.token) if unit is not None else None
            self.report(
                "constructor-before-type",
                f"{definition.name} is used before its type is defined",
                self.unit.span(token),
                related=[Related("the definition", span, place=None if unit is not None else Place(constructor))],
            )
            return ErrorExpr()
        if step.callee or step.raw:
            return constructor
        if constructor.inputs:
            return ErrorExpr() if constructor.inputs == (ERROR,) else constructor
        return self._mark(Call(constructor, ()), step.node)

    def _do_meta(self, step: Step, values: list[Any]) -> Any:
        token = self.statement.token(step.node.first)
        value = self._metadata(token)
        if isinstance(value, Expr):
            return self._mark(value, step.node)
        if step.raw or (step.last_argument and isinstance(value, Attrs)):
            return value
        if value is not FAILED:
            message = f"{self._texts[token]} is not an expression"
            self.report("invalid-metadata", message, self.unit.span(token))
        return ErrorExpr()

    def _do_tuple(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(Tuple(tuple(map(self._as_expr, values))), step.node)

    def _do_parenthesis(self, step: Step, values: list[Any]) -> Any:
        value = values[0]
        if isinstance(value, Expr) and self.positions is not None and type(value) is not Op:
            value.span = self._node_span(step.node)
        return value

    def _do_projection(self, step: Step, values: list[Any]) -> Expr:
        position = step.node.last
        token = self.statement.token(position)
        index = read_number(self._texts[token], False)
        if isinstance(index, NumberError) or index < 0:
            message = index.message if isinstance(index, NumberError) else "an index is not negative"
            self.report("invalid-number", message, self.unit.span(token))
            return ErrorExpr((self._as_expr(values[0]),))
        return self._mark(TupleGetItem(self._as_expr(values[0]), int(index)), step.node)

    def _do_infix(self, step: Step, values: list[Any]) -> Expr:
        left, right = self._as_expr(values[0]), self._as_expr(values[1])
        operator = next(child for child in step.node.children if isinstance(child, int))
        op = operators.find(INFIX_OPERATORS[self._text(operator)])
        if op is None:  # pragma: no cover - the ten operators are always registered
            return ErrorExpr((left, right))
        call = Call(op, (left, right), op.default_attrs())
        self._mark(call, step.node)
        if not step.outermost and isinstance(left.span, Span) and isinstance(right.span, Span):
            call.span = left.span.merge(right.span)
        return call

    def _do_ref_create(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(RefCreate(self._as_expr(values[0])), step.node)

    def _do_ref_read(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(RefRead(self._as_expr(values[0])), step.node)

    def _do_ref_write(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(RefWrite(self._as_expr(values[0]), self._as_expr(values[1])), step.node)

    def _do_conditional(self, step: Step, values: list[Any]) -> Expr:
        guard, true_branch, false_branch = map(self._as_expr, values)
        node = step.node
        if self.positions is not None and type(guard) is not Op:
            parens = [child for child in node.children if isinstance(child, int)]
            guard.span = self._span(self.statement.token(parens[1]), self.statement.token(parens[2]))
        return self._mark(If(guard, true_branch, false_branch), node)

    def _do_match(self, step: Step, values: list[Any]) -> Expr:
        data, clauses = values
        arms = self.statement.blocks[step.node.last].clauses or ()
        # What an arm that cannot be read would cover is not known.
        complete = self.statement.kinds[step.node.first] == MATCH and all(arm.is_readable for arm in arms)
        return self._mark(Match(self._as_expr(data), tuple(clauses), complete), step.node)

    def _do_arguments(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def _do_call(self, step: Step, values: list[Any]) -> Expr:
        callee: Any = values[0]
        arguments: list[Any] = list(values[1])
        given: list[GivenAttribute] | None = None
        if arguments and isinstance(arguments[-1], list):
            given = arguments.pop()
        attrs: Attrs | None = None
        if given is None and arguments and isinstance(arguments[-1], Attrs):
            attrs = arguments.pop()
        args = tuple(map(self._as_expr, arguments))
        callee_node = step.node.nodes()[0]
        if callee_node.rule == "call" and isinstance(callee, Expr):
            callee.span = None  # TVM leaves the calls in the middle of a chain without
        if isinstance(callee, Op):
            if attrs is None:
                broken = any(isinstance(argument, ErrorExpr) for argument in args)
                attrs = self._operator_attributes(callee, given, step.node, broken)
                if attrs is None and (callee.attrs_type is not None or given):
                    return self._mark(ErrorExpr(args), step.node)
        elif given is not None and isinstance(callee, Expr) and not isinstance(callee, ErrorExpr):
            attrs = self._keyed_attributes(given)
        if not isinstance(callee, Expr) or isinstance(callee, ErrorExpr):
            return self._mark(ErrorExpr((*([callee] if isinstance(callee, Expr) else []), *args)), step.node)
        return self._mark(Call(callee, args, attrs), step.node)
