"""An immutable snapshot of a buffer: text, syntax, names, types and diagnostics, together.

This is the one thing that editor features look at. Everything is computed when first asked for, and answers on broken
text too. An edit gives a new snapshot that shares with the old one whatever did not change.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, cast

from ..cancellation import check_cancelled
from ..collections.block_list import common_beginning
from ..collections.cached import cached
from ..diagnostics import Diagnostic, Place, in_order
from ..expressions import Expr
from ..internal_errors import internal_error
from ..module import IRModule, TypeData
from ..syntax.parsing import Parsed
from ..syntax.scopes import SymbolKind
from ..syntax.splitting import Splice, Split, split_text
from ..syntax.tree import SyntaxNode, TokenRole, nested_calls, token_index_at
from ..text.line_index import LineIndex
from ..text.text_span import TextSpan
from ..types import GlobalTypeVar, Type
from .cache_regions import CacheBlock, CacheRegion
from .call_sites import CallSite, WrittenCall, call_around, named_calls
from .declarations import AnalysisFault
from .incremental import ModuleAnalysis, analyse
from .lints.unused import Unused, suggested_names
from .module_meaning import FunctionNames, ModuleMeaning
from .progress import PartialAnalysis, Progress, nothing_yet
from .snapshot_tokens import SnapshotTokens, Token, TokenGroup
from .statement_names import StatementNames
from .symbols import Symbol
from .whole_module import WholeModuleAnalysis

__all__ = [
    "CacheBlock",
    "CacheRegion",
    "CallSite",
    "PartialSnapshot",
    "Snapshot",
    "Symbol",
    "SymbolKind",
    "SyntaxNode",
    "Token",
    "TokenGroup",
    "TokenRole",
    "WrittenCall",
]


class _KnownHints(NamedTuple):
    """Values that nothing uses, and the hint about each."""

    values: Sequence[Unused]
    hints: Sequence[Diagnostic]


class Snapshot(SnapshotTokens):
    """A buffer at one moment."""

    def __init__(
        self,
        lines: LineIndex,
        name: str,
        split: Split,
        origin: tuple[Snapshot, Splice] | None,
        with_spans: bool = True,
    ) -> None:
        super().__init__(lines, split)
        self._with_spans: Final = with_spans
        self.name: Final = name
        self._origin = origin
        self._call_asked: tuple[int, CallSite | None] = (-1, None)
        """The offset that a call was looked for around last, and that call: one answer asks for it more than once."""
        self._faults: Final[list[Diagnostic]] = []
        """Faults of ours that were met while the text was read, after which it was read otherwise."""

    @staticmethod
    def open(text: str | LineIndex, name: str, *, with_spans: bool = True) -> Snapshot:
        """The snapshot of a text, or of the one that an index is of.

        Without ``with_spans``, the expressions of :attr:`parsed` and :attr:`module` have no spans; places in the text
        are known all the same.
        """
        lines = text if isinstance(text, LineIndex) else LineIndex(text)
        return Snapshot(lines, name, split_text(lines), None, with_spans)

    @staticmethod
    def open_whole(text: str, name: str) -> Snapshot:
        """The snapshot of a text that is read as a whole, also where its statements could be followed one by one."""
        snapshot = Snapshot.open(text, name)
        snapshot.__dict__["_analysis"] = None
        return snapshot

    def edit(self, span: TextSpan, new_text: str, lines: LineIndex | None = None) -> Snapshot:
        """The snapshot after ``new_text`` replaced ``span``; ``lines`` is the index of the edited text, if at hand.

        Raises:
            ValueError: the span is not one of the text.
        """
        if not 0 <= span.start <= span.end <= self.lines.length:
            raise ValueError(f"{span} is no range of a text of {self.lines.length} code points")
        lines = lines or self.lines.edited(span, new_text)
        split, splice = self._split.edited(lines, span, len(new_text))
        return Snapshot(lines, self.name, split, (self, splice), self._with_spans)

    # ---- meaning

    @cached
    def _whole(self) -> WholeModuleAnalysis:
        """The text read as a whole: it costs what the whole text does, so few answers need it."""
        return WholeModuleAnalysis(self.text, self.name, self._split.segments, self._with_spans)

    @property
    def parsed(self) -> Parsed:
        """The module before inference."""
        return self._whole.parsed

    @property
    def module(self) -> IRModule:
        """The module with types, as far as it could be typed."""
        return self._whole.module

    @cached
    def _analysis(self) -> ModuleAnalysis | None:
        return self._followed(None)

    def _followed(self, progress: Progress | None) -> ModuleAnalysis | None:
        """What the edits of the snapshots before this one make of their analyses, one after the other."""
        before: list[Snapshot] = []
        snapshot = self
        while (origin := snapshot._origin) is not None and origin[0]._origin is not None:
            snapshot = origin[0]
            before.append(snapshot)
        # Nothing is shown of a text that is not the one asked about.
        without_part: Progress | None = None if progress is None else lambda part: progress(nothing_yet)
        for snapshot in reversed(before):
            snapshot.__dict__["_analysis"] = snapshot._analysed(without_part)
            _ = snapshot.findings  # which those of the next build on
        return self._analysed(progress)

    def _analysed(self, progress: Progress | None) -> ModuleAnalysis | None:
        before, splice = self._origin or (None, None)
        earlier: ModuleAnalysis | None = before.__dict__.get("_analysis") if before is not None else None
        segments = self._split.segments
        try:
            analysis = analyse(segments, earlier, splice, progress)
        except Exception as error:
            self._faults.append(self._contained(error, "following the edit"))
            analysis = self._analysed_afresh()
        self._origin = None  # what came before is needed once, and must not be kept alive
        return analysis

    def _analysed_afresh(self) -> ModuleAnalysis | None:
        try:
            return analyse(self._split.segments, None, None)
        except Exception as error:
            self._faults.append(self._contained(error, "reading the text by its statements"))
            return None

    def _contained(self, error: Exception, doing: str) -> Diagnostic:
        """The finding for a fault of ours, at the segment that it was about, or else at the beginning of the text."""
        span = TextSpan(0, 0)
        if isinstance(error, AnalysisFault) and isinstance(error.__cause__, Exception):
            if 0 <= error.index < len(self._split.segments):
                unit = self._unit(error.index)
                span = unit.segment.first_span.shifted(unit.base)
            error = error.__cause__
        return internal_error(error, doing, span)

    def analyse(self, progress: Callable[[Callable[[], PartialSnapshot | None]], None]) -> None:
        """Analyse the text now, unless it is, and tell of the progress while that takes long.

        ``progress`` is given what makes the snapshot as far as it has come, where a part of it can be shown. An
        :class:`.WorkCancelled` that it raises ends the analysis, and is raised here; it can be asked for again.
        """
        if "_analysis" not in self.__dict__:
            self.__dict__["_analysis"] = self._followed(lambda part: progress(partial(self._part, part)))

    def prepare_for_edits(self) -> None:
        """Work out what the first edit that reaches further than its statement asks of the whole text.

        Of a hundred thousand statements, the marks of comments, the braces and the names each take 50 to 100 ms.
        """
        self.lines.count_comments()
        self._split.segments.count_braces()
        if self._analysis is not None:
            self._analysis.states.find_names()

    def _part(self, analysed: Callable[[], PartialAnalysis | None]) -> PartialSnapshot | None:
        part = analysed()
        if part is None:
            return None
        snapshot = Snapshot(self.lines, self.name, self._split, None, self._with_spans)
        snapshot.__dict__["_analysis"] = part.analysis
        before = self._origin[0].__dict__.get("_analysis") if self._origin is not None else None
        if before is not None:  # what follows is cached for the text itself, not for a part of it
            part.analysis.text_memo = dict(before.text_memo)
        start, unsettled = self._split.segments.start, part.analysis.unsettled
        body, head = TextSpan(start(unsettled.start), start(unsettled.stop)), part.open_head
        spans = (body,) if head is None else (TextSpan(start(head), start(head + 1)), body)
        return PartialSnapshot(snapshot, spans, part.knows_uses)

    @property
    def is_followed(self) -> bool:
        """Whether it was followed statement by statement from the snapshot before: then it costs little to ask it."""
        if "_analysis" not in self.__dict__:
            before = self._origin[0] if self._origin is not None else None
            if before is None or before.__dict__.get("_analysis") is None:
                return False
        return self._analysis is not None

    @property
    def looks_far(self) -> bool:
        """Whether text far beyond a statement tells where it ends: a brace or a comment is open, or may be."""
        return bool(self._split.far_sighted)

    @cached
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong, and the hints about values that nothing uses, in the order of the text."""
        hints = self._unused()
        return tuple(in_order([*self.findings, *hints]) if hints else self.findings)

    def diagnostics_with_hints(self, most: int) -> tuple[Sequence[Diagnostic], int]:
        """What is wrong, and the first ``most`` of the hints about unused values, in order; and how many are left out.

        A text may have ten thousand such hints: what is not shown of them is not worked out.
        """
        values = self.unused_values
        if len(values) <= most:
            return self.diagnostics, 0
        first = sorted(values, key=lambda value: (value.base, value.binding.token))[:most]
        return in_order([*self.findings, *self._hints_about(first)]), len(values) - most

    @cached
    def findings(self) -> Sequence[Diagnostic]:
        """What is wrong, in the order of the text, as far as it is shown (:data:`.MOST_DIAGNOSTICS`)."""
        errors = self._meaning.diagnostics()
        return in_order([*errors, *self._faults]) if self._faults else errors

    @property
    def unplaced_findings(self) -> int:
        """How many findings there are besides :attr:`findings`: of statements, more are counted than are shown."""
        return self._meaning.unplaced if self.findings else 0

    @cached
    def unused_values(self) -> Sequence[Unused]:
        """The values that nothing uses, without those that a misspelled name probably means."""
        values, suggested = self._meaning.unused(), self._suggested
        return [value for value in values if value.name not in suggested] if suggested else values

    @cached
    def _suggested(self) -> frozenset[str]:
        """The names that misspelled ones probably mean."""
        return frozenset(suggested_names(self.findings))

    @property
    def text_memo(self) -> dict[object, object]:
        """What callers keep from one text to the one after an edit, with what shows whether it still holds."""
        return self._meaning.text_memo

    def _unused(self) -> Sequence[Diagnostic]:
        """The hints about values that nothing uses, without those that a misspelled name probably means."""
        values, suggested = self._meaning.unused(), self._suggested
        hints = self._hints_about(values)
        if not suggested:
            return hints
        return [hint for value, hint in zip(values, hints, strict=True) if value.name not in suggested]

    def _hints_about(self, values: Sequence[Unused]) -> Sequence[Diagnostic]:
        """The hints about some values; those before an edit are the same objects as in the text before it."""
        known = cast("_KnownHints | None", self.text_memo.get(_KnownHints))
        hints: list[Diagnostic] = []
        if known is not None:  # of a thousand, most are what they were
            hints += known.hints[: common_beginning(known.values, values)]
        hints += map(self._unused_hint, values[len(hints) :])
        self.text_memo[_KnownHints] = _KnownHints(values, hints)
        return hints

    def _unused_hint(self, value: Unused) -> Diagnostic:
        check_cancelled()
        try:
            return value.hint(self.lines)
        except Exception as error:
            place = TextSpan(value.base, value.base)
            return internal_error(error, "looking for values that nothing uses", place)

    @cached
    def _meaning(self) -> ModuleMeaning:
        """The reading that answers: statement by statement where that is possible, else of the whole text."""
        return StatementNames(self._analysis) if self._analysis is not None else self._whole

    def typed(self, expr: Expr) -> Expr:
        """The expression of :attr:`module` that stands for one that was read from the text."""
        return self._whole.typed(expr)

    # ---- symbols

    @cached
    def symbols(self) -> Sequence[Symbol]:
        """Every definition, in the order of the text."""
        return list(self._meaning.symbols(0, len(self._split.segments)))

    @cached
    def functions(self) -> Sequence[Symbol]:
        """The functions of the module, in the order of the text; what is in them is not analyzed."""
        return self._meaning.functions

    def function_before(self, offset: int) -> Symbol | None:
        """The last function that begins at ``offset`` or before it."""
        return self._meaning.function_before(self._index_at(offset), offset)

    def function_around(self, offset: int) -> Symbol | None:
        """The function in whose definition ``offset`` is."""
        function = self.function_before(offset)
        return function if function is not None and function.full_span.contains(offset) else None

    def functions_named(self, names: Collection[str]) -> Sequence[Symbol]:
        """Those of the functions that have one of some names, with their ``@``."""
        return self._meaning.functions_named(names)

    def function_names_among(self, names: Collection[str]) -> Sequence[tuple[str, int]]:
        """Those of some names that are those of functions of the module, and where they begin, in order.

        Where this was asked of the text before an edit, those before the edit are the same objects.
        """
        return self._meaning.function_names_among(names)

    @property
    def calls(self) -> Sequence[tuple[str, Collection[str]]]:
        """The functions of the module in the order of the text, and the names of those that each one names."""
        return self._meaning.calls

    @property
    def call_memo(self) -> dict[object, object]:
        """What callers cache of :attr:`calls`, as long as these stay the same."""
        return self._meaning.call_memo

    def symbols_in(self, span: TextSpan) -> Sequence[Symbol]:
        """The definitions whose name begins in a range of the text, in order."""
        first, last = max(0, self._index_at(span.start)), self._index_at(span.end)
        symbols = self._meaning.symbols(first, last + 1)
        return [symbol for symbol in symbols if span.start <= symbol.span.start <= span.end]

    def symbol_at(self, offset: int) -> Symbol | None:
        """The symbol that the name at ``offset`` defines or uses."""
        unit = self._unit_at(offset)
        token = token_index_at(unit.segment, offset - unit.base) if unit is not None else None
        return self._meaning.symbol_at(unit.number, token) if unit is not None and token is not None else None

    def scope_at(self, offset: int) -> Sequence[Symbol]:
        """The symbols that are visible at ``offset``: values, those bound last first, then what the module defines."""
        return [*self.values_at(offset), *self.type_symbols, *self.functions]

    def values_at(self, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at ``offset``, those bound last first, one by one."""
        return self._meaning.values_at(self._index_at(offset), offset)

    def type_parameters_at(self, offset: int) -> Iterator[Symbol]:
        """The type parameters that are visible at ``offset``."""
        return self._meaning.type_parameters_at(self._index_at(offset), offset)

    def typed_values_at(self, offset: int, wanted: re.Pattern[str] | None = None) -> Iterator[tuple[str, Type | None]]:
        """The names of the values that are visible at ``offset`` with their types, those bound last first, each once.

        There may be a hundred thousand: the caller pays for those that it takes. With ``wanted``, which is to match
        lines (:data:`re.MULTILINE`), there are those whose names it matches.
        """
        return self._meaning.typed_values_at(self._index_at(offset), offset, wanted)

    def visible_value(self, name: str, offset: int) -> tuple[str, Type | None] | None:
        """The name of a value and its type, if a value of this name is visible at ``offset``."""
        return next(self.typed_values_at(offset, re.compile(rf"^{re.escape(name)}$", re.MULTILINE)), None)

    def function_names_at(self, offset: int) -> FunctionNames | None:
        """What the function around ``offset`` binds; ``None`` outside of functions."""
        return self._meaning.function_names(self._index_at(offset))

    @cached
    def type_symbols(self) -> Sequence[Symbol]:
        """The types and constructors of the module, in the order of the text."""
        return self._meaning.type_symbols()

    # ---- expressions and types

    def expr_at(self, offset: int) -> Expr | None:
        """The innermost expression at ``offset``, of the typed module."""
        symbol = self.symbol_at(offset)
        if symbol is not None:
            value = self._meaning.value(symbol.key)
            if value is not None:
                return value
        unit = self._unit_at(offset)
        if unit is None:
            return None
        for node in self.node_at(offset):
            if node.node is None:
                continue
            expr = self._meaning.expression(unit.number, node.statement, node.node)
            if expr is not None:
                return expr
        return None

    def expr_before(self, offset: int) -> Expr | None:
        """The innermost expression that ends at ``offset``, of the typed module."""
        unit = self._unit_at(offset - 1)
        for node in self.node_at(offset - 1) if unit is not None else ():
            if unit is not None and node.node is not None and node.span.end == offset:
                expr = self._meaning.expression(unit.number, node.statement, node.node)
                if expr is not None:
                    return expr
        return None

    def type_before(self, index: int, end: int) -> Type | None:
        """The type of the innermost expression that ends before ``end`` in a statement, comments between left out."""
        segment, base = self._split.segments[index], self._split.segments.start(index)
        token = bisect_left(segment.tokens[2], end) - 1
        if token < 0:
            return None
        if self._meaning.template(index) is not None:
            return self._meaning.type_ending_at(index, token)
        expr = self.expr_before(base + segment.span(token).end)
        return self.type_of(expr) if expr is not None else None

    def span_of(self, expr: Expr) -> TextSpan | None:
        """Where an expression (of the typed or the untyped module) is written."""
        return self._knowing(expr).locate(Place(expr))

    def type_of(self, what: Expr | Symbol) -> Type | None:
        """The type of an expression or symbol, where it is known."""
        return what.type if isinstance(what, Symbol) else self._knowing(what).type_of(what)

    def _knowing(self, expr: Expr) -> ModuleMeaning:
        """The reading that an expression belongs to: the one that returned it, or else that of the whole module."""
        return self._meaning if self._meaning.knows(expr) else self._whole

    def type_at(self, offset: int) -> Type | None:
        """The type of the innermost expression at ``offset``."""
        symbol = self.symbol_at(offset)
        if symbol is not None:
            return symbol.type
        expr = self.expr_at(offset)
        return self.type_of(expr) if expr is not None else None

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types of the module."""
        return self._meaning.type_definitions

    # ---- calls

    def call_at(self, offset: int) -> CallSite | None:
        """The innermost call whose parentheses ``offset`` is between."""
        asked, call = self._call_asked
        if asked != offset:
            unit = self._unit_at(offset)
            call = call_around(unit, offset) if unit is not None else None
            self._call_asked = (offset, call)
        return call

    def operator_calls(self, span: TextSpan) -> Iterator[WrittenCall]:
        """The calls of what is named like an operator, and begins in a range; each segment is gone through once."""
        for unit in self._units_in(span):
            named, _ = self._meaning.named_tokens(unit.number)
            for token, call in named_calls(unit):
                if token not in named and span.start <= call.span.start < span.end:
                    yield call

    def nested_calls(self, span: TextSpan) -> Iterator[tuple[TextSpan, Expr]]:
        """The calls of operators and constructors in a range that are inside of other expressions or blocks."""
        for unit in self._units_in(span):
            for statement, node, place in nested_calls(unit.segment):
                written = place.shifted(unit.base)
                if span.start <= written.start and written.end <= span.end:
                    expr = self._meaning.expression(unit.number, statement, node)
                    if expr is not None:
                        yield written, expr


class PartialSnapshot(NamedTuple):
    """A snapshot while an edit that reaches far is followed: in the ranges ``unsettled``, it may answer as before.

    They are in the order of the text. Of values that nothing uses it knows only if it ``knows_uses``, and of types that
    cannot be inferred not what can be done about them.
    """

    snapshot: Snapshot
    unsettled: Sequence[TextSpan]
    knows_uses: bool
