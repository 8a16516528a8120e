"""One statement of a plain function, lowered and typed without the others: its names are placeholders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import msgspec
from msgspec.structs import replace

from ..diagnostics import Diagnostic, Place
from ..expressions import Call, ErrorExpr, Expr, Function, GlobalVar, Let, Match, Var
from ..inference import CANNOT_INFER, COUNTED, OPEN, InferredStatement, infer_statement
from ..inference.fixes import fixes_for
from ..internal_errors import internal_error
from ..module import IRModule
from ..syntax.cuts import Role
from ..syntax.expression_spans import place_span
from ..syntax.kind_patterns import CHAIN_HEAD
from ..syntax.lowering import Item, Lowering
from ..syntax.scopes import Definition, Names, SymbolKind
from ..syntax.statements import Segment
from ..syntax.tokens import META
from ..syntax.top_level import unexpected_brace
from ..syntax.tree import token_range
from ..syntax.units import Unit
from ..text.text_span import TextSpan
from ..type_visitor import has_error, has_incomplete
from ..types import ERROR, ErrorType, FuncType, Type
from .declarations import METADATA_USE, NeedsFullAnalysis
from .heads import Head
from .lazy_findings import LazyFindings
from .lints.unused import Effect, effect_of
from .open_lowering import OpenLowering

__all__ = ["LoweredStatement", "TypedLowering"]

_BINDING: Final = {"let": SymbolKind.LET, "graph": SymbolKind.GRAPH, "free": SymbolKind.FREE_VAR}
"""What each kind of statement binds."""

_OF_TYPES: Final = (SymbolKind.TYPE, SymbolKind.CONSTRUCTOR, SymbolKind.TYPE_PARAMETER)

_TYPES_KEPT: Final = 1_024
"""For how many combinations of types the type of a statement is kept in mind."""


class TypedLowering(msgspec.Struct, frozen=True):
    """A statement's type, given the types of what it uses; ``diagnostics`` count from the statement's start.

    ``determined`` are the types that it tells of those of its placeholders whose types were open, ``None`` for others.
    """

    type: Type
    diagnostics: Sequence[Diagnostic]
    determined: tuple[Type | None, ...] = ()


class LoweredStatement:
    """A statement lowered with a placeholder for every name that it does not bind itself.

    The names of functions come last among the ``placeholders``. ``declared`` are the data types, constructors and type
    parameters that it names, and what stands for the metadata, where it refers to that.
    """

    __slots__ = (
        "_called",
        "_effect",
        "_module",
        "_nodes",
        "binds_inside",
        "bound",
        "declared",
        "declares_inside",
        "diagnostics",
        "functions",
        "guess",
        "is_broken",
        "is_value",
        "lost_equals",
        "lowering",
        "memo",
        "origins",
        "placeholders",
        "typed",
        "unit",
        "uses_itself",
        "value",
    )

    def __init__(
        self,
        segment: Segment,
        names: Names,
        module: IRModule,
        guess: bool = False,
        lost_equals: bool = False,
        hidden: str | None = None,
    ) -> None:
        """``hidden`` is the name that the statement binds, if nothing can see that: :attr:`.BoundNames.hidden`."""
        segment.parse()
        lowering = OpenLowering(names, guess, lost_equals)
        if hidden is not None:
            lowering.scope.leave(hidden[1:])
        self._module: Final = module
        self.unit: Final = Unit(segment, 1 << 30, 0)
        lowering.enter(self.unit)
        items = [lowering.read(statement) for statement in segment.statements]
        if len(items) > 1 and CHAIN_HEAD.fullmatch(segment.statements[0].kinds):
            items[0].value = lowering.fold(items[1:], items[-1].first, None)
            items = items[:1]
        item, *others = _main_first(items)
        value = item.value
        if item.kind == "let" and item.var is not None:
            value = Let(item.var, value, item.var)
        for other in others:
            if not isinstance(other.value, ErrorExpr):
                value = Let(Var("_"), other.value, value)
        self.value: Final[Expr] = value
        self.lost_equals: Final = lost_equals
        """Whether it is a binding without its `=`: a call of a graph variable that means nothing binds that."""
        bound = lowering.definitions[0] if lost_equals else _bound(item, lowering.definitions)
        self.bound: Final = bound if hidden is None else None
        """The definition of the name that it binds."""
        declared_inside = [each for each in lowering.definitions if each.kind is SymbolKind.FREE_VAR]
        self.declares_inside: Final = bool(declared_inside) and declared_inside != [self.bound]
        """Whether it declares a free variable in a block, which is known behind the block, too."""
        self.binds_inside: Final = len(lowering.definitions) > (self.bound is not None)
        """Whether it has other names of its own."""
        self.uses_itself: Final = self.bound is not None and any(used is self.bound for _, _, used in lowering.uses)
        """Whether the name that it binds is one of those that its value uses."""
        self.is_broken: Final = isinstance(value, ErrorExpr)
        self.is_value: Final = item.kind == "expression" and not item.terminated
        self.functions: Final = tuple(lowering.functions)
        self.placeholders: Final[dict[str, Expr]] = {**lowering.placeholders, **lowering.functions}
        declared = dict.fromkeys([each.name for _, _, each in lowering.uses if each.kind in _OF_TYPES])
        self.declared: Final = (*declared, METADATA_USE) if META in segment.kinds else tuple(declared)
        extra = (unexpected_brace(self.unit),) if segment.role is Role.EXTRA_CLOSE else ()
        self.diagnostics: Final = (*segment.diagnostics, *extra, *lowering.diagnostics)
        self.lowering: Final[Lowering] = lowering
        self.origins: Final = lowering.origins
        self.typed: Final[dict[tuple[Type, ...], TypedLowering]] = {}
        self.memo: Final[dict[object, object]] = {}
        """What callers cache of it, and of all statements that it stands for."""
        self._nodes: dict[tuple[int, int], Expr] | None = None
        self._effect: Effect | None = None
        self._called: tuple[tuple[Type, ...], list[Head | None], TypedLowering] | None = None
        """What was wrong last, of what calls functions with heads as they were then."""
        self.guess: LoweredStatement | None = None
        """The statement with the operator that was probably meant by a misspelled one."""
        if (
            not guess
            and lowering.diagnostics
            and any(each.code == "undefined-operator" and each.fixes for each in lowering.diagnostics)
        ):
            suggested = LoweredStatement(segment, names, module, guess=True, hidden=hidden)
            self.guess = None if suggested.diagnostics else suggested

    @property
    def stands_for_other_literals(self) -> bool:
        """Whether those that differ in literals may be made of it: it could be read, and has no other names inside."""
        statements = self.unit.segment.statements
        return (
            len(statements) == 1
            and statements[0].root is not None
            and not (statements[0].blocks or self.lowering.unresolved)
            and not (self.binds_inside or self.uses_itself or self.is_free or self.lost_equals)
        )

    def is_at_fault_as(self, value: Expr, diagnostics: Sequence[Diagnostic]) -> bool:
        """Whether as much is wrong with one that has another value, and what follows from that is the same."""
        return type(value) is type(self.value) and [(each.code, each.severity) for each in diagnostics] == [
            (each.code, each.severity) for each in self.diagnostics
        ]

    def with_literals(self, value: Expr, lowering: OpenLowering, placeholders: dict[str, Expr]) -> LoweredStatement:
        """One that differs in literals, so that its value is another; ``lowering`` has made that.

        It has the places of this one, as all have that stand for others.
        """
        made = LoweredStatement.__new__(LoweredStatement)
        made._module, made.unit = self._module, self.unit  # type: ignore[misc]
        made.value, made.bound, made.declared = value, self.bound, self.declared  # type: ignore[misc]
        made.diagnostics = (*self.unit.segment.diagnostics, *lowering.diagnostics)  # type: ignore[misc]
        made.binds_inside = made.declares_inside = made.uses_itself = made.lost_equals = False  # type: ignore[misc]
        made.is_broken, made.is_value = self.is_broken, self.is_value  # type: ignore[misc]
        made.functions, made.lowering = self.functions, self.lowering  # type: ignore[misc]
        made.placeholders, made.origins = placeholders, lowering.origins  # type: ignore[misc]
        made.typed, made.memo = {}, {}  # type: ignore[misc]
        made._nodes = made._called = made.guess = None
        made._effect = None if META in self.unit.segment.kinds else self.effect
        return made

    def type_with(self, types: tuple[Type, ...], heads: Mapping[str, Head]) -> TypedLowering:
        """The type of the statement where its placeholders have these types, in order.

        ``heads`` are those of the functions of the module: what is wrong with a call speaks of the parameters.
        """
        typed = self.typed.get(types)
        called = [heads.get(name) for name in self.functions] if typed is None and self.functions else None
        if called and self._called is not None and self._called[:2] == (types, called):
            return self._called[2]
        if typed is None:
            try:
                typed = self._infer(types, heads)
            except NeedsFullAnalysis:
                raise
            except Exception as error:
                segment = self.unit.segment
                span = segment.range(0, len(segment.tokens[0]) - 1)
                typed = TypedLowering(ERROR, (internal_error(error, "looking for the type of this", span),))
            if len(self.typed) >= _TYPES_KEPT:
                self.typed.clear()
            if not (typed.diagnostics and self.functions):
                self.typed[types] = typed
            else:
                self._called = types, called or [], typed
        return typed

    def known_type(self, types: tuple[Type | None, ...]) -> Type | None:
        """What :meth:`type_with` gives, where it is cached and has no diagnostics; else ``None``.

        It is the error type where an error of what the statement uses explains that.
        """
        typed = self.typed.get(types)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return None if typed is None or typed.diagnostics or typed.determined else typed.type

    @property
    def is_free(self) -> bool:
        """Whether it declares a free variable."""
        return self.bound is not None and self.bound.kind is SymbolKind.FREE_VAR

    @property
    def matches(self) -> Sequence[Match]:
        """Every ``match`` in it."""
        return [expr for expr in self.origins if isinstance(expr, Match)]

    @property
    def callee(self) -> str | None:
        """The function of the module whose name, or whose call, is all of the statement's value."""
        value = self.value.value if isinstance(self.value, Let) else self.value
        name = value.op if isinstance(value, Call) else value
        return f"@{name.name_hint}" if isinstance(name, GlobalVar) else None

    @property
    def effect(self) -> Effect:
        """Whether evaluating the statement changes anything else."""
        if self._effect is None:
            self._effect = effect_of(self.value)
        return self._effect

    def expression_ending_at(self, token: int) -> Expr | None:
        """The innermost expression whose last token is one of the statement's."""
        return self._ending.get(token)

    @property
    def _ending(self) -> Mapping[int, Expr]:
        """The innermost of the expressions that end with each token, worked out for all at once: a value of a hundred
        lines has a type comment on each, and to go down to each of them took most of the time of a key."""
        ending = cast("dict[int, Expr] | None", self.memo.get(LoweredStatement.expression_ending_at))
        if ending is None:
            ending, begins = {}, dict[int, int]()
            for expr, origin in self.origins.items():  # of two that are written in one place, the inner one comes first
                first, last = token_range(origin.statement, origin.node)
                if begins.get(last, -1) < first:
                    begins[last], ending[last] = first, expr
            self.memo[LoweredStatement.expression_ending_at] = ending
        return ending

    @property
    def nodes(self) -> Mapping[tuple[int, int], Expr]:
        """The expression made from each node of syntax, by the identities of statement and node."""
        if self._nodes is None:
            self._nodes = {(id(origin.statement), id(origin.node)): expr for expr, origin in self.origins.items()}
        return self._nodes

    def types_with(
        self,
        types: tuple[Type, ...],
        heads: Mapping[str, Head],
        later_type: Type | None = None,
        module: IRModule | None = None,
    ) -> Mapping[Expr, Type]:
        """The types of the parts of the statement; the last are cached, since they mostly come again.

        ``later_type`` is that of its value, where a later statement tells it; ``module`` has the text's data types.
        """
        last = cast("tuple[object, Mapping[Expr, Type]] | None", self.memo.get(LoweredStatement.types_with))
        if last is not None and last[0] == (types, later_type):
            return last[1]
        inferred = self._types_with(types, heads, later_type, module)
        self.memo[LoweredStatement.types_with] = (types, later_type), inferred
        return inferred

    def _types_with(
        self, types: tuple[Type, ...], heads: Mapping[str, Head], later_type: Type | None, module: IRModule | None
    ) -> Mapping[Expr, Type]:
        known: dict[Expr, Type] = dict(zip(self.placeholders.values(), types, strict=True))
        value = self.value
        if isinstance(value, ErrorExpr) and not value.parts:
            return known
        if later_type is not None:
            value = Function((), value, later_type)
        return {**known, **infer_statement(value, known, self._module_with(heads, module)).types}

    def result_findings(
        self, types: tuple[Type, ...], heads: Mapping[str, Head], result: Type, head: Head
    ) -> tuple[Diagnostic, ...]:
        """What is wrong where this is the value of a function that declares ``result``, besides the statement itself.

        The places are those of this statement and of ``head``.

        Raises:
            NeedsFullAnalysis: the two types agree, but are not the same.
        """
        value = self.value
        known = dict(zip(self.placeholders.values(), types, strict=True))
        module = self._module_with(heads)
        alone = infer_statement(value, known, module)
        if isinstance(alone.type, ErrorType):
            return ()
        function = Function((), value, result)
        inferred = infer_statement(function, known, module)
        diagnostics = inferred.diagnostics[len(alone.diagnostics) :]
        if not diagnostics and has_error(alone.type):
            return ()  # an error explains in what they differ
        if not diagnostics:
            raise NeedsFullAnalysis

        def of_head(place: Place | None) -> Place | None:
            return replace(place, expr=head.function) if place is not None and place.expr is function else place

        return tuple(
            replace(
                diagnostic,
                place=of_head(diagnostic.place),
                related=tuple(replace(other, place=of_head(other.place)) for other in diagnostic.related),
                data=None,
            )
            for diagnostic in diagnostics
        )

    def _infer(self, types: tuple[Type, ...], heads: Mapping[str, Head]) -> TypedLowering:
        typed = self._infer_written(types, heads)
        if self.guess is None or typed.type is not ERROR:
            return typed
        known = dict(zip(self.placeholders, types, strict=True))
        suggested = self.guess.type_with(tuple([known.get(name, ERROR) for name in self.guess.placeholders]), heads)
        return typed if suggested.diagnostics else TypedLowering(suggested.type, typed.diagnostics)

    def _infer_written(self, types: tuple[Type, ...], heads: Mapping[str, Head]) -> TypedLowering:
        value = self.value
        if isinstance(value, ErrorExpr) and self._has_nothing_to_infer(value, types):
            return TypedLowering(ERROR, ())
        if self.is_free and isinstance(value, Var) and value.type_annotation is None:
            return TypedLowering(OPEN, ())  # its uses may tell the type
        known = dict(zip(self.placeholders.values(), types, strict=True))
        inferred = infer_statement(value, known, self._module_with(heads), is_worded=False)
        if self.binds_inside:  # it may go on for a hundred lines, whose type comments ask for the types next
            self.memo[LoweredStatement.types_with] = (types, None), {**known, **inferred.types}
        is_broken = any(each.code != CANNOT_INFER for each in inferred.diagnostics)
        diagnostics: Sequence[Diagnostic] = ()
        if inferred.diagnostics:
            diagnostics = [self._located(each) for each in inferred.diagnostics if each is not COUNTED]
            if len(diagnostics) < len(inferred.diagnostics):
                diagnostics = LazyFindings(inferred.diagnostics, self._worded, known, heads)
        if is_broken:
            return TypedLowering(ERROR if has_incomplete(inferred.type) else inferred.type, diagnostics)
        return TypedLowering(inferred.type, diagnostics, self._determined(inferred))

    def _has_nothing_to_infer(self, value: ErrorExpr, types: tuple[Type, ...]) -> bool:
        """Whether the parts of what could not be read are names of values that are known, if it has any."""
        parts = value.parts
        if not parts:
            return True
        names = self.placeholders.values()
        return all(part in names for part in parts) and not any(map(has_incomplete, types))

    def _determined(self, inferred: InferredStatement) -> tuple[Type | None, ...]:
        if not inferred.determined:
            return ()
        return tuple([inferred.determined.get(used) for used in self.placeholders.values()])

    def with_later_type(
        self, types: tuple[Type, ...], heads: Mapping[str, Head], later_type: Type, module: IRModule
    ) -> TypedLowering:
        """The statement where something that comes after it tells its type, which it leaves open by itself.

        ``module`` has the data types of the text, which the statement need not name.

        Raises:
            NeedsFullAnalysis: it may have no such type.
        """
        cached = cast("dict[object, TypedLowering]", self.memo.setdefault(LoweredStatement.with_later_type, {}))
        if (types, later_type) in cached:
            return cached[types, later_type]
        known = dict(zip(self.placeholders.values(), types, strict=True))
        module = self._module_with(heads, module)
        inferred = infer_statement(Function((), self.value, later_type), known, module, is_worded=False)
        type = inferred.type
        if not isinstance(type, FuncType) or any(each.code != CANNOT_INFER for each in inferred.diagnostics):
            raise NeedsFullAnalysis
        findings = [self._located(each) for each in inferred.diagnostics]
        typed = TypedLowering(type.ret_type, findings, self._determined(inferred))
        if not findings:
            if len(cached) >= _TYPES_KEPT:
                cached.clear()
            cached[types, later_type] = typed
        return typed

    def _worded(self, known: Mapping[Expr, Type], heads: Mapping[str, Head]) -> Sequence[Diagnostic]:
        """What is wrong with the statement, in words and at its places: hardly any of ten thousand faults is shown."""
        inferred = infer_statement(self.value, known, self._module_with(heads))
        return [self._located(diagnostic) for diagnostic in inferred.diagnostics]

    def _module_with(self, heads: Mapping[str, Head], module: IRModule | None = None) -> IRModule:
        """The data types, and the functions that the statement names, without their bodies."""
        used = [heads[name] for name in self.functions if name in heads]
        module = module or self._module
        return module.with_functions({head.var: head.function for head in used}) if used else module

    def _located(self, diagnostic: Diagnostic) -> Diagnostic:
        located = diagnostic.located(self._span)
        span = located.span
        if span is None:
            raise NeedsFullAnalysis
        fixes = located.fixes
        if not fixes and located.data:
            fixes = fixes_for(located, span, self.unit.segment.text, self._span)
        code, severity, message = located.code, located.severity, located.message
        undeclared = _callee(diagnostic.place.expr) if code == CANNOT_INFER and diagnostic.place is not None else None
        return Diagnostic(code, severity, message, span, None, located.related, fixes, located.tags, undeclared)

    def _span(self, place: Place) -> TextSpan | None:
        return place_span(self.origins, place)


def _callee(expr: Expr) -> GlobalVar | None:
    return expr.op if isinstance(expr, Call) and isinstance(expr.op, GlobalVar) else None


def _main_first(items: list[Item]) -> list[Item]:
    """The statements of a segment: mostly one; where semicolons are missing between several, what binds comes first.

    Raises:
        NeedsFullAnalysis: more than one of them binds a name.
    """
    if len(items) == 1:
        return items
    binding = [item for item in items if item.kind != "expression"]
    if not items or len(binding) > 1:
        raise NeedsFullAnalysis
    main = binding[0] if binding else items[-1]
    return [main, *(item for item in items if item is not main)]


def _bound(item: Item, definitions: Sequence[Definition]) -> Definition | None:
    """The definition of the name that a statement binds."""
    kind = _BINDING.get(item.kind)
    what = item.var if kind is SymbolKind.LET else item.value
    for definition in reversed(definitions) if kind is not None else ():
        if definition.kind is kind and definition.value is what:  # in the value, it may get a second name
            return definition
    return None
