"""What is wrong with the statements of a text, in its places; what an edit left alone costs next to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple, cast

from ..cancellation import check_cancelled
from ..diagnostics import MOST_DIAGNOSTICS, Diagnostic, Severity
from ..internal_errors import internal_error
from ..syntax.cuts import Role
from ..syntax.segment_list import Segments
from ..text.text_span import TextSpan
from .block_report import BlockReport
from .declarations import ModuleTypes
from .finding_places import FindingPlaces
from .heads import Head
from .lazy_findings import counted
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .statement_list import between
from .typed_statement import TypedStatement

__all__ = ["StatementFindings"]


class StatementFindings:
    """The findings of an analysis in its statements: as many of each severity as are shown."""

    def __init__(self, analysis: ModuleAnalysis, places: FindingPlaces) -> None:
        self._analysis: Final = analysis
        self._places: Final = places
        self._kept: Final = _KeptFindings(analysis)
        self._first_misread: Final[dict[AnalysedFunction, int]] = {}
        """Where the syntax of a function is first at fault."""
        self.unplaced = 0
        """How many findings there are besides those that are shown."""

    def shown(self) -> list[Diagnostic]:
        """What is wrong with statements; after a fault of syntax in the function, braces too many follow from it.

        Where there are more findings of one severity than are shown, the others are counted.
        """
        analysis, unsettled = self._analysis, self._analysis.unsettled
        self.unplaced = 0
        shown: list[Diagnostic] = []
        counts = dict.fromkeys(Severity, 0)
        for start, end in ((0, unsettled.start), (unsettled.stop, len(analysis.segments))):
            for first, report in analysis.states.reports(start, end):
                check_cancelled()
                at = between(report.at, start - first, end - first)
                if report.braces or len(at) < len(report.at):
                    shown += self._of_statements(report, [first + number for number in at], counts)
                elif all(counts[severity] >= MOST_DIAGNOSTICS for severity in report.counts):
                    self.unplaced += sum(report.counts.values())
                elif any(counts[severity] + count > MOST_DIAGNOSTICS for severity, count in report.counts.items()):
                    shown += self._of_statements(report, [first + number for number in at], counts)
                else:
                    for severity, count in report.counts.items():
                        counts[severity] += count
                    shown += self._of_block(first, report)
        self._kept.keep()
        return shown

    def _of_block(self, first: int, report: BlockReport) -> Sequence[Diagnostic]:
        """What is wrong with all statements of a block, which begins at segment ``first``."""
        known = self._kept.find(report)
        if known is not None:
            return known
        states = [self._analysis.states[first + at] for at in report.at]
        placed = [
            finding
            for at, state in zip(report.at, states, strict=True)
            if state is not None
            for finding in self._placed(state, first + at, state.diagnostics)
        ]
        self._kept.add(report, placed, [state for state in states if state is not None])
        return placed

    def _of_statements(
        self, report: BlockReport, indices: Sequence[int], counts: dict[Severity, int]
    ) -> Iterator[Diagnostic]:
        """What is shown of some statements of a block; ``counts`` has how much there is of each severity up to it."""
        for index in indices:
            state = self._analysis.states[index]
            assert state is not None
            if report.braces and state.segment.role is Role.EXTRA_CLOSE and self._follows(index):
                continue
            shown: list[int] = []
            all_findings = counted(state.diagnostics)
            for number, finding in enumerate(all_findings):
                counts[finding.severity] += 1
                if counts[finding.severity] <= MOST_DIAGNOSTICS:
                    shown.append(number)
            self.unplaced += len(all_findings) - len(shown)
            if shown:
                yield from self._placed(state, index, [state.diagnostics[number] for number in shown])

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

    def _placed(self, state: TypedStatement, index: int, findings: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """Findings of the statement at ``index`` in their places."""
        base = self._analysis.segments.start(index)
        try:
            return [self._places.in_statement(finding, base, index) for finding in findings]
        except Exception as error:
            return [internal_error(error, "placing what is wrong here", state.segment.first_span.shifted(base))]


class _Placed(NamedTuple):
    """The findings of a block in their places, and the range of the text that they speak of.

    They may speak of functions of the module and of constructors only if they are ``of_module``.
    """

    findings: Sequence[Diagnostic]
    start: int
    end: int
    of_module: bool


class _OfText(NamedTuple):
    """What was found in the blocks of a text, with the functions and the types of the module."""

    segments: Segments
    heads: Mapping[str, Head]
    types: ModuleTypes
    placed: Mapping[BlockReport, _Placed]


class _KeptFindings:
    """The findings of blocks, which are kept with the text: the next one differs from it by an edit.

    Those that speak of nothing that was edited are what they were, or further on. A text may have a thousand, and to
    place one takes 20 us: with each key that is as much as all else, and twice what a key may take.
    """

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis: Final = analysis
        self._placed: Final[dict[BlockReport, _Placed]] = {}
        before, segments = cast("_OfText | None", analysis.text_memo.get(_OfText)), analysis.segments
        self._before: Final[Mapping[BlockReport, _Placed]] = before.placed if before is not None else {}
        self._unchanged_until = self._changed_until = self._by = 0
        self._is_module_same = False
        if before is not None:
            self._unchanged_until, self._changed_until = segments.differing(before.segments)
            self._by = segments.length - before.segments.length
            self._is_module_same = before.heads is analysis.heads and before.types is analysis.context.types

    def keep(self) -> None:
        """Keep what was placed for the text after the next edit."""
        analysis = self._analysis
        analysis.text_memo[_OfText] = _OfText(analysis.segments, analysis.heads, analysis.context.types, self._placed)

    def add(self, report: BlockReport, placed: Sequence[Diagnostic], states: Sequence[TypedStatement]) -> None:
        """Take note of what was placed of a block, if that stays as long as what it speaks of."""
        spans: list[TextSpan] = []
        for span in chain.from_iterable(map(_spans, placed)):
            if span is None:
                return
            spans.append(span)
        if not spans or any(finding.data is not None for state in states for finding in state.diagnostics):
            return
        of_module = any(state.calls or state.lowered.declared for state in states)
        start, end = min(span.start for span in spans), max(span.end for span in spans)
        self._placed[report] = _Placed(placed, start, end, of_module)

    def find(self, report: BlockReport) -> Sequence[Diagnostic] | None:
        """What was placed of a block, where it stands now; ``None`` where it may speak of what was edited."""
        known = self._before.get(report)
        if known is None or (known.of_module and not self._is_module_same):
            return None
        moved = self._moved(known)
        if moved is None:
            return None
        self._placed[report] = moved
        return moved.findings

    def _moved(self, known: _Placed) -> _Placed | None:
        unchanged, changed, by = self._unchanged_until, self._changed_until, self._by
        if known.end <= unchanged or (known.start >= changed and not by):
            return known
        if known.start < changed:
            for span in chain.from_iterable(map(_spans, known.findings)):
                if span is None or not (span.end <= unchanged or span.start >= changed):
                    return None

        def place(span: TextSpan) -> TextSpan:
            return TextSpan(span.start + by, span.end + by) if span.start >= changed else span

        start = known.start + by if known.start >= changed else known.start
        return _Placed([finding.moved(place) for finding in known.findings], start, known.end + by, known.of_module)


def _spans(finding: Diagnostic) -> Iterator[TextSpan | None]:
    """Every range of a finding; ``None`` for what has no place."""
    yield finding.span
    for other in finding.related:
        yield other.span
    for fix in finding.fixes:
        for edit in fix.edits:
            yield edit.span
