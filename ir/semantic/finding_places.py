"""Where a finding stands in the text, and what it has to do with: definitions, heads of functions, their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from ..collections.cached import cached
from ..diagnostics import Diagnostic, Fix, Place, Related, TextEdit
from ..expressions import Constructor, GlobalVar, Var
from ..inference.fixes import return_type_fixes
from ..inference.report import undeclared_result
from ..syntax.expression_spans import place_span
from ..syntax.reading import shift
from ..text.text_span import TextSpan
from ..type_visitor import known_type
from .function_statements import FunctionStatements
from .heads import Head
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .whole_function import WholeFunctionAnalysis

__all__ = ["FindingPlaces"]


class FindingPlaces:
    """Puts what is known to be wrong with statements and functions into its places in the text of an analysis."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis: Final = analysis

    def in_statement(self, finding: Diagnostic, base: int, index: int) -> Diagnostic:
        """A finding in the statement at ``index``, which begins at ``base``."""
        placed, undeclared = self._with_definitions(shift(finding, base), index), finding.data
        if not isinstance(undeclared, GlobalVar):
            return placed
        return self._with_result(placed if base else replace(placed, data=None), undeclared)

    def of_value(self, finding: Diagnostic, function: FunctionStatements) -> Diagnostic:
        """A finding about the value of a function."""
        place, analysis = finding.place, self._analysis
        assert place is not None
        if place.callee:  # there is no value: the brace is where it is missed
            unit = analysis.unit(function.last)
            return replace(finding, span=unit.span(len(unit.segment.tokens[0]) - 1), place=None)
        last, header = analysis.states[function.end - 1], analysis.segments.start(function.start - 1)
        assert last is not None
        own = analysis.context.within(function.head, function.late).own(last)
        base = analysis.segments.start(function.end - 1)

        def locate(place: Place) -> TextSpan | None:
            if place.expr is function.head.function:
                span = function.head.place_span(place)
                return span.shifted(header) if span is not None else None
            span = place_span(own.origins, place)
            return span.shifted(base) if span is not None else None

        located = finding.located(locate)
        span = located.span or analysis.unit(function.start - 1).span(1)
        return self._with_definitions(replace(located, span=span, place=None), function.end - 1)

    def in_whole(self, finding: Diagnostic, undeclared: GlobalVar | None, within: WholeFunctionAnalysis) -> Diagnostic:
        """A finding in a function that is read as a whole, which may be about a call of an ``undeclared`` result."""
        base = self._analysis.segments.start(within.start - 1)
        placed = self._with_heads(shift(finding, base), (within.head, *within.mentioned.values()))
        return placed if undeclared is None else self._with_result(placed, undeclared)

    # ---- definitions

    def _with_definitions(self, diagnostic: Diagnostic, index: int) -> Diagnostic:
        """A finding in the statement at ``index``, with the places where the names it speaks of are defined."""
        if not diagnostic.related:
            return diagnostic
        analysis = self._analysis
        function, state = analysis.function_at(index), analysis.states[index]
        called = [analysis.heads.get(name) for name in state.calls] if state is not None else ()
        related: list[Related] = []
        for other in diagnostic.related:
            expr, span = (other.place.expr if other.place is not None else None), other.span
            if span is None and isinstance(expr, Constructor):
                span = self._of_constructor(expr.name_hint)
            if span is None and other.place is not None:  # a parameter of what is called, whatever has its name here
                span = self._in_heads(other.place, called)
            if span is None and isinstance(expr, Var) and isinstance(function, FunctionStatements) and state:
                defined = analysis.definition_before(function, f"%{expr.name_hint}", state.order)
                if defined is not None:
                    span = analysis.segments[defined[0]].span(defined[1]).shifted(analysis.segments.start(defined[0]))
            if span is None and other.place is not None and function is not None:
                span = self._in_heads(other.place, (function.head,))
            related.append(Related(other.message, span))
        return diagnostic.with_related(tuple(related))

    def _of_constructor(self, name: str) -> TextSpan | None:
        """Where a constructor is defined."""
        analysis = self._analysis
        definition = analysis.context.types.reading.names.constructors.get(name)
        unit = definition.unit if definition is not None else None
        return analysis.unit(analysis.types[unit.number]).span(definition.token) if definition and unit else None

    # ---- heads of functions

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
                start = self._analysis.segments.start
                return span.shifted(start(function.start - 1)) if function is not None and span else None
        return None

    @cached
    def _of_heads(self) -> Mapping[Head, AnalysedFunction]:
        """The function of each head."""
        return {function.head: function for function in reversed(self._analysis.functions)}

    # ---- results that are not declared

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
        head = self._analysis.heads.get(f"@{name}")
        function = self._of_heads.get(head) if head is not None else None
        if function is None:
            return None
        result = known_type(
            function.result if isinstance(function, WholeFunctionAnalysis) else function.head.result or function.type
        )
        if result is None:
            return None
        unit = self._analysis.unit(function.start - 1)
        related = undeclared_result(function.head.function, name, result)
        if related.place is not None:
            related = Related(related.message, self._in_heads(related.place, (function.head,)))
        fixes = return_type_fixes(result, function.head.name_span, unit.segment.text)
        moved = tuple(
            Fix(fix.title, tuple(TextEdit(edit.span.shifted(unit.base), edit.new_text) for edit in fix.edits))
            for fix in fixes
        )
        return related, moved
