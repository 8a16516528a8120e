"""One statement of a plain function, lowered and typed without the others: its names are placeholders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from .diagnostics import Diagnostic, Place
from .expressions import Constant, ErrorExpr, Expr, GlobalVar, Let, Var
from .inference import infer_statement
from .ops import operator as operators
from .source import TextSpan
from .syntax.lowering import Lowering
from .syntax.places import place_span
from .syntax.programs import Step
from .syntax.scopes import Names
from .syntax.statements import Segment
from .syntax.suggestions import closest
from .syntax.units import Unit
from .types import ERROR, IncompleteType, Type
from .unused import Effect, effect_of

__all__ = ["LoweredStatement", "NotPlain"]


class NotPlain(Exception):
    """The text is none that can be analysed statement by statement."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """A statement's type, given the types of what it uses; ``diagnostics`` count from the statement's start."""

    type: Type
    diagnostics: tuple[Diagnostic, ...]


class LoweredStatement:
    """A statement lowered with a placeholder for every name that it does not bind itself."""

    __slots__ = (
        "_effect",
        "_nodes",
        "diagnostics",
        "guess",
        "is_broken",
        "is_value",
        "lowering",
        "origins",
        "placeholders",
        "typed",
        "unit",
        "value",
    )

    def __init__(self, segment: Segment, names: Names, guess: bool = False) -> None:
        segment.parse()
        if len(segment.statements) != 1:
            raise NotPlain
        lowering = _OpenLowering(names, guess)
        self.unit: Final = Unit(segment, 1 << 30, 0)
        lowering.enter(self.unit)
        item = lowering.read(segment.statements[0])
        if item.kind == "free" or lowering.names_functions:
            raise NotPlain
        value = item.value
        if isinstance(value, Constant):
            raise NotPlain  # an operator that reads its value must see it
        if item.kind == "let" and item.var is not None:
            value = Let(item.var, value, item.var)
        self.value: Final[Expr] = value
        self.is_broken: Final = isinstance(value, ErrorExpr)
        self.is_value: Final = item.kind == "expression" and not item.terminated
        self.placeholders: Final = lowering.placeholders
        self.diagnostics: Final = (*segment.diagnostics, *lowering.diagnostics)
        self.lowering: Final[Lowering] = lowering
        self.origins: Final = lowering.origins
        self.typed: Final[dict[tuple[Type, ...], _Typed]] = {}
        self._nodes: dict[tuple[int, int], Expr] | None = None
        self._effect: Effect | None = None
        self.guess: LoweredStatement | None = None
        """The statement with the operator that was probably meant by a misspelled one."""
        if not guess and any(found.code == "undefined-operator" for found in lowering.diagnostics):
            meant = LoweredStatement(segment, names, guess=True)
            self.guess = None if meant.diagnostics else meant

    def type_with(self, types: tuple[Type, ...]) -> _Typed:
        """The type of the statement where its placeholders have these types, in order."""
        found = self.typed.get(types)
        if found is None:
            found = self.typed[types] = self._infer(types)
        return found

    def known_type(self, types: tuple[Type | None, ...]) -> Type | None:
        """What :meth:`type_with` gives, where it is remembered and nothing is wrong; else ``None``."""
        found = self.typed.get(types)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return None if found is None or found.diagnostics or found.type is ERROR else found.type

    @property
    def effect(self) -> Effect:
        """Whether evaluating the statement changes anything else."""
        if self._effect is None:
            self._effect = effect_of(self.value)
        return self._effect

    @property
    def nodes(self) -> Mapping[tuple[int, int], Expr]:
        """The expression made from each node of syntax, by the identities of statement and node."""
        if self._nodes is None:
            self._nodes = {(id(origin.statement), id(origin.node)): expr for expr, origin in self.origins.items()}
        return self._nodes

    def types_with(self, types: tuple[Type, ...]) -> Mapping[Expr, Type]:
        """The types of the parts of the statement."""
        known: dict[Expr, Type] = dict(zip(self.placeholders.values(), types, strict=True))
        value = self.value
        if isinstance(value, ErrorExpr) and not value.parts:
            return known
        return {**known, **infer_statement(value, known).types}

    def _infer(self, types: tuple[Type, ...]) -> _Typed:
        typed = self._infer_written(types)
        if self.guess is None or typed.type is not ERROR:
            return typed
        known = dict(zip(self.placeholders, types, strict=True))
        meant = self.guess.type_with(tuple([known.get(name, ERROR) for name in self.guess.placeholders]))
        return typed if meant.diagnostics else _Typed(meant.type, typed.diagnostics)

    def _infer_written(self, types: tuple[Type, ...]) -> _Typed:
        value = self.value
        if isinstance(value, ErrorExpr) and not value.parts:
            return _Typed(ERROR, ())
        inferred = infer_statement(value, dict(zip(self.placeholders.values(), types, strict=True)))
        if not inferred.complete and not inferred.diagnostics:
            raise NotPlain
        found = tuple(self._located(diagnostic) for diagnostic in inferred.diagnostics)
        type = ERROR if isinstance(inferred.type, IncompleteType) else inferred.type
        return _Typed(type, found)

    def _located(self, diagnostic: Diagnostic) -> Diagnostic:
        located = diagnostic.located(self._span)
        if located.span is None:
            raise NotPlain
        return replace(located, place=None, data=None)

    def _span(self, place: Place) -> TextSpan | None:
        return place_span(self.origins, place)


class _OpenLowering(Lowering):
    """Lowers one statement; a name that it does not bind becomes a placeholder."""

    def __init__(self, names: Names, guess: bool = False) -> None:
        self.placeholders: dict[str, Var] = {}
        self.names_functions = False
        self.guess: Final = guess
        super().__init__(names, None)

    def _do_name(self, step: Step, values: list[object]) -> object:
        if self.guess and not step.raw:
            name = self._text(step.node.first)
            near = [] if operators.find(name) is not None else closest(name, operators.registered())
            if near:
                return operators.find(near[0])
        return super()._do_name(step, values)

    def _do_local(self, step: Step, values: list[object]) -> Expr:
        name = self._text(step.node.first)
        if self.scope.find(name[1:]) is None:
            return self.placeholders.setdefault(name, Var(name[1:]))
        return super()._do_local(step, values)

    def _do_graph(self, step: Step, values: list[object]) -> Expr:
        name = self._text(step.node.first)
        if int(name[1:]) not in self.graph:
            return self.placeholders.setdefault(name, Var(name[1:]))
        return super()._do_graph(step, values)

    def _do_global(self, step: Step, values: list[object]) -> Expr:
        self.names_functions = True
        return GlobalVar(self._text(step.node.first)[1:])
