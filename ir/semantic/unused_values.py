"""The values of a text that nothing uses, function by function; those before an edit are known from the text before."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from ..collections.block_list import common_beginning
from ..syntax.scopes import SymbolKind, is_graph_name
from ..syntax.segment_list import Segments
from ..types import ERROR
from .function_regions import last_segment
from .function_statements import FunctionStatements
from .lints.unused import Effect, Unused, is_meant
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .typed_statement import TypedStatement

__all__ = ["unused_values"]


def unused_values(analysis: ModuleAnalysis) -> Sequence[Unused]:
    """The values of a module that nothing uses.

    Those of the functions before an edit are the same objects as in the text before it.
    """
    return [*_UnusedValues(analysis).of_functions(), *_inside_statements(analysis)]


def _inside_statements(analysis: ModuleAnalysis) -> Iterator[Unused]:
    """Those that are bound and used inside of one statement only."""
    for first, report in analysis.states.reports(0, len(analysis.segments)):
        for index in [first + at for at in report.with_unused]:
            state = analysis.states[index]
            assert state is not None
            for binding in state.inner_unused:
                yield Unused(binding, index, analysis.segments.start(index))


class _OfText(NamedTuple):
    """The unused values of the functions of a text, of which no graph variable is used by another function.

    ``numbers`` are the functions that may have some, ``ends`` where the values of each end among all. The functions at
    ``calling`` of them call others, of which those in ``undefined`` do not exist.
    """

    functions: Sequence[AnalysedFunction]
    segments: Segments
    numbers: Sequence[int]
    ends: Sequence[int]
    values: Sequence[Unused]
    calling: Sequence[int]
    undefined: Sequence[Sequence[str]]

    def kept(self, analysis: ModuleAnalysis) -> int:
        """How many of the functions that may have some are what they were, and where they were."""
        functions = analysis.functions
        same = common_beginning(self.functions, functions)
        before = bisect_left(functions, analysis.segments.common_beginning(self.segments), key=last_segment)
        return bisect_left(self.numbers, min(same, before))


class _KnownUnused(NamedTuple):
    """The values of a function that nothing uses, where it starts at segment ``first``, and its head at ``base``.

    ``undefined`` are the names that it calls, and no function has.
    """

    first: int
    base: int
    undefined: Sequence[str]
    values: Sequence[Unused]


class _UnusedValues:
    """Looks for the values of an analysis that nothing uses."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis: Final = analysis

    def of_functions(self) -> Sequence[Unused]:
        """All that the functions bind, but for what is bound inside of one statement."""
        analysis = self._analysis
        known = cast("_OfText | None", analysis.text_memo.get(_OfText))
        numbers = analysis.noteworthy.with_unused
        ends: list[int] = []
        values: list[Unused] = []
        calling: list[int] = []
        undefined: list[Sequence[str]] = []
        if known is not None and not analysis.outer_graph:
            kept = known.kept(analysis)
            for position, names in zip(known.calling, known.undefined, strict=True):
                if position >= kept:
                    break
                if self._undefined(analysis.functions[numbers[position]]) != names:
                    kept = position
                    break
                calling.append(position)
                undefined.append(names)
            ends += known.ends[:kept]
            values += known.values[: ends[-1] if ends else 0]
        moved = self._moved(known, len(ends)) if known is not None and not analysis.outer_graph else 0
        for position in range(len(ends), len(numbers) - moved):
            function = analysis.functions[numbers[position]]
            missing = self._undefined(function)
            values += self._of_function(function, missing)
            ends.append(len(values))
            if function.calls:
                calling.append(position)
                undefined.append(missing)
        if known is not None and moved:
            first, segments = len(known.numbers) - moved, analysis.segments
            by, further = len(segments) - len(known.segments), segments.length - known.segments.length
            start, count, later = known.ends[first - 1] if first else 0, len(values), len(ends) - first
            values += [Unused(value.binding, value.number + by, value.base + further) for value in known.values[start:]]
            ends += [end - start + count for end in known.ends[first:]]
            in_order = bisect_left(known.calling, first)
            calling += [position + later for position in known.calling[in_order:]]
            undefined += known.undefined[in_order:]
        if analysis.outer_graph:
            analysis.text_memo.pop(_OfText, None)  # another function may use what one binds
        else:
            memo = _OfText(analysis.functions, analysis.segments, numbers, ends, values, calling, undefined)
            analysis.text_memo[_OfText] = memo
        return values

    def _moved(self, known: _OfText, kept: int) -> int:
        """How many functions that may have some, behind the ``kept`` first of them, are further on what they were.

        Most of a text lies behind an edit at its top.
        """
        numbers, functions, segments = self._analysis.noteworthy.with_unused, self._analysis.functions, known.segments
        behind = len(self._analysis.segments) - self._analysis.segments.common_end(segments)
        undefined = dict(zip(known.calling, known.undefined, strict=True))
        most = min(len(numbers), len(known.numbers)) - kept
        for count in range(most):
            function, before = functions[numbers[-count - 1]], known.functions[known.numbers[-count - 1]]
            if not (
                function.start > behind
                and isinstance(function, FunctionStatements)
                and isinstance(before, FunctionStatements)
                and function.mentions is before.mentions
                and (not function.calls or self._undefined(function) == undefined[len(known.numbers) - count - 1])
            ):
                return count
        return most

    def _undefined(self, function: AnalysedFunction) -> Sequence[str]:
        """The names that a function calls, and no function has."""
        return [name for name in function.calls if self._is_no_function(name)]

    def _of_function(self, function: AnalysedFunction, undefined: Sequence[str]) -> Sequence[Unused]:
        """The unused values of a function that calls the names ``undefined``, which no function has."""
        if isinstance(function, FunctionStatements):
            return self._unused(function, undefined)
        first = function.start - 1
        unused = [value for value in function.unused if not self._analysis.lends(function, value.name)]
        segments = self._analysis.segments
        return [Unused(value.binding, first + value.number, segments.start(first + value.number)) for value in unused]

    def _unused(self, function: FunctionStatements, undefined: Sequence[str]) -> Sequence[Unused]:
        """What :meth:`_find_unused` gives, kept as long as the function does not change."""
        if not self._analysis.outer_graph.isdisjoint(function.mentions.unused):
            return list(self._find_unused(function))  # another function may use what it binds
        memo = function.mentions.memo
        known = cast("_KnownUnused | None", memo.get(_KnownUnused))
        first, base = function.start, self._analysis.segments.start(function.start - 1)
        if known is None or known.undefined != undefined:
            unused = list(self._find_unused(function))
        elif (known.first, known.base) == (first, base):
            return known.values
        else:
            segments, moved = first - known.first, base - known.base
            unused = [Unused(value.binding, value.number + segments, value.base + moved) for value in known.values]
        memo[_KnownUnused] = _KnownUnused(first, base, undefined, unused)
        return unused

    def _is_no_function(self, name: str) -> bool:
        """Whether a call of a name is none, since the module has no such function, or only half a head of it."""
        head = self._analysis.heads.get(name)
        return head is None or head.signature is ERROR

    def _find_unused(self, function: FunctionStatements) -> Iterator[Unused]:
        """The bindings of a function that nothing uses; a graph variable that is bound again has others."""
        unused: list[tuple[TypedStatement, Effect]] = []
        tokens: list[tuple[int, str]] = []
        texts, repeated = function.head.segment.tokens[1] if function.head.repeated else (), function.head.repeated
        tokens += [(token, name) for token in repeated if not is_meant(name := texts[token])]
        for name in {*function.mentions.unused, *function.rebound}:
            if is_meant(name):
                continue
            states = function.names.get(name)
            if states is None or name in function.head.parameters:
                is_used = name not in function.mentions.unused and self._uses_parameter(function, name)
                tokens += [
                    (token, name)
                    for token in function.head.defined_at().get(name, ())
                    if not is_used and token not in repeated
                ]
                if states is None:
                    continue
            bound = states if isinstance(states, tuple) else (states,)
            is_used = name not in function.mentions.unused or self._analysis.lends(function, name)
            if is_used and not is_graph_name(name):
                bound = self._without_uses(function, name, bound)
            elif is_used:
                bound = bound[1:]
            for state in bound:
                if state.lowered.uses_itself:
                    continue
                effect = self._effect_if_unused(function, state, is_graph_name(name))
                if effect is not None:
                    unused.append((state, effect))
        for token, name in sorted(tokens):
            yield Unused.of(SymbolKind.PARAMETER, name, self._analysis.unit(function.start - 1), token)
        unused.sort(key=lambda entry: entry[0].order)
        places = self._analysis.states.positions([state for state, _ in unused], function.start, function.end)
        for index, (state, effect) in zip(places, unused, strict=True):
            name = state.bound
            assert name is not None
            yield Unused.of(state.kind, name, self._analysis.unit(index), state.bound_at, effect)

    def _uses_parameter(self, function: FunctionStatements, name: str) -> bool:
        """Whether a statement uses a parameter whose name statements bind, too."""
        for index in self._analysis.states.using({name}, function.start, function.end):
            state = self._analysis.states[index]
            if state is not None and name in state.mentions and function.bound_before(name, state.order) is None:
                return True
        return False

    def _without_uses(
        self, function: FunctionStatements, name: str, bound: Sequence[TypedStatement]
    ) -> Sequence[TypedStatement]:
        """Those of the statements that bind a name with ``let`` after which none uses it up to the next."""
        used: set[TypedStatement | None] = set()
        for index in self._analysis.states.using({name}, function.start, function.end):
            state = self._analysis.states[index]
            if state is not None and name in state.mentions:
                used.add(function.bound_before(name, state.order))
        return [state for state in bound if state not in used]

    def _effect_if_unused(self, function: FunctionStatements, state: TypedStatement, is_graph: bool) -> Effect | None:
        """The effect of a statement whose value nothing uses; ``None`` where it may be meant for its effect."""
        lowered = state.lowered
        effect = lowered.effect if is_graph else self._effect_of(function, state)
        is_broken = lowered.is_broken
        callee = state.callee
        if callee is not None and self._is_no_function(callee):
            effect, is_broken = Effect.UNKNOWN, True  # a call of nothing is no call
        return effect if effect is Effect.NONE or (is_graph and not is_broken) else None

    def _effect_of(self, function: FunctionStatements, state: TypedStatement) -> Effect:
        """The effect of a statement, and of the graph bindings that are evaluated as its parts.

        A ``let`` below a hundred thousand of them may have all of them as its parts.
        """
        if not any(map(is_graph_name, state.uses)):
            return state.lowered.effect
        states = self._analysis.states
        if states.have_no_effect(function.start, states.position(state.order, function.start, function.end) + 1):
            return Effect.NONE
        seen: set[str] = set()
        pending = deque([state])
        while pending:
            statement = pending.popleft()  # what has an effect is mostly near
            if statement.lowered.effect is not Effect.NONE:
                return statement.lowered.effect
            for name in statement.uses:
                bound = function.binding(name) if is_graph_name(name) else None
                if bound is not None and name not in seen:
                    seen.add(name)
                    pending.append(bound)
        return Effect.NONE
