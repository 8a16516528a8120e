"""What the tokens of each segment name, of a text that is analysed function by function."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, NamedTuple, cast

import msgspec

from ..collections.cached import cached
from ..syntax.cuts import Role
from ..syntax.kind_patterns import name_of_head
from ..syntax.lexer import WHITE_SPACE
from ..syntax.scopes import SymbolKind
from ..syntax.statements import Segment
from ..syntax.tokens import COMMENT, COMMENTS, GLOBAL, GRAPH, VALUES
from .function_statements import FunctionStatements
from .lowered_statement import LoweredStatement
from .module_analysis import ModuleAnalysis
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["DefinitionSite", "LocalNames", "SegmentNames", "TokenLikeness"]


class DefinitionSite(NamedTuple):
    """Where a name is defined: a token of a segment."""

    segment: int
    token: int


class TokenLikeness(NamedTuple):
    """What the tokens of a statement have in common with those of others.

    Statements of the same ``memo`` and ``key`` have as many tokens and comments, which begin and end at the same places
    and mean the same kinds of things; what is in their ``comments`` may differ.
    """

    memo: dict[object, object]
    key: Hashable
    comments: Sequence[str]


class LocalNames(msgspec.Struct, frozen=True):
    """What the tokens of one segment mean as far as its own function tells; other names of its function are left out.

    ``uses`` has for the token of each use where it is defined: so many segments further on, at which token; ``outside``
    what it names elsewhere in the module, as what and by which name.
    """

    definitions: Mapping[int, tuple[SymbolKind, str]]
    uses: Mapping[int, tuple[int, int]]
    outside: Mapping[int, tuple[SymbolKind, str]]
    unresolved: frozenset[int]


_BLANKS_ALONE: Final = {code: "x" for code in range(128) if chr(code) not in WHITE_SPACE}
"""Each character besides blanks as the same one."""


_NOTHING: Final = LocalNames({}, {}, {}, frozenset())


class _LocalOfType(NamedTuple):
    """:class:`LocalNames` of a data type, while they are put together."""

    definitions: dict[int, tuple[SymbolKind, str]]
    uses: dict[int, tuple[int, int]]
    outside: dict[int, tuple[SymbolKind, str]]
    unresolved: set[int]


class SegmentNames:
    """What the tokens of each segment of a text name, by its analysis."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self.analysis: Final = analysis

    def state(self, index: int) -> TypedStatement | None:
        """The typed statement of a segment; ``None`` where the segment is not a statement that is typed by itself."""
        return self.analysis.states[index]

    def whole(self, index: int) -> tuple[WholeFunctionAnalysis, int] | None:
        """The function read as a whole that a segment is part of, and which of its segments that is."""
        function = self.analysis.function_at(index)
        return (function, index - function.start + 1) if isinstance(function, WholeFunctionAnalysis) else None

    def plain(self, index: int) -> FunctionStatements | None:
        """The function typed statement by statement that a segment is part of."""
        function = self.analysis.function_at(index)
        return function if isinstance(function, FunctionStatements) else None

    @cached
    def type_numbers(self) -> Mapping[int, int]:
        """Which data type each segment is that declares one."""
        return {index: number for number, index in enumerate(self.analysis.types)}

    @cached
    def headers(self) -> Mapping[str, int]:
        """The segment of the head of each function."""
        return {function.name: function.start - 1 for function in self.analysis.functions if function.name}

    def local(self, index: int) -> LocalNames:
        """What the tokens of a segment mean, as far as its own function tells."""
        state, segment = self.state(index), self.analysis.segments[index]
        if state is not None and state.is_flat:
            return LocalNames(_bound_in(state), {}, self._outside(segment, state.lowered), frozenset())
        if index in self.type_numbers:
            return self._local_of_type(self.type_numbers[index])
        whole = self.whole(index)
        if whole is not None:
            return _local_of_whole(*whole)
        if segment.role is Role.HEADER:
            function = self.plain(index)
            assert function is not None
            head = function.head
            known = head.memo.get(LocalNames)
            if isinstance(known, LocalNames):
                return known
            name = name_of_head(segment.tokens[0])
            named = {} if name is None else {name: (SymbolKind.FUNCTION, head.name)}
            defined = {definition.token: (definition.kind, definition.name) for definition in head.definitions}
            used = {token: (0, used.token) for token, used in head.uses.items() if used.unit is not None}
            outside = {token: (used.kind, used.name) for token, used in head.uses.items() if used.unit is None}
            names = LocalNames({**named, **defined}, used, outside, head.unresolved)
            head.memo[LocalNames] = names
            return names
        if state is None:
            return _NOTHING
        lowered = state.own or state.lowered
        names = state.memo.get("names")
        if not isinstance(names, LocalNames):
            lowering = lowered.lowering
            kinds, texts, _ = segment.tokens
            definitions = {
                definition.token: (definition.kind, texts[definition.token]) for definition in lowering.definitions
            }
            uses = {
                token: (0, definition.token) for _, token, definition in lowering.uses if definition.unit is not None
            }
            unresolved = {token for _, token in lowering.unresolved}
            outside = self._outside(segment, lowered)
            named = (token for token, kind in enumerate(kinds) if kind == GLOBAL and texts[token] in state.calls)
            unresolved.update(token for token in named if token not in outside)
            names = LocalNames(definitions, uses, outside, frozenset(unresolved))
            state.memo["names"] = names
        return names

    def _outside(self, segment: Segment, lowered: LoweredStatement) -> dict[int, tuple[SymbolKind, str]]:
        """What the tokens of a statement name of what the module declares."""
        if not lowered.functions and not lowered.declared and not lowered.diagnostics:
            return {}
        used = lowered.lowering.uses
        declared = {
            token: (definition.kind, definition.name) for _, token, definition in used if definition.unit is None
        }
        kinds, texts, _ = segment.tokens
        for token, kind in enumerate(kinds):
            if kind == GLOBAL and texts[token] in self.analysis.heads:
                declared[token] = (SymbolKind.FUNCTION, texts[token])
        return declared

    def _local_of_type(self, number: int) -> LocalNames:
        memos = self.analysis.context.types.memos
        if not isinstance(memos[number].get(LocalNames), LocalNames):
            for memo, names in zip(memos, self._locals_of_types(), strict=True):
                memo.setdefault(LocalNames, names)
        return cast("LocalNames", memos[number][LocalNames])

    def _locals_of_types(self) -> Sequence[LocalNames]:
        """What the tokens of each data type mean: all of them are gone through at once."""
        types = self.analysis.context.types
        made = [_LocalOfType({}, {}, {}, set()) for _ in types.memos]
        lowering = types.reading.lowering
        for definition in lowering.definitions:
            if definition.unit is not None:
                made[definition.unit.number].definitions[definition.token] = (definition.kind, definition.name)
        for unit, token, definition in lowering.uses:
            if definition.unit is not None:
                if definition.kind is SymbolKind.TYPE_PARAMETER:
                    made[unit.number].uses[token] = (0, definition.token)
                else:
                    made[unit.number].outside[token] = (definition.kind, definition.name)
        for unit, token in lowering.unresolved:
            made[unit.number].unresolved.add(token)
        return [LocalNames(*each[:-1], frozenset(each.unresolved)) for each in made]

    def definitions(self, index: int) -> Iterator[DefinitionSite]:
        """The definitions in one segment, in order."""
        for token in sorted(self.definitions_in(index)):
            yield DefinitionSite(index, token)

    def defined(self, index: int) -> Collection[tuple[SymbolKind, str]]:
        """What each definition in one segment is, and its name, in order."""
        return [kind_and_name for _, kind_and_name in sorted(self.definitions_in(index).items())]

    def definitions_in(self, index: int) -> Mapping[int, tuple[SymbolKind, str]]:
        """What each token of a segment defines that defines something, and its name."""
        state = self.state(index)
        return _bound_in(state) if state is not None and state.is_flat else self.local(index).definitions

    def meaning(self, index: int, token: int) -> DefinitionSite | None:
        """What a token of a segment defines or names."""
        local = self.local(index)
        if token in local.definitions:
            return DefinitionSite(index, token)
        outside = local.outside.get(token)
        if outside is not None and (site := self.site(index, *outside)) is not None:
            return site
        if token in local.uses:
            by, definition = local.uses[token]
            return DefinitionSite(index + by, definition)
        function, state = self.plain(index), self.state(index)
        kinds, texts, _ = self.analysis.segments[index].tokens
        if state is None or function is None or kinds[token] not in VALUES:
            return None
        defined = self.analysis.definition_before(function, texts[token], state.order)
        return None if defined is None else DefinitionSite(*defined)

    def site_of_function(self, header: int) -> DefinitionSite | None:
        """Where the function with this head is defined; ``None`` where its name is not read, beside null characters."""
        token = name_of_head(self.analysis.segments[header].tokens[0])
        if token is None or token not in self.local(header).definitions:
            return None
        return DefinitionSite(header, token)

    def site(self, index: int, kind: SymbolKind, name: str) -> DefinitionSite | None:
        """Where something outside of the function that a segment is part of is defined, which has this name there."""
        analysis = self.analysis
        if kind is SymbolKind.FUNCTION:
            header = self.headers.get(name)
            return self.site_of_function(header) if header is not None else None
        if kind is SymbolKind.GRAPH:
            function = analysis.function_at(index)
            defined = analysis.outer_definition(function, name) if function is not None else None
            return DefinitionSite(*defined) if defined is not None else None
        if kind is SymbolKind.TYPE_PARAMETER:
            function = self.plain(index)
            if function is None:
                return None
            parameters = function.head.definitions
            return next(
                (DefinitionSite(function.start - 1, each.token) for each in parameters if each.name == name), None
            )
        names = analysis.context.types.reading.names
        definition = (names.types if kind is SymbolKind.TYPE else names.constructors).get(name)
        return (
            DefinitionSite(analysis.types[definition.unit.number], definition.token)
            if definition is not None and definition.unit
            else None
        )

    def named_tokens(self, index: int) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """What kind of thing each token of a segment names, and whether it defines it; and those that name nothing."""
        state = self.state(index)
        if state is not None and state.is_flat:
            return self._named_in_shared(index, state, state.segment.pieces)
        local = self.local(index)
        named: dict[int, tuple[SymbolKind, bool]] = {}
        for token, (by, at) in local.uses.items():
            other = local if by == 0 else self.local(index + by)
            named[token] = (other.definitions[at][0], False)
        named.update((token, (kind, False)) for token, (kind, _) in local.outside.items())
        named.update((token, (kind, True)) for token, (kind, _) in local.definitions.items())
        unresolved = set(local.unresolved)
        function = self.plain(index)
        if state is not None and function is not None:
            kinds, texts, _ = self.analysis.segments[index].tokens
            uses = frozenset(state.uses)
            for token, kind in enumerate(kinds):
                if kind in VALUES and token not in named:
                    name = texts[token]
                    bound = function.bound_before(name, state.order)
                    if bound is not None:
                        named[token] = (bound.kind, False)
                    elif name in function.parameters:
                        named[token] = (SymbolKind.PARAMETER, False)
                    elif kind == GRAPH and self.analysis.outer_definition(function, name) is not None:
                        named[token] = (SymbolKind.GRAPH, False)
                    elif name in uses:
                        unresolved.add(token)
        return named, unresolved

    def _named_in_shared(
        self, index: int, state: TypedStatement, pieces: Sequence[str]
    ) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """The same for a statement without errors that binds one name and no others inside it."""
        function = self.plain(index)
        assert function is not None
        segment, bound, bound_at, token = state.segment, state.bound, state.bound_at, 0
        outside = self._outside(segment, state.lowered)
        named = {token: (kind, False) for token, (kind, _) in outside.items()}
        unresolved: set[int] = set()
        for kind, piece in zip(segment.kinds, pieces, strict=True):
            if kind in VALUES:
                name = piece.rstrip(WHITE_SPACE)
                declares = name == bound and token == bound_at
                if kind == GRAPH:
                    named[token] = (SymbolKind.GRAPH, declares)
                else:
                    defined = state if declares else function.bound_before(name, state.order)
                    named[token] = (SymbolKind.PARAMETER if defined is None else defined.kind, declares)
            elif kind == GLOBAL and token not in named:
                unresolved.add(token)
            if kind != COMMENT:
                token += 1
        return named, unresolved

    def token_likeness(self, index: int) -> TokenLikeness | None:
        """What the tokens of a segment have in common with those of others; ``None`` where they are looked at alone."""
        state = self.state(index)
        if state is None or not state.is_flat or not state.segment.text.isascii():
            return None
        segment = state.segment
        kinds, pieces = segment.kinds, segment.pieces
        named, unresolved = self._named_in_shared(index, state, pieces)
        comments = list(compress(pieces, map(COMMENTS.__contains__, kinds)))
        key = (kinds, tuple(map(len, pieces)), segment.text.translate(_BLANKS_ALONE), *named.items(), *unresolved)
        return TokenLikeness(state.lowered.memo, key, comments)

    def token_memo(self, index: int) -> dict[object, object]:
        """What is cached of a segment as long as its tokens mean the same."""
        state, segment = self.state(index), self.analysis.segments[index]
        if state is not None:
            return state.memo
        if segment.role is Role.CLOSE:
            return segment.memo
        if segment.role is Role.HEADER:
            return self.analysis.context.head_cache.head(segment).memo
        if index in self.type_numbers:
            memo = self.analysis.context.types.memos[self.type_numbers[index]]
            # The blanks behind a data type may be others than when it was read.
            return cast("dict[object, object]", memo.setdefault(segment.text, {}))
        whole = self.whole(index)
        return segment.memo if whole is None else whole[0].memos[whole[1]]


def _bound_in(state: TypedStatement) -> Mapping[int, tuple[SymbolKind, str]]:
    """The name that a statement binds, which has no others of its own."""
    bound = state.bound
    if bound is None:
        return {}
    return {state.bound_at: (state.kind, bound)}


def _local_of_whole(function: WholeFunctionAnalysis, number: int) -> LocalNames:
    memo = function.memos[number]
    if not isinstance(memo.get(LocalNames), LocalNames):
        memo[LocalNames] = _names_of_whole(function, number)
    return cast("LocalNames", memo[LocalNames])


def _names_of_whole(function: WholeFunctionAnalysis, number: int) -> LocalNames:
    definitions = {
        token: (definition.kind, definition.name) for token, definition in function.definitions[number].items()
    }
    uses: dict[int, tuple[int, int]] = {}
    outside: dict[int, tuple[SymbolKind, str]] = {}
    for token, meaning in function.meanings[number].items():
        if meaning.unit is None or meaning.kind is SymbolKind.FUNCTION:
            outside[token] = (meaning.kind, meaning.name)
        else:
            uses[token] = (meaning.unit - number, meaning.token)
    unresolved = cast("Mapping[int, set[int]] | None", function.memo.get(_names_of_whole))
    if unresolved is None:
        by_segment: dict[int, set[int]] = {}
        for unit, token in function.unresolved:
            by_segment.setdefault(unit, set()).add(token)
        unresolved = function.memo[_names_of_whole] = by_segment
    return LocalNames(definitions, uses, outside, frozenset(unresolved.get(number, ())))
