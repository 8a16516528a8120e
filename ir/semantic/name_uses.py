"""Where a name is used, in a text that is analysed function by function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

from ..lazy_numpy import np
from ..syntax.forms import places_of
from ..syntax.lexer import WHITE_SPACE
from ..syntax.scopes import SymbolKind, is_graph_name
from ..syntax.statements import Segment
from ..text.span_array import SpanArray
from ..text.text_span import TextSpan
from .function_statements import FunctionStatements
from .module_analysis import ModuleAnalysis
from .segment_names import DefinitionSite, SegmentNames
from .symbols import OF_MODULE
from .whole_function import WholeFunctionAnalysis

__all__ = ["NameUses"]

_NAMES_CACHED: Final = 32
"""Of how many names the uses are cached with the same statements."""


class NameUses:
    """Searches the uses of definitions among the statements that can see them."""

    def __init__(self, analysis: ModuleAnalysis, in_segments: SegmentNames) -> None:
        self.analysis: Final = analysis
        self.in_segments: Final = in_segments

    def find(self, key: DefinitionSite) -> Sequence[TextSpan]:
        """The uses of a definition, in the order of the text."""
        kind, name = self.in_segments.local(key.segment).definitions[key.token]
        if kind in OF_MODULE:
            return sorted(self._uses_in_module(key, kind, name))
        places = SpanArray.of((), len(name))
        function = self.analysis.function_at(key.segment)
        if isinstance(function, WholeFunctionAnalysis):
            spans = list(self._uses_in_whole(key, function))
        else:
            unit = self.analysis.unit(key.segment)
            spans = list(self._meaning(key, key.segment, name))
            spans.remove(unit.span(key.token))
            if function is not None and self.is_outer(key, function):
                first = max(key.segment + 1, function.start)
                if name in function.rebound or kind is SymbolKind.TYPE_PARAMETER:
                    indices = self.analysis.states.using({name}, first, function.end)
                    spans += [span for index in indices for span in self._meaning(key, index, name)]
                else:
                    places = self._uses_in_runs(key, first, function.end, name, spans)
        if kind is SymbolKind.GRAPH and function is not None and name in self.analysis.outer_graph:
            spans += self._uses_in_functions(key, SymbolKind.GRAPH, name, function.last + 1)
        return places.merged(spans)

    def _uses_in_runs(self, key: DefinitionSite, first: int, end: int, name: str, others: list[TextSpan]) -> SpanArray:
        """The uses in statements of a name that none of them binds; those where not all have forms go to ``others``.

        They are cached with the statements that follow one another, as places that count from there.
        """
        segments = self.analysis.segments
        parts: list[tuple[int, Any]] = []
        for start, stop, memo in self.analysis.states.runs_naming(name, first, end):
            cached: dict[str, Any] = {}
            if memo is not None:
                cached = cast("dict[str, Any]", memo.setdefault(NameUses, cached))
            starts: Any = cached.get(name)
            if starts is None:
                run = segments[start:stop]
                if any(segment.form is None for segment in run):
                    others += self._uses_in_statements(key, start, stop, name)
                    continue
                if len(cached) == _NAMES_CACHED:
                    cached.clear()
                starts = cached[name] = np.array(_starts_in(run, name), np.int64)
            if len(starts):
                parts.append((segments.start(start), starts))
        return SpanArray.of(parts, len(name))

    def _uses_in_statements(self, key: DefinitionSite, start: int, end: int, name: str) -> list[TextSpan]:
        """The uses in some statements of a name that none of them binds; where they have forms, in all at once."""
        segments = self.analysis.segments
        spans: list[TextSpan] = []
        searched = start
        for index, segment in enumerate(segments[start:end], start):
            if segment.form is None:
                spans += self._uses_by_form(searched, index, name)
                state = self.analysis.states[index]
                if state is not None and name in state.depends_on:
                    spans += self._uses_in_statement(key, index, name)
                searched = index + 1
        spans += self._uses_by_form(searched, end, name)
        return spans

    def _uses_by_form(self, start: int, end: int, name: str) -> Iterable[TextSpan]:
        """The uses of a name in statements that have forms."""
        if start == end:
            return ()
        segments = self.analysis.segments
        base = segments.start(start)
        starts = [base + at for at in _starts_in(segments[start:end], name)]
        return map(TextSpan._make, zip(starts, [at + len(name) for at in starts], strict=True))

    def _uses_in_statement(self, key: DefinitionSite, index: int, name: str) -> Iterator[TextSpan]:
        state = self.analysis.states[index]
        assert state is not None
        segment, base = self.analysis.segments[index], self.analysis.segments.start(index)
        if state.is_flat:
            binds_again = state.bound == name
            for piece in segment.pieces:
                if piece.startswith(name) and piece.rstrip(WHITE_SPACE) == name:
                    if not binds_again:
                        yield TextSpan(base, base + len(name))
                    binds_again = False  # only where it stands first
                base += len(piece)
            return
        yield from self._meaning(key, index, name)

    def _meaning(self, key: DefinitionSite, index: int, name: str) -> Iterator[TextSpan]:
        """The tokens of a segment that name a definition of this name, itself included."""
        unit = self.analysis.unit(index)
        _, texts, _ = unit.segment.tokens
        tokens = (token for token, text in enumerate(texts) if text == name)
        return (unit.span(token) for token in tokens if self.in_segments.meaning(index, token) == key)

    def _uses_in_whole(self, key: DefinitionSite, function: WholeFunctionAnalysis) -> Iterator[TextSpan]:
        """The uses of a name in the function read as a whole that defines it."""
        first = function.start - 1
        for number, meanings in enumerate(function.meanings):
            for token, meaning in meanings.items():
                if meaning.unit == key.segment - first and meaning.token == key.token:
                    yield self.analysis.unit(first + number).span(token)

    def _uses_in_module(self, key: DefinitionSite, kind: SymbolKind, name: str) -> Iterator[TextSpan]:
        analysis = self.analysis
        if self.in_segments.site(key.segment, kind, name) != key:
            return  # what has this name elsewhere is another, that was defined before
        if kind is not SymbolKind.FUNCTION:
            heads = (function.start - 1 for function in analysis.functions if isinstance(function, FunctionStatements))
            for index in (*analysis.types, *heads):
                for token, (other_kind, text) in self.in_segments.local(index).outside.items():
                    if other_kind is kind and text == name:
                        yield analysis.unit(index).span(token)
        yield from self._uses_in_functions(key, kind, name, 0)

    def _uses_in_functions(self, key: DefinitionSite, kind: SymbolKind, name: str, start: int) -> Iterator[TextSpan]:
        """The uses in the functions from a segment on of a name that they do not define."""
        analysis = self.analysis
        declared = analysis.context.types.reading.names
        # A graph variable may be one of the function that the statement is in, a constructor be called as its type is.
        names = analysis.context.types
        has_namesakes = kind is SymbolKind.GRAPH or name in names.variables
        has_namesakes = has_namesakes or (name in declared.types and name in declared.constructors)
        for index in analysis.states.using({name}, start, len(analysis.states)):
            yield from self._meaning(key, index, name) if has_namesakes else self._uses_in_statement(key, index, name)
        for function in analysis.functions:
            if isinstance(function, WholeFunctionAnalysis) and function.start > start:
                for number, meanings in enumerate(function.meanings):
                    for token, meaning in meanings.items():
                        is_outside = meaning.unit is None or kind is SymbolKind.FUNCTION
                        if is_outside and meaning.kind is kind and meaning.name == name:
                            yield analysis.unit(function.start - 1 + number).span(token)

    def is_outer(self, key: DefinitionSite, function: FunctionStatements) -> bool:
        """Whether a definition is one that later statements see."""
        if key.segment == function.start - 1:
            return key.token not in function.head.repeated
        state = self.in_segments.state(key.segment)
        if state is None or state.bound is None or key.token != state.bound_at:
            return False
        return not is_graph_name(state.bound) or function.binding(state.bound) is state


def _starts_in(segments: Iterable[Segment], name: str) -> list[int]:
    """Where a name stands in statements that follow one another and all have forms, counted from the first."""
    return places_of(name, "".join([segment.text for segment in segments]))
