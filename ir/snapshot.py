"""An immutable snapshot of a buffer: text, syntax, names, types and diagnostics, together.

This is the one thing that editor features look at. Everything is computed when first asked for, and answers on broken
text too. An edit gives a new snapshot that shares with the old one whatever did not change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

from .call_sites import CallSite, call_around
from .diagnostics import Diagnostic, Place, Severity, in_order
from .expressions import Constructor, Expr, Function, GlobalVar, Var
from .incremental import Analysis, analyse
from .inference import Inferred, infer_types
from .inference.fixes import fixes_for
from .module import IRModule
from .parts import Part
from .source import LineIndex, TextSpan
from .statement_names import StatementNames
from .symbols import Symbol, is_visible
from .syntax.lexer import WHITE_SPACE
from .syntax.parsing import Parsed
from .syntax.reading import Reading
from .syntax.scopes import Definition, SymbolKind
from .syntax.splitting import Splice, Split, split_text
from .syntax.tree import SyntaxNode, TokenRole, nodes_at, roles_of, statement_range, token_index_at
from .syntax.units import Unit
from .types import FuncType, Type, TypeCall
from .unused import meant_names, unused_in
from .unused import report as report_unused

__all__ = ["CallSite", "Part", "Snapshot", "Symbol", "SymbolKind", "SyntaxNode", "Token", "TokenGroup", "TokenRole"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token or comment. ``kind`` is its character of :mod:`~.syntax.tokens`."""

    kind: str
    span: TextSpan
    text: str
    role: TokenRole
    declaration: bool = False


@dataclass(frozen=True, slots=True)
class TokenGroup:
    """The tokens of a part of the text. While that part means the same, ``memo`` is the same, whatever is around it."""

    text: str
    memo: dict[object, object]
    tokens: Callable[[], Iterator[tuple[int, str, TokenRole, bool]]]
    """Where each token and comment begins in ``text``, its own text, what it is, and whether it defines a name."""


class Snapshot:
    """A buffer at one moment."""

    def __init__(self, lines: LineIndex, name: str, split: Split, origin: tuple[Snapshot, Splice] | None) -> None:
        self.lines: Final = lines
        self.name: Final = name
        self._split: Final = split
        self._origin = origin

    @staticmethod
    def open(text: str, name: str) -> Snapshot:
        """The snapshot of a text."""
        lines = LineIndex(text)
        return Snapshot(lines, name, split_text(lines), None)

    def edit(self, span: TextSpan, new_text: str, lines: LineIndex | None = None) -> Snapshot:
        """The snapshot after ``new_text`` replaced ``span``; ``lines`` is the index of the edited text, if at hand."""
        lines = lines or self.lines.edited(span, new_text)
        split, splice = self._split.edited(lines, span, len(new_text))
        return Snapshot(lines, self.name, split, (self, splice))

    @property
    def text(self) -> str:
        """The text."""
        return self.lines.text

    # ---- meaning

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.text, self.name, self._split.segments)

    @cached_property
    def parsed(self) -> Parsed:
        """The module before inference."""
        return Parsed(self._reading.module, tuple(self._reading.diagnostics), self._reading)

    @cached_property
    def _inferred(self) -> Inferred:
        return infer_types(self._reading.module)

    @property
    def module(self) -> IRModule:
        """The module with types, as far as it could be typed."""
        return self._inferred.module

    @cached_property
    def _analysis(self) -> Analysis | None:
        origin, self._origin = self._origin, None  # what came before is needed once, and must not be kept alive
        before, splice = origin or (None, None)
        earlier: Analysis | None = before.__dict__.get("_analysis") if before is not None else None
        return analyse(self._split.segments, earlier, splice)

    @property
    def is_followed(self) -> bool:
        """Whether it was followed statement by statement from the snapshot before: then it costs little to ask it."""
        if "_analysis" not in self.__dict__:
            before = self._origin[0] if self._origin is not None else None
            if before is None or before.__dict__.get("_analysis") is None:
                return False
        return self._analysis is not None

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong, in the order of the text."""
        if self._analysis is not None:
            found = self._analysis.diagnostics()
            unused = self._analysis.unused()
        else:
            located = map(self._located, self._inferred.diagnostics)
            found = list(self._without_followers(in_order([*self._reading.diagnostics, *located])))
            unused = iter(unused_in(self._reading.lowering))
        meant = frozenset(meant_names(found))
        hints = [report_unused(value, self.lines) for value in unused if value.name not in meant]
        return tuple(in_order([*found, *hints]) if hints else found)

    def _without_followers(self, found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
        """Leave out types that cannot be inferred in a function with another error: that is why they cannot."""
        broken = [d.span for d in found if d.severity is Severity.ERROR and d.code != "cannot-infer-type" and d.span]
        extents = [TextSpan(start, end) for _, start, end in self._reading.extents]
        faulty = [extent for extent in extents if any(extent.contains(span.start) for span in broken)]
        for diagnostic in found:
            span = diagnostic.span or TextSpan(0, 0)
            if diagnostic.code == "cannot-infer-type" and any(extent.contains(span.start) for extent in faulty):
                continue
            yield diagnostic

    def _located(self, diagnostic: Diagnostic) -> Diagnostic:
        located = diagnostic.located(self._place_span)
        span = located.span
        fixes = diagnostic.fixes or (fixes_for(diagnostic, span, self.text, self._place_span) if span else ())
        return replace(located, span=span or TextSpan(0, 0), fixes=fixes, data=None)

    @cached_property
    def _names(self) -> StatementNames | None:
        """What names mean, where that is known statement by statement."""
        return StatementNames(self._analysis) if self._analysis is not None else None

    def _place_span(self, place: Place) -> TextSpan | None:
        if self._names is not None and self._names.knows(place.expr):
            return self._names.locate(place)
        original = self._original(place.expr)
        return self._reading.locate(Place(original, place.argument, place.attribute, place.callee))

    def _original(self, expr: Expr) -> Expr:
        replaced = self._inferred.replaced
        while expr in replaced:
            expr = replaced[expr]
        return expr

    @cached_property
    def _replacements(self) -> dict[Expr, Expr]:
        """The expression of the typed module for each one of the untyped that inference replaced."""
        return {old: new for new, old in self._inferred.replaced.items()}

    def typed(self, expr: Expr) -> Expr:
        """The expression of :attr:`module` that stands for one that was read from the text."""
        while expr in self._replacements:
            expr = self._replacements[expr]
        return expr

    # ---- tokens and nodes

    def _unit(self, index: int) -> Unit:
        return Unit(self._split.segments[index], index, self._split.segments.start(index))

    def _index_at(self, offset: int) -> int:
        return self._split.segments.index_at(offset)

    def _unit_at(self, offset: int) -> Unit | None:
        index = self._index_at(offset)
        return self._unit(index) if index >= 0 else None

    @cached_property
    def _resolved(self) -> dict[int, dict[int, Definition]]:
        """For each unit the definitions that its tokens name."""
        found: dict[int, dict[int, Definition]] = {}
        lowering = self._reading.lowering
        for unit, token, definition in lowering.uses:
            found.setdefault(unit.number, {})[token] = definition
        for definition in lowering.definitions:
            if definition.unit is not None:
                found.setdefault(definition.unit.number, {})[definition.token] = definition
        return found

    @cached_property
    def _unresolved(self) -> set[tuple[int, int]]:
        return {(unit.number, token) for unit, token in self._reading.lowering.unresolved}

    def tokens(self, start: int = 0, end: int | None = None) -> Iterator[Token]:
        """The tokens and comments that overlap a range, in order."""
        end = len(self.text) if end is None else end
        for index in range(max(0, self._index_at(start)), len(self._split.segments)):
            unit = self._unit(index)
            if unit.base >= end:
                return
            for token in self._unit_tokens(unit):
                if token.span.end > start and token.span.start < end:
                    yield token

    def parts(self) -> Iterator[Part]:
        """The text in parts that others may remember something of; put together, they are the text."""
        segments, analysis = self._split.segments, self._analysis
        if analysis is None:
            for index in range(len(segments)):
                yield Part(index, index + 1, segments.start(index), {})
            return
        for first, end, memo in analysis.states.runs(0, len(segments)):
            yield Part(first, end, segments.start(first), segments[first].memo if memo is None else memo)

    def token_groups(self, start: int = 0, end: int | None = None) -> Iterator[TokenGroup]:
        """The tokens and comments of the segments that overlap a range, in order."""
        end = self._split.segments.length if end is None else end
        first = max(0, self._index_at(start))
        return self._groups(first, min(len(self._split.segments), self._index_at(max(end - 1, 0)) + 1))

    def token_groups_in(self, part: Part) -> Iterator[TokenGroup]:
        """The tokens and comments of the segments of a part, in order."""
        return self._groups(part.first, part.end)

    def _groups(self, first: int, end: int) -> Iterator[TokenGroup]:
        segments, analysis = self._split.segments, self._analysis
        states = analysis.states[first:end] if analysis is not None else ()
        for offset, segment in enumerate(segments[first:end]):
            memo: dict[object, object] = {}
            if analysis is not None:
                state = states[offset]
                memo = segment.memo if state is None else state.memo
            yield TokenGroup(segment.text, memo, partial(self._group_tokens, first + offset))

    def token_groups_start(self, offset: int) -> int:
        """Where the first segment begins that :meth:`token_groups` gives for a range from ``offset`` on."""
        return self._split.segments.start(max(0, self._index_at(offset)))

    def _group_tokens(self, index: int) -> Iterator[tuple[int, str, TokenRole, bool]]:
        unit = self._unit(index)
        for _, offset, text, role, declaration in self._rows(unit):
            yield offset - unit.base, text, role, declaration

    def _unit_tokens(self, unit: Unit) -> Iterator[Token]:
        for kind, offset, text, role, declaration in self._rows(unit):
            yield Token(kind, TextSpan(offset, offset + len(text)), text, role, declaration)

    def _rows(self, unit: Unit) -> Iterator[tuple[str, int, str, TokenRole, bool]]:
        """The tokens and comments of a segment: kind, offset, text, what it is, and whether it defines a name."""
        segment = unit.segment
        state = self._analysis.states[unit.number] if self._analysis is not None else None
        alike = state.facts.shared if state is not None else None
        roles = roles_of(segment if alike is None else alike.unit.segment)
        named, unresolved = self._named_tokens(unit)
        index = 0
        following = unit.base
        for kind, piece in zip(segment.kinds, segment.pieces, strict=True):
            text = piece.rstrip(WHITE_SPACE)
            offset = following
            following += len(piece)
            if kind in "CK":
                if text:
                    yield kind, offset, text, TokenRole.COMMENT, False
                continue
            role = roles[index]
            declaration = False
            if kind in "ILG@":
                if index in named:
                    meant, declaration = named[index]
                    role = _ROLE_OF[meant]
                elif index in unresolved:
                    role = TokenRole.UNRESOLVED
            yield kind, offset, text, role, declaration
            index += 1

    def _named_tokens(self, unit: Unit) -> tuple[Mapping[int, tuple[SymbolKind, bool]], Container[int]]:
        """What the tokens of a unit name, and whether they define it; and the tokens that name nothing."""
        if self._names is not None:
            return self._names.named_tokens(unit.number)
        named: dict[int, tuple[SymbolKind, bool]] = {}
        for token, definition in self._resolved.get(unit.number, {}).items():
            own = definition.unit
            declaration = own is not None and own.number == unit.number and definition.token == token
            named[token] = (definition.kind, declaration)
        return named, {token for number, token in self._unresolved if number == unit.number}

    def count_tokens(self, role: TokenRole, span: TextSpan) -> int:
        """How many tokens in a range have this role, which must be one that the tokens around them decide."""
        first, last = max(0, self._index_at(span.start)), self._index_at(max(span.start, span.end - 1))
        count = 0
        for index in range(first, last + 1):
            roles = roles_of(self._split.segments[index])
            if first < index < last:
                count += roles.count(role)
                continue
            unit = self._unit(index)
            inside = (span.start <= unit.base + start < span.end for start in unit.segment.tokens[2])
            count += sum(found is role and here for found, here in zip(roles, inside, strict=True))
        return count

    def token_at(self, offset: int) -> Token | None:
        """The token or comment at ``offset``; between a name and what follows it, the name."""
        before: Token | None = None
        for token in self.tokens(max(0, offset - 1), offset + 1):
            if token.span.start <= offset < token.span.end:
                if before is not None and _is_name(before) and not _is_name(token):
                    return before
                return token
            if token.span.end == offset:
                before = token
        return before

    def node_at(self, offset: int) -> tuple[SyntaxNode, ...]:
        """The nodes of syntax around ``offset``, the innermost first."""
        unit = self._unit_at(offset)
        if unit is None:
            return ()
        return tuple(nodes_at(unit.segment, offset - unit.base, unit.base))

    def folding_ranges(self) -> Iterator[TextSpan]:
        """The ranges between braces and around brackets that an editor may fold."""
        opened: list[int] = []
        for index in range(len(self._split.segments)):
            unit = self._unit(index)
            kinds, _, starts = unit.segment.tokens
            for kind, start in zip(kinds, starts, strict=True):
                if kind in "{([":
                    opened.append(unit.base + start)
                elif kind in "})]" and opened:
                    yield TextSpan(opened.pop(), unit.base + start + 1)

    # ---- symbols

    @cached_property
    def symbols(self) -> Sequence[Symbol]:
        """Every definition, in the order of the text."""
        if self._names is not None:
            return list(self._names.symbols(0, len(self._split.segments)))
        return sorted(self._symbols_read.by_definition.values(), key=lambda symbol: symbol.span)

    @cached_property
    def functions(self) -> Sequence[Symbol]:
        """The functions of the module, in the order of the text; what is in them is not looked at."""
        if self._names is not None:
            return self._names.module_symbols()
        return [symbol for symbol in self.symbols if symbol.kind is SymbolKind.FUNCTION]

    def symbols_in(self, span: TextSpan) -> Sequence[Symbol]:
        """The definitions whose name begins in a range of the text, in order."""
        if self._names is not None:
            first, last = max(0, self._index_at(span.start)), self._index_at(span.end)
            found = self._names.symbols(first, last + 1)
            return [symbol for symbol in found if span.start <= symbol.span.start <= span.end]
        symbols = self.symbols
        first = bisect_left(symbols, span.start, key=lambda symbol: symbol.span.start)
        end = bisect_right(symbols, span.end, key=lambda symbol: symbol.span.start)
        return symbols[first:end]

    @cached_property
    def _symbols_read(self) -> _SymbolsRead:
        return _SymbolsRead(self._reading, self._definition_type)

    def symbol_at(self, offset: int) -> Symbol | None:
        """The symbol that the name at ``offset`` defines or uses."""
        unit = self._unit_at(offset)
        if unit is None:
            return None
        token = token_index_at(unit.segment, offset - unit.base)
        if token is None:
            return None
        if self._names is not None:
            home = self._names.meanings(unit.number)[0].get(token)
            return self._names.symbol(home) if home is not None else None
        definition = self._resolved.get(unit.number, {}).get(token)
        return self._symbols_read.by_definition.get(definition) if definition is not None else None

    def scope_at(self, offset: int) -> Sequence[Symbol]:
        """The symbols that are visible at ``offset``: values, those bound last first, then what the module defines."""
        return [*self.values_at(offset), *self.module_symbols]

    def values_at(self, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at ``offset``, those bound last first, one by one."""
        if self._names is not None:
            yield from self._names.values_at(self._index_at(offset), offset)
            return
        inner: dict[str, Symbol] = {}
        container: Symbol | None = None
        for symbol in self.symbols:
            if symbol.kind is SymbolKind.FUNCTION and symbol.full_span.contains(offset):
                container = symbol
        for symbol in self.symbols:
            if symbol.kind in _OF_MODULE:
                continue
            if symbol.span.end <= offset and symbol.container is container and self._is_visible(symbol, offset):
                inner[symbol.name] = symbol
        yield from reversed(inner.values())

    def typed_values_at(self, offset: int) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at ``offset`` with their types, those bound last first, each once.

        There may be a hundred thousand: whoever takes the first few pays for those.
        """
        if self._names is not None:
            yield from self._names.typed_values_at(self._index_at(offset), offset)
            return
        seen: set[str] = set()
        for symbol in self.values_at(offset):
            if symbol.kind is not SymbolKind.TYPE_PARAMETER and symbol.name not in seen:
                seen.add(symbol.name)
                yield symbol.name, symbol.type

    @cached_property
    def module_symbols(self) -> Sequence[Symbol]:
        """The functions, types and constructors of the module, in the order of the text."""
        if self._names is not None:
            return self._names.module_symbols()
        return [symbol for symbol in self.symbols if symbol.kind in _OF_MODULE]

    def _is_visible(self, symbol: Symbol, offset: int) -> bool:
        """Whether the block that a symbol is bound in is still open at ``offset``."""
        assert isinstance(symbol.key, Definition)
        return symbol.key.unit is None or is_visible(symbol, symbol.key.unit, offset)

    # ---- expressions and types

    @cached_property
    def _expressions(self) -> dict[tuple[int, int, int], Expr]:
        found: dict[tuple[int, int, int], Expr] = {}
        for expr, origin in self._reading.lowering.origins.items():
            found[(origin.unit.number, id(origin.statement), id(origin.node))] = expr
        return found

    def expr_at(self, offset: int) -> Expr | None:
        """The innermost expression at ``offset``, of the typed module."""
        symbol = self.symbol_at(offset)
        if symbol is not None:
            value = self._value_of(symbol)
            if value is not None:
                return value
        unit = self._unit_at(offset)
        if unit is None:
            return None
        for node in self.node_at(offset):
            if node.node is None:
                continue
            if self._names is not None:
                expr = self._names.expression(unit.number, node.statement, node.node)
                if expr is not None:
                    return expr
                continue
            expr = self._expressions.get((unit.number, id(node.statement), id(node.node)))
            if expr is not None:
                return self.typed(expr)
        return None

    def _value_of(self, symbol: Symbol) -> Expr | None:
        if self._names is not None:
            return self._names.value(symbol.key)
        assert isinstance(symbol.key, Definition)
        value = symbol.key.value
        return self.typed(value) if isinstance(value, Expr) else None

    def span_of(self, expr: Expr) -> TextSpan | None:
        """Where an expression (of the typed or the untyped module) is written."""
        return self._place_span(Place(expr))

    def type_of(self, what: Expr | Symbol) -> Type | None:
        """The type of an expression or symbol, where it is known."""
        if isinstance(what, Symbol):
            return what.type
        if self._names is not None and self._names.knows(what):
            return self._names.type_of(what)
        if isinstance(what, GlobalVar):
            function = self._function_of(what)
            return function.checked_type if function is not None else None
        expr = self.typed(what)
        if expr.checked_type is not None:
            return expr.checked_type
        return expr.type_annotation if isinstance(expr, Var) else None

    def _function_of(self, var: GlobalVar) -> Function | None:
        module = self.module
        found = module.find_global_var(var.name_hint)
        return module.functions[found] if found is not None else None

    def type_at(self, offset: int) -> Type | None:
        """The type of the innermost expression at ``offset``."""
        symbol = self.symbol_at(offset)
        if symbol is not None:
            return symbol.type
        expr = self.expr_at(offset)
        return self.type_of(expr) if expr is not None else None

    def _definition_type(self, definition: Definition) -> Type | None:
        value = definition.value
        if isinstance(value, Constructor):
            return _constructor_type(self.module, value)
        if isinstance(value, Expr):
            return self.type_of(value)
        return None

    # ---- calls

    def call_at(self, offset: int) -> CallSite | None:
        """The innermost call whose parentheses ``offset`` is between."""
        unit = self._unit_at(offset)
        if unit is None:
            return None
        return call_around(unit, offset)


class _SymbolsRead:
    """The symbols of a text that was read whole."""

    def __init__(self, reading: Reading, type_of: Callable[[Definition], Type | None]) -> None:
        self._type_of: Final = type_of
        self._extents: Final = {definition: TextSpan(start, end) for definition, start, end in reading.extents}
        self._written: Final[dict[Definition, list[TextSpan]]] = {}
        self.by_definition: Final[dict[Definition, Symbol]] = {}
        made, written = self.by_definition, self._written
        for definition in reading.lowering.definitions:
            unit = definition.unit
            if unit is None:
                continue
            container = made.get(definition.container) if definition.container is not None else None
            written[definition] = []
            made[definition] = Symbol(definition.kind, definition.name, container, self, definition)
        for unit, token, definition in reading.lowering.uses:
            if definition in written:
                written[definition].append(unit.span(token))

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
        return statement_range(key.unit.segment, key.token, key.unit.base)

    def uses(self, key: object) -> Sequence[TextSpan]:
        """Where the name is used."""
        assert isinstance(key, Definition)
        return self._written[key]

    def symbol_type(self, key: object) -> Type | None:
        """The type, where it is known."""
        assert isinstance(key, Definition)
        return self._type_of(key)


_OF_MODULE: Final = (SymbolKind.FUNCTION, SymbolKind.TYPE, SymbolKind.CONSTRUCTOR)

_ROLE_OF: Final = {
    SymbolKind.FUNCTION: TokenRole.FUNCTION,
    SymbolKind.TYPE: TokenRole.TYPE,
    SymbolKind.CONSTRUCTOR: TokenRole.CONSTRUCTOR,
    SymbolKind.TYPE_PARAMETER: TokenRole.TYPE_PARAMETER,
    SymbolKind.PARAMETER: TokenRole.PARAMETER,
    SymbolKind.LET: TokenRole.LOCAL,
    SymbolKind.GRAPH: TokenRole.GRAPH,
    SymbolKind.FREE_VAR: TokenRole.LOCAL,
    SymbolKind.PATTERN_VAR: TokenRole.LOCAL,
}


def _is_name(token: Token) -> bool:
    return token.kind in "ILG@TMsNFb" or token.text.isalpha()


def _constructor_type(module: IRModule, constructor: Constructor) -> Type | None:
    data = module.type_definitions.get(constructor.belong_to)
    parameters = data.type_vars if data is not None else ()
    result = TypeCall(constructor.belong_to, tuple(parameters))
    return FuncType(constructor.inputs, result, tuple(parameters))
