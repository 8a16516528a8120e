"""A text that is read and inferred as a whole: its module, and what every name in it means.

This is how a module is read that a caller asks for, and what answers for a text that cannot be analysed function
by function.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final
from weakref import WeakValueDictionary

from msgspec.structs import replace

from ..collections.cached import cached
from ..diagnostics import Diagnostic, Place, Severity, in_order
from ..expressions import Constructor, Expr, Function, GlobalVar, Var
from ..inference import Inferred, infer_types
from ..inference.fixes import fixes_for
from ..internal_errors import internal_error
from ..module import IRModule, TypeData
from ..syntax.parsing import Parsed
from ..syntax.reading import Reading
from ..syntax.scopes import Definition, SymbolKind
from ..syntax.segment_list import Segments
from ..syntax.tree import definition_tokens
from ..text.text_span import TextSpan
from ..type_visitor import has_error
from ..types import ERROR, GlobalTypeVar, Type
from .cache_regions import CacheBlock, CacheRegion
from .lints.unused import Unused, unused_in
from .lowered_statement import LoweredStatement
from .module_meaning import FunctionNames
from .symbols import OF_MODULE, OF_TYPES, Symbol, constructor_type, is_visible, parameters_among

__all__ = ["WholeModuleAnalysis"]

_OF_FUNCTIONS: Final = frozenset(SymbolKind) - set(OF_MODULE)
"""What is known within one function."""


class WholeModuleAnalysis:
    """The meaning of a text, read from its first segment to its last."""

    def __init__(self, text: str, name: str, segments: Segments, with_spans: bool = True) -> None:
        self._text: Final = text
        self._segments: Final = segments
        self.reading: Final = Reading(text, name, segments, with_spans=with_spans)

    @cached
    def parsed(self) -> Parsed:
        """The module before inference."""
        return Parsed(self.reading.module, tuple(self.reading.diagnostics), self.reading)

    @cached
    def _inferred(self) -> Inferred:
        module = self.reading.module
        try:
            return infer_types(module)
        except Exception as error:
            fault = internal_error(error, "looking for the types of this module", TextSpan(0, 0))
            return Inferred(module, (fault,), {})

    @property
    def module(self) -> IRModule:
        """The module with types, as far as it could be typed."""
        return self._inferred.module

    # ---- what is wrong

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        located = map(self._located, self._inferred.diagnostics)
        return list(self._without_followers(in_order([*self.reading.diagnostics, *located])))

    @property
    def unplaced(self) -> int:
        """None: all findings are given."""
        return 0

    def unused(self) -> Sequence[Unused]:
        """The values that nothing uses."""
        return unused_in(self.reading.lowering)

    def _without_followers(self, diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
        """Leave out types that cannot be inferred in a function with another error: that is why they cannot."""
        broken = [
            d.span for d in diagnostics if d.severity is Severity.ERROR and d.code != "cannot-infer-type" and d.span
        ]
        extents = [TextSpan(start, end) for _, start, end in self.reading.extents]
        reported = [extent for extent in extents if any(extent.contains(span.start) for span in broken)]
        for diagnostic in diagnostics:
            span = diagnostic.span or TextSpan(0, 0)
            if diagnostic.code == "cannot-infer-type" and any(extent.contains(span.start) for extent in reported):
                continue
            yield diagnostic

    def _located(self, diagnostic: Diagnostic) -> Diagnostic:
        located = diagnostic.located(self.locate)
        span = located.span
        fixes = diagnostic.fixes or (fixes_for(diagnostic, span, self._text, self.locate) if span else ())
        return replace(located, span=span or TextSpan(0, 0), fixes=fixes, data=None)

    # ---- what stays the same between edits

    def regions(self, first: int = 0, end: int | None = None) -> Iterator[CacheRegion]:
        """The segments one by one: nothing that is cached of them outlives an edit."""
        for index in range(first, len(self._segments) if end is None else end):
            yield CacheRegion(index, index + 1, self._segments.start(index), {}, False)

    def cache_blocks(self) -> Iterator[CacheBlock]:
        """The segments one by one."""
        for index in range(len(self._segments)):
            yield CacheBlock(index, index + 1, {}, {}, False)

    @property
    def call_memo(self) -> dict[object, object]:
        """Nothing is cached of the calls."""
        return {}

    @property
    def text_memo(self) -> dict[object, object]:
        """Nothing is kept from one text to the next."""
        return {}

    def template(self, index: int) -> LoweredStatement | None:
        """No statement is read alone."""
        return None

    def token_likeness(self, index: int) -> None:
        """The tokens of a statement are looked at alone."""
        return

    def shared_template(self, index: int) -> LoweredStatement | None:
        """No statement is read alone."""
        return None

    # ---- expressions and types

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression, of the typed or the untyped module."""
        expr, replaced = place.expr, self._inferred.replaced
        while expr in replaced:
            expr = replaced[expr]
        return self.reading.locate(replace(place, expr=expr))

    @cached
    def _replacements(self) -> dict[Expr, Expr]:
        """The expression of the typed module for each one of the untyped that inference replaced."""
        return {old: new for new, old in self._inferred.replaced.items()}

    def typed(self, expr: Expr) -> Expr:
        """The expression of :attr:`module` that stands for one that was read from the text."""
        while expr in self._replacements:
            expr = self._replacements[expr]
        return expr

    @cached
    def _expressions(self) -> dict[tuple[int, int, int], Expr]:
        expressions: dict[tuple[int, int, int], Expr] = {}
        for expr, origin in self.reading.lowering.origins.items():
            expressions[(origin.unit.number, id(origin.statement), id(origin.node))] = expr
        return expressions

    def expression(self, index: int, statement: object, node: object) -> Expr | None:
        """The expression, of the typed module, made from a node of the syntax of a segment."""
        expr = self._expressions.get((index, id(statement), id(node)))
        return self.typed(expr) if expr is not None else None

    def value(self, key: object) -> Expr | None:
        """The expression that a symbol stands for."""
        assert isinstance(key, Definition)
        return self.typed(key.value) if isinstance(key.value, Expr) else None

    def knows(self, expr: Expr) -> bool:
        """Whether it can tell the type of an expression."""
        return True

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types of the module."""
        return self.reading.types

    def statement_type(self, index: int) -> Type | None:
        """No statement is read alone."""
        return None

    def type_ending_at(self, index: int, token: int) -> Type | None:
        """No statement shares its lowering."""
        return None

    def parts_typed(self, index: int) -> Mapping[Expr, Type] | None:
        """No statement is read alone."""
        return None

    def statement_types(
        self, block: CacheBlock, is_true: Callable[[str, Type], bool] | None = None
    ) -> Sequence[Type | None]:
        """No statement is read alone."""
        return [ERROR] * (block.end - block.first)

    def type_of(self, expr: Expr) -> Type | None:
        """The type of an expression of the typed or the untyped module, where all of it is known."""
        if isinstance(expr, GlobalVar):
            function = self._function_of(expr)
            return function.checked_type if function is not None else None
        expr = self.typed(expr)
        type = expr.checked_type
        if type is None and isinstance(expr, Var):
            type = expr.type_annotation
        return None if type is None or has_error(type) else type

    def _function_of(self, var: GlobalVar) -> Function | None:
        global_var = self.module.find_global_var(var.name_hint)
        return self.module.functions[global_var] if global_var is not None else None

    # ---- tokens

    def named_tokens(self, index: int) -> tuple[Mapping[int, tuple[SymbolKind, bool]], Container[int]]:
        """What the tokens of a segment name, and whether they define it; and the tokens that name nothing."""
        named: dict[int, tuple[SymbolKind, bool]] = {}
        for token, definition in self._resolved.get(index, {}).items():
            own = definition.unit
            declaration = own is not None and own.number == index and definition.token == token
            named[token] = (definition.kind, declaration)
        return named, {token for number, token in self._unresolved if number == index}

    @cached
    def _resolved(self) -> dict[int, dict[int, Definition]]:
        """For each segment the definitions that its tokens name."""
        by_segment: dict[int, dict[int, Definition]] = {}
        lowering = self.reading.lowering
        for unit, token, definition in lowering.uses:
            by_segment.setdefault(unit.number, {})[token] = definition
        for definition in lowering.definitions:
            if definition.unit is not None:
                by_segment.setdefault(definition.unit.number, {})[definition.token] = definition
        return by_segment

    @cached
    def _unresolved(self) -> set[tuple[int, int]]:
        return {(unit.number, token) for unit, token in self.reading.lowering.unresolved}

    def token_memo(self, index: int) -> dict[object, object]:
        """What is cached of a segment as long as its tokens mean the same."""
        return {}

    # ---- symbols

    @cached
    def _definitions(self) -> list[tuple[int, Definition]]:
        """What is defined in the text, in order, each with the offset of its name."""
        places = ((definition.unit, definition) for definition in self.reading.lowering.definitions)
        named = ((unit.span(definition.token), definition) for unit, definition in places if unit is not None)
        return [(span.start, definition) for span, definition in sorted(named, key=lambda placed: placed[0])]

    @cached
    def _symbols(self) -> WeakValueDictionary[Definition, Symbol]:
        # The symbols that callers hold: they know this analysis, which must not keep them, as what is in a circle is
        # left to the garbage collector with each edit.
        return WeakValueDictionary()

    def _symbol(self, definition: Definition) -> Symbol:
        """The symbol of a definition: always the same one."""
        symbol = self._symbols.get(definition)
        if symbol is None:
            container = definition.container
            outer = self._symbol(container) if container is not None and container.unit is not None else None
            made = Symbol(definition.kind, definition.name, outer, self, definition)
            symbol = self._symbols.setdefault(definition, made)
        return symbol

    def _symbols_of(self, kinds: Collection[SymbolKind]) -> Iterator[Symbol]:
        """The symbols of some kinds, in the order of the text."""
        return (self._symbol(definition) for _, definition in self._definitions if definition.kind in kinds)

    def symbol_at(self, index: int, token: int) -> Symbol | None:
        """The symbol that a token of a segment defines or uses."""
        definition = self._resolved.get(index, {}).get(token)
        return self._symbol(definition) if definition is not None and definition.unit is not None else None

    def head_memo(self, index: int) -> dict[object, object] | None:
        """Nothing: the next edit reads all of the text anew."""
        return None

    def symbols(self, first: int, end: int) -> Iterator[Symbol]:
        """The symbols defined in a range of segments, in order."""
        return map(self._symbol, self._defined(first, end))

    def _defined(self, first: int, end: int) -> Iterator[Definition]:
        in_order, segments = self._definitions, self._segments
        if end <= first:
            return iter(())
        start = bisect_left(in_order, segments.start(first), key=itemgetter(0))
        stop = segments.start(end) if end < len(segments) else segments.length
        last = bisect_left(in_order, stop, key=itemgetter(0))
        return (definition for _, definition in in_order[start:last])

    def defined(self, first: int, end: int) -> Iterator[tuple[SymbolKind, str]]:
        """The kind and name of each definition in a range of segments, in order."""
        return ((definition.kind, definition.name) for definition in self._defined(first, end))

    @property
    def calls(self) -> Sequence[tuple[str, Collection[str]]]:
        """The functions of the module in the order of the text, and the names of those that each one names."""
        calls: list[tuple[str, set[str]]] = []
        heads: list[int] = []
        for symbol in self._functions:
            calls.append((symbol.name, set()))
            heads.append(symbol.full_span.start)
        for unit, token, definition in self.reading.lowering.uses:
            if definition.kind is SymbolKind.FUNCTION and heads:
                calls[max(0, bisect_right(heads, unit.span(token).start) - 1)][1].add(definition.name)
        return calls

    def functions_named(self, names: Collection[str]) -> Sequence[Symbol]:
        """The functions of the module that have one of some names, in order."""
        return [function for function in self._functions if function.name in names]

    def function_names_among(self, names: Collection[str]) -> Sequence[tuple[str, int]]:
        """Those of some names that are those of functions of the module, and where they begin, in order."""
        return [(function.name, function.span.start) for function in self.functions_named(names)]

    def parameters(self, index: int, within: TextSpan) -> Iterator[tuple[int, str, Type | None]]:
        """See :meth:`.ModuleMeaning.parameters`."""
        return parameters_among(self.symbols(index, index + 1), self._segments.start(index), within)

    def type_symbols(self) -> list[Symbol]:
        """The types and constructors of the module, in order."""
        return list(self._symbols_of(OF_TYPES))

    @cached
    def _functions(self) -> Sequence[Symbol]:
        return list(self._symbols_of((SymbolKind.FUNCTION,)))

    @property
    def functions(self) -> Sequence[Symbol]:
        """The functions of the module, in order."""
        return self._functions

    def function_before(self, index: int, offset: int) -> Symbol | None:
        """The last function that begins at an offset in a segment or before it."""
        count = bisect_right(self._functions, offset, key=lambda function: function.full_span.start)
        return self._functions[count - 1] if count else None

    def values_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at an offset in a segment, those bound last first."""
        inner: dict[str, Symbol] = {}
        function = self.function_before(index, offset)
        container = function if function is not None and function.full_span.contains(offset) else None
        for symbol in self._symbols_of(_OF_FUNCTIONS):
            if symbol.span.end <= offset and symbol.container is container and self._is_visible(symbol, offset):
                inner[symbol.name] = symbol
        yield from reversed(inner.values())

    def type_parameters_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The type parameters among these."""
        return (symbol for symbol in self.values_at(index, offset) if symbol.kind is SymbolKind.TYPE_PARAMETER)

    def typed_values_at(
        self, index: int, offset: int, wanted: re.Pattern[str] | None = None
    ) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at an offset in a segment, and their types; those bound last first.

        Each is given once. With ``wanted``, there are those whose names it matches.
        """
        seen: set[str] = set()
        for symbol in self.values_at(index, offset):
            if symbol.kind is not SymbolKind.TYPE_PARAMETER and symbol.name not in seen:
                seen.add(symbol.name)
                if wanted is None or wanted.match(symbol.name):
                    yield symbol.name, symbol.type

    def function_names(self, index: int) -> FunctionNames | None:
        """The names of all functions: which one is around a segment decides little here, where all are read anew."""
        names = {definition.name for _, definition in self._definitions if definition.kind in _OF_FUNCTIONS}
        return FunctionNames(names, {}, ())

    def _is_visible(self, symbol: Symbol, offset: int) -> bool:
        """Whether the block that a symbol is bound in is still open at ``offset``."""
        assert isinstance(symbol.key, Definition)
        return symbol.key.unit is None or is_visible(symbol, symbol.key.unit, offset)

    # ---- what symbols ask

    @cached
    def _extents(self) -> dict[Definition, TextSpan]:
        return {definition: TextSpan(start, end) for definition, start, end in self.reading.extents}

    @cached
    def _uses(self) -> Mapping[Definition, Sequence[TextSpan]]:
        uses: dict[Definition, list[TextSpan]] = {}
        for unit, token, definition in self.reading.lowering.uses:
            uses.setdefault(definition, []).append(unit.span(token))
        return uses

    def name_span(self, key: object) -> TextSpan:
        """The range of the name."""
        assert isinstance(key, Definition)
        assert key.unit is not None
        return key.unit.span(key.token)

    def full_span(self, key: object) -> TextSpan:
        """The range of the whole definition."""
        assert isinstance(key, Definition)
        extent = self._extents.get(key)
        if extent is not None or key.unit is None:
            return extent or TextSpan(0, 0)
        return key.unit.range(*definition_tokens(key.unit.segment, key.token))

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where the name is used."""
        assert isinstance(key, Definition)
        return self._uses.get(key, ())

    def symbol_type(self, key: object) -> Type | None:
        """The type, where it is known."""
        assert isinstance(key, Definition)
        value = key.value
        if isinstance(value, Constructor):
            return constructor_type(self.module, value)
        return self.type_of(value) if isinstance(value, Expr) else None
