"""Names, types and expressions of a text that is analysed function by function, without reading it whole.

Everything here is computed for the statements that are asked about. What a name means follows from the analysis; its
uses are searched among the statements of its function.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from .analysis import AnalysedFunction, Analysis
from .cached import cached
from .declarations import Head
from .diagnostics import Place
from .expressions import Constructor, Expr, GlobalVar
from .function_statements import FunctionStatements, StatementState
from .lowered_statement import LoweredStatement
from .module import TypeData
from .source import TextSpan
from .symbols import OF_MODULE, Symbol, constructor_type, is_visible
from .syntax.forms import places_of
from .syntax.lexer import WHITE_SPACE
from .syntax.places import place_span
from .syntax.scopes import Definition, SymbolKind, is_graph_name
from .syntax.segments import Role
from .syntax.statements import Segment
from .syntax.tokens import COMMENT
from .syntax.tree import statement_range
from .syntax.units import Origin
from .type_visitor import has_error
from .types import ERROR, GlobalTypeVar, Type
from .whole_function import WholeFunction

__all__ = ["Home", "StatementNames"]


class Home(NamedTuple):
    """Where a name is defined: a token of a segment."""

    segment: int
    token: int


@dataclass(frozen=True, slots=True)
class _Local:
    """What the tokens of one segment mean as far as its own function tells; other names of its function are left out.

    ``uses`` has for the token of each use where it is defined: so many segments further on, at which token; ``outside``
    what it names elsewhere in the module, as what and by which name.
    """

    definitions: Mapping[int, tuple[SymbolKind, str]]
    uses: Mapping[int, tuple[int, int]]
    outside: Mapping[int, tuple[SymbolKind, str]]
    unresolved: frozenset[int]


_NOTHING: Final = _Local({}, {}, {}, frozenset())


class StatementNames:
    """What the names of a text mean, by its analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis: Final = analysis
        self._uses: Final[dict[Home, Sequence[TextSpan]]] = {}
        self._symbols: Final[WeakValueDictionary[Home, Symbol]] = WeakValueDictionary()
        """Those that somebody holds. They refer to us: if we held them, only the collector could let go of a text."""
        self._homes: Final[dict[Expr, int]] = {}
        """The segments of the expressions that were given out."""

    def _state(self, index: int) -> StatementState | None:
        return self.analysis.states[index]

    def _whole(self, index: int) -> tuple[WholeFunction, int] | None:
        """The function read as a whole that a segment is part of, and which of its segments that is."""
        function = self.analysis.function_at(index)
        return (function, index - function.start + 1) if isinstance(function, WholeFunction) else None

    def _plain(self, index: int) -> FunctionStatements | None:
        """The function typed statement by statement that a segment is part of."""
        function = self.analysis.function_at(index)
        return function if isinstance(function, FunctionStatements) else None

    @cached
    def _type_numbers(self) -> Mapping[int, int]:
        return {index: number for number, index in enumerate(self.analysis.types)}

    @cached
    def _headers(self) -> Mapping[str, int]:
        """The segment of the head of each function."""
        return {function.name: function.start - 1 for function in self.analysis.functions if function.name}

    # ---- names inside one segment

    def _local(self, index: int) -> _Local:
        segment = self.analysis.segments[index]
        if index in self._type_numbers:
            return self._local_of_type(self._type_numbers[index])
        whole = self._whole(index)
        if whole is not None:
            return _local_of_whole(*whole)
        if segment.role is Role.HEADER:
            function = self._plain(index)
            assert function is not None
            head = function.head
            defined = {found.token: (found.kind, found.name) for found in head.definitions}
            outside = {token: (found.kind, found.name) for token, found in head.uses.items()}
            return _Local({1: (SymbolKind.FUNCTION, head.name), **defined}, {}, outside, head.unresolved)
        state = self._state(index)
        if state is None:
            return _NOTHING
        lowered = state.facts.own or state.facts.lowered
        if state.facts.own is None:
            return _Local(_bound_in(state), {}, self._outside(segment, lowered), frozenset())
        found = state.memo.get("names")
        if not isinstance(found, _Local):
            lowering = lowered.lowering
            definitions = {found.token: (found.kind, found.name) for found in lowering.definitions}
            uses = {token: (0, found.token) for _, token, found in lowering.uses if found.unit is not None}
            unresolved = {token for _, token in lowering.unresolved}
            outside = self._outside(segment, lowered)
            kinds, texts, _ = segment.tokens
            named = (token for token, kind in enumerate(kinds) if kind == "@" and texts[token] in lowered.functions)
            unresolved.update(token for token in named if token not in outside)
            found = _Local(definitions, uses, outside, frozenset(unresolved))
            state.memo["names"] = found
        return found

    def _outside(self, segment: Segment, lowered: LoweredStatement) -> dict[int, tuple[SymbolKind, str]]:
        """What the tokens of a statement name of what the module declares."""
        if not lowered.functions and not lowered.declared and not lowered.diagnostics:
            return {}
        used = lowered.lowering.uses
        found = {token: (found.kind, found.name) for _, token, found in used if found.unit is None}
        kinds, texts, _ = segment.tokens
        for token, kind in enumerate(kinds):
            if kind == "@" and texts[token] in self.analysis.heads:
                found[token] = (SymbolKind.FUNCTION, texts[token])
        return found

    def _local_of_type(self, number: int) -> _Local:
        lowering = self.analysis.context.types.reading.lowering
        definitions = {
            found.token: (found.kind, found.name)
            for found in lowering.definitions
            if found.unit is not None and found.unit.number == number
        }
        uses: dict[int, tuple[int, int]] = {}
        outside: dict[int, tuple[SymbolKind, str]] = {}
        for unit, token, found in lowering.uses:
            if unit.number == number and found.unit is not None:
                if found.kind is SymbolKind.TYPE_PARAMETER:
                    uses[token] = (0, found.token)
                else:
                    outside[token] = (found.kind, found.name)
        unresolved = frozenset(token for unit, token in lowering.unresolved if unit.number == number)
        return _Local(definitions, uses, outside, unresolved)

    def definitions(self, index: int) -> Iterator[Home]:
        """The definitions in one segment, in order."""
        for token in sorted(self._local(index).definitions):
            yield Home(index, token)

    def meanings(self, index: int) -> tuple[dict[int, Home], set[int]]:
        """What the tokens of a segment name, definitions included; and those that mean nothing."""
        local = self._local(index)
        found = {token: Home(index + by, definition) for token, (by, definition) in local.uses.items()}
        for token, (kind, name) in local.outside.items():
            home = self._home(index, kind, name)
            if home is not None:
                found[token] = home
        found.update((token, Home(index, token)) for token in local.definitions)
        unresolved = set(local.unresolved)
        function = self._plain(index)
        state = self._state(index)
        if state is not None and function is not None:
            kinds, texts, _ = self.analysis.segments[index].tokens
            for token, kind in enumerate(kinds):
                if kind in "LG" and token not in found:
                    defined = self.analysis.definition_before(function, texts[token], state.order)
                    if defined is not None:
                        found[token] = Home(*defined)
                    elif texts[token] in state.facts.uses:
                        unresolved.add(token)
        return found, unresolved

    def _home(self, index: int, kind: SymbolKind, name: str) -> Home | None:
        """Where something outside of the function that a segment is part of is defined."""
        analysis = self.analysis
        if kind is SymbolKind.FUNCTION:
            header = self._headers.get(name)
            return Home(header, 1) if header is not None else None
        if kind is SymbolKind.GRAPH:
            function = analysis.function_at(index)
            defined = analysis.foreign_definition(function, name) if function is not None else None
            return Home(*defined) if defined is not None else None
        names = analysis.context.types.reading.names
        found = (names.types if kind is SymbolKind.TYPE else names.constructors).get(name)
        return Home(analysis.types[found.unit.number], found.token) if found is not None and found.unit else None

    def named_tokens(self, index: int) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """What kind of thing each token of a segment names, and whether it defines it; and those that name nothing."""
        state = self._state(index)
        if state is not None and state.facts.own is None:
            return self._named_in_shared(index, state)
        local = self._local(index)
        found: dict[int, tuple[SymbolKind, bool]] = {}
        for token, (by, at) in local.uses.items():
            other = local if by == 0 else self._local(index + by)
            found[token] = (other.definitions[at][0], False)
        found.update((token, (kind, False)) for token, (kind, _) in local.outside.items())
        found.update((token, (kind, True)) for token, (kind, _) in local.definitions.items())
        unresolved = set(local.unresolved)
        function = self._plain(index)
        if state is not None and function is not None:
            kinds, texts, _ = self.analysis.segments[index].tokens
            for token, kind in enumerate(kinds):
                if kind in "LG" and token not in found:
                    name = texts[token]
                    if function.bound_before(name, state.order) is not None:
                        found[token] = (SymbolKind.GRAPH if kind == "G" else SymbolKind.LET, False)
                    elif name in function.parameters:
                        found[token] = (SymbolKind.PARAMETER, False)
                    elif kind == "G" and self.analysis.foreign_definition(function, name) is not None:
                        found[token] = (SymbolKind.GRAPH, False)
                    elif name in state.facts.uses:
                        unresolved.add(token)
        return found, unresolved

    def _named_in_shared(
        self, index: int, state: StatementState
    ) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """The same for a statement without names of its own but the one that it binds, which nothing is wrong with."""
        function = self._plain(index)
        assert function is not None
        segment, bound, token = state.facts.segment, state.facts.bound, 0
        outside = self._outside(segment, state.facts.lowered)
        found = {token: (kind, False) for token, (kind, _) in outside.items()}
        unresolved: set[int] = set()
        for kind, piece in zip(segment.kinds, segment.pieces, strict=True):
            if kind in "LG":
                name = piece.rstrip(WHITE_SPACE)
                declares = name == bound and token == state.facts.bound_at
                if kind == "L" and not declares and function.bound_before(name, state.order) is None:
                    found[token] = (SymbolKind.PARAMETER, False)
                else:
                    found[token] = (SymbolKind.GRAPH if kind == "G" else SymbolKind.LET, declares)
            elif kind == "@" and token not in found:
                unresolved.add(token)
            if kind != COMMENT:
                token += 1
        return found, unresolved

    def token_memo(self, index: int) -> dict[object, object]:
        """What is remembered of a segment as long as its tokens mean the same."""
        state, segment = self._state(index), self.analysis.segments[index]
        if state is not None:
            return state.memo
        if segment.role is Role.CLOSE:
            return segment.memo
        if segment.role is Role.HEADER:
            head = segment.memo.get(self.analysis.context)
            assert isinstance(head, Head)
            return head.memo
        if index in self._type_numbers:
            return self.analysis.context.types.memos[self._type_numbers[index]]
        whole = self._whole(index)
        return segment.memo if whole is None else whole[0].memos[whole[1]]

    # ---- symbols

    def symbol(self, home: Home) -> Symbol:
        """The symbol of a definition: always the same one."""
        found = self._symbols.get(home)
        if found is None:
            kind, name = self._local(home.segment).definitions[home.token]
            container = self._container(home, kind)
            found = self._symbols.setdefault(home, Symbol(kind, name, container, self, home))
        return found

    def _container(self, home: Home, kind: SymbolKind) -> Symbol | None:
        """What a definition is inside of: a function, or a data type."""
        if kind in (SymbolKind.FUNCTION, SymbolKind.TYPE):
            return None
        if home.segment in self._type_numbers:
            defined = self._local(home.segment).definitions
            owner = next(token for token, (kind, _) in defined.items() if kind is SymbolKind.TYPE)
            return self.symbol(Home(home.segment, owner))
        function = self.analysis.function_at(home.segment)
        return self._function_symbol(function) if function is not None else None

    def _function_symbol(self, function: AnalysedFunction) -> Symbol | None:
        return self.symbol(Home(function.start - 1, 1)) if function.name else None

    def symbol_at(self, index: int, token: int) -> Symbol | None:
        """The symbol that a token of a segment defines or uses."""
        home = self.meanings(index)[0].get(token)
        return self.symbol(home) if home is not None else None

    def symbols(self, first: int, end: int) -> Iterator[Symbol]:
        """The symbols defined in a range of segments."""
        for index in range(first, end):
            for home in self.definitions(index):
                yield self.symbol(home)

    def values_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at an offset in a segment, those bound last first."""
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(function, index, offset)
        yield from reversed(inner.values())
        if isinstance(function, WholeFunction):
            return
        symbols = self._symbols
        container = self._function_symbol(function)
        for earlier, state, name in self._bound_before(function, index, inner):
            is_graph = is_graph_name(name)
            home = Home(earlier, state.facts.bound_at)
            symbol = symbols.get(home)
            if symbol is None:
                kind = SymbolKind.GRAPH if is_graph else SymbolKind.LET
                symbol = symbols.setdefault(home, Symbol(kind, name, container, self, home))
            yield symbol
        if index >= function.start:
            for definition in reversed(function.head.definitions):
                if definition.name not in inner:
                    yield self.symbol(Home(function.start - 1, definition.token))

    def typed_values_at(self, index: int, offset: int) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at an offset in a segment, and their types; those bound last first.

        Each is given once, and no symbol is made for it.
        """
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(function, index, offset)
        for symbol in reversed(inner.values()):
            if symbol.kind is not SymbolKind.TYPE_PARAMETER:
                yield symbol.name, symbol.type
        if isinstance(function, WholeFunction):
            return
        for _, state, name in self._bound_before(function, index, inner):
            yield name, _known(state.type)
        if index >= function.start:
            for name, type in reversed(list(function.parameters.items())):
                if name not in inner:
                    yield name, type

    def _bound_inside(self, function: AnalysedFunction, index: int, offset: int) -> dict[str, Symbol]:
        """The values that are visible at an offset in a segment: those that it binds for itself.

        In a function that is read as a whole, all those of the function.
        """
        inner: dict[str, Symbol] = {}
        for at in range(function.start - 1 if isinstance(function, WholeFunction) else index, index + 1):
            for home in self.definitions(at):
                symbol = self.symbol(home)
                is_before = symbol.span.end <= offset and symbol.kind is not SymbolKind.FUNCTION
                if is_before and is_visible(symbol, self.analysis.unit(at), offset):
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

    @property
    def calls(self) -> Sequence[tuple[str, Collection[str]]]:
        """The functions of the module in the order of the text, and the names of those that each one names."""
        return [(function.name, function.calls) for function in self.analysis.functions if function.name]

    def module_symbols(self) -> list[Symbol]:
        """The functions, types and constructors of the module, in order."""
        found = [self.symbol(home) for index in self.analysis.types for home in self.definitions(index)]
        functions = [self._function_symbol(function) for function in self.analysis.functions]
        return [*(symbol for symbol in found if symbol.kind in OF_MODULE), *(one for one in functions if one)]

    def name_span(self, key: object) -> TextSpan:
        """The range of a name."""
        assert isinstance(key, Home)
        return self.analysis.unit(key.segment).span(key.token)

    def full_span(self, key: object) -> TextSpan:
        """The range of a whole definition."""
        assert isinstance(key, Home)
        unit = self.analysis.unit(key.segment)
        kind = self._local(key.segment).definitions[key.token][0]
        if kind is SymbolKind.TYPE:
            return TextSpan(unit.base, unit.base + unit.segment.length)
        if kind is SymbolKind.FUNCTION:
            function = self.analysis.function_at(key.segment)
            assert function is not None
            last = self.analysis.unit(function.last)
            return TextSpan(unit.base, last.base + last.segment.length)
        return statement_range(unit.segment, key.token, unit.base)

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where a name is used; remembered here, since nobody need keep its symbol."""
        assert isinstance(key, Home)
        found = self._uses.get(key)
        if found is None:
            found = self._uses[key] = self._look_for_uses(key)
        return found

    def _look_for_uses(self, key: Home) -> Sequence[TextSpan]:
        kind, name = self._local(key.segment).definitions[key.token]
        if kind in OF_MODULE:
            return sorted(self._uses_in_module(key, kind, name))
        function = self.analysis.function_at(key.segment)
        if isinstance(function, WholeFunction):
            found = list(self._uses_in_whole(key, function))
        else:
            unit = self.analysis.unit(key.segment)
            found = list(self._meaning(key, key.segment))
            found.remove(unit.span(key.token))
            if function is not None and self._is_outer(key, function):
                first = max(key.segment + 1, function.start)
                found += self._uses_in_statements(key, self.analysis.states.using({name}, first, function.end), name)
        if kind is SymbolKind.GRAPH and function is not None and name in self.analysis.foreign:
            found += self._uses_in_functions(key, SymbolKind.GRAPH, name, function.last + 1)
        return sorted(found, key=attrgetter("start"))

    def _uses_in_statements(self, key: Home, indices: Iterable[int], name: str) -> Iterator[TextSpan]:
        """The uses in statements that use a name; those that stand together and have forms are searched together."""
        segments, length = self.analysis.segments, len(name)
        pending = iter(indices)
        index = next(pending, None)
        while index is not None:
            first, texts = index, list[str]()
            while index is not None and index == first + len(texts) and segments[index].form is not None:
                texts.append(segments[index].text)
                index = next(pending, None)
            if texts:
                base = segments.start(first)
                yield from [TextSpan(base + at, base + at + length) for at in places_of(name, "".join(texts))]
            elif index is not None:
                yield from self._uses_in_statement(key, index, name)
                index = next(pending, None)

    def _uses_in_statement(self, key: Home, index: int, name: str) -> Iterator[TextSpan]:
        state = self.analysis.states[index]
        assert state is not None
        segment, base = self.analysis.segments[index], self.analysis.segments.start(index)
        if state.facts.own is None:
            for piece in segment.pieces:
                if piece.startswith(name) and piece.rstrip(WHITE_SPACE) == name:
                    yield TextSpan(base, base + len(name))
                base += len(piece)
            return
        yield from self._meaning(key, index)

    def _meaning(self, key: Home, index: int) -> Iterator[TextSpan]:
        """The tokens of a segment that name a definition, itself included."""
        unit = self.analysis.unit(index)
        return (unit.span(token) for token, home in self.meanings(index)[0].items() if home == key)

    def _uses_in_whole(self, key: Home, function: WholeFunction) -> Iterator[TextSpan]:
        """The uses of a name in the function read as a whole that defines it."""
        first = function.start - 1
        for number, meanings in enumerate(function.meanings):
            for token, meaning in meanings.items():
                if meaning.unit == key.segment - first and meaning.token == key.token:
                    yield self.analysis.unit(first + number).span(token)

    def _uses_in_module(self, key: Home, kind: SymbolKind, name: str) -> Iterator[TextSpan]:
        analysis = self.analysis
        if kind is not SymbolKind.FUNCTION:
            heads = (function.start - 1 for function in analysis.functions if isinstance(function, FunctionStatements))
            for index in (*analysis.types, *heads):
                for token, (found, text) in self._local(index).outside.items():
                    if found is kind and text == name:
                        yield analysis.unit(index).span(token)
        yield from self._uses_in_functions(key, kind, name, 0)

    def _uses_in_functions(self, key: Home, kind: SymbolKind, name: str, start: int) -> Iterator[TextSpan]:
        """The uses in the functions from a segment on of a name that they do not define."""
        analysis = self.analysis
        declared = analysis.context.types.reading.names
        # A graph variable may be one of the function that the statement is in, a constructor be called as its type is.
        has_namesakes = kind is SymbolKind.GRAPH or (name in declared.types and name in declared.constructors)
        for index in analysis.states.using({name}, start, len(analysis.states)):
            yield from self._meaning(key, index) if has_namesakes else self._uses_in_statement(key, index, name)
        for function in analysis.functions:
            if isinstance(function, WholeFunction) and function.start > start:
                for number, meanings in enumerate(function.meanings):
                    for token, meaning in meanings.items():
                        is_outside = meaning.unit is None or kind is SymbolKind.FUNCTION
                        if is_outside and meaning.kind is kind and meaning.name == name:
                            yield analysis.unit(function.start - 1 + number).span(token)

    def _is_outer(self, key: Home, function: FunctionStatements) -> bool:
        """Whether a definition is one that later statements see."""
        if key.segment == function.start - 1:
            return True
        state = self._state(key.segment)
        if state is None or state.facts.bound is None or key.token != state.facts.bound_at:
            return False
        return function.binding(state.facts.bound) is state

    def symbol_type(self, key: object) -> Type | None:
        """The type of a symbol."""
        assert isinstance(key, Home)
        kind, name = self._local(key.segment).definitions[key.token]
        function = self.analysis.function_at(key.segment)
        if kind is SymbolKind.CONSTRUCTOR:
            types = self.analysis.context.types
            found = types.reading.names.constructors[name].value
            assert isinstance(found, Constructor)
            return constructor_type(types.module, found)
        if function is None:
            return None
        if kind is SymbolKind.FUNCTION:
            return _known(function.checked_type)
        if isinstance(function, FunctionStatements):
            if key.segment == function.start - 1:
                return function.parameters.get(name)
            if self._is_outer(key, function):
                state = self._state(key.segment)
                return _known(state.type) if state is not None else None
        value = self.value(key)
        return self.type_of(value) if value is not None else None

    # ---- expressions

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types of the module."""
        return self.analysis.context.types.module.type_definitions

    def _own(self, index: int) -> LoweredStatement | None:
        """A statement lowered for itself."""
        state = self._state(index)
        return self.analysis.context.own(state.facts) if state is not None else None

    def _definition(self, key: Home) -> Definition | None:
        whole = self._whole(key.segment)
        if whole is not None:
            return whole[0].definitions[whole[1]].get(key.token)
        function = self._plain(key.segment)
        found: Sequence[Definition] = ()
        if function is not None and key.segment == function.start - 1:
            found = function.head.definitions
        elif (own := self._own(key.segment)) is not None:
            found = own.lowering.definitions
        return next((definition for definition in found if definition.token == key.token), None)

    def value(self, key: object) -> Expr | None:
        """The expression that a symbol stands for."""
        assert isinstance(key, Home)
        definition = self._definition(key)
        if definition is None or not isinstance(definition.value, Expr):
            return None
        self._homes[definition.value] = key.segment
        return definition.value

    def expression(self, index: int, statement: object, node: object) -> Expr | None:
        """The expression made from a node of a statement's syntax."""
        whole, own, function = self._whole(index), self._own(index), self._plain(index)
        found: Expr | None = None
        if whole is not None:
            found = whole[0].expressions.get((whole[1], id(statement), id(node)))
        elif own is not None:
            found = own.nodes.get((id(statement), id(node)))
        elif function is not None and index == function.start - 1:
            origins = function.head.origins
            found = next((expr for expr, origin in origins.items() if origin.node is node), None)
        if found is not None:
            self._homes[found] = index
        return found

    def knows(self, expr: Expr) -> bool:
        """Whether an expression was given out here."""
        return expr in self._homes

    def type_of(self, expr: Expr) -> Type | None:
        """The type of an expression that was given out here."""
        index = self._homes[expr]
        if isinstance(expr, GlobalVar):
            return self._global_type(expr)
        function, state = self.analysis.function_at(index), self._state(index)
        if isinstance(function, WholeFunction):
            return function.type_of(expr)
        own = self._own(index)
        if function is None:
            return None
        if own is None or state is None:
            definitions = function.head.definitions
            return next((function.parameters[found.name] for found in definitions if found.value is expr), None)
        known = tuple(self._type_before(function, name, state.order) for name in own.placeholders)
        return _known(own.types_with(known, self.analysis.heads).get(expr))

    def _global_type(self, var: GlobalVar) -> Type | None:
        header = self._headers.get(f"@{var.name_hint}")
        function = self.analysis.function_at(header) if header is not None else None
        return _known(function.checked_type) if function is not None else None

    def _type_before(self, function: FunctionStatements, name: str, order: float) -> Type:
        if name[0] == "@":
            head = self.analysis.heads.get(name)
            return head.signature if head is not None else ERROR
        found = function.type_before(name, order)
        if found is None and is_graph_name(name):
            found = self.analysis.earlier_graph(function, name)
        return found or ERROR

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression that was given out here."""
        index = self._homes[place.expr]
        start = self.analysis.segments.start
        function = self.analysis.function_at(index)
        if isinstance(function, WholeFunction):
            found = function.locate(place)
            return found.shifted(start(function.start - 1)) if found is not None else None
        own = self._own(index)
        origins: Mapping[Expr, Origin] = {}
        if own is not None:
            origins = own.origins
        elif function is not None:
            origins = function.head.origins
        found = place_span(origins, place)
        return found.shifted(start(index)) if found is not None else None


def _bound_in(state: StatementState) -> Mapping[int, tuple[SymbolKind, str]]:
    """The name that a statement binds, which has no others of its own."""
    bound = state.facts.bound
    if bound is None:
        return {}
    is_graph = is_graph_name(bound)
    return {state.facts.bound_at: (SymbolKind.GRAPH if is_graph else SymbolKind.LET, bound)}


def _local_of_whole(function: WholeFunction, number: int) -> _Local:
    definitions = {token: (found.kind, found.name) for token, found in function.definitions[number].items()}
    uses: dict[int, tuple[int, int]] = {}
    outside: dict[int, tuple[SymbolKind, str]] = {}
    for token, meaning in function.meanings[number].items():
        if meaning.unit is None or meaning.kind is SymbolKind.FUNCTION:
            outside[token] = (meaning.kind, meaning.name)
        else:
            uses[token] = (meaning.unit - number, meaning.token)
    unresolved = frozenset(token for unit, token in function.unresolved if unit == number)
    return _Local(definitions, uses, outside, unresolved)


def _known(type: Type | None) -> Type | None:
    """``type`` where all of it is known: a type does not hide an error."""
    return None if type is None or has_error(type) else type
