"""Syntax to expressions: names are resolved, values converted, and what is broken is marked.

Source of the rule: ``src/relay/parser/parser.cc``. The spans of expressions are TVM's: its parser sets the span of
whatever it has just read, also where that is a variable or a bound value used again, so that the last use wins.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from ...cancellation import check_cancelled
from ...expressions import Clause as MatchClause
from ...expressions import ErrorExpr, Expr, Pattern, PatternWildcard, Var
from ...internal_errors import internal_error
from ...types import ERROR, Type, TypeVar
from ..blocks import Block, Statement
from ..positions import Position, Positions
from ..programs import BLOCK_STEP, Step, program_of
from ..scopes import Definition, Names, SymbolKind
from ..shapes import ShapeNode
from ..tokens import (
    FREE_BINDING,
    GLOBAL,
    GRAPH,
    GRAPH_BINDING,
    LET_BINDING,
    LOCAL,
    NAME,
)
from .bodies import BodyLowering, Item
from .expressions import ExpressionLowering
from .heads import HeadLowering, parameters_between
from .patterns import PatternLowering
from .types import TypeLowering, is_built_in

__all__ = ["Lowering"]

_NAMES: Final = frozenset((LOCAL, GRAPH, GLOBAL, NAME))
_BEHIND_VALUE: Final = frozenset(".[+-*/<>elgn")
"""What makes more of the value before it, a field or the operand of an infix operator: that is used, not bound."""

_Work: TypeAlias = "Generator[_Work, Any, Any]"


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


@cache
def _actions_of(kind: type[Lowering]) -> Mapping[str, Callable[[Lowering, Step, list[Any]], Any]]:
    """What does each step of a program: methods of the class, so that no lowering refers to itself."""
    return {name[4:]: getattr(kind, name) for name in dir(kind) if name.startswith("_do_")}


class Lowering(BodyLowering, ExpressionLowering, HeadLowering, TypeLowering, PatternLowering):
    """Reads statements in the order of the text.

    ``diagnostics`` have ranges in the text. ``origins`` says where each expression was written, ``uses`` which token
    names which definition.
    """

    def __init__(self, names: Names, positions: Positions | None) -> None:
        super().__init__(names, positions)
        self.actions: Final = _actions_of(type(self))
        """What takes each step of a program."""

    def read(self, statement: Statement) -> Item:
        """One statement of a body, with everything nested in it.

        Where that meets a fault of ours, the statement counts as broken.
        """
        check_cancelled()
        outer = getattr(self, "statement", statement)
        depths = self.scope.depth, self.type_scope.depth
        try:
            if statement.root is not None and not statement.blocks:
                return self._read_flat(statement, statement.root)
            return _drive(self._read(statement))
        except Exception as error:
            self._give_up(statement, error, depths)
        try:
            item: Item = _drive(self._read_broken(Statement(None, statement.kinds, statement.index, {})))
        except Exception:
            item = Item("expression", ErrorExpr(), (0, 0, 0, 0), terminated=statement.kinds.endswith(";"))
        self.statement = outer
        return item

    def _give_up(self, statement: Statement, error: Exception, depths: tuple[int, int]) -> None:
        """Report a fault of ours at a statement, and leave the scopes that were entered since."""
        span = self.unit.range(_written(statement.first), _written(statement.last))
        self.diagnostics.append(internal_error(error, "reading this", span))
        self.scope.pop(max(0, self.scope.depth - depths[0]))
        self.type_scope.pop(max(0, self.type_scope.depth - depths[1]))
        self.statement = statement

    def _read(self, statement: Statement) -> _Work:
        root = statement.root
        outer = getattr(self, "statement", statement)
        self.statement = statement
        first = self._place(statement.first)
        if root is None:
            item = yield self._read_broken(statement)
        else:
            item = self._item(statement, (yield self._evaluate(statement, root)), first)
        self.statement = outer
        return item

    def _read_flat(self, statement: Statement, root: ShapeNode) -> Item:
        """What :meth:`_read` gives for a statement without blocks, as most are: nothing in it is to be waited for."""
        outer = getattr(self, "statement", statement)
        self.statement = statement
        first = self._place(statement.first)
        item = self._item(statement, self._evaluated_flat(statement, root), first)
        self.statement = outer
        return item

    def _evaluated_flat(self, statement: Statement, root: ShapeNode) -> Any:
        """What the steps of the root of a statement without blocks give."""
        values: list[Any] = []
        actions = self.actions
        for step in program_of(root, statement.kinds):
            arity = step.arity
            if arity:
                taken = values[-arity:]
                del values[-arity:]
                values.append(actions[step.action](self, step, taken))
            else:
                values.append(actions[step.action](self, step, []))
        return values[-1]

    @staticmethod
    def _item(statement: Statement, value: Any, first: Position) -> Item:
        if isinstance(value, Item):
            value.first = first
            return value
        return Item("expression", value, first, terminated=statement.kinds.endswith(";"))

    def _evaluated(self, statement: Statement, root: ShapeNode) -> Any:
        return _drive(self._evaluate(statement, root)) if statement.blocks else self._evaluated_flat(statement, root)

    def _evaluate(self, statement: Statement, root: ShapeNode) -> _Work:
        values: list[Any] = []
        actions = self.actions
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
            values.append(actions[step.action](self, step, taken))
        return values[-1]

    def _read_broken(self, statement: Statement) -> _Work:
        """What can be saved of a statement that could not be parsed: its blocks, and the name it binds.

        A ``let`` with a name and nothing else binds none: the name is still being typed, and as far as it is there it
        may be that of another value.
        """
        parts: list[Expr] = []
        texts, kinds = self._texts, statement.kinds
        binds = kinds.startswith((GRAPH_BINDING, LET_BINDING, FREE_BINDING))
        for position, kind in enumerate(kinds):
            if kind in _NAMES and (position > 1 or not binds):
                token = statement.token(position)
                self._note_name(kind, texts[token], token)
        before = 0
        for position, block in statement.blocks.items():
            self.scope.push()
            self.type_scope.push()
            # No parameter of this block stands before the block that precedes it.
            start, before = max(before, kinds.rfind("f", before, position)), position
            for parameter in parameters_between(kinds, start, position):
                token = statement.token(parameter)
                self._bind_unread(SymbolKind.PARAMETER, token)
            if block.clauses is None:
                parts.append((yield self._read_statements(block.statements, block.close)))
            else:
                parts.extend(clause.rhs for clause in (yield self._read_clauses(block)))
            self.type_scope.pop()
            self.scope.pop()
            self.statement = statement
        value = ErrorExpr(tuple(parts))
        first = self._place(statement.first)
        if kinds.startswith(GRAPH):
            token = statement.token(0)
            if len(kinds) > 1 and kinds[1] not in _BEHIND_VALUE:
                self._bind_graph(token, value)
                return Item("graph", value, first)
        if kinds.startswith(LET_BINDING) and kinds.rstrip(";") != LET_BINDING:
            var = self._bind_unread(SymbolKind.LET, statement.token(1))
            self.let_values[var] = value
            self.scope.push()
            return Item("let", value, first, var, first)
        if kinds.startswith(FREE_BINDING):
            token = statement.token(1)
            var = Var(texts[token][1:], ERROR)
            self.scope.add_free(var.name_hint, self._define(SymbolKind.FREE_VAR, texts[token], token, var))
            return Item("free", var, first)
        return Item("expression", value, first, terminated=kinds.endswith(";"))

    def _bind_unread(self, kind: SymbolKind, token: int) -> Var:
        """Bind a name of which nothing else could be read."""
        name = self._texts[token]
        var = Var(name[1:], ERROR)
        self.scope.add(var.name_hint, self._define(kind, name, token, var))
        return var

    def _note_name(self, kind: str, text: str, token: int) -> None:
        """Resolve a name of a broken statement, so that its uses are complete; an unknown name is not reported."""
        position: Definition | None = None
        if kind == LOCAL:
            position = self.scope.find(text[1:])
        elif kind == GRAPH:
            position = self._find_graph(int(text[1:]))
        elif kind == GLOBAL:
            position = self.names.globals.get(text[1:])
        elif kind == NAME:
            position = self.names.constructors.get(text) or self.type_scope.find(text) or self.names.types.get(text)
        if position is not None:
            self._use(token, position)

    def _read_block(self, statement: Statement, step: Step) -> _Work:
        block = statement.blocks[step.position]
        rule = step.node.rule
        if rule == "match":
            return (yield self._read_clauses(block))
        scoped = rule != "function"
        if scoped:
            self.scope.push()
        value = yield self._read_statements(block.statements, block.close)
        if scoped:
            self.scope.pop()
        return value

    def _read_statements(self, statements: Sequence[Statement], end: int) -> _Work:
        depth = self.scope.depth
        items: list[Item] = []
        for statement in statements:
            if statement.root is not None and not statement.blocks:
                items.append(self._read_flat(statement, statement.root))
            else:
                items.append((yield self._read(statement)))
        # What is incomplete takes what follows it, also the value: one fault gives one error.
        is_misread = bool(statements and self.unit.segment.diagnostics)
        value = self.fold(items, self._last_place(statements, end), None if is_misread else lambda: self.unit.span(end))
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
                if clause.head.root is None:
                    self._bind_broken_pattern(clause.head)
                else:
                    pattern = yield self._evaluate(clause.head, clause.head.root)
            last = clause.body[-1] if clause.body else clause.head
            value = yield self._read_statements(clause.body, block.close if last is None else last.last)
            self.scope.pop()
            if clause.is_readable:
                clauses.append(MatchClause(pattern, value))
        return clauses

    def _bind_broken_pattern(self, head: Statement) -> None:
        """Bind the variables of a pattern that could not be parsed: the arm's value may use them."""
        for position, kind in enumerate(head.kinds):
            if kind == LOCAL:
                self._bind_unread(SymbolKind.PATTERN_VAR, head.token(position))

    def read_type_definition(self, statement: Statement) -> tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]:
        """The parameters of an algebraic data type, and its constructors: token of the name, and inputs.

        A word in one at fault that means an operator or a dtype elsewhere is no constructor: it goes on meaning that.
        """
        self.statement = statement
        self.type_scope.push()
        try:
            made = self._read_type_definition(statement)
        finally:
            self.type_scope.pop()
        if not self.unit.segment.diagnostics:
            return made
        parameters, constructors = made
        texts = self.unit.segment.tokens[1]
        return parameters, [each for each in constructors if not is_built_in(texts[each[0]])]

    def _read_type_definition(self, statement: Statement) -> tuple[list[TypeVar], list[tuple[int, tuple[Type, ...]]]]:
        if statement.root is None:
            return self._broken_type(statement)
        depths = self.scope.depth, self.type_scope.depth
        try:
            return self._evaluated(statement, statement.root)
        except Exception as error:
            self._give_up(statement, error, depths)
            return [], []


def _written(token: int) -> int:
    """A token that is written, or the one before which a missing one is."""
    return token if token >= 0 else max(0, ~token - 1)
