"""Types one statement of a plain function, from the types of what it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..inference import OPEN
from ..syntax.scopes import Definition, SymbolKind, is_graph_name
from ..syntax.tokens import GRAPH
from ..type_visitor import has_incomplete
from ..types import ERROR, Type
from .bound_names import BoundNames
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements
from .heads import Head
from .lazy_findings import counted, together
from .lowered_statement import TypedLowering
from .parameter_types import ParameterTypes
from .statement_list import StatementList
from .template_cache import TemplateCache
from .templates_above_types import TemplatesAboveTypes
from .typed_statement import TypedStatement
from .unknown_names import UnknownNames, undefined_names

__all__ = ["Outside", "StatementTypes"]


class Outside(Protocol):
    """What a function knows of the rest of its module."""

    heads: Mapping[str, Head]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all functions, with their ``@``."""
        ...

    @property
    def globals(self) -> dict[str, Definition]:
        """What the names of the functions stand for, by names without ``@``."""
        ...

    def has_names(self, names: tuple[str, ...]) -> bool:
        """Whether the functions of the module have these names, in this order."""
        ...

    def earlier_graph(self, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        ...


class StatementTypes:
    """What the names of one function stand for, and what that makes of a statement.

    With ``is_fresh``, its statements are typed from its beginning on: what ``function`` has is its own.
    """

    def __init__(
        self,
        context: TemplateCache | TemplatesAboveTypes,
        function: FunctionStatements,
        states: StatementList,
        outside: Outside,
        *,
        is_fresh: bool = False,
    ) -> None:
        self.context: Final = context
        names, mentions, inferred = function.names, function.mentions, dict(function.inferred)
        if not is_fresh:
            names, mentions = names.copy(), mentions.copy()
        self.function: Final = replace(function, names=names, mentions=mentions, inferred=inferred)
        self.names: Final = BoundNames(function, names, mentions)
        self.parameters: Final = ParameterTypes(function, self.names, outside.heads, inferred, is_fresh=is_fresh)
        self.outside: Final = outside
        self._unknown: Final = UnknownNames(function, outside.heads, context.types.nearest)
        self.states = states
        self.placed: list[TypedStatement] = []
        """New statements that are not among ``states`` yet: they come after those before the first of them."""

    def type_of(self, name: str, order: float) -> Type | None:
        """The type of a name of any kind in the statement of ``order``; ``None`` where it means nothing there."""
        type = self.function.type_before(name, order)
        if type is None and name[0] == "@":
            head = self.outside.heads.get(name)
            return head.known_type if head is not None else None
        if type is None and is_graph_name(name):
            return self.outside.earlier_graph(name)
        return type

    def types_used(self, statement: TypedStatement) -> tuple[Type, ...]:
        """The types of what a statement in its place uses; the error type for what means nothing there."""
        return tuple([self.type_of(name, statement.order) or ERROR for name in statement.uses])

    def type_known(self, name: str, order: float) -> Type | None:
        """The type of a name in the statement of ``order``, where it is bound before it or is all written down."""
        if name[0] == "@":
            return self._type_of_function(name)
        type = self.function.type_before(name, order)
        if type is OPEN:
            self.used_open(name, order)
        return type

    def used_open(self, name: str, order: float) -> None:
        """Take note that the statement of ``order`` uses a value of which nothing is known.

        Raises:
            NeedsFullAnalysis: it is a free variable without a type, which the statement may tell.
        """
        bound = self.function.bound_before(name, order)
        if bound is not None and bound.kind is SymbolKind.FREE_VAR:
            raise NeedsFullAnalysis
        self.parameters.used_open(name, order)

    def state(self, statement: TypedStatement, order: float, index: int) -> TypedStatement:
        """A statement in its place, with the type that what it uses there gives it.

        Raises:
            NeedsFullAnalysis: it cannot be understood by itself.
        """
        type_before, bound_to = self.function.type_before, self.names.bound.get
        types: list[Type] = []
        for name in statement.uses:
            bound = bound_to(name)
            if bound is not None and not isinstance(bound, tuple) and bound.order < order:
                type = bound.type
            else:
                type = type_before(name, order)
            if type is None:
                head = self.outside.heads.get(name)
                if head is None:
                    return self._state_with_unknown(statement, order, index)
                type = head.known_type
                if head.is_open:
                    self.parameters.used_open(name, order)
            if type is OPEN:
                self.used_open(name, order)
            types.append(type)
        key = tuple(types)
        later_type = self._later_type_of(statement)
        if later_type is not None:
            return self._state_with_later_type(statement, order, key, later_type)
        lowered = statement.shared
        if lowered is not None and not lowered.diagnostics and not statement.inner_unused:
            typed = lowered.type_with(key, self.outside.heads)
            if not typed.diagnostics:
                if typed.determined:
                    self.parameters.determine(statement, typed.determined, order, key)
                return statement.placed(order, statement.type_comment if typed.type is ERROR else typed.type)
        return self.own_state(statement, order, key)

    def _later_type_of(self, statement: TypedStatement) -> Type | None:
        """The type that a later statement tells of the value that one binds."""
        name = statement.bound
        if name is None or not self.parameters.late or name in self.function.head.parameters:
            return None
        later = self.parameters.inferred.get(name)
        return None if later is None else later.type

    def _state_with_later_type(
        self, statement: TypedStatement, order: float, types: tuple[Type, ...], later_type: Type
    ) -> TypedStatement:
        """A statement of whose value a later one tells the type."""
        heads, module = self.outside.heads, self.context.types.module
        typed = statement.lowered.with_later_type(types, heads, later_type, module)
        self.parameters.determine(statement, typed.determined, order, types)
        if not (typed.diagnostics or statement.lowered.diagnostics or statement.inner_unused):
            return statement.placed(order, typed.type)
        own = self.context.own(statement)
        findings = own.with_later_type(types, heads, later_type, module).diagnostics
        return statement.with_report(order, typed.type, (*own.diagnostics, *findings))

    def own_state(
        self, statement: TypedStatement, order: float, types: tuple[Type, ...], outer_graph: tuple[str, ...] = ()
    ) -> TypedStatement:
        """A statement that is at fault, or may be, with ``types`` of what it uses."""
        typed, findings = self._findings(statement, types)
        if typed.determined and len(findings) == len(typed.diagnostics):
            self.parameters.determine(statement, typed.determined, order, types)
        type = statement.type_comment if typed.type is ERROR else typed.type
        return statement.with_report(order, type, findings, None, outer_graph)

    def _state_with_unknown(self, statement: TypedStatement, order: float, index: int) -> TypedStatement:
        """A statement with names that mean nothing in its function: they have the type of what was meant, if that fits.

        Its value has the type of its own comment, if it has one. A graph variable may have its value from a function
        before.
        """
        function = self.function
        outer_graph = tuple(
            [name for name in statement.uses if is_graph_name(name) and function.type_before(name, order) is None]
        )
        known = {name: self.type_of(name, order) for name in statement.uses}
        for name, type in known.items():
            if type is OPEN:
                self.used_open(name, order)
            elif name[0] == "@" and type is not None and has_incomplete(type):
                self.parameters.used_open(name, order)
        if None not in known.values():
            return self.own_state(
                statement, order, tuple([type for type in known.values() if type is not None]), outer_graph
            )
        unknown = {
            name: self._unknown.closest(name, index, self.states, self.placed)
            for name, type in known.items()
            if type is None
        }
        kinds = statement.lowered.unit.segment.tokens[0]
        may_bind = kinds.startswith(GRAPH + "(") and kinds.endswith(";") and not statement.has_lost_equals
        if may_bind and statement.segment.tokens[1][0] in unknown:
            return self.state(self.context.without_equals(statement), order, index)
        suggested = {name: (self._suggested_type(near[0], order) if near else None) for name, near in unknown.items()}
        guessed_types = tuple([known[name] or suggested[name] or ERROR for name in statement.uses])
        guess, findings = self._findings(statement, guessed_types)
        if guess.diagnostics:
            known_types = tuple([known[name] or ERROR for name in statement.uses])
            guess, findings = self._findings(statement, known_types)
        diagnostics = together(findings, undefined_names(statement, unknown))
        # What is meant is a guess, the comment was printed: the statements below keep the type that they had.
        type = guess.type if statement.type_comment is ERROR else statement.type_comment
        later_type = self._later_type_of(statement)
        if later_type is not None and has_incomplete(type):
            type = later_type
        names = tuple([near[0] for near in unknown.values() if near])
        return statement.with_report(order, type, diagnostics, names, outer_graph)

    def _findings(
        self, statement: TypedStatement, types: tuple[Type, ...]
    ) -> tuple[TypedLowering, Sequence[Diagnostic]]:
        """What :meth:`.TemplateCache.findings` gives; the statement is not lowered for itself before they are shown."""
        lowered, heads = statement.shared, self.outside.heads
        if lowered is not None:
            typed = lowered.type_with(types, heads)
            if lowered.unit.segment is statement.segment:
                return typed, together(lowered.diagnostics, typed.diagnostics)  # it was lowered for itself
            like = (*lowered.diagnostics, *counted(typed.diagnostics))
            if not like:
                return typed, ()
            return typed, self.context.findings_if_shown(like, statement, types, heads)
        return self.context.findings(statement, types, heads)

    def _suggested_type(self, name: str, order: float) -> Type | None:
        return self._type_of_function(name) if name[0] == "@" else self.type_of(name, order)

    def _type_of_function(self, name: str) -> Type | None:
        """The type of a function of the module, where all of it is written down."""
        head = self.outside.heads.get(name)
        return None if head is None or head.is_open else head.signature
