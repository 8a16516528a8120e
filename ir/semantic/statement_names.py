"""What the names of a text mean that is analysed function by function, without reading it whole.

Everything here is computed for the statements that are asked about. What a name means follows from the analysis; its
uses are searched among the statements of its function.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterator, Sequence
from itertools import chain
from typing import Final, cast
from weakref import WeakValueDictionary

from ..diagnostics import Diagnostic
from ..expressions import Constructor
from ..syntax.cuts import Role
from ..syntax.scopes import SymbolKind
from ..syntax.tokens import LOCAL
from ..syntax.tree import definition_tokens
from ..text.text_span import TextSpan
from ..type_visitor import known_type
from ..types import Type
from .cache_regions import CacheBlock, CacheRegion
from .function_places import function_places
from .function_statements import FunctionStatements, bindings_before
from .lints.unused import Unused
from .lowered_statement import LoweredStatement
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .module_findings import ModuleFindings
from .module_meaning import FunctionNames
from .name_uses import NameUses
from .segment_names import DefinitionSite, TokenLikeness
from .statement_expressions import StatementExpressions
from .symbols import OF_TYPES, Symbol, constructor_type, is_visible, parameters_among
from .typed_statement import TypedStatement
from .unused_values import unused_values
from .whole_function import WholeFunctionAnalysis

__all__ = ["DefinitionSite", "StatementNames"]


class StatementNames(StatementExpressions):
    """What the names of a text mean, by its analysis."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        super().__init__(analysis)
        self._findings: Final = ModuleFindings(analysis)
        self._in_text: Final = NameUses(analysis, self.in_segments)
        self._uses: Final[dict[DefinitionSite, Sequence[TextSpan]]] = {}
        self._symbols: Final[WeakValueDictionary[DefinitionSite, Symbol]] = WeakValueDictionary()
        """Those that a caller holds. They refer to this object, so it does not hold them: no circle keeps a text."""

    # ---- what is wrong

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        return self._findings.diagnostics()

    @property
    def unplaced(self) -> int:
        """How many findings there are besides those that :meth:`diagnostics` gave."""
        return self._findings.unplaced

    def unused(self) -> Sequence[Unused]:
        """The values that nothing uses."""
        return unused_values(self.analysis)

    # ---- what stays the same between edits

    def regions(self, first: int = 0, end: int | None = None) -> Iterator[CacheRegion]:
        """The text in regions: runs of statements, and segments of other kinds one by one."""
        segments = self.analysis.segments
        for start, stop, memo in self.analysis.states.runs(first, len(segments) if end is None else end):
            is_typed = memo is not None
            known = self.token_memo(start) if memo is None else memo
            yield CacheRegion(start, stop, segments.start(start), known, is_typed)

    def cache_blocks(self) -> Iterator[CacheBlock]:
        """The blocks of statements; functions read as a whole come last."""
        whole = (self.analysis.functions[number] for number in self.analysis.noteworthy.with_unused)
        return chain(
            self.analysis.states.cache_blocks(),
            (
                CacheBlock(function.start - 1, function.last + 1, function.memo, function.words_memo, False)
                for function in whole
                if isinstance(function, WholeFunctionAnalysis)
            ),
        )

    @property
    def call_memo(self) -> dict[object, object]:
        """What callers cache of :attr:`calls` as long as these stay the same."""
        return self.analysis.call_memo

    @property
    def text_memo(self) -> dict[object, object]:
        """What callers keep from one text to the one after an edit, with what shows whether it still holds."""
        return self.analysis.text_memo

    def template(self, index: int) -> LoweredStatement | None:
        """What a statement has in common with those that differ in names alone; ``None`` where it is not read alone."""
        state = self.analysis.states[index]
        return state.lowered if state is not None else None

    def shared_template(self, index: int) -> LoweredStatement | None:
        """The lowering of another statement that this one differs from in names alone, where there is one."""
        state = self.analysis.states[index]
        return state.shared if state is not None else None

    # ---- tokens

    def named_tokens(self, index: int) -> tuple[dict[int, tuple[SymbolKind, bool]], set[int]]:
        """What kind of thing each token of a segment names, and whether it defines it; and those that name nothing."""
        return self.in_segments.named_tokens(index)

    def token_memo(self, index: int) -> dict[object, object]:
        """What is cached of a segment as long as its tokens mean the same."""
        return self.in_segments.token_memo(index)

    def token_likeness(self, index: int) -> TokenLikeness | None:
        """What the tokens of a segment have in common with those of others; ``None`` where they are looked at alone."""
        return self.in_segments.token_likeness(index)

    # ---- symbols

    def symbol(self, site: DefinitionSite) -> Symbol:
        """The symbol of a definition: always the same one."""
        symbol = self._symbols.get(site)
        if symbol is None:
            kind, name = self.in_segments.definitions_in(site.segment)[site.token]
            container = self._container(site, kind)
            symbol = self._symbols.setdefault(site, Symbol(kind, name, container, self, site))
        return symbol

    def _container(self, site: DefinitionSite, kind: SymbolKind) -> Symbol | None:
        """What a definition is inside of: a function, or a data type."""
        if kind in (SymbolKind.FUNCTION, SymbolKind.TYPE):
            return None
        if site.segment in self.in_segments.type_numbers:
            defined = self.in_segments.definitions_in(site.segment)
            owner = next(token for token, (kind, _) in defined.items() if kind is SymbolKind.TYPE)
            return self.symbol(DefinitionSite(site.segment, owner))
        function = self.analysis.function_at(site.segment)
        return self._function_symbol(function) if function is not None else None

    def _function_symbol(self, function: AnalysedFunction) -> Symbol | None:
        site = self.in_segments.site_of_function(function.start - 1) if function.name else None
        return None if site is None else self.symbol(site)

    def symbol_at(self, index: int, token: int) -> Symbol | None:
        """The symbol that a token of a segment defines or uses."""
        site = self.in_segments.meaning(index, token)
        return self.symbol(site) if site is not None else None

    def head_memo(self, index: int) -> dict[object, object] | None:
        """What callers cache of a head that says the types of all its parameters; ``None`` for other segments."""
        function = self.analysis.function_at(index)
        if not isinstance(function, FunctionStatements) or function.start - 1 != index or not function.name:
            return None
        head = function.head
        return None if head.untyped or head.repeated else head.memo

    def symbols(self, first: int, end: int) -> Iterator[Symbol]:
        """The symbols defined in a range of segments."""
        inside: Symbol | None = None
        last = first - 1  # what the definitions up to this segment are inside of is the same for all
        for index in range(first, end):
            definitions = self.in_segments.definitions_in(index)
            if index > last:
                function = self.analysis.function_at(index)
                inside, last = None, index if function is None else function.last
            for token in sorted(definitions):
                site = DefinitionSite(index, token)
                symbol = self._symbols.get(site)
                if symbol is None:
                    kind, name = definitions[token]
                    is_outermost = kind in (SymbolKind.FUNCTION, SymbolKind.TYPE)
                    if inside is None and not is_outermost:
                        inside = self._container(site, kind)
                    made = Symbol(kind, name, None if is_outermost else inside, self, site)
                    symbol = self._symbols.setdefault(site, made)
                yield symbol

    def defined(self, first: int, end: int) -> Iterator[tuple[SymbolKind, str]]:
        """The kind and name of each definition in a range of segments, in order."""
        for index in range(first, end):
            yield from self.in_segments.defined(index)

    def values_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at an offset in a segment, those bound last first."""
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(function, index, offset)
        yield from map(self.symbol, reversed(inner.values()))
        if isinstance(function, WholeFunctionAnalysis):
            return
        symbols = self._symbols
        container = self._function_symbol(function)
        for earlier, state, name in bindings_before(self.analysis.states, function, index, inner):
            site = DefinitionSite(earlier, state.bound_at)
            symbol = symbols.get(site)
            if symbol is None:
                symbol = symbols.setdefault(site, Symbol(state.kind, name, container, self, site))
            yield symbol
        yield from self._of_head(function, index, inner)

    def type_parameters_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The type parameters that are visible at an offset in a segment; the statements before it bind none."""
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(function, index, offset)
        bound = map(self.symbol, reversed(inner.values()))
        yield from (symbol for symbol in bound if symbol.kind is SymbolKind.TYPE_PARAMETER)
        if not isinstance(function, WholeFunctionAnalysis):
            yield from self._of_head(function, index, inner, (SymbolKind.TYPE_PARAMETER,))

    def _of_head(
        self,
        function: FunctionStatements,
        index: int,
        inner: Container[str],
        kinds: Container[SymbolKind] = tuple(SymbolKind),
    ) -> Iterator[Symbol]:
        """What the head of a function defines and a statement in it can see, which binds ``inner`` names for itself."""
        if index >= function.start:
            for definition in reversed(function.head.definitions):
                if definition.name not in inner and definition.kind in kinds:
                    yield self.symbol(DefinitionSite(function.start - 1, definition.token))

    def typed_values_at(
        self, index: int, offset: int, wanted: re.Pattern[str] | None = None
    ) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at an offset in a segment, and their types; those bound last first.

        Each is given once, and no symbol is made for it. With ``wanted``, which matches lines, there are those whose
        names it matches, and the types of no others are analyzed.
        """
        function = self.analysis.function_at(index)
        if function is None:
            return
        inner = self._bound_inside(function, index, offset)
        for name, site in reversed(inner.items()):
            if wanted is None or wanted.match(name):
                symbol = self.symbol(site)
                if symbol.kind is not SymbolKind.TYPE_PARAMETER:
                    yield name, symbol.type
        if isinstance(function, WholeFunctionAnalysis):
            return
        for _, state, name in bindings_before(self.analysis.states, function, index, inner, wanted):
            yield name, known_type(state.type)
        if index >= function.start:
            for name, type in reversed(list(function.parameters.items())):
                if name not in inner and (wanted is None or wanted.match(name)):
                    yield name, known_type(type)

    def function_names(self, index: int) -> FunctionNames | None:
        """The names of the function around a segment; ``None`` outside of functions."""
        function = self.analysis.function_at(index)
        if function is None:
            return None
        if isinstance(function, WholeFunctionAnalysis):
            names = {name for _, name in self.defined(function.start - 1, function.last + 1)}
            return FunctionNames(names, {}, ())
        return FunctionNames(function.names, function.parameters, function.mentions.unused)

    def _bound_inside(self, function: AnalysedFunction, index: int, offset: int) -> dict[str, DefinitionSite]:
        """The values that are visible at an offset in a segment, by name: those that it binds for itself.

        In a function that is read as a whole, all those of the function. No symbol is made of a parameter: a head may
        have ten thousand.
        """
        inner: dict[str, DefinitionSite] = {}
        for at in range(function.start - 1 if isinstance(function, WholeFunctionAnalysis) else index, index + 1):
            unit = self.analysis.unit(at)
            _, _, starts = unit.segment.tokens
            definitions = self.in_segments.definitions_in(at)
            for site in self.in_segments.definitions(at):
                kind, name = definitions[site.token]
                if unit.base + starts[site.token] + len(name) > offset or kind is SymbolKind.FUNCTION:
                    continue
                if (kind is SymbolKind.PARAMETER and unit.segment.role is Role.HEADER) or is_visible(
                    self.symbol(site), unit, offset
                ):
                    inner[name] = site
        return inner

    @property
    def calls(self) -> Sequence[tuple[str, Collection[str]]]:
        """The functions of the module in the order of the text, and the names of those that each one names."""
        return [(function.name, function.calls) for function in self.analysis.functions if function.name]

    def functions_named(self, names: Collection[str]) -> Sequence[Symbol]:
        """The functions of the module that have one of some names, in order."""
        symbols = (self._function_symbol(function) for function in self.analysis.functions if function.name in names)
        return [symbol for symbol in symbols if symbol is not None]

    def function_names_among(self, names: Collection[str]) -> Sequence[tuple[str, int]]:
        """Those of some names that are those of functions of the module, and where they begin, in order."""
        return function_places(self.analysis, names)

    def parameters(self, index: int, within: TextSpan) -> Iterator[tuple[int, str, Type | None]]:
        """See :meth:`.ModuleMeaning.parameters`."""
        function = self.in_segments.plain(index)
        if function is None:
            start = self.analysis.segments.start(index)
            yield from parameters_among(self.symbols(index, index + 1), start, within)
            return
        kinds, texts, starts = self.analysis.segments[index].tokens
        types, repeated = function.parameters, function.head.repeated
        for token in range(bisect_left(starts, within.start), bisect_left(starts, within.end)):
            if kinds[token] == LOCAL and (type := types.get(texts[token])) is not None:
                yield starts[token], texts[token], known_type(repeated.get(token, type))

    def type_symbols(self) -> list[Symbol]:
        """The types and constructors of the module, in order."""
        symbols = (self.symbol(site) for index in self.analysis.types for site in self.in_segments.definitions(index))
        return [symbol for symbol in symbols if symbol.kind in OF_TYPES]

    @property
    def functions(self) -> Sequence[Symbol]:
        """The functions of the module, in order."""
        symbols = (self._function_symbol(function) for function in self.analysis.functions)
        return [symbol for symbol in symbols if symbol is not None]

    def function_before(self, index: int, offset: int) -> Symbol | None:
        """The last function that begins at an offset in a segment or before it."""
        functions = self.analysis.functions
        count = bisect_right(functions, index, key=lambda function: function.start - 1)
        symbols = (self._function_symbol(function) for function in reversed(functions[:count]))
        return next((symbol for symbol in symbols if symbol is not None), None)

    def name_span(self, key: object) -> TextSpan:
        """The range of a name."""
        assert isinstance(key, DefinitionSite)
        return self.analysis.unit(key.segment).span(key.token)

    def full_span(self, key: object) -> TextSpan:
        """The range of a whole definition."""
        assert isinstance(key, DefinitionSite)
        unit = self.analysis.unit(key.segment)
        state = self.in_segments.state(key.segment)
        if state is not None:
            return unit.range(*_definition_tokens(state, key.token))
        kind = self.in_segments.definitions_in(key.segment)[key.token][0]
        if kind is SymbolKind.TYPE:
            return TextSpan(unit.base, unit.base + unit.segment.length)
        if kind is SymbolKind.FUNCTION:
            function = self.analysis.function_at(key.segment)
            assert function is not None
            last = self.analysis.unit(function.last)
            return TextSpan(unit.base, last.base + last.segment.length)
        return unit.range(*definition_tokens(unit.segment, key.token))

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where a name is used; cached here, since no caller need keep its symbol."""
        assert isinstance(key, DefinitionSite)
        spans = self._uses.get(key)
        if spans is None:
            spans = self._uses[key] = self._in_text.find(key)
        return spans

    def symbol_type(self, key: object) -> Type | None:
        """The type of a symbol."""
        assert isinstance(key, DefinitionSite)
        kind, name = self.in_segments.definitions_in(key.segment)[key.token]
        function = self.analysis.function_at(key.segment)
        if kind is SymbolKind.CONSTRUCTOR:
            types = self.analysis.context.types
            constructor = types.reading.names.constructors[name].value
            assert isinstance(constructor, Constructor)
            return constructor_type(types.module, constructor)
        if function is None:
            return None
        if kind is SymbolKind.FUNCTION:
            return known_type(function.checked_type)
        if isinstance(function, FunctionStatements):
            if key.segment == function.start - 1:
                return known_type(function.head.repeated.get(key.token) or function.parameters.get(name))
            state = self.in_segments.state(key.segment)
            if state is not None and state.bound is not None and key.token == state.bound_at:
                return known_type(state.type)
        return self.value_type(key)


def _definition_tokens(state: TypedStatement, token: int) -> tuple[int, int]:
    """The first and the last token of what a name is defined by, which are the same in those that are alike."""
    known = cast("dict[int, tuple[int, int]]", state.lowered.memo.setdefault(definition_tokens, {}))
    if token not in known:
        known[token] = definition_tokens(state.lowered.unit.segment, token)
    return known[token]
