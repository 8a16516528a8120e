"""What is wrong with the statements of a text, in its places; what an edit left alone costs next to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from ..cancellation import check_cancelled
from ..diagnostics import MOST_DIAGNOSTICS, Diagnostic, Related, Severity
from ..expressions import Constructor
from ..internal_errors import internal_error
from ..syntax.cuts import Role
from ..syntax.segment_list import Segments
from ..text.text_span import TextSpan
from .finding_places import FindingPlaces
from .lazy_findings import counted
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .statement_list import between
from .typed_statement import TypedStatement

__all__ = ["StatementFindings"]


class StatementFindings:
    """The findings of an analysis in its statements: as many of each severity as are shown."""

    def __init__(self, analysis: ModuleAnalysis, places: FindingPlaces) -> None:
        self._analysis: Final = analysis
        self._kept: Final = _KeptFindings(analysis, places)
        self._first_misread: Final[dict[AnalysedFunction, int]] = {}
        """Where the syntax of a function is first at fault."""
        self.unplaced = 0
        """How many findings there are besides those that are shown."""

    def shown(self) -> Iterator[Diagnostic]:
        """What is wrong with statements; after a fault of syntax in the function, braces too many follow from it.

        Where there are more findings of one severity than are shown, the others are counted.
        """
        analysis, unsettled = self._analysis, self._analysis.unsettled
        self.unplaced = 0
        counts = dict.fromkeys(Severity, 0)
        for start, end in ((0, unsettled.start), (unsettled.stop, len(analysis.segments))):
            for first, report in analysis.states.reports(start, end):
                check_cancelled()
                at = between(report.at, start - first, end - first)
                is_counted = all(counts[severity] >= MOST_DIAGNOSTICS for severity in report.counts)
                if is_counted and len(at) == len(report.at) and not report.braces:
                    self.unplaced += sum(report.counts.values())
                    continue
                for number in at:
                    index = first + number
                    state = analysis.states[index]
                    assert state is not None
                    if report.braces and state.segment.role is Role.EXTRA_CLOSE and self._follows(index):
                        continue
                    yield from self._of_statement(state, index, counts)
        self._kept.keep()

    def _follows(self, index: int) -> bool:
        """Whether the syntax of the function that a segment is in is at fault before it."""
        function = self._analysis.function_at(index)
        if function is None or function.head.is_misread:
            return function is not None
        if function not in self._first_misread:
            start, end = function.start, function.last + 1
            misread = (
                first + at
                for first, report in self._analysis.states.reports(start, end)
                for at in between(report.misread, start - first, end - first)
            )
            self._first_misread[function] = next(misread, end)
        return self._first_misread[function] < index

    def _of_statement(self, state: TypedStatement, index: int, counts: dict[Severity, int]) -> Sequence[Diagnostic]:
        """What is shown of a statement; ``counts`` has how much there is of each severity up to it."""
        shown: list[int] = []
        all_findings = counted(state.diagnostics)
        for number, finding in enumerate(all_findings):
            severity = finding.severity
            counts[severity] += 1
            if counts[severity] <= MOST_DIAGNOSTICS:
                shown.append(number)
        self.unplaced += len(all_findings) - len(shown)
        if not shown:
            return ()
        try:
            return self._kept.placed(state, index, None if len(shown) == len(all_findings) else shown)
        except Exception as error:
            span = state.segment.first_span.shifted(self._analysis.segments.start(index))
            return [internal_error(error, "placing what is wrong here", span)]


class _Placed(NamedTuple):
    """The findings of a statement in their places, and the range of the text that they speak of."""

    findings: Sequence[Diagnostic]
    start: int
    end: int


class _OfText(NamedTuple):
    """What was found of the statements of a text."""

    segments: Segments
    placed: Mapping[TypedStatement, _Placed]


class _KeptFindings:
    """Places the findings of statements, and keeps them with the text: the next one differs from it by an edit.

    Those that speak of nothing that was edited are what they were, or further on. A text may have a thousand, and to
    place one takes 20 us: with each key that is as much as all else, and twice what a key may take.
    """

    def __init__(self, analysis: ModuleAnalysis, places: FindingPlaces) -> None:
        self._analysis: Final = analysis
        self._places: Final = places
        self._placed: Final[dict[TypedStatement, _Placed]] = {}
        before, segments = cast("_OfText | None", analysis.text_memo.get(_OfText)), analysis.segments
        self._before: Final[Mapping[TypedStatement, _Placed]] = before.placed if before is not None else {}
        self._unchanged_until = self._changed_until = self._by = 0
        if before is not None:
            self._unchanged_until, self._changed_until = segments.differing(before.segments)
            self._by = segments.length - before.segments.length

    def keep(self) -> None:
        """Keep what was placed for the text after the next edit."""
        self._analysis.text_memo[_OfText] = _OfText(self._analysis.segments, self._placed)

    def placed(self, state: TypedStatement, index: int, shown: Sequence[int] | None) -> Sequence[Diagnostic]:
        """The findings of the statement at ``index``, or those of the numbers that are ``shown``."""
        if shown is None:
            moved = self._moved(self._before.get(state))
            if moved is not None:
                self._placed[state] = moved
                return moved.findings
        base, findings = self._analysis.segments.start(index), state.diagnostics
        if shown is not None:
            return [self._places.in_statement(findings[number], base, index) for number in shown]
        placed = [self._places.in_statement(finding, base, index) for finding in findings]
        if not state.calls and all(map(_stays, findings)):
            spans = [span for finding in placed for span in _spans(finding)]
            if None not in spans:
                known = [span for span in spans if span is not None]
                extent = min(span.start for span in known), max(span.end for span in known)
                self._placed[state] = _Placed(placed, *extent)
        return placed

    def _moved(self, known: _Placed | None) -> _Placed | None:
        """What was placed, where it stands after the edit; ``None`` where it may speak of what was edited."""
        if known is None or known.end <= self._unchanged_until:
            return known
        changed, by = self._changed_until, self._by
        if known.start < changed:
            unchanged = self._unchanged_until
            for finding in known.findings:
                for span in _spans(finding):
                    if span is None or not (span.end <= unchanged or span.start >= changed):
                        return None
        elif not by:
            return known

        def place(span: TextSpan) -> TextSpan:
            return TextSpan(span.start + by, span.end + by) if span.start >= changed else span

        start = known.start + by if known.start >= changed else known.start
        return _Placed([finding.moved(place) for finding in known.findings], start, known.end + by)


def _stays(finding: Diagnostic) -> bool:
    """Whether a finding speaks of nothing but the statement and what its function defines before it."""
    return finding.data is None and not any(map(_is_of_constructor, finding.related))


def _is_of_constructor(other: Related) -> bool:
    return other.place is not None and isinstance(other.place.expr, Constructor)


def _spans(finding: Diagnostic) -> Iterator[TextSpan | None]:
    """Every range of a finding; ``None`` for what has no place."""
    yield finding.span
    for other in finding.related:
        yield other.span
    for fix in finding.fixes:
        for edit in fix.edits:
            yield edit.span
