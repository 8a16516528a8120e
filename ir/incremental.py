"""Diagnostics in the time of the edit: the statements of plain functions, each typed on its own.

A dump of a network is a function whose parameters have types and whose statements bind names once. For such text the
meaning of a statement depends only on its own text and on the types of the names it uses; so both are remembered,
statements that differ in names alone share the work, and an edit costs the statements it touches and those that a
changed type reaches. :func:`analyse` gives ``None`` for every other text (data types, calls of functions of the
module, parameters without types): there the whole module is read and inferred, as always.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from .block_list import BlockMap
from .diagnostics import Diagnostic, Related, Severity, in_order
from .expressions import Var
from .function_statements import FunctionStatements, StatementState, StatementTyper, States, replaced
from .lowered_statement import NotPlain
from .source import TextSpan
from .statement_facts import StatementContext
from .syntax.lowering import Lowering, ParameterList
from .syntax.reading import VERSION_LINE, shift
from .syntax.scopes import SymbolKind
from .syntax.segments import Role
from .syntax.splitting import Segments, Splice
from .syntax.statements import Segment
from .syntax.tokens import OPEN_COMMENT
from .syntax.units import Unit
from .types import ERROR, Type
from .unused import Effect, Mentions, Unused, is_meant

__all__ = ["Analysis", "analyse"]

_RENUMBERED: Final = 256
"""How many statements around are numbered anew where there is no number left between two."""

_AT_ONCE: Final = 1_024
"""How many statements of a function are typed in one go; between them, other threads have their turn."""


class Analysis:
    """The diagnostics of one text, and what it takes to follow an edit."""

    __slots__ = ("context", "faulty", "functions", "segments", "states")

    def __init__(
        self,
        context: StatementContext,
        segments: Segments,
        states: States,
        functions: Sequence[FunctionStatements],
        faulty: Sequence[int],
    ) -> None:
        self.context: Final = context
        self.segments: Final = segments
        self.states: Final = states
        self.functions: Final = functions
        self.faulty: Final = faulty
        """The statements with diagnostics or unused values, in order."""
        _check_graph_names(self)

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        found: list[Diagnostic] = []
        for index in self.faulty:
            state = self.states[index]
            assert state is not None
            base = self.segments.start(index)
            found.extend(self._with_definitions(shift(diagnostic, base), index) for diagnostic in state.diagnostics)
        for function in self.functions:
            for name in function.rebound:
                found.extend(self._rebindings(function, name))
        return in_order(found)

    def _with_definitions(self, diagnostic: Diagnostic, index: int) -> Diagnostic:
        """A finding in the statement at ``index``, with the places where the names it speaks of are defined."""
        if all(related.span is not None for related in diagnostic.related):
            return diagnostic
        function, state = self.function_at(index), self.states[index]
        related: list[Related] = []
        for other in diagnostic.related:
            expr = other.place.expr if other.place is not None else None
            if other.span is None and isinstance(expr, Var) and function is not None and state is not None:
                defined = self.definition_before(function, f"%{expr.name_hint}", state.order)
                if defined is not None:
                    other = replace(other, span=self.unit(defined[0]).span(defined[1]))
            related.append(replace(other, place=None))
        return replace(diagnostic, related=tuple(related))

    def function_at(self, index: int) -> FunctionStatements | None:
        """The function that a segment is part of, its head and its closing brace included."""
        position = bisect_left(self.functions, index, key=lambda function: function.end)
        if position < len(self.functions) and self.functions[position].start - 1 <= index:
            return self.functions[position]
        return None

    def definition_before(self, function: FunctionStatements, name: str, order: float) -> tuple[int, int] | None:
        """Where a name that a statement of a function uses is defined: the segment, and the token in it."""
        bound = function.bound_before(name, order)
        if bound is not None:
            return self.index_of(function, bound), 0 if name[1:2].isdigit() else 1
        for definition in function.parameter_definitions:
            if definition.name == name:
                return function.start - 1, definition.token
        return None

    def _rebindings(self, function: FunctionStatements, name: str) -> Iterator[Diagnostic]:
        """Warnings for all bindings of a graph variable but the first."""
        states = function.names.get(name)
        assert isinstance(states, tuple)
        places: list[TextSpan] = []
        for state in states:
            index = self.index_of(function, state)
            places.append(self.segments[index].first_span.shifted(self.segments.start(index)))
        for place in places[1:]:
            yield Diagnostic(
                "graph-variable-rebound",
                Severity.WARNING,
                f"{name} is bound already, and TVM keeps the first value",
                place,
                related=(Related("the binding that stays", places[0]),),
            )

    def unit(self, index: int) -> Unit:
        """A segment where it stands in the text."""
        return Unit(self.segments[index], index, self.segments.start(index))

    def unused(self) -> Iterator[Unused]:
        """The values that nothing uses."""
        for function in self.functions:
            for name in {*function.mentions.unused, *function.rebound}:
                if not is_meant(name):
                    yield from self._unused(function, name)
        for index in self.faulty:
            state = self.states[index]
            assert state is not None
            for found in state.facts.inner_unused:
                yield replace(found, unit=self.unit(index))

    def _unused(self, function: FunctionStatements, name: str) -> Iterator[Unused]:
        """The bindings of one name that nothing uses; a graph variable that is bound again has others."""
        states = function.names.get(name)
        if states is None:
            for definition in function.parameter_definitions:
                if definition.name == name:
                    yield Unused(SymbolKind.PARAMETER, name, self.unit(function.start - 1), definition.token)
            return
        bound = states if isinstance(states, tuple) else (states,)
        is_graph = name[1:2].isdigit()
        for state in bound if name in function.mentions.unused else bound[1:]:
            effect = state.facts.lowered.effect if is_graph else _effect_of(function, state)
            if effect is Effect.NONE or (is_graph and not state.facts.is_broken):
                kind = SymbolKind.GRAPH if is_graph else SymbolKind.LET
                yield Unused(kind, name, self.unit(self.index_of(function, state)), 0 if is_graph else 1, effect)

    def index_of(self, function: FunctionStatements, state: StatementState) -> int:
        """The segment of a statement of a function."""
        return self.states.position(state.order, function.start, function.end)

    def edited(self, segments: Segments, splice: Splice) -> Analysis | None:
        """The analysis after the segments of ``splice`` were replaced by those of ``segments``.

        ``None`` where the edit reaches beyond the statements of one function, or they must be looked at otherwise.
        """
        inside = (
            position
            for position, function in enumerate(self.functions)
            if function.start <= splice.first and splice.old_end <= function.end
        )
        position = next(inside, None)
        if position is None:
            return None
        if any(segment.role is not Role.STATEMENT for segment in segments[splice.first : splice.new_end]):
            return None
        try:
            return self._edited(segments, position, splice)
        except NotPlain:
            return None

    def _edited(self, segments: Segments, position: int, splice: Splice) -> Analysis:
        function = self.functions[position]
        first, old_end, new_end = splice.first, splice.old_end, splice.new_end
        orders = self._orders(function, first, old_end, new_end - first)
        if orders is None:
            shift_by = new_end - old_end
            first, old_end = max(function.start, first - _RENUMBERED), min(function.end, old_end + _RENUMBERED)
            new_end = old_end + shift_by
            orders = self._orders(function, first, old_end, new_end - first)
            if orders is None:
                raise NotPlain
        shift_by = new_end - old_end
        removed = self.states[first:old_end]
        facts = self.context.facts_of(segments[first:new_end])
        affected = {state.facts.bound for state in removed if state is not None}
        affected.update(fact.bound for fact in facts)
        affected.discard(None)
        head = function.at(function.start, function.end + shift_by)
        typer = StatementTyper(self.context, head, function.names.copy(), self.states)
        typer.remove(removed)
        typer.place_all(facts, orders, first)
        placed = typer.placed
        ours = {id(state) for state in (*removed, *placed)}
        inside = Counter(chain.from_iterable([state.facts.mentions for state in placed]))
        meant = {name for index in self.faulty if (state := self.states[index]) for name in state.meant or ()}
        changed: set[str] = set()
        for name in affected:
            if name is None or not (typer.mentions.count(name) > inside[name] or name in meant):
                continue  # nobody depends on it but what was placed
            old, new = function.binding(name), typer.function.binding(name)
            if old is new:
                continue
            if old is None or new is None or not (id(old) in ours and id(new) in ours and old.type == new.type):
                changed.add(name)
        states = self.states.spliced(first, old_end, placed)
        typer.states, typer.placed = states, []
        followed = typer.follow(new_end, changed)
        states = replaced(states, followed)
        faulty = [i for i in self.faulty if i < first]
        faulty += [first + number for number, state in enumerate(placed) if state.is_reported]
        later = [i + shift_by for i in self.faulty if i >= old_end and i + shift_by not in followed]
        faulty += sorted([*later, *(i for i, state in followed.items() if state.is_reported)])
        made = typer.finished()
        _check_result(made, states)
        functions = [*self.functions[:position], made]
        functions.extend(other.moved(shift_by) for other in self.functions[position + 1 :])
        return Analysis(self.context, segments, states, functions, faulty)

    def _orders(self, function: FunctionStatements, first: int, old_end: int, count: int) -> list[float] | None:
        """Numbers for new statements between the neighbours; ``None`` where there are none left."""
        low = self.states[first - 1] if first > function.start else None
        high = self.states[old_end] if old_end < function.end else None
        start = low.order if low is not None else (high.order - count - 1 if high is not None else 0.0)
        end = high.order if high is not None else start + count + 1
        step = (end - start) / (count + 1)
        orders = [start + step * (i + 1) for i in range(count)]
        if any(map(operator.ge, [start, *orders], [*orders, end])):
            return None
        return orders


def _effect_of(function: FunctionStatements, state: StatementState) -> Effect:
    """The effect of a statement, and of the graph bindings that are evaluated as its parts."""
    found = Effect.NONE
    seen: set[str] = set()
    pending = [state]
    while pending:
        facts = pending.pop().facts
        effect = facts.lowered.effect
        if effect is Effect.SOME:
            return effect
        if effect is Effect.UNKNOWN:
            found = effect
        for name in facts.uses:
            bound = function.binding(name) if name[1:2].isdigit() else None
            if bound is not None and name not in seen:
                seen.add(name)
                pending.append(bound)
    return found


def _check_result(function: FunctionStatements, states: States) -> None:
    """Leave alone a function whose value is missing, or not of the type that it says.

    Raises:
        NotPlain: it is.
    """
    last = states[function.end - 1] if function.end > function.start else None
    if last is None or not last.facts.is_value:
        raise NotPlain
    if function.result is not None and last.type not in (function.result, ERROR):
        raise NotPlain


def _check_graph_names(analysis: Analysis) -> None:
    """Leave alone a text in which a function may use a graph variable of one before it.

    Raises:
        NotPlain: one may.
    """
    if len(analysis.functions) < 2:
        return
    for index in analysis.faulty:
        state = analysis.states[index]
        if state is None or state.meant is None:
            continue
        for function in analysis.functions:
            if function.end <= index and any(name in function.names for name in state.facts.uses):
                raise NotPlain


def analyse(segments: Segments, earlier: Analysis | None, splice: Splice | None) -> Analysis | None:
    """The analysis of a plain text, or ``None``.

    ``earlier`` is the analysis of a text which ``splice`` turned into this one: what stayed the same is taken from it.
    """
    try:
        if earlier is not None and splice is not None:
            followed = earlier.edited(segments, splice)
            if followed is not None:
                return followed
            if _metadata_of(earlier.segments) is _metadata_of(segments):
                return _Survey(segments, earlier, splice).run()
        return _Survey(segments, None, Splice(0, 0, len(segments))).run()
    except NotPlain:
        return None


def _metadata_of(segments: Segments) -> Segment | None:
    return segments[-1] if segments and segments[-1].role is Role.METADATA else None


class _Survey:
    """Finds the functions of a text, and types those of which nothing is known that still holds."""

    def __init__(self, segments: Segments, earlier: Analysis | None, splice: Splice) -> None:
        self.segments: Final = segments
        self.earlier: Final = earlier.functions if earlier is not None else ()
        self.splice: Final = splice
        self.shift: Final = splice.new_end - splice.old_end
        self.context: Final = earlier.context if earlier is not None else StatementContext(_metadata_of(segments))
        known = earlier.states if earlier is not None else States()
        self.states = known.spliced(splice.first, splice.old_end, [None] * (splice.new_end - splice.first))
        old_faults = earlier.faulty if earlier is not None else ()
        self.faulty = [i for i in old_faults if i < splice.first]
        self.faulty += [i + self.shift for i in old_faults if i >= splice.old_end]
        self.functions: Final[list[FunctionStatements]] = []

    def run(self) -> Analysis:
        """The analysis.

        Raises:
            NotPlain: the text must be read as a whole.
        """
        segments, splice = self.segments, self.splice
        count = len(segments)
        if not count or segments[0].role is not Role.DIRECTIVE or segments[0].tokens[1][:1] != [VERSION_LINE]:
            raise NotPlain
        if segments[-1].role is Role.METADATA:
            count -= 1
        self.functions.extend(function for function in self.earlier if function.end < splice.first)
        index = self.functions[-1].end + 1 if self.functions else 1
        while index < count:
            header = segments[index]
            if header.role is Role.HEADER:
                index = self._read_function(index, count)
                following = self._following(index)
                if following is not None:
                    self.functions.extend(function.moved(self.shift) for function in following)
                    break
            elif header.tokens[0] or OPEN_COMMENT in header.kinds:
                raise NotPlain
            else:
                index += 1
        names = {function.name for function in self.functions}
        if len(names) < len(self.functions):
            raise NotPlain
        return Analysis(self.context, segments, self.states, self.functions, self.faulty)

    def _following(self, index: int) -> Sequence[FunctionStatements] | None:
        """The functions from ``index`` on, if nothing changed from there on."""
        if index < self.splice.new_end or not self.earlier:
            return None
        for number, function in enumerate(self.earlier):
            if function.end + 1 == index - self.shift:
                return self.earlier[number + 1 :]
        return None

    def _read_function(self, index: int, count: int) -> int:
        """Read the function whose head is at ``index``; gives the index of what follows it."""
        segments, start = self.segments, index + 1
        known: FunctionStatements | None = None
        if start >= self.splice.new_end:
            known = next((function for function in self.earlier if function.start + self.shift == start), None)
        if known is not None:
            end = known.end + self.shift
        else:
            end = start
            while end < count and segments[end].role is Role.STATEMENT:
                end += 1
            if end == count or segments[end].role is not Role.CLOSE:
                raise NotPlain
        head = _header(self.context, segments[index], start, end)
        function = self._under_new_head(known, head) if known is not None else self._typed(head)
        _check_result(function, self.states)
        self.functions.append(function)
        return end + 1

    def _typed(self, head: FunctionStatements) -> FunctionStatements:
        """A function of which nothing is known."""
        start, end = head.start, head.end
        typer = StatementTyper(self.context, head, BlockMap(end - start), States())
        for first in range(start, end, _AT_ONCE):
            part = self.segments[first : min(first + _AT_ONCE, end)]
            orders = [float(index) for index in range(first, first + len(part))]
            typer.place_all(self.context.facts_of(part), orders, first)
        self._take(start, end, typer.placed)
        return typer.finished()

    def _take(self, start: int, end: int, made: Sequence[StatementState]) -> None:
        self.states = self.states.spliced(start, end, made)
        faulty = [i for i in self.faulty if i < start]
        faulty += [start + number for number, state in enumerate(made) if state.is_reported]
        faulty += [i for i in self.faulty if i >= end]
        self.faulty = faulty

    def _under_new_head(self, known: FunctionStatements, head: FunctionStatements) -> FunctionStatements:
        """A function whose statements stayed the same: what uses a parameter that changed is typed anew."""
        old, new = known.parameters, head.parameters
        function = replace(head, names=known.names, rebound=known.rebound, mentions=known.mentions)
        if list(old.items()) == list(new.items()):
            return function
        if any(name in known.names for name in new):
            raise NotPlain
        mentions = known.mentions.copy()
        for name in old.keys() - new.keys():
            mentions.unbind(name)
        for name in new.keys() - old.keys():
            mentions.bind(name)
        function = replace(function, mentions=mentions)
        changed = {name for name in (*old, *new) if old.get(name) != new.get(name)}
        typer = StatementTyper(self.context, function, known.names.copy(), self.states)
        unknown = [i for i in self.faulty if head.start <= i < head.end]
        followed = typer.follow(head.start, changed, unknown)
        self.states = replaced(self.states, followed)
        faulty = {i for i in self.faulty if i not in followed}
        faulty.update(i for i, state in followed.items() if state.is_reported)
        self.faulty = sorted(faulty)
        return typer.finished()


def _header(context: StatementContext, header: Segment, start: int, end: int) -> FunctionStatements:
    """The head of a function, whose names are not known yet."""
    header.parse()
    if header.diagnostics or len(header.statements) != 1 or header.statements[0].root is None:
        raise NotPlain
    lowering = Lowering(context.names, None)
    lowering.enter(Unit(header, 0, 0))
    head = lowering.read_header(header.statements[0])
    generic = any(definition.kind is SymbolKind.TYPE_PARAMETER for definition in lowering.definitions)
    if lowering.diagnostics or generic:
        raise NotPlain
    parameters: dict[str, Type] = {}
    result: Type | None = None
    for value in head:
        if isinstance(value, Type):
            result = value
        elif isinstance(value, ParameterList):
            for var in value.variables:
                if var.type_annotation is None or f"%{var.name_hint}" in parameters:
                    raise NotPlain
                parameters[f"%{var.name_hint}"] = var.type_annotation
    defined = tuple(lowering.definitions)
    name = header.tokens[1][1]
    mentions = Mentions()
    for parameter in parameters:
        mentions.bind(parameter)
    return FunctionStatements(
        name, start, end, parameters, result, BlockMap(), frozenset(), mentions, defined, lowering.origins
    )
