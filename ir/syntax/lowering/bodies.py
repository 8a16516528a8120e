"""Bodies: statements that bind, and how TVM nests them into one expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from ...expressions import ErrorExpr, Expr, Let, Var
from ...ops.operator import Op
from ...spans import Span
from ...text.text_span import TextSpan
from ..positions import Position, span_between
from ..programs import Step
from ..scopes import SymbolKind
from ..units import SyntaxOrigin
from .context import LoweringContext

__all__ = ["MISSING_VALUE", "BodyLowering", "Item"]

MISSING_VALUE: Final = "expected an expression: a body ends with its value"


class Item(msgspec.Struct):
    """A statement of a body after it was read; a let binds ``value`` to ``var``."""

    kind: str
    value: Expr
    first: Position
    var: Var | None = None
    let: Position | None = None
    terminated: bool = True


class BodyLowering(LoweringContext):
    """The actions of the rules of a body, and the value of the whole."""

    def fold(self, items: Sequence[Item], last: Position, end: Callable[[], TextSpan] | None) -> Expr:
        """The value of a body: its statements from the last to the first, as TVM nests them.

        ``last`` is the place of its last token, ``end`` gives the range to blame where a value is missing; without it,
        that is not told, as something else is at fault.
        """
        levels: list[tuple[int, list[Item], list[Item]]] = []
        index = 0
        while True:
            start = index
            plain: list[Item] = []
            while index < len(items) and items[index].kind in ("expression", "free"):
                if items[index].kind == "expression":
                    plain.append(items[index])
                index += 1
            lets: list[Item] = []
            bound = index
            while index < len(items) and items[index].kind in ("let", "graph"):
                if items[index].kind == "let":
                    lets.append(items[index])
                index += 1
            levels.append((start, plain, lets))
            if index == bound:
                break
        body: Expr | None = None
        for level, (start, plain, lets) in enumerate(reversed(levels)):
            if level == 0:
                ends_free = bool(items) and items[-1].kind == "free"
                is_missing = not plain or ends_free or (items[-1].kind == "expression" and items[-1].terminated)
                if is_missing and end is not None:
                    self.report("missing-value", MISSING_VALUE, end())
                body = plain.pop().value if plain and not ends_free else ErrorExpr()
            assert body is not None
            for item in reversed(lets):
                assert item.var is not None
                body = Let(item.var, item.value, body, self._merged(body, item.let))
            for item in reversed(plain):
                body = Let(Var(""), item.value, body, self._merged_spans(item.value, body))
            if self.positions is not None and start < len(items) and type(body) is not Op:
                body.span = span_between(self.positions.source, items[start].first, last)
        assert body is not None
        return body

    def _merged(self, body: Expr, let: Position | None) -> Span | None:
        if self.positions is None or let is None:
            return None
        own = span_between(self.positions.source, let, let)
        return body.span.merge(own) if isinstance(body.span, Span) else own

    def _merged_spans(self, value: Expr, body: Expr) -> Span | None:
        if isinstance(value.span, Span) and isinstance(body.span, Span):
            return value.span.merge(body.span)
        return None

    def _do_graph_binding(self, step: Step, values: list[Any]) -> Item:
        value = self._bound(values[0])
        self._bind_graph(self.statement.token(step.node.first), value)
        return Item("graph", value, self._place(self.statement.first))

    def _do_bind_let(self, step: Step, values: list[Any]) -> Var:
        node = step.node
        token = self.statement.token(node.first + 1)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        definition = self._define(SymbolKind.LET, name, token, var)
        self.scope.add(var.name_hint, definition)
        self.origins[var] = SyntaxOrigin(self.unit, self.statement, node)
        return var

    def _do_let_binding(self, step: Step, values: list[Any]) -> Item:
        var, value = values[0], self._bound(values[1])
        self.let_values[var] = value
        self.scope.push()
        place = self._place(self.statement.token(step.node.first))
        return Item("let", value, place, var, place)

    def _bound(self, value: Expr) -> Expr:
        """What is bound to a value: an operator alone, without a semicolon behind it, is a call that is being typed."""
        return ErrorExpr((value,)) if type(value) is Op and self.statement.index[-1] < 0 else value

    def _do_free_variable(self, step: Step, values: list[Any]) -> Item:
        token = self.statement.token(step.node.first + 1)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        self.origins[var] = SyntaxOrigin(self.unit, self.statement, step.node)
        self.scope.add_free(var.name_hint, self._define(SymbolKind.FREE_VAR, name, token, var))
        return Item("free", var, self._place(self.statement.token(step.node.first)))

    def _do_expression_statement(self, step: Step, values: list[Any]) -> Expr:
        return values[0]

    def _do_statement_inside(self, step: Step, values: list[Any]) -> Item:
        return Item("expression", values[0], self._place(self.statement.token(step.node.first)))

    def _do_sequence(self, step: Step, values: list[Any]) -> Any:
        if len(values) == 1:
            return values[0]
        items: list[Item] = [value for value in values if isinstance(value, Item)]
        last = step.node.nodes()[-1] if step.node.nodes() else step.node
        place = self._place(self.statement.token(last.first))
        items.append(Item("expression", values[-1], place, terminated=False))
        lets = sum(item.kind == "let" for item in items)
        value = self.fold(items, self._place(self._last_token(step.node.last)), lambda: self._range(step.node))
        self.scope.pop(lets)
        if isinstance(value, Let):
            self.origins.setdefault(value, SyntaxOrigin(self.unit, self.statement, step.node))
        return value

    _do_let_value = _do_sequence

    def _do_block(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(values[0], step.node)
