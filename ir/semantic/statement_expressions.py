"""The expressions of a text that is analysed function by function, and their types, without reading it whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from ..diagnostics import Place
from ..expressions import Expr, GlobalVar, Var
from ..module import TypeData
from ..syntax.expression_spans import place_span
from ..syntax.scopes import Definition, is_graph_name
from ..syntax.units import SyntaxOrigin
from ..text.text_span import TextSpan
from ..type_visitor import has_error, known_type
from ..types import ERROR, GlobalTypeVar, Type
from .cache_regions import CacheBlock
from .function_statements import FunctionStatements
from .lowered_statement import LoweredStatement
from .module_analysis import ModuleAnalysis
from .segment_names import DefinitionSite, SegmentNames
from .typed_statement import ReportedStatement, TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["StatementExpressions"]


class StatementExpressions:
    """The expressions of a text, by its analysis, and what is known of them.

    Everything is computed for the statements that are asked about.
    """

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self.analysis: Final = analysis
        self.in_segments: Final = SegmentNames(analysis)
        self._segments_of: Final[dict[Expr, int]] = {}
        """The segments of the expressions that were given out."""
        self._types_in: tuple[tuple[int, LoweredStatement | None], Mapping[Expr, Type]] = (-1, None), {}
        """The segment, and the lowering of it, of which an expression's type was asked last, and the types of all that
        is in it: of a hundred lines, each type comment asks for one."""

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types of the module."""
        return self.analysis.context.types.module.type_definitions

    def _own(self, index: int) -> LoweredStatement | None:
        """A statement lowered for itself."""
        state, function = self.in_segments.state(index), self.in_segments.plain(index)
        if state is None or function is None:
            return None
        return self.analysis.context.within(function.head, function.late).own(state)

    def _definition(self, key: DefinitionSite) -> Definition | None:
        whole = self.in_segments.whole(key.segment)
        if whole is not None:
            return whole[0].definitions[whole[1]].get(key.token)
        function = self.in_segments.plain(key.segment)
        if function is not None and key.segment == function.start - 1:
            return _by_token(function.head.definitions, function.head.memo).get(key.token)
        own = self._own(key.segment)
        return None if own is None else _by_token(own.lowering.definitions, own.memo).get(key.token)

    def value(self, key: object) -> Expr | None:
        """The expression that a symbol stands for."""
        assert isinstance(key, DefinitionSite)
        definition = self._definition(key)
        if definition is None or not isinstance(definition.value, Expr):
            return None
        self._segments_of[definition.value] = key.segment
        return definition.value

    def value_type(self, key: DefinitionSite) -> Type | None:
        """The type of what a name stands for that is bound inside a statement, or in a function read as a whole."""
        function, state = self.in_segments.plain(key.segment), self.in_segments.state(key.segment)
        if function is not None and state is not None:
            # Those that are alike have one lowering, and the same names at the same tokens.
            lowered = state.lowered
            defined = _by_token(lowered.lowering.definitions, lowered.memo).get(key.token)
            expr = None if defined is None else defined.value
            return self._type_in(key.segment, function, state, lowered, expr) if isinstance(expr, Expr) else None
        value = self.value(key)
        return self.type_of(value) if value is not None else None

    def expression(self, index: int, statement: object, node: object) -> Expr | None:
        """The expression made from a node of a statement's syntax."""
        whole, own, function = self.in_segments.whole(index), self._own(index), self.in_segments.plain(index)
        expr: Expr | None = None
        if whole is not None:
            expr = whole[0].expressions.get((whole[1], id(statement), id(node)))
        elif own is not None:
            expr = own.nodes.get((id(statement), id(node)))
        elif function is not None and index == function.start - 1:
            origins = function.head.origins
            expr = next((expr for expr, origin in origins.items() if origin.node is node), None)
        if expr is not None:
            self._segments_of[expr] = index
        return expr

    def knows(self, expr: Expr) -> bool:
        """Whether an expression was given out here."""
        return expr in self._segments_of

    def statement_type(self, index: int) -> Type | None:
        """The type of the value of a statement that is read alone, where it is known and nothing is wrong with it."""
        state = self.analysis.states[index]
        type = None if state is None else _sound_type(state)
        return None if type is None or has_error(type) else type

    def statement_types(
        self, block: CacheBlock, is_true: Callable[[str, Type], bool] | None = None
    ) -> Sequence[Type | None]:
        """See :meth:`.ModuleMeaning.statement_types`."""
        if not block.is_block:
            whole = self.in_segments.whole(block.first)
            if is_true is None or whole is None:
                return [ERROR] * (block.end - block.first)
            function, _ = whole  # where the text tells it alone, the function need not be read for it
            return [
                None if is_true(segment.text, ERROR) or is_true(segment.text, function.bound_type(number)) else ERROR
                for number, segment in enumerate(function.segments)
            ]
        states = self.analysis.states[block.first : block.end]
        if is_true is not None:
            for state in states:
                if state is not None and not state.has_true_comments:  # also where an error leaves its type what it is
                    state.has_true_comments = is_true(state.segment.text, state.type)
            return [None if state is None or state.has_true_comments else _sound_type(state) for state in states]
        return [None if state is None else _sound_type(state) for state in states]

    def type_ending_at(self, index: int, token: int) -> Type | None:
        """The type of the innermost expression that ends with a token of a statement that is read alone."""
        function, state = self.in_segments.plain(index), self.in_segments.state(index)
        if function is None or state is None:
            return None
        lowered = state.lowered
        expr = lowered.expression_ending_at(token)
        if expr is None or isinstance(expr, GlobalVar):
            return None if expr is None else self._global_type(state.segment.tokens[1][token])
        return self._type_in(index, function, state, lowered, expr)

    def _type_in(
        self, index: int, function: FunctionStatements, state: TypedStatement, lowered: LoweredStatement, expr: Expr
    ) -> Type | None:
        """The type of an expression in a lowering of a statement, its own or the one that others have as well."""
        type = self._parts_typed(index, function, state, lowered).get(expr)
        return known_type(expr.type_annotation if type is None and isinstance(expr, Var) else type)

    def parts_typed(self, index: int) -> Mapping[Expr, Type] | None:
        """See :meth:`.ModuleMeaning.parts_typed`."""
        function, state = self.in_segments.plain(index), self.in_segments.state(index)
        return None if function is None or state is None else self._parts_typed(index, function, state, state.lowered)

    def _parts_typed(
        self, index: int, function: FunctionStatements, state: TypedStatement, lowered: LoweredStatement
    ) -> Mapping[Expr, Type]:
        if self._types_in[0] != (index, lowered):
            known = tuple([self._type_before(function, name, state.order) for name in state.uses])
            later_type = function.later_type(state)
            module = self.analysis.context.types.module if later_type is not None else None
            types = lowered.types_with(known, self.analysis.heads, later_type, module)
            self._types_in = (index, lowered), types
        return self._types_in[1]

    def type_of(self, expr: Expr) -> Type | None:
        """The type of an expression that was given out here."""
        index = self._segments_of[expr]
        if isinstance(expr, GlobalVar):
            return self._global_type(f"@{expr.name_hint}")
        function, state = self.analysis.function_at(index), self.in_segments.state(index)
        if isinstance(function, WholeFunctionAnalysis):
            return function.type_of(expr)
        own = self._own(index)
        if function is None:
            return None
        if own is None or state is None:
            definitions = function.head.definitions
            name = next((definition.name for definition in definitions if definition.value is expr), None)
            return None if name is None else known_type(function.parameters[name])
        return self._type_in(index, function, state, own, expr)

    def _global_type(self, name: str) -> Type | None:
        header = self.in_segments.headers.get(name)
        function = self.analysis.function_at(header) if header is not None else None
        return known_type(function.checked_type) if function is not None else None

    def _type_before(self, function: FunctionStatements, name: str, order: float) -> Type:
        type = function.type_before(name, order)
        if type is None and name[0] == "@":
            head = self.analysis.heads.get(name)
            return head.known_type if head is not None else ERROR
        if type is None and is_graph_name(name):
            type = self.analysis.earlier_graph(function, name)
        return type or ERROR

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression that was given out here."""
        index = self._segments_of[place.expr]
        start = self.analysis.segments.start
        function = self.analysis.function_at(index)
        if isinstance(function, WholeFunctionAnalysis):
            span = function.locate(place)
            return span.shifted(start(function.start - 1)) if span is not None else None
        own = self._own(index)
        origins: Mapping[Expr, SyntaxOrigin] = {}
        if own is not None:
            origins = own.origins
        elif function is not None:
            origins = function.head.origins
        span = place_span(origins, place)
        return span.shifted(start(index)) if span is not None else None


def _sound_type(state: TypedStatement) -> Type:
    """The type of a statement; the error type where something is wrong with it."""
    return ERROR if isinstance(state, ReportedStatement) and state.diagnostics else state.type


def _by_token(definitions: Sequence[Definition], memo: dict[object, object]) -> Mapping[int, Definition]:
    """The definitions of a head or a statement by their tokens, cached with it: an outline asks for each of them."""
    known = cast("Mapping[int, Definition] | None", memo.get(_by_token))
    if known is None:
        known = memo[_by_token] = {each.token: each for each in reversed(definitions)}
    return known
