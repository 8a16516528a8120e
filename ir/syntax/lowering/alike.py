"""Statements that differ in names alone: how the second of them is read tells how all others are.

A dump has a few hundred forms (:mod:`..forms`) in a hundred thousand statements. When a form has come twice, the
statement is read once with a placeholder for each name of a value; after that, names are looked up, and what the
statement makes is made over what they stand for. Nothing is cut into tokens for that.

Statements that name functions of the module, data types, constructors or metadata are read as any other text is, and so
is what may be otherwise in another statement of the form: a name that is not bound, or is bound already.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import accumulate
from typing import Any, Final

import msgspec

from ...cancellation import check_cancelled
from ...expressions import Call, Constructor, ErrorExpr, Expr, GlobalVar, Var
from ...ops.operator import Op
from ...type_visitor import has_incomplete
from ...visitor import children, with_children
from ..forms import Form, names_in
from ..positions import Positions
from ..programs import Step
from ..scopes import Definition, Names, SymbolKind
from ..shapes import ShapeNode
from ..tokens import LOCAL, META, VALUES
from ..units import SyntaxOrigin, Unit
from .bodies import Item
from .lowering import Lowering

__all__ = ["AlikeLowering"]

_NO_PLACE: Final = (0, 0, 0, 0)
_OTHERWISE_READ: Final = (Op, ErrorExpr)
"""Values that make of a statement that names them something else than others do."""


class _Pattern(msgspec.Struct, frozen=True):
    """How a statement is read that differs from the one of ``unit`` in its names alone."""

    unit: Unit
    definition: Definition
    """What the statement of ``unit`` binds."""
    var: Var | None
    """The variable of a ``let``, and below where it was written."""
    var_origin: SyntaxOrigin | None
    used_names: Sequence[tuple[int, bool]]
    """Which of its names of values it uses, in the order in which they are read, and whether they are local."""
    used_tokens: Sequence[int]
    made: Sequence[tuple[Expr, Sequence[Expr | int], ShapeNode]]
    """Expressions like those that it makes, with their parts: numbers are of those used, and made before, in order."""
    value: int
    """The number of what it binds its name to."""


class AlikeLowering(Lowering):
    """Reads the units of a text; those that are like one before by what is known of it, unless spans are wanted."""

    def __init__(self, names: Names, positions: Positions | None, units: Sequence[Unit]) -> None:
        """``units`` are all that are read, in order; they may be added later, before the first is read."""
        super().__init__(names, positions)
        self._units: Final = units
        self._patterns: Final[dict[Form, _Pattern | None]] = {}
        """What is known of each form that has come; nothing, where it came once or cannot be read so."""
        self._read_once: Final[set[Form]] = set()
        self._value_names: Sequence[str] = ()
        self._first_names: Sequence[int] = ()

    def read_alike(self, unit: Unit) -> Item | None:
        """The statement of a unit of a known form; ``None`` where it has to be read."""
        form = unit.segment.form
        if form is None or self.positions is not None:
            return None
        if form not in self._patterns:
            if form not in self._read_once:
                self._read_once.add(form)
                return None
            self._patterns[form] = _pattern_of(unit, self.names)
        pattern = self._patterns[form]
        return None if pattern is None else self._read_by(pattern, unit, self._names_of(unit, form))

    def _names_of(self, unit: Unit, form: Form) -> Sequence[str]:
        if not self._first_names:
            segments = [each.segment for each in self._units]
            self._value_names = names_in([segment.text for segment in segments if segment.form is not None])
            counts = (0 if segment.form is None else segment.form.names for segment in segments)
            self._first_names = list(accumulate(counts, initial=0))
        first = self._first_names[unit.number]
        return self._value_names[first : first + form.names]

    def _read_by(self, pattern: _Pattern, unit: Unit, names: Sequence[str]) -> Item | None:
        check_cancelled()
        origins = self.origins
        binder = names[0]
        if pattern.var is None and int(binder[1:]) in self.graph:
            return None
        values: list[Expr] = []
        used: list[Definition] = []
        for place, is_local in pattern.used_names:
            name = names[place]
            definition = self.scope.find(name[1:]) if is_local else self._find_graph(int(name[1:]))
            if definition is None or name == binder:
                return None
            value = definition.value
            if not isinstance(value, Expr) or isinstance(value, _OTHERWISE_READ) or value not in origins:
                return None
            values.append(value)
            used.append(definition)
        self.unit = unit
        segment = unit.segment
        segment.parse_like(pattern.unit.segment)
        statement = segment.statements[0]
        var: Var | None = None
        token = pattern.definition.token
        if pattern.var is not None and pattern.var_origin is not None:
            var = Var(binder[1:], pattern.var.type_annotation)
            definition = self._define(SymbolKind.LET, binder, token, var)
            self.scope.add(var.name_hint, definition)
            origins[var] = SyntaxOrigin(unit, statement, pattern.var_origin.node)
        for token_of_use, definition in zip(pattern.used_tokens, used, strict=True):
            self.uses.append((unit, token_of_use, definition))
        for shape, parts, node in pattern.made:
            taken = [values[part] if isinstance(part, int) else part for part in parts]
            if type(shape) is Call:
                new: Expr = Call(taken[0], tuple(taken[1:]), shape.attrs)  # type: ignore[attr-defined]
            else:
                new = with_children(shape, taken) if taken else copy(shape)
            origins[new] = SyntaxOrigin(unit, statement, node)
            values.append(new)
        value = values[pattern.value]
        if var is None:
            definition = self._define(SymbolKind.GRAPH, binder, token, value)
            self.graph[int(binder[1:])] = definition
            return Item("graph", value, _NO_PLACE)
        self.let_values[var] = value
        self.scope.push()
        return Item("let", value, _NO_PLACE, var, _NO_PLACE)


class _Placeholders(Lowering):
    """Lowers one statement, with a new variable wherever a value is named."""

    def __init__(self, names: Names) -> None:
        super().__init__(names, None)
        self.tokens: Final[dict[Expr, int]] = {}
        """What stands for a name, and the token of that, in the order in which they are read."""

    def _do_local(self, step: Step, values: list[Any]) -> Expr:
        token = self.statement.token(step.node.first)
        placeholder = Var(self._texts[token])
        self.tokens[placeholder] = token
        return placeholder

    _do_graph = _do_local


def _pattern_of(unit: Unit, names: Names) -> _Pattern | None:
    """How all statements of the form of ``unit`` are read, if they can be without reading each."""
    segment = unit.segment
    segment.parse()
    if len(segment.statements) != 1 or segment.diagnostics:
        return None
    statement = segment.statements[0]
    if META in statement.kinds:
        return None  # an object of the metadata is one, wherever it is named
    lowered = _Placeholders(names)
    lowered.enter(unit)
    item = lowered.read(statement)
    if item.kind not in ("graph", "let") or lowered.diagnostics or lowered.uses or len(lowered.definitions) != 1:
        return None
    var = item.var
    if var is not None and var.type_annotation is not None and has_incomplete(var.type_annotation):
        return None
    expressions = {expr: origin.node for expr, origin in lowered.origins.items() if expr is not var}
    numbers = {expr: number for number, expr in enumerate([*lowered.tokens, *expressions])}
    made: list[tuple[Expr, Sequence[Expr | int], ShapeNode]] = []
    for expr, node in expressions.items():
        parts = [numbers.get(part, part) for part in children(expr)]
        if not all(isinstance(part, (int, Op)) for part in parts) or isinstance(expr, (GlobalVar, Constructor)):
            return None
        if isinstance(expr, Call) and not isinstance(expr.op, Op) and expr.attrs is not None:
            return None
        made.append((expr, parts, node))
    if item.value not in numbers:
        return None
    value_tokens = [token for position, token in enumerate(statement.index) if statement.kinds[position] in VALUES]
    kinds = segment.tokens[0]
    return _Pattern(
        unit,
        lowered.definitions[0],
        var,
        None if var is None else lowered.origins[var],
        [(value_tokens.index(token), kinds[token] == LOCAL) for token in lowered.tokens.values()],
        list(lowered.tokens.values()),
        made,
        numbers[item.value],
    )
