"""What is wrong with a text: with its types, its functions, their statements and what is no part of a definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final, cast

from ..diagnostics import MOST_DIAGNOSTICS, Diagnostic, Severity, in_order
from ..inference import CANNOT_INFER, OPEN, unannotated
from ..internal_errors import internal_error
from ..syntax.cuts import Role
from ..syntax.lowering import graph_rebound
from ..syntax.reading import shift
from ..syntax.scopes import is_graph_name
from ..syntax.top_level import (
    function_redefined,
    top_level_findings,
    unclosed_function,
    unreadable_metadata,
    version_findings,
)
from ..text.text_span import TextSpan
from .finding_places import FindingPlaces
from .function_statements import FunctionStatements
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .statement_findings import StatementFindings
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["ModuleFindings"]


def _severities(function: AnalysedFunction) -> Sequence[Severity]:
    """How bad each finding about a function is; none, where that is known once they are worked out."""
    if isinstance(function, WholeFunctionAnalysis):
        return function.severities
    head = function.head
    known_later = function.findings or function.rebound or head.untyped or head.repeated
    if not head.diagnostics or not function.is_closed or known_later:
        return ()
    return [finding.severity for finding in head.diagnostics]


class ModuleFindings:
    """Works out what is wrong with the text of an analysis."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis: Final = analysis
        self._places: Final = FindingPlaces(analysis)
        self.unplaced = 0
        """How many findings there are besides those that :meth:`diagnostics` gave last: more than are shown."""

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        analysis = self._analysis
        segments, types, functions = analysis.segments, analysis.context.types, analysis.functions
        diagnostics, self.unplaced = types.diagnostics([segments.start(index) for index in analysis.types])
        diagnostics.extend(self._of_top_level())
        if types.metadata_faults:
            diagnostics.extend(unreadable_metadata(analysis.unit(len(segments) - 1), types.metadata_faults))
        if len(analysis.heads) < len(functions):
            diagnostics.extend(self._redefined())
        of_statements = StatementFindings(analysis, self._places)
        diagnostics.extend(of_statements.shown())
        self.unplaced += of_statements.unplaced
        counts = dict.fromkeys(Severity, 0)
        for number in analysis.noteworthy.at_fault:
            function = functions[number]
            try:
                if self._is_shown(function, counts):
                    diagnostics.extend(self._of_function(function))
            except Exception as error:
                span = function.head.name_span.shifted(segments.start(function.start - 1))
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

    def _of_function(self, function: AnalysedFunction) -> Iterator[Diagnostic]:
        """What is wrong with a function besides its statements."""
        if isinstance(function, WholeFunctionAnalysis):
            for finding, undeclared in function.diagnostics:
                yield self._places.in_whole(finding, undeclared, function)
            return
        if function.head.diagnostics:
            base = self._analysis.segments.start(function.start - 1)
            yield from (shift(diagnostic, base) for diagnostic in function.head.diagnostics)
        if function.findings:
            yield from (self._places.of_value(finding, function) for finding in function.findings)
        if function.rebound:
            yield from self._rebindings(function)
        if function.head.untyped or function.head.repeated:
            yield from self._without_types(function)
        if not function.is_closed and not self._has_braces_at_fault(function):
            yield self._unclosed(function)

    def _redefined(self) -> Iterator[Diagnostic]:
        """Warnings for the functions of the same name as one before them."""
        places: dict[str, TextSpan] = {}
        times = Counter([function.name for function in self._analysis.functions])
        for function in self._analysis.functions:
            if function.name and times[function.name] > 1:
                span = function.head.name_span.shifted(self._analysis.segments.start(function.start - 1))
                if function.name in places:
                    yield function_redefined(function.name, span, places[function.name])
                places[function.name] = span

    def _without_types(self, function: FunctionStatements) -> Iterator[Diagnostic]:
        """The parameters of a function that are declared without a type, and whose uses do not tell it."""
        head, base = function.head, self._analysis.segments.start(function.start - 1)
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
        function = None if span is None else self._analysis.function_at(self._analysis.segments.index_at(span.start))
        return function if isinstance(function, FunctionStatements) else None

    def _has_braces_at_fault(self, function: FunctionStatements) -> bool:
        """Whether its opening brace is at fault, or one in it closes nothing."""
        if any("{" in fault.message for fault in function.head.segment.diagnostics):
            return True
        segments, reported = self._analysis.segments, self._analysis.states.reported(function.start, function.end)
        return any(segments[index].role is Role.EXTRA_CLOSE for index in reported)

    def _unclosed(self, function: FunctionStatements) -> Diagnostic:
        segments, unit = self._analysis.segments, self._analysis.unit
        behind = range(function.last + 1, len(segments))
        following = next((index for index in behind if segments[index].tokens[0]), None)
        end = segments.length if following is None else unit(following).span(0).start
        return unclosed_function(unit(function.start - 1), unit(function.last), end)

    def _of_top_level(self) -> Iterator[Diagnostic]:
        segments = self._analysis.segments
        first = next((index for index, segment in enumerate(segments) if segment.tokens[0]), None)
        yield from version_findings(self._analysis.unit(first) if first is not None else None, segments.length)
        for index in self._analysis.top_level:
            unit = self._analysis.unit(index)
            unit.segment.parse()
            yield from (shift(diagnostic, unit.base) for diagnostic in unit.segment.diagnostics)
            if unit.segment.tokens[0]:
                yield from top_level_findings(unit, is_first=index == first)

    def _rebindings(self, function: FunctionStatements) -> Iterator[Diagnostic]:
        """Warnings for all bindings of a graph variable but the first."""
        bindings = {name: function.names.get(name) for name in function.rebound if is_graph_name(name)}
        states = [state for bound in bindings.values() if isinstance(bound, tuple) for state in bound]
        states.sort(key=attrgetter("order"))
        places: dict[TypedStatement, TextSpan] = {}
        segments = self._analysis.segments
        indices = self._analysis.states.positions(states, function.start, function.end)
        for index, state in zip(indices, states, strict=True):
            segment, at = segments[index], state.bound_at
            places[state] = (segment.span(at) if at else segment.first_span).shifted(segments.start(index))
        for name, bound in bindings.items():
            assert isinstance(bound, tuple)
            for state in bound[1:]:
                yield graph_rebound(name, places[state], places[bound[0]])
