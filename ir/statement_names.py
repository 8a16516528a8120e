"""Names, types and expressions of a text that is analysed statement by statement, without reading it whole.

Everything here is computed for the statements that are asked about. What a name means follows from the analysis; its
uses are searched among the statements of its function.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .diagnostics import Place
from .expressions import Expr
from .function_statements import FunctionStatements, StatementState
from .incremental import Analysis
from .lowered_statement import LoweredStatement
from .source import TextSpan
from .symbols import Symbol, is_visible
from .syntax.forms import places_of
from .syntax.lexer import WHITE_SPACE
from .syntax.places import place_span
from .syntax.scopes import Definition, SymbolKind
from .syntax.segments import Role
from .syntax.tokens import COMMENT
from .syntax.tree import statement_range
from .syntax.units import Origin
from .type_visitor import has_error
from .types import ERROR, FuncType, Type

__all__ = ["Home", "StatementNames"]


class Home(NamedTuple):
    """Where a name is defined: a token of a segment."""

    segment: int
    token: int


@dataclass(frozen=True, slots=True)
class _Local:
    """What the tokens of one segment mean inside it; names from outside are left out."""

    definitions: Mapping[int, tuple[SymbolKind, str]]
    uses: Mapping[int, int]
    """For the token of each use the token of its definition in the same segment."""
    unresolved: frozenset[int]


class StatementNames:
    """What the names of a text mean, by its analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis: Final = analysis
        self._symbols: Final[dict[Home, Symbol]] = {}
        self._homes: Final[dict[Expr, int]] = {}
        """The segments of the expressions that were given out."""

    def _state(self, index: int) -> StatementState | None:
        return self.analysis.states[index]

    # ---- names inside one segment

    def _local(self, index: int) -> _Local:
        segment = self.analysis.segments[index]
        state = self._state(index)
        if segment.role is Role.HEADER:
            function = self.analysis.function_at(index)
            assert function is not None
            defined = {found.token: (found.kind, found.name) for found in function.parameter_definitions}
            return _Local({1: (SymbolKind.FUNCTION, segment.tokens[1][1]), **defined}, {}, frozenset())
        if state is None:
            return _Local({}, {}, frozenset())
        if state.facts.own is None:
            bound = state.facts.bound
            if bound is None:
                return _Local({}, {}, frozenset())
            is_graph = segment.tokens[0].startswith("G")
            kind = SymbolKind.GRAPH if is_graph else SymbolKind.LET
            return _Local({0 if is_graph else 1: (kind, bound)}, {}, frozenset())
        found = segment.memo.get("names")
        if not isinstance(found, _Local):
            lowering = state.facts.own.lowering
            definitions = {found.token: (found.kind, found.name) for found in lowering.definitions}
            uses = {token: definition.token for _, token, definition in lowering.uses if definition.unit is not None}
            found = _Local(definitions, uses, frozenset(token for _, token in lowering.unresolved))
            segment.memo["names"] = found
        return found

    def definitions(self, index: int) -> Iterator[Home]:
        """The definitions in one segment, in order."""
        for token in sorted(self._local(index).definitions):
            yield Home(index, token)

    def meanings(self, index: int) -> tuple[dict[int, Home], set[int]]:
        """What the tokens of a segment name, definitions included; and those that mean nothing."""
        local = self._local(index)
        found = {token: Home(index, definition) for token, definition in local.uses.items()}
        found.update((token, Home(index, token)) for token in local.definitions)
        unresolved = set(local.unresolved)
        function = self.analysis.function_at(index)
        state = self._state(index)
        if state is not None and function is not None:
            kinds, texts, _ = self.analysis.segments[index].tokens
            for token, kind in enumerate(kinds):
                if kind in "LG" and token not in found:
                    defined = self.analysis.definition_before(function, texts[token], state.order)
                    if defined is None:
                        unresolved.add(token)
                    else:
                        found[token] = Home(*defined)
        return found, unresolved

    def named_tokens(self, index: int) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """What kind of thing each token of a segment names, and whether it defines it; and those that name nothing."""
        state = self._state(index)
        if state is not None and state.facts.own is None:
            return self._named_in_shared(index, state)
        local = self._local(index)
        found = {token: (local.definitions[at][0], False) for token, at in local.uses.items()}
        found.update((token, (kind, True)) for token, (kind, _) in local.definitions.items())
        unresolved = set(local.unresolved)
        state = self._state(index)
        function = self.analysis.function_at(index) if state is not None else None
        if state is not None and function is not None:
            kinds, texts, _ = self.analysis.segments[index].tokens
            for token, kind in enumerate(kinds):
                if kind in "LG" and token not in found:
                    name = texts[token]
                    if function.bound_before(name, state.order) is not None:
                        found[token] = (SymbolKind.GRAPH if kind == "G" else SymbolKind.LET, False)
                    elif name in function.parameters:
                        found[token] = (SymbolKind.PARAMETER, False)
                    else:
                        unresolved.add(token)
        return found, unresolved

    def _named_in_shared(
        self, index: int, state: StatementState
    ) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """The same for a statement without names of its own but the one that it binds, which nothing is wrong with."""
        function = self.analysis.function_at(index)
        assert function is not None
        found: dict[int, tuple[SymbolKind, bool]] = {}
        segment, bound, token = state.facts.segment, state.facts.bound, 0
        for kind, piece in zip(segment.kinds, segment.pieces, strict=True):
            if kind in "LG":
                name = piece.rstrip(WHITE_SPACE)
                declares = name == bound and token < 2
                if kind == "L" and not declares and function.bound_before(name, state.order) is None:
                    found[token] = (SymbolKind.PARAMETER, False)
                else:
                    found[token] = (SymbolKind.GRAPH if kind == "G" else SymbolKind.LET, declares)
            if kind != COMMENT:
                token += 1
        return found, set()

    # ---- symbols

    def symbol(self, home: Home) -> Symbol:
        """The symbol of a definition: always the same one."""
        found = self._symbols.get(home)
        if found is None:
            kind, name = self._local(home.segment).definitions[home.token]
            function = self.analysis.function_at(home.segment)
            container = None
            if function is not None and kind is not SymbolKind.FUNCTION:
                container = self.symbol(Home(function.start - 1, 1))
            found = self._symbols.setdefault(home, Symbol(kind, name, container, self, home))
        return found

    def symbols(self, first: int, end: int) -> Iterator[Symbol]:
        """The symbols defined in a range of segments."""
        for index in range(first, end):
            for home in self.definitions(index):
                yield self.symbol(home)

    def values_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The values that are visible at an offset in a segment, those bound last first."""
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(index, offset)
        yield from reversed(inner.values())
        symbols = self._symbols
        container = self.symbol(Home(function.start - 1, 1))
        for earlier, _, name in self._bound_before(function, index, inner):
            is_graph = name[1:2].isdigit()
            home = Home(earlier, 0 if is_graph else 1)
            symbol = symbols.get(home)
            if symbol is None:
                kind = SymbolKind.GRAPH if is_graph else SymbolKind.LET
                symbol = symbols.setdefault(home, Symbol(kind, name, container, self, home))
            yield symbol
        if index >= function.start:
            for definition in reversed(function.parameter_definitions):
                if definition.name not in inner:
                    yield self.symbol(Home(function.start - 1, definition.token))

    def typed_values_at(self, index: int, offset: int) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at an offset in a segment, and their types; those bound last first.

        Each is given once, and no symbol is made for it.
        """
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(index, offset)
        for symbol in reversed(inner.values()):
            if symbol.kind is not SymbolKind.TYPE_PARAMETER:
                yield symbol.name, symbol.type
        for _, state, name in self._bound_before(function, index, inner):
            yield name, _known(state.type)
        if index >= function.start:
            for name, type in reversed(list(function.parameters.items())):
                if name not in inner:
                    yield name, type

    def _bound_inside(self, index: int, offset: int) -> dict[str, Symbol]:
        """The values that a segment binds for itself, as far as they are visible at an offset in it."""
        inner: dict[str, Symbol] = {}
        for home in self.definitions(index):
            symbol = self.symbol(home)
            is_before = symbol.span.end <= offset and symbol.kind is not SymbolKind.FUNCTION
            if is_before and is_visible(symbol, self.analysis.unit(index), offset):
                inner[symbol.name] = symbol
        return inner

    def _bound_before(
        self, function: FunctionStatements, index: int, known: Container[str]
    ) -> Iterator[tuple[int, StatementState, str]]:
        """The statements of a function before a segment that bind a name, the last for each; but for some names."""
        seen: set[str] = set()
        states = self.analysis.states
        for earlier in range(min(index, function.end) - 1, function.start - 1, -1):
            state = states[earlier]
            if state is None or (name := state.facts.bound) is None or name in seen or name in known:
                continue
            seen.add(name)
            yield earlier, state, name

    def module_symbols(self) -> list[Symbol]:
        """The functions of the module."""
        return [self.symbol(Home(found.start - 1, 1)) for found in self.analysis.functions]

    def name_span(self, key: object) -> TextSpan:
        """The range of a name."""
        assert isinstance(key, Home)
        return self.analysis.unit(key.segment).span(key.token)

    def full_span(self, key: object) -> TextSpan:
        """The range of a whole definition."""
        assert isinstance(key, Home)
        unit = self.analysis.unit(key.segment)
        if unit.segment.role is Role.HEADER and key.token == 1:
            function = self.analysis.function_at(key.segment)
            assert function is not None
            close = self.analysis.unit(function.end)
            return TextSpan(unit.base, close.base + close.segment.length)
        return statement_range(unit.segment, key.token, unit.base)

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where a name is used."""
        assert isinstance(key, Home)
        kind, name = self._local(key.segment).definitions[key.token]
        function = self.analysis.function_at(key.segment)
        unit = self.analysis.unit(key.segment)
        found = [unit.span(token) for token, home in self.meanings(key.segment)[0].items() if home == key]
        found.remove(unit.span(key.token))
        if function is None or kind is SymbolKind.FUNCTION or not self._is_outer(key, function):
            return sorted(found)
        analysis = self.analysis
        segments = analysis.segments
        for index in analysis.states.using({name}, max(key.segment + 1, function.start), function.end):
            state = analysis.states[index]
            assert state is not None
            base = segments.start(index)
            segment = segments[index]
            if segment.form is not None:
                found += [TextSpan(base + at, base + at + len(name)) for at in places_of(name, segment.text)]
            elif state.facts.own is None:
                for piece in segment.pieces:
                    if piece.startswith(name) and piece.rstrip(WHITE_SPACE) == name:
                        found.append(TextSpan(base, base + len(name)))
                    base += len(piece)
            else:
                tokens = sorted(token for token, home in self.meanings(index)[0].items() if home == key)
                found += [segments[index].span(token).shifted(base) for token in tokens]
        return sorted(found)

    def _is_outer(self, key: Home, function: FunctionStatements) -> bool:
        """Whether a definition is one that later statements see."""
        if key.segment == function.start - 1:
            return True
        state = self._state(key.segment)
        kinds = self.analysis.segments[key.segment].tokens[0]
        if state is None or state.facts.bound is None or key.token != (0 if kinds[0] == "G" else 1):
            return False
        return function.binding(state.facts.bound) is state

    def symbol_type(self, key: object) -> Type | None:
        """The type of a symbol."""
        assert isinstance(key, Home)
        function = self.analysis.function_at(key.segment)
        if function is None:
            return None
        if key.segment == function.start - 1:
            if key.token == 1:
                return self._function_type(function)
            name = self._local(key.segment).definitions[key.token][1]
            return function.parameters.get(name)
        if self._is_outer(key, function):
            state = self._state(key.segment)
            return _known(state.type) if state is not None else None
        definition = self._definition(key)
        value = definition.value if definition is not None else None
        if not isinstance(value, Expr):
            return None
        self._homes[value] = key.segment
        return self.type_of(value)

    def _function_type(self, function: FunctionStatements) -> Type | None:
        last = self._state(function.end - 1)
        result = function.result or (_known(last.type) if last is not None else None)
        return FuncType(tuple(function.parameters.values()), result) if result is not None else None

    # ---- expressions

    def _own(self, index: int) -> LoweredStatement | None:
        """A statement lowered for itself."""
        state = self._state(index)
        return self.analysis.context.own(state.facts) if state is not None else None

    def _definition(self, key: Home) -> Definition | None:
        own = self._own(key.segment)
        found = own.lowering.definitions if own is not None else ()
        return next((definition for definition in found if definition.token == key.token), None)

    def value(self, key: object) -> Expr | None:
        """The expression that a symbol stands for."""
        assert isinstance(key, Home)
        function = self.analysis.function_at(key.segment)
        if function is not None and key.segment == function.start - 1:
            definition = next((found for found in function.parameter_definitions if found.token == key.token), None)
        else:
            definition = self._definition(key)
        if definition is None or not isinstance(definition.value, Expr):
            return None
        self._homes[definition.value] = key.segment
        return definition.value

    def expression(self, index: int, statement: object, node: object) -> Expr | None:
        """The expression made from a node of a statement's syntax."""
        own = self._own(index)
        if own is None:
            function = self.analysis.function_at(index)
            if function is None or index != function.start - 1:
                return None
            origins = function.parameter_origins
            found = next((expr for expr, origin in origins.items() if origin.node is node), None)
        else:
            found = own.nodes.get((id(statement), id(node)))
        if found is not None:
            self._homes[found] = index
        return found

    def knows(self, expr: Expr) -> bool:
        """Whether an expression was given out here."""
        return expr in self._homes

    def type_of(self, expr: Expr) -> Type | None:
        """The type of an expression that was given out here."""
        index = self._homes[expr]
        function = self.analysis.function_at(index)
        own = self._own(index)
        state = self._state(index)
        if function is None:
            return None
        if own is None or state is None:
            definitions = function.parameter_definitions
            return next((function.parameters[found.name] for found in definitions if found.value is expr), None)
        known = tuple(self._type_before(function, name, state.order) for name in own.placeholders)
        return _known(own.types_with(known).get(expr))

    def _type_before(self, function: FunctionStatements, name: str, order: float) -> Type:
        return function.type_before(name, order) or ERROR

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression that was given out here."""
        index = self._homes[place.expr]
        own = self._own(index)
        function = self.analysis.function_at(index)
        origins: Mapping[Expr, Origin] = {}
        if own is not None:
            origins = own.origins
        elif function is not None:
            origins = function.parameter_origins
        found = place_span(origins, place)
        return found.shifted(self.analysis.segments.start(index)) if found is not None else None


def _known(type: Type | None) -> Type | None:
    """``type`` where all of it is known: a type does not hide an error."""
    return None if type is None or has_error(type) else type
