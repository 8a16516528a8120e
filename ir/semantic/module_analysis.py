"""What is known of a text, function by function: what is wrong in it, and what its names stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple, cast

from msgspec.structs import replace

from ..cancellation import check_cancelled
from ..collections.block_list import common_beginning
from ..collections.cached import cached
from ..diagnostics import MOST_DIAGNOSTICS, Diagnostic, Fix, Place, Related, Severity, TextEdit, in_order
from ..expressions import Constructor, GlobalVar, Var
from ..inference import CANNOT_INFER, OPEN, unannotated
from ..inference.fixes import return_type_fixes
from ..inference.report import undeclared_result
from ..internal_errors import internal_error
from ..syntax.cuts import Role
from ..syntax.expression_spans import place_span
from ..syntax.reading import shift
from ..syntax.scopes import is_graph_name
from ..syntax.segment_list import Segments
from ..syntax.top_level import (
    function_redefined,
    top_level_findings,
    unclosed_function,
    unreadable_metadata,
    version_findings,
)
from ..syntax.units import Unit
from ..text.text_span import TextSpan
from ..type_visitor import has_error, has_incomplete
from ..types import Type
from .function_statements import FunctionStatements
from .graph_binders import AnalysedFunction, GraphBinders
from .headless_bodies import HeadlessBody
from .heads import Head
from .lazy_findings import counted
from .statement_list import StatementList
from .template_cache import TemplateCache
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["AnalysedFunction", "ModuleAnalysis"]


class NoteworthyFunctions(NamedTuple):
    """Those of some functions that may be at fault besides their statements, and those that may bind unused values."""

    functions: Sequence[AnalysedFunction]
    at_fault: Sequence[int]
    with_unused: Sequence[int]


def _may_be_at_fault(function: FunctionStatements) -> bool:
    head = function.head
    known_later = function.findings or function.rebound or head.untyped or head.repeated
    return bool(not function.is_closed or head.diagnostics or known_later)


def _severities(function: AnalysedFunction) -> Sequence[Severity]:
    """How bad each finding about a function is; none, where that is known once they are worked out."""
    if isinstance(function, WholeFunctionAnalysis):
        return function.severities
    head = function.head
    known_later = function.findings or function.rebound or head.untyped or head.repeated
    if not head.diagnostics or not function.is_closed or known_later:
        return ()
    return [finding.severity for finding in head.diagnostics]


class ModuleAnalysis:
    """The diagnostics of one text, and what it takes to follow an edit."""

    def __init__(
        self,
        context: TemplateCache,
        segments: Segments,
        states: StatementList,
        functions: Sequence[AnalysedFunction],
        reported: Sequence[int],
        heads: Mapping[str, Head],
        types: Sequence[int],
        top_level: Sequence[int],
        call_memo: dict[object, object] | None = None,
        headless: Sequence[HeadlessBody] = (),
    ) -> None:
        self.context: Final = context
        self.segments: Final = segments
        self.states: Final = states
        self.functions: Final = functions
        self.reported: Final = reported
        """The statements with diagnostics or unused values, and those that depend on other functions; in order."""
        self.heads: Final = heads
        self.types: Final = types
        """The segments that define data types."""
        self.top_level: Final = top_level
        """The segments that are no part of a definition: the version line, directives, what does not belong."""
        self.headless: Final = headless
        """The bodies of functions without their heads, as far as they were known."""
        self.call_memo: Final[dict[object, object]] = {} if call_memo is None else call_memo
        """What callers cache of which functions there are, and which others each of them names."""
        self.text_memo: dict[object, object] = {}
        """What callers keep from one text to the one after an edit, with what shows whether it still holds."""
        self.unplaced = 0
        """How many findings there are besides those that :meth:`diagnostics` gave last: more than are shown."""

    @cached
    def outer_graph(self) -> frozenset[str]:
        """The graph variables that are used in a function which does not bind them before."""
        names = set(self._last_outer_uses)
        for function in self.functions:
            if isinstance(function, WholeFunctionAnalysis):
                names.update(function.outer_graph)
        return frozenset(names)

    @cached
    def _last_outer_uses(self) -> Mapping[str, int]:
        """The last statement that uses each of these variables, where statements are typed one by one."""
        last: dict[str, int] = {}
        for index in self.reported:
            state = self.states[index]
            assert state is not None
            for name in state.outer_graph:
                last[name] = index
        return last

    @cached
    def _last_borrowers(self) -> Mapping[str, int]:
        """Where the last function begins that uses each of these variables, of those that are read as a whole."""
        whole = (function for function in self.functions if isinstance(function, WholeFunctionAnalysis))
        return {name: function.start for function in whole for name in function.borrowed}

    @cached
    def binders(self) -> GraphBinders:
        """What knows which function binds a graph variable first."""
        return GraphBinders(self.functions)

    def lends(self, function: AnalysedFunction, name: str) -> bool:
        """Whether a later function uses this one's graph variable, which TVM allows."""
        if name not in self.outer_graph:
            return False
        binder = self.binders.first(name)
        if binder is not None and binder.start < function.start:
            return False
        is_used = self._last_outer_uses.get(name, -1) > function.last
        return is_used or self._last_borrowers.get(name, -1) > function.start

    @cached
    def noteworthy(self) -> NoteworthyFunctions:
        """The functions that there is something to say about; of a thousand mostly a few."""
        known = cast("NoteworthyFunctions | None", self.text_memo.get(NoteworthyFunctions))
        functions, first, last = self.functions, 0, len(self.functions)
        at_fault: list[int] = []
        with_unused: list[int] = []
        if known is not None:
            first = common_beginning(known.functions, functions)
            at_fault += known.at_fault[: bisect_left(known.at_fault, first)]
            with_unused += known.with_unused[: bisect_left(known.with_unused, first)]
            last -= common_beginning(known.functions[first:][::-1], functions[first:][::-1])
        for number, function in enumerate(islice(functions, first, last), first):
            is_whole = isinstance(function, WholeFunctionAnalysis)
            if is_whole or _may_be_at_fault(function):
                at_fault.append(number)
            if is_whole or function.mentions.unused or function.rebound or function.head.repeated:
                with_unused.append(number)
        if known is not None:
            by = len(functions) - len(known.functions)
            at_fault += [number + by for number in known.at_fault[bisect_left(known.at_fault, last - by) :]]
            with_unused += [number + by for number in known.with_unused[bisect_left(known.with_unused, last - by) :]]
        noteworthy = self.text_memo[NoteworthyFunctions] = NoteworthyFunctions(functions, at_fault, with_unused)
        return noteworthy

    # ---- what is wrong

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        starts = [self.segments.start(index) for index in self.types]
        diagnostics, unplaced_of_types = self.context.types.diagnostics(starts)
        diagnostics.extend(self._of_top_level())
        faults = self.context.types.metadata_faults
        if faults:
            diagnostics.extend(unreadable_metadata(self.unit(len(self.segments) - 1), faults))
        if len(self.heads) < len(self.functions):
            diagnostics.extend(self._redefined())
        diagnostics.extend(self._of_statements())
        self.unplaced += unplaced_of_types
        counts = dict.fromkeys(Severity, 0)
        for number in self.noteworthy.at_fault:
            function = self.functions[number]
            try:
                if self._is_shown(function, counts):
                    diagnostics.extend(self._of_function(function))
            except Exception as error:
                base = self.segments.start(function.start - 1)
                span = function.head.name_span.shifted(base)
                diagnostics.append(internal_error(error, "looking at this function", span))
        return in_order(self._without_followers(diagnostics))

    def _is_shown(self, function: AnalysedFunction, counts: dict[Severity, int]) -> bool:
        """Whether what is wrong with a function is among what is shown; else it is counted.

        ``counts`` has how many findings of each severity the functions before it have, where that is known before they
        are worked out.
        """
        severities = _severities(function)
        is_shown = not severities
        for severity in severities:
            is_shown |= counts[severity] < MOST_DIAGNOSTICS
            counts[severity] += 1
        if not is_shown:
            self.unplaced += len(severities)
        return is_shown

    def _of_statements(self) -> Iterator[Diagnostic]:
        """What is wrong with statements; after a fault of syntax in the function, braces too many follow from it.

        Where there are more findings of one severity than are shown, the others are counted.
        """
        self.unplaced = 0
        counts = dict.fromkeys(Severity, 0)
        misread: AnalysedFunction | None = None
        for index in self.reported:
            check_cancelled()
            state = self.states[index]
            assert state is not None
            if state.is_misread:
                function = self.function_at(index)
                follows = function is misread or (function is not None and function.head.is_misread)
                misread = function
                if follows and state.segment.role is Role.EXTRA_CLOSE:
                    continue
            findings = state.diagnostics
            shown: list[int] = []
            for number, diagnostic in enumerate(counted(findings)):
                counts[diagnostic.severity] += 1
                if counts[diagnostic.severity] <= MOST_DIAGNOSTICS:
                    shown.append(number)
            self.unplaced += len(findings) - len(shown)
            if not shown:
                continue
            base = self.segments.start(index)
            try:
                placed = [self._placed(findings[number], base, index) for number in shown]
            except Exception as error:
                placed = [internal_error(error, "placing what is wrong here", state.segment.first_span.shifted(base))]
            yield from placed

    def _placed(self, finding: Diagnostic, base: int, index: int) -> Diagnostic:
        """A finding in the statement at ``index``, which begins at ``base``."""
        placed, undeclared = self._with_definitions(shift(finding, base), index), finding.data
        if not isinstance(undeclared, GlobalVar):
            return placed
        return self._with_result(placed if base else replace(placed, data=None), undeclared)

    def _of_function(self, function: AnalysedFunction) -> Iterator[Diagnostic]:
        """What is wrong with a function besides its statements."""
        if isinstance(function, WholeFunctionAnalysis):
            yield from self._of_whole(function)
            return
        if function.head.diagnostics:
            base = self.segments.start(function.start - 1)
            yield from (shift(diagnostic, base) for diagnostic in function.head.diagnostics)
        if function.findings:
            yield from (self._of_value(function, finding) for finding in function.findings)
        if function.rebound:
            yield from self._rebindings(function)
        if function.head.untyped or function.head.repeated:
            yield from self._without_types(function)
        if not function.is_closed and not self._has_braces_at_fault(function):
            yield self._unclosed(function)

    def _redefined(self) -> Iterator[Diagnostic]:
        """Warnings for the functions of the same name as one before them."""
        places: dict[str, TextSpan] = {}
        times = Counter([function.name for function in self.functions])
        for function in self.functions:
            if function.name and times[function.name] > 1:
                span = function.head.name_span.shifted(self.segments.start(function.start - 1))
                if function.name in places:
                    yield function_redefined(function.name, span, places[function.name])
                places[function.name] = span

    def _without_types(self, function: FunctionStatements) -> Iterator[Diagnostic]:
        """The parameters of a function that are declared without a type, and whose uses do not tell it."""
        head, base = function.head, self.segments.start(function.start - 1)
        unknown = set(head.untyped).difference(function.inferred)
        known = cast("tuple[int, dict[str, Diagnostic]] | None", head.memo.get(CANNOT_INFER))
        if known is None or known[0] != base:  # there may be a thousand, which stay where the head does
            known = base, dict[str, Diagnostic]()
            head.memo[CANNOT_INFER] = known
        for name in head.untyped if unknown else ():
            if name not in unknown:
                continue
            finding = known[1].get(name)
            if finding is None:
                span = head.segment.span(head.defined_at()[name][0])
                finding = Diagnostic(CANNOT_INFER, Severity.ERROR, unannotated(name), span.shifted(base))
                known[1][name] = finding
            yield finding
        for token, type in head.repeated.items():
            if type is OPEN:
                message = unannotated(head.segment.tokens[1][token])
                yield Diagnostic(CANNOT_INFER, Severity.ERROR, message, head.segment.span(token).shifted(base))

    def _without_followers(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """Leave out types that cannot be inferred in a function with another error: that is why they cannot."""
        if not any(each.code == CANNOT_INFER for each in diagnostics):
            return diagnostics
        broken = {
            function
            for each in diagnostics
            if each.severity is Severity.ERROR and each.code != CANNOT_INFER
            if (function := self._followed_at(each.span)) is not None
        }
        return [each for each in diagnostics if each.code != CANNOT_INFER or self._followed_at(each.span) not in broken]

    def _followed_at(self, span: TextSpan | None) -> FunctionStatements | None:
        """The function typed by its statements in which something stands."""
        function = None if span is None else self.function_at(self.segments.index_at(span.start))
        return function if isinstance(function, FunctionStatements) else None

    def _has_braces_at_fault(self, function: FunctionStatements) -> bool:
        """Whether its opening brace is at fault, or one in it closes nothing."""
        if any("{" in fault.message for fault in function.head.segment.diagnostics):
            return True
        first, end = (bisect_left(self.reported, index) for index in (function.start, function.end))
        return any(self.segments[index].role is Role.EXTRA_CLOSE for index in self.reported[first:end])

    def _unclosed(self, function: FunctionStatements) -> Diagnostic:
        last = function.last + 1
        following = next((index for index in range(last, len(self.segments)) if self.segments[index].tokens[0]), None)
        end = self.segments.length if following is None else self.unit(following).span(0).start
        return unclosed_function(self.unit(function.start - 1), self.unit(function.last), end)

    def _of_top_level(self) -> Iterator[Diagnostic]:
        first = next((index for index, segment in enumerate(self.segments) if segment.tokens[0]), None)
        yield from version_findings(self.unit(first) if first is not None else None, self.segments.length)
        for index in self.top_level:
            unit = self.unit(index)
            unit.segment.parse()
            yield from (shift(diagnostic, unit.base) for diagnostic in unit.segment.diagnostics)
            if unit.segment.tokens[0]:
                yield from top_level_findings(unit, is_first=index == first)

    def _with_definitions(self, diagnostic: Diagnostic, index: int) -> Diagnostic:
        """A finding in the statement at ``index``, with the places where the names it speaks of are defined."""
        if not diagnostic.related:
            return diagnostic
        function, state = self.function_at(index), self.states[index]
        called = [self.heads.get(name) for name in state.calls] if state is not None else ()
        related: list[Related] = []
        for other in diagnostic.related:
            expr, span = (other.place.expr if other.place is not None else None), other.span
            if span is None and isinstance(expr, Constructor):
                span = self._of_constructor(expr.name_hint)
            if span is None and other.place is not None:  # a parameter of what is called, whatever has its name here
                span = self._in_heads(other.place, called)
            if span is None and isinstance(expr, Var) and isinstance(function, FunctionStatements) and state:
                defined = self.definition_before(function, f"%{expr.name_hint}", state.order)
                if defined is not None:
                    span = self.segments[defined[0]].span(defined[1]).shifted(self.segments.start(defined[0]))
            if span is None and other.place is not None and function is not None:
                span = self._in_heads(other.place, (function.head,))
            related.append(Related(other.message, span))
        return diagnostic.with_related(tuple(related))

    def _of_constructor(self, name: str) -> TextSpan | None:
        """Where a constructor is defined."""
        definition = self.context.types.reading.names.constructors.get(name)
        unit = definition.unit if definition is not None else None
        return self.unit(self.types[unit.number]).span(definition.token) if definition and unit else None

    def _with_heads(self, diagnostic: Diagnostic, heads: Iterable[Head | None]) -> Diagnostic:
        """A finding with the places that lie in some heads of functions."""

        def located(other: Related) -> Related:
            span = self._in_heads(other.place, heads) if other.span is None and other.place is not None else other.span
            return Related(other.message, span)

        return diagnostic.with_related(tuple(map(located, diagnostic.related)))

    def _in_heads(self, place: Place, heads: Iterable[Head | None]) -> TextSpan | None:
        for head in heads:
            if head is not None and (
                place.expr is head.function or any(var is place.expr for var in head.function.params)
            ):
                function, span = self._of_heads.get(head), head.place_span(place)
                return span.shifted(self.segments.start(function.start - 1)) if function is not None and span else None
        return None

    @cached
    def _of_heads(self) -> Mapping[Head, AnalysedFunction]:
        """The function of each head."""
        return {function.head: function for function in reversed(self.functions)}

    def _of_value(self, function: FunctionStatements, finding: Diagnostic) -> Diagnostic:
        """A finding about the value of a function, where it stands."""
        place = finding.place
        assert place is not None
        if place.callee:  # there is no value: the brace is where it is missed
            unit = self.unit(function.last)
            return replace(finding, span=unit.span(len(unit.segment.tokens[0]) - 1), place=None)
        last, header = self.states[function.end - 1], self.segments.start(function.start - 1)
        assert last is not None
        own, base = self.context.within(function.head, function.late).own(last), self.segments.start(function.end - 1)

        def locate(place: Place) -> TextSpan | None:
            if place.expr is function.head.function:
                span = function.head.place_span(place)
                return span.shifted(header) if span is not None else None
            span = place_span(own.origins, place)
            return span.shifted(base) if span is not None else None

        located = finding.located(locate)
        span = located.span or self.unit(function.start - 1).span(1)
        return self._with_definitions(replace(located, span=span, place=None), function.end - 1)

    def _of_whole(self, function: WholeFunctionAnalysis) -> Iterator[Diagnostic]:
        base = self.segments.start(function.start - 1)
        for diagnostic, undeclared in function.diagnostics:
            with_heads = self._with_heads(shift(diagnostic, base), (function.head, *function.mentioned.values()))
            yield with_heads if undeclared is None else self._with_result(with_heads, undeclared)

    def _with_result(self, diagnostic: Diagnostic, var: GlobalVar) -> Diagnostic:
        """A finding about a call of a function that does not say what it gives, with what it would have to say."""
        name = var.name_hint
        if name not in self._undeclared:
            self._undeclared[name] = self._result_to_declare(name)
        known = self._undeclared[name]
        return diagnostic if known is None else replace(diagnostic, related=(known[0],), fixes=known[1])

    @cached
    def _undeclared(self) -> dict[str, tuple[Related, tuple[Fix, ...]] | None]:
        """What :meth:`_result_to_declare` gave: a function may be called ten thousand times."""
        return {}

    def _result_to_declare(self, name: str) -> tuple[Related, tuple[Fix, ...]] | None:
        """What a function, whose name is given without its ``@``, would have to say of what it gives."""
        head = self.heads.get(f"@{name}")
        function = self._of_heads.get(head) if head is not None else None
        if function is None:
            return None
        result = (
            function.result if isinstance(function, WholeFunctionAnalysis) else function.head.result or function.type
        )
        if result is None or has_error(result) or has_incomplete(result):
            return None
        unit = self.unit(function.start - 1)
        related = undeclared_result(function.head.function, name, result)
        if related.place is not None:
            related = Related(related.message, self._in_heads(related.place, (function.head,)))
        fixes = return_type_fixes(result, unit.segment.span(1), unit.segment.text)
        moved = tuple(
            Fix(fix.title, tuple(TextEdit(edit.span.shifted(unit.base), edit.new_text) for edit in fix.edits))
            for fix in fixes
        )
        return related, moved

    # ---- names

    def function_at(self, index: int) -> AnalysedFunction | None:
        """The function that a segment is part of, its head and its closing brace included."""
        position = bisect_left(self.functions, index, key=lambda function: function.last)
        if position < len(self.functions) and self.functions[position].start - 1 <= index:
            return self.functions[position]
        return None

    def definition_before(self, function: FunctionStatements, name: str, order: float) -> tuple[int, int] | None:
        """Where a name that a statement of a function uses is defined: the segment, and the token in it."""
        bound = function.bound_before(name, order)
        if bound is not None:
            return self.index_of(function, bound), bound.bound_at
        parameters = function.head.defined_at().get(name)
        if parameters:
            return function.start - 1, min(parameters)
        return self.outer_definition(function, name) if is_graph_name(name) else None

    def earlier_graph(self, function: AnalysedFunction, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        binder = self.binders.first(name)
        return binder.graph_type(name) if binder is not None and binder.start < function.start else None

    def outer_definition(self, function: AnalysedFunction, name: str) -> tuple[int, int] | None:
        """Where a graph variable is bound that a function does not bind itself: the segment, and the token in it."""
        binder = self.binders.first(name)
        if binder is None or binder.start >= function.start:
            return None
        if isinstance(binder, WholeFunctionAnalysis):
            unit = binder.graph_unit(name)
            return (binder.start - 1 + unit[0], unit[1]) if unit is not None else None
        bound = binder.binding(name)
        return (self.index_of(binder, bound), bound.bound_at) if bound is not None else None

    def _rebindings(self, function: FunctionStatements) -> Iterator[Diagnostic]:
        """Warnings for all bindings of a graph variable but the first."""
        bindings = {name: function.names.get(name) for name in function.rebound if is_graph_name(name)}
        states = [state for bound in bindings.values() if isinstance(bound, tuple) for state in bound]
        states.sort(key=attrgetter("order"))
        places: dict[TypedStatement, TextSpan] = {}
        for index, state in zip(self.states.positions(states, function.start, function.end), states, strict=True):
            segment, at = self.segments[index], state.bound_at
            places[state] = (segment.span(at) if at else segment.first_span).shifted(self.segments.start(index))
        for name, bound in bindings.items():
            assert isinstance(bound, tuple)
            related = (Related("the binding that stays", places[bound[0]]),)
            for state in bound[1:]:
                yield Diagnostic(
                    "graph-variable-rebound",
                    Severity.WARNING,
                    f"{name} is bound already, and TVM keeps the first value",
                    places[state],
                    related=related,
                )

    def unit(self, index: int) -> Unit:
        """A segment where it stands in the text."""
        return Unit(self.segments[index], index, self.segments.start(index))

    def index_of(self, function: FunctionStatements, state: TypedStatement) -> int:
        """The segment of a statement of a function."""
        return self.states.position(state.order, function.start, function.end)
