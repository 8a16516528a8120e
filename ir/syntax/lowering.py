"""Syntax to expressions: names are resolved, values converted, and what is broken is marked.

Source of the rule: ``src/relay/parser/parser.cc``. The spans of expressions are TVM's: its parser sets the span of
whatever it has just read, also where that is a variable or a bound value used again, so that the last use wins.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

import numpy as np

from ..attributes import AttributeValueError, Attrs, find_attributes
from ..diagnostics import Diagnostic, Fix, Related, Severity, TextEdit
from ..dimensions import ANY, DimExpr
from ..expressions import (
    Call,
    Constant,
    Constructor,
    ErrorExpr,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
    VirtualDevice,
)
from ..expressions import Clause as MatchClause
from ..ops import operator as operators
from ..ops.operator import Op
from ..source import TextSpan
from ..spans import Span
from ..types import (
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
from .literals import NumberError, constant_array, read_number, read_string
from .positions import Position, Positions, span_between
from .programs import BLOCK_STEP, Step, program_of
from .scopes import Definition, Scope, SymbolKind
from .shapes import ShapeNode
from .statements import Block, Segment, Statement
from .suggestions import DTYPES, closest, replacement
from .tokens import BLOCK, CLAUSES

__all__ = ["Item", "Lowering", "Names", "Origin", "ParameterList", "Unit"]

_INFIX: Final = {
    "*": "multiply",
    "/": "divide",
    "+": "add",
    "-": "subtract",
    "<": "less",
    "l": "less_equal",
    ">": "greater",
    "g": "greater_equal",
    "e": "equal",
    "n": "not_equal",
}


class Unit:
    """A segment where it stands in a text, at offset ``base``."""

    __slots__ = ("_positions", "base", "number", "segment")

    def __init__(self, segment: Segment, number: int, base: int) -> None:
        self.segment: Final = segment
        self.number: Final = number
        self.base: Final = base
        self._positions: list[Position] | None = None

    def positions(self, positions: Positions) -> list[Position]:
        """TVM's position of each token."""
        if self._positions is None:
            self._positions = positions.of_pieces(self.segment.kinds, self.segment.pieces, self.base)
        return self._positions

    def span(self, token: int) -> TextSpan:
        """Where a token stands in the text."""
        return self.segment.span(token).shifted(self.base)

    def range(self, first: int, last: int) -> TextSpan:
        """Where a range of tokens stands in the text."""
        return self.segment.range(first, last).shifted(self.base)


@dataclass(frozen=True, slots=True)
class Origin:
    """The syntax that an expression was made from."""

    unit: Unit
    statement: Statement
    node: ShapeNode


class Names:
    """The names of a module, as far as they are known before its bodies are read."""

    def __init__(self, is_expression: bool = False) -> None:
        self.is_expression: Final = is_expression
        self.globals: dict[str, Definition] = {}
        self.types: dict[str, Definition] = {}
        self.constructors: dict[str, Definition] = {}
        self.unreadable: set[str] = set()
        """Functions whose head is broken: nothing is known of how to call them."""
        self.earlier_graph: dict[int, Definition] = {}
        self.metadata: Mapping[str, Sequence[object]] = {}


@dataclass(slots=True)
class Item:
    """A statement of a body after it was read; a let binds ``value`` to ``var``."""

    kind: str
    value: Expr
    first: Position
    var: Var | None = None
    let: Position | None = None
    terminated: bool = True


_Work: TypeAlias = "Generator[_Work, Any, Any]"


@dataclass(frozen=True, slots=True)
class ParameterList:
    """The parameters of a function, and the attributes that follow them."""

    variables: list[Var]
    attributes: list[_Attribute]


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    value: Any
    name_token: int
    node: ShapeNode


class _Failed:
    """An attribute value that could not be read, and has been reported."""


_FAILED: Final = _Failed()


def _drive(work: _Work) -> Any:
    """Run generators that wait for generators, without recursion."""
    stack: list[_Work] = [work]
    result: Any = None
    while stack:
        try:
            stack.append(stack[-1].send(result))
            result = None
        except StopIteration as done:
            stack.pop()
            result = done.value
    return result


class Lowering:
    """Reads statements in the order of the text.

    ``diagnostics`` have ranges in the text. ``origins`` says where each expression was written, ``uses`` which token
    names which definition.
    """

    def __init__(self, names: Names, positions: Positions | None) -> None:
        self.names: Final = names
        self.positions: Final = positions
        self.scope: Scope[Definition] = Scope()
        self.type_scope: Scope[Definition] = Scope()
        self.graph: dict[int, Definition] = {}
        self.diagnostics: list[Diagnostic] = []
        self.origins: dict[Expr, Origin] = {}
        self.definitions: list[Definition] = []
        self.uses: list[tuple[Unit, int, Definition]] = []
        self.unresolved: list[tuple[Unit, int]] = []
        self.container: Definition | None = None
        self.unit: Unit
        self.statement: Statement
        self._texts: list[str] = []
        self._actions: Final[dict[str, Callable[[Step, list[Any]], Any]]] = {
            name[4:]: getattr(self, name) for name in dir(self) if name.startswith("_do_")
        }

    # ---- places

    def enter(self, unit: Unit) -> None:
        """Go on with the tokens of ``unit``."""
        self.unit = unit
        self._texts = unit.segment.tokens[1]

    def _text(self, position: int) -> str:
        return self._texts[self.statement.token(position)]

    def _last_token(self, position: int) -> int:
        """The last token of what stands at a position: of a block its closing brace."""
        token = self.statement.token(position)
        if self.statement.kinds[position] in (BLOCK, CLAUSES):
            return self.statement.blocks[position].close
        return token

    def _range(self, node: ShapeNode) -> TextSpan:
        return self.unit.range(self.statement.token(node.first), self._last_token(node.last))

    def _place(self, token: int) -> Position:
        if self.positions is None:
            return (0, 0, 0, 0)
        return self.unit.positions(self.positions)[token]

    def _span(self, first: int, last: int) -> Span | None:
        if self.positions is None:
            return None
        return span_between(self.positions.source, self._place(first), self._place(last))

    def _node_span(self, node: ShapeNode) -> Span | None:
        if self.positions is None:
            return None
        return self._span(self.statement.token(node.first), self._last_token(node.last))

    def _mark(self, expr: Expr, node: ShapeNode) -> Expr:
        """Note where ``expr`` was written, and set the span that TVM gives it there."""
        if expr not in self.origins:
            self.origins[expr] = Origin(self.unit, self.statement, node)
        if self.positions is not None and type(expr) is not Op:
            expr.span = self._node_span(node)
        return expr

    # ---- reports

    def report(
        self,
        code: str,
        message: str,
        span: TextSpan,
        fixes: Iterable[Fix] = (),
        related: Iterable[Related] = (),
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Add a diagnostic."""
        self.diagnostics.append(Diagnostic(code, severity, message, span, related=tuple(related), fixes=tuple(fixes)))

    def _report_unknown(
        self, code: str, what: str, name: str, token: int, candidates: Iterable[str], related: Iterable[Related] = ()
    ) -> None:
        span = self.unit.span(token)
        near = closest(name, candidates, count=3)
        hint = f"; did you mean {near[0]}?" if near else ""
        self.unresolved.append((self.unit, token))
        self.report(code, f"{what} {name}{hint}", span, [replacement(span, other) for other in near], related)

    def _define(self, kind: SymbolKind, name: str, token: int, value: Expr | Type) -> Definition:
        definition = Definition(kind, name, self.unit, token, value, self.container)
        self.definitions.append(definition)
        return definition

    def _use(self, token: int, definition: Definition) -> None:
        self.uses.append((self.unit, token, definition))

    # ---- statements

    def read(self, statement: Statement) -> Item:
        """One statement of a body, with everything nested in it."""
        return _drive(self._read(statement))

    def _read(self, statement: Statement) -> _Work:
        outer = getattr(self, "statement", statement)
        self.statement = statement
        root = statement.root
        first = self._place(statement.first)
        if root is None:
            item = yield self._read_broken(statement)
        else:
            value = yield self._evaluate(statement, root)
            if isinstance(value, Item):
                item = value
                item.first = first
            else:
                item = Item("expression", value, first, terminated=statement.kinds.endswith(";"))
        self.statement = outer
        return item

    def _evaluate(self, statement: Statement, root: ShapeNode) -> _Work:
        values: list[Any] = []
        actions = self._actions
        for step in program_of(root, statement.kinds):
            if step.action is BLOCK_STEP:
                values.append((yield self._read_block(statement, step)))
                self.statement = statement
                continue
            arity = step.arity
            if arity:
                taken = values[-arity:]
                del values[-arity:]
            else:
                taken = []
            values.append(actions[step.action](step, taken))
        return values[-1]

    def _read_broken(self, statement: Statement) -> _Work:
        """What can be saved of a statement that could not be parsed: its blocks, and the name it binds."""
        parts: list[Expr] = []
        texts, kinds = self._texts, statement.kinds
        for position, kind in enumerate(kinds):
            if position > 1 or not kinds.startswith(("G=", "wL")):
                self._note_name(kind, texts[statement.token(position)], statement.token(position))
        for position, block in statement.blocks.items():
            self.scope.push()
            self.type_scope.push()
            for parameter in _parameters_before(kinds, position):
                token = statement.token(parameter)
                var = Var(texts[token][1:], ERROR)
                self.scope.add(var.name_hint, self._define(SymbolKind.PARAMETER, texts[token], token, var))
            if block.clauses is None:
                parts.append((yield self._read_body(block)))
            else:
                parts.extend(clause.rhs for clause in (yield self._read_clauses(block)))
            self.type_scope.pop()
            self.scope.pop()
            self.statement = statement
        value = ErrorExpr(tuple(parts))
        first = self._place(statement.first)
        if kinds.startswith("G"):
            token = statement.token(0)
            if kinds[1:2] == "=" or len(kinds) > 1:
                self._bind_graph(token, value)
                return Item("graph", value, first)
        if kinds.startswith("wL"):
            token = statement.token(1)
            var = Var(texts[token][1:], ERROR)
            self.scope.add(var.name_hint, self._define(SymbolKind.LET, texts[token], token, var))
            self.scope.push()
            return Item("let", value, first, var, first)
        return Item("expression", value, first, terminated=kinds.endswith(";"))

    def _note_name(self, kind: str, text: str, token: int) -> None:
        """Resolve a name of a broken statement for those who look for its uses; say nothing if it is unknown."""
        found: Definition | None = None
        if kind == "L":
            found = self.scope.find(text[1:])
        elif kind == "G":
            found = self._find_graph(int(text[1:]))
        elif kind == "@":
            found = self.names.globals.get(text[1:])
        elif kind == "I":
            found = self.names.constructors.get(text) or self.type_scope.find(text) or self.names.types.get(text)
        if found is not None:
            self._use(token, found)

    # ---- blocks

    def _read_block(self, statement: Statement, step: Step) -> _Work:
        block = statement.blocks[step.position]
        rule = step.node.rule
        if rule == "match":
            return (yield self._read_clauses(block))
        scoped = rule != "function"
        if scoped:
            self.scope.push()
        value = yield self._read_body(block)
        if scoped:
            self.scope.pop()
        return value

    def _read_body(self, block: Block) -> _Work:
        return (yield self._read_statements(block.statements, block.close))

    def _read_statements(self, statements: Sequence[Statement], end: int) -> _Work:
        depth = self.scope.depth
        items: list[Item] = []
        for statement in statements:
            items.append((yield self._read(statement)))
        value = self.fold(items, self._last_place(statements, end), lambda: self.unit.span(end))
        self.scope.pop(self.scope.depth - depth)
        return value

    def _last_place(self, statements: Sequence[Statement], end: int) -> Position:
        if not statements:
            return self._place(end)
        outer = self.statement
        self.statement = statements[-1]
        last = self._last_token(len(self.statement.kinds) - 1)
        self.statement = outer
        return self._place(last)

    def _read_clauses(self, block: Block) -> _Work:
        clauses: list[MatchClause] = []
        for clause in block.clauses or ():
            self.scope.push()
            pattern: Pattern = PatternWildcard()
            if clause.head is not None:
                self.statement = clause.head
                if clause.head.root is not None:
                    pattern = yield self._evaluate(clause.head, clause.head.root)
            broken_head = clause.head is None or clause.head.root is None
            value = yield self._read_statements(clause.body, block.close)
            self.scope.pop()
            if not broken_head:
                clauses.append(MatchClause(pattern, value))
        return clauses

    def fold(self, items: Sequence[Item], last: Position, end: Callable[[], TextSpan]) -> Expr:
        """The value of a body: its statements from the last to the first, as TVM nests them.

        ``last`` is the place of its last token, ``end`` gives the range to blame where a value is missing.
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
                if not plain or (items and items[-1].kind == "expression" and items[-1].terminated):
                    self.report("missing-value", "expected an expression: a body ends with its value", end())
                body = plain.pop().value if plain else ErrorExpr()
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

    # ---- statements, by rule

    def _bind_graph(self, token: int, value: Expr) -> Definition:
        name = self._texts[token]
        number = int(name[1:])
        definition = self._define(SymbolKind.GRAPH, name, token, value)
        first = self.graph.get(number)
        if first is None:
            self.graph[number] = definition
        else:
            span = self.unit.span(token)
            related = [Related("the binding that stays", first.unit.span(first.token))] if first.unit else []
            self.report(
                "graph-variable-rebound",
                f"{name} is bound already, and TVM keeps the first value",
                span,
                related=related,
                severity=Severity.WARNING,
            )
        return definition

    def _find_graph(self, number: int) -> Definition | None:
        return self.graph.get(number) or self.names.earlier_graph.get(number)

    def _do_graph_binding(self, step: Step, values: list[Any]) -> Item:
        value: Expr = values[0]
        self._bind_graph(self.statement.token(step.node.first), value)
        return Item("graph", value, self._place(self.statement.first))

    def _do_bind_let(self, step: Step, values: list[Any]) -> Var:
        node = step.node
        token = self.statement.token(node.first + 1)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        definition = self._define(SymbolKind.LET, name, token, var)
        self.scope.add(var.name_hint, definition)
        self.origins[var] = Origin(self.unit, self.statement, node)
        return var

    def _do_let_binding(self, step: Step, values: list[Any]) -> Item:
        var, value = values
        self.scope.push()
        place = self._place(self.statement.token(step.node.first))
        return Item("let", value, place, var, place)

    def _do_free_variable(self, step: Step, values: list[Any]) -> Item:
        token = self.statement.token(step.node.first + 1)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        self.origins[var] = Origin(self.unit, self.statement, step.node)
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
        return value

    _do_let_value = _do_sequence

    def _do_block(self, step: Step, values: list[Any]) -> Expr:
        return self._mark(values[0], step.node)

    # ---- expressions

    def _do_constant(self, step: Step, values: list[Any]) -> Any:
        position = step.node.first
        token = self.statement.token(position)
        kind, text = self.statement.kinds[position], self._texts[token]
        if kind == "b":
            if step.raw:
                return int(text == "True")
            return self._mark(Constant(np.array(text == "True"), "bool"), step.node)
        value = read_number(text, kind == "F")
        if isinstance(value, NumberError):
            span = self.unit.span(token)
            fixes = [replacement(span, value.suggestion)] if value.suggestion else []
            self.report(value.code, value.message, span, fixes)
            return _FAILED if step.raw else ErrorExpr()
        if step.raw:
            return value
        return self._mark(Constant(constant_array(value)), step.node)

    def _do_string(self, step: Step, values: list[Any]) -> Any:
        return read_string(self._text(step.node.first))

    def _do_list(self, step: Step, values: list[Any]) -> Any:
        return _FAILED if _FAILED in values else tuple(values)

    def _do_local(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        found = self.scope.find(name[1:])
        if found is None:
            self._report_unknown(
                "undefined-variable", "undefined variable", name, token, (f"%{other}" for other in self.scope.names())
            )
            return ErrorExpr()
        self._use(token, found)
        assert isinstance(found.value, Expr)
        return self._mark(found.value, step.node)

    def _do_graph(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        found = self._find_graph(int(name[1:]))
        if found is None:
            if token == self.statement.first and self.statement.kinds.startswith("G(") and self._ends_statement():
                gap = TextSpan(self.unit.span(token).start, self.unit.span(token + 1).start)
                end = self.unit.span(token).end
                fix = Fix("Insert `=`", (TextEdit(TextSpan(end, end), " ="),))
                self.report("missing-token", f"expected `=` after {name}, which is not bound yet", gap, [fix])
                self._bind_graph(token, ErrorExpr())
                return ErrorExpr()
            self._report_unknown(
                "undefined-variable", "undefined variable", name, token, (f"%{other}" for other in self.graph)
            )
            return ErrorExpr()
        self._use(token, found)
        assert isinstance(found.value, Expr)
        return self._mark(found.value, step.node)

    def _ends_statement(self) -> bool:
        return self.statement.kinds.endswith(";")

    def _do_global(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        found = self.names.globals.get(name[1:])
        if found is None:
            if not self.names.is_expression:
                self._report_unknown(
                    "undefined-global",
                    "the module has no function",
                    name,
                    token,
                    (f"@{other}" for other in self.names.globals),
                )
                return ErrorExpr()
            found = Definition(SymbolKind.FUNCTION, name, None, -1, GlobalVar(name[1:]))
            self.names.globals[name[1:]] = found
        self._use(token, found)
        if found.name[1:] in self.names.unreadable:
            return ErrorExpr()
        assert isinstance(found.value, Expr)
        return self._mark(found.value, step.node)

    def _do_name(self, step: Step, values: list[Any]) -> Any:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        if step.raw and name in ("None", "nullptr"):
            return None
        found = self.names.constructors.get(name)
        if found is not None:
            return self._constructor(found, token, step)
        op = operators.find(name)
        if op is not None:
            return op
        if step.raw:
            self._report_unknown("undefined-operator", "an attribute takes no", name, token, ("None", "True", "False"))
            return _FAILED
        self._report_unknown(
            "undefined-operator",
            "unknown operator",
            name,
            token,
            (*operators.registered(), *self.names.constructors),
        )
        return ErrorExpr()

    def _constructor(self, found: Definition, token: int, step: Step) -> Expr:
        self._use(token, found)
        constructor = found.value
        assert isinstance(constructor, Constructor)
        if found.unit is not None and found.unit.number > self.unit.number:
            self.report(
                "constructor-before-type",
                f"{found.name} is used before its type is defined",
                self.unit.span(token),
                related=[Related("the definition", found.unit.span(found.token))],
            )
            return ErrorExpr()
        if step.callee or step.raw or constructor.inputs:
            return constructor
        return self._mark(Call(constructor, ()), step.node)

    def _do_meta(self, step: Step, values: list[Any]) -> Any:
        value = self._metadata(self.statement.token(step.node.first))
        if value is _FAILED:
            return _FAILED if step.raw else ErrorExpr()
        return self._mark(value, step.node) if isinstance(value, Expr) else value

    def _metadata(self, token: int) -> object:
        text = self._texts[token]
        key, _, index = text[5:-1].partition("][")
        entries = self.names.metadata.get(key)
        span = self.unit.span(token)
        if entries is None:
            self.report("missing-metadata", f"the metadata section has no {key}", span)
            return _FAILED
        if not index.strip().isdigit() or int(index) >= len(entries):
            count = len(entries)
            self.report("missing-metadata", f"the metadata section has {count} of {key}, there is no {index}", span)
            return _FAILED
        return entries[int(index)]

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
        op = operators.find(_INFIX[self.statement.kinds[operator]])
        if op is None:  # pragma: no cover - the ten operators are always registered
            return ErrorExpr((left, right))
        call = Call(op, (left, right), op.default_attrs())
        self._mark(call, step.node)
        if not step.outermost and isinstance(left.span, Span) and isinstance(right.span, Span):
            call.span = left.span.merge(right.span)
        return call

    def _as_expr(self, value: Any) -> Expr:
        return value if isinstance(value, Expr) else ErrorExpr()

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
        complete = self.statement.kinds[step.node.first] == "m"
        return self._mark(Match(self._as_expr(data), tuple(clauses), complete), step.node)

    # ---- calls

    def _do_arguments(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def _do_call(self, step: Step, values: list[Any]) -> Expr:
        callee: Any = values[0]
        arguments: list[Any] = list(values[1])
        given: list[_Attribute] | None = None
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
                attrs = self._operator_attributes(callee, given, callee_node, broken)
                if attrs is None and (callee.attrs_type is not None or given):
                    return self._mark(ErrorExpr(args), step.node)
        elif given is not None and isinstance(callee, Expr) and not isinstance(callee, ErrorExpr):
            attrs = self._keyed_attributes(given)
        if not isinstance(callee, Expr) or isinstance(callee, ErrorExpr):
            return self._mark(ErrorExpr((*([callee] if isinstance(callee, Expr) else []), *args)), step.node)
        return self._mark(Call(callee, args, attrs), step.node)

    def _keyed_attributes(self, given: list[_Attribute]) -> Attrs | None:
        """The attributes of a call of a function, which name their own class."""
        key = next((item for item in given if item.name == "attrs_type_key"), None)
        if key is None:
            for item in given:
                self.report(
                    "unknown-attribute",
                    "only operators take attributes (a function does where `attrs_type_key` names their class)",
                    self.unit.span(item.name_token),
                    [self._removal(item)],
                )
            return None
        if key.value in ("", _FAILED):
            return None
        declared = find_attributes(key.value) if isinstance(key.value, str) else None
        if declared is None:
            self.report("unknown-attribute", f"unknown class of attributes {key.value}", self._range(key.node))
            return None
        return self._convert(declared, str(key.value), [item for item in given if item is not key], None)

    def _operator_attributes(
        self, op: Op, given: list[_Attribute] | None, callee_node: ShapeNode, broken: bool
    ) -> Attrs | None:
        declared = op.attrs_type
        if declared is None:
            for item in given or ():
                self.report(
                    "unknown-attribute",
                    f"{op.name} takes no attributes",
                    self.unit.span(item.name_token),
                    [self._removal(item)],
                )
            return None
        return self._convert(declared, op.name, given or [], callee_node, broken)

    def _convert(
        self,
        declared: type[Attrs],
        owner: str,
        given: list[_Attribute],
        callee_node: ShapeNode | None,
        broken: bool = False,
    ) -> Attrs | None:
        fields = declared.fields()
        converted: dict[str, Any] = {}
        failed = False
        for item in given:
            field = fields.get(item.name)
            if field is None:
                failed = True
                span = self.unit.span(item.name_token)
                near = closest(item.name, fields)
                hint = f"; did you mean {near[0]}?" if near else ""
                self.report(
                    "unknown-attribute",
                    f"{owner} has no attribute {item.name}{hint}",
                    span,
                    [*(replacement(span, name) for name in near), self._removal(item)],
                )
            elif item.value is _FAILED:
                failed = True
            else:
                try:
                    converted[item.name] = field.convert(item.value)
                except AttributeValueError as error:
                    failed = True
                    value = item.node.children[-1]
                    span = self._range(value) if isinstance(value, ShapeNode) else self.unit.span(item.name_token)
                    near = closest(item.value, field.choices) if isinstance(item.value, str) else []
                    if not near and field.annotation is DataType and isinstance(item.value, str):
                        near = closest(item.value, DTYPES)
                    fixes = [replacement(span, f'"{name}"') for name in near]
                    self.report("invalid-attribute-value", f"{error} (in {owner})", span, fixes)
        missing = [name for name, field in fields.items() if field.required and name not in converted]
        if failed or (missing and broken):  # an argument that could not be read may have been the attribute
            return None
        if missing:
            span = self._range(callee_node) if callee_node is not None else self.unit.span(given[0].name_token)
            self.report("missing-attribute", f"{owner} needs the attribute {', '.join(missing)}", span)
            return None
        return declared(**converted)

    def _removal(self, item: _Attribute) -> Fix:
        """The fix that takes an attribute out of its list, with one comma."""
        span = self._range(item.node)
        kinds = self.statement.kinds
        before, after = item.node.first - 1, item.node.last + 1
        if before >= 0 and kinds[before] == ",":
            span = TextSpan(self.unit.span(self.statement.token(before)).start, span.end)
        elif kinds[after : after + 1] == ",":
            end = self.statement.token(after + 1)
            span = TextSpan(span.start, self.unit.span(end).start)
        return Fix(f"Remove `{item.name}`", (TextEdit(span, ""),))

    def _do_attributes(self, step: Step, values: list[Any]) -> list[_Attribute]:
        return values

    def _do_attribute(self, step: Step, values: list[Any]) -> _Attribute:
        token = self.statement.token(step.node.first)
        return _Attribute(self._texts[token], values[0], token, step.node)

    # ---- functions

    def _do_enter_function(self, step: Step, values: list[Any]) -> Definition | None:
        self.scope.push()
        self.type_scope.push()
        return None

    def _do_type_parameters(self, step: Step, values: list[Any]) -> list[TypeVar]:
        made: list[TypeVar] = []
        for child in step.node.children:
            if isinstance(child, int) and self.statement.kinds[child] == "I":
                token = self.statement.token(child)
                variable = TypeVar(self._texts[token])
                self.type_scope.add(
                    variable.name, self._define(SymbolKind.TYPE_PARAMETER, variable.name, token, variable)
                )
                made.append(variable)
        return made

    def _do_parameter(self, step: Step, values: list[Any]) -> Var:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        device = next((value for value in values if isinstance(value, VirtualDevice)), None)
        annotation = next((value for value in values if isinstance(value, Type)), None)
        var = Var(name[1:], annotation, None, device)
        self.scope.add(var.name_hint, self._define(SymbolKind.PARAMETER, name, token, var))
        self.origins[var] = Origin(self.unit, self.statement, step.node)
        return var

    def _do_device(self, step: Step, values: list[Any]) -> VirtualDevice | None:
        for item in values[0]:
            if item.name == "virtual_device" and isinstance(item.value, VirtualDevice):
                return item.value
        return None

    def _do_parameters(self, step: Step, values: list[Any]) -> ParameterList:
        attributes: list[_Attribute] = []
        if values and isinstance(values[-1], list):
            attributes = values.pop()
        return ParameterList(values, attributes)

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

    def make_function(self, values: list[Any], body: Expr) -> Function:
        """A function of what was read of its head, and its body."""
        type_parameters: list[TypeVar] = []
        parameters: list[Var] = []
        attributes: list[_Attribute] = []
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
            if item.value is _FAILED:
                continue
            if item.name == "virtual_device":
                if isinstance(item.value, VirtualDevice):
                    device = item.value
                else:
                    self.report(
                        "invalid-attribute-value",
                        "virtual_device takes a VirtualDevice of the metadata section",
                        self._range(item.node),
                    )
                continue
            attrs[item.name] = item.value
        return Function(tuple(parameters), body, result, tuple(type_parameters), attrs, None, device)

    def read_header(self, statement: Statement) -> list[Any]:
        """The head of a function of the module; its parameters are bound from here on."""
        self.statement = statement
        self.scope.push()
        self.type_scope.push()
        if statement.root is None:
            return self._broken_header(statement)
        return _drive(self._evaluate(statement, statement.root))

    def _do_header(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def _broken_header(self, statement: Statement) -> list[Any]:
        parameters: list[Var] = []
        for position in _parameters_before(statement.kinds, len(statement.kinds)):
            token = statement.token(position)
            var = Var(self._texts[token][1:], ERROR)
            self.scope.add(var.name_hint, self._define(SymbolKind.PARAMETER, self._texts[token], token, var))
            parameters.append(var)
        return [ParameterList(parameters, [])]

    # ---- types

    def _do_annotation(self, step: Step, values: list[Any]) -> Type | None:
        return None if isinstance(values[0], IncompleteType) else values[0]

    def _do_tensor_type(self, step: Step, values: list[Any]) -> Type:
        shape = values[0]
        position = [child for child in step.node.children if isinstance(child, int)][3]
        token = self.statement.token(position)
        dtype = self._dtype(token)
        if dtype is None or _FAILED in shape:
            return ERROR
        return TensorType(tuple(shape), dtype)

    def _dtype(self, token: int) -> DataType | None:
        name = self._texts[token]
        dtype = DataType(f"{name}32" if name in ("int", "uint", "float") else name)
        if dtype.is_valid:
            return dtype
        self._report_unknown("unknown-dtype", "unknown dtype", name, token, DTYPES)
        return None

    def _do_shape(self, step: Step, values: list[Any]) -> list[Any]:
        return values

    def _do_dimension(self, step: Step, values: list[Any]) -> Any:
        position = step.node.first
        token = self.statement.token(position)
        kind = self.statement.kinds[position]
        if kind == "?":
            return ANY
        span = self.unit.span(token)
        if kind == "M":
            value = self._metadata(token)
            if value is _FAILED or isinstance(value, (DimExpr, int)):
                return value
            self.report("invalid-dimension", "this entry of the metadata section is not a dimension", span)
            return _FAILED
        number = read_number(self._texts[token], False)
        if isinstance(number, NumberError):
            self.report(number.code, number.message, span)
            return _FAILED
        return number

    def _do_named_type(self, step: Step, values: list[Any]) -> Type:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        arguments: tuple[Type, ...] = values[0] if values else ()
        found = self.type_scope.find(name) or self.names.types.get(name)
        if found is not None:
            self._use(token, found)
            head = found.value
            assert isinstance(head, Type)
            if arguments or isinstance(head, GlobalTypeVar):
                return TypeCall(head, arguments)
            return head
        if not arguments and (name.startswith(("int", "uint", "float", "bool")) or DataType(name).is_valid):
            dtype = self._dtype(token)
            return ERROR if dtype is None else TensorType((), dtype)
        if self.names.is_expression:
            variable = GlobalTypeVar(name)
            self.names.types[name] = Definition(SymbolKind.TYPE, name, None, -1, variable)
            return TypeCall(variable, arguments)
        candidates = ("Tensor", *DTYPES, *self.names.types, *self.type_scope.names())
        self._report_unknown("undefined-type", "unknown type", name, token, candidates)
        return ERROR

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

    # ---- patterns

    def _do_clause_head(self, step: Step, values: list[Any]) -> Pattern:
        return values[0]

    def _do_wildcard(self, step: Step, values: list[Any]) -> Pattern:
        return PatternWildcard()

    def _do_variable_pattern(self, step: Step, values: list[Any]) -> Pattern:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        var = Var(name[1:], values[0] if values else None)
        self.origins[var] = Origin(self.unit, self.statement, step.node)
        self.scope.add(var.name_hint, self._define(SymbolKind.PATTERN_VAR, name, token, var))
        return PatternVar(var)

    def _do_constructor_pattern(self, step: Step, values: list[Any]) -> Pattern:
        token = self.statement.token(step.node.first)
        name = self._texts[token]
        found = self.names.constructors.get(name)
        if found is None:
            span = self.unit.span(token)
            near = closest(name, self.names.constructors)
            hint = f"; did you mean {near[0]}?" if near else ""
            fixes = [*(replacement(span, other) for other in near), replacement(span, f"%{name}")]
            self.unresolved.append((self.unit, token))
            self.report("undefined-constructor", f"unknown constructor {name}{hint}", span, fixes)
            return PatternWildcard()
        self._use(token, found)
        assert isinstance(found.value, Constructor)
        return PatternConstructor(found.value, tuple(values))

    def _do_tuple_pattern(self, step: Step, values: list[Any]) -> Pattern:
        return PatternTuple(tuple(values))

    # ---- type definitions

    def read_type_definition(self, statement: Statement) -> tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]:
        """The parameters of an algebraic data type, and its constructors: token of the name, and inputs."""
        self.statement = statement
        self.type_scope.push()
        try:
            if statement.root is None:
                return [], []
            return _drive(self._evaluate(statement, statement.root))
        finally:
            self.type_scope.pop()

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
        return self.statement.token(step.node.first), self._types(values)


def _parameters_before(kinds: str, end: int) -> list[int]:
    """The positions of what look like parameters in a broken head: locals after `(` or `,` at its first parentheses."""
    found: list[int] = []
    start = kinds.rfind("f", 0, end)
    depth = 0
    opened = False
    for position in range(max(0, start), end):
        kind = kinds[position]
        if kind == "(":
            depth += 1
            opened = True
        elif kind == ")":
            depth -= 1
        elif kind == "L" and opened and position and kinds[position - 1] in "(,":
            found.append(position)
    return found
