"""Diagnostics in the time of the edit: the statements of plain functions, each typed on its own.

A dump of a network is a function whose parameters have types and whose statements bind each name once. For such
text the meaning of a statement depends only on its own text and on the types of the names it uses; so both are
remembered, statements that differ in names alone share the work, and an edit costs the statements it touches and
those that a changed type reaches. :func:`analyse` gives ``None`` for every other text (data types, calls of functions
of the module, parameters without types, broken braces, names bound twice): there the whole module is read and
inferred, as always.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

import numpy as np
import numpy.typing as npt

from .diagnostics import Diagnostic, Severity
from .expressions import ErrorExpr, Expr
from .lowered_statement import LoweredStatement, NotPlain
from .metadata import MetadataError, read_metadata
from .source import TextSpan
from .syntax.lowering import Lowering, ParameterList
from .syntax.reading import VERSION_LINE, shift
from .syntax.scopes import Definition, Names, SymbolKind
from .syntax.segments import Role
from .syntax.shapes import shape_of
from .syntax.statements import Segment
from .syntax.suggestions import closest, replacement
from .syntax.tokens import OPEN_COMMENT
from .syntax.units import Origin, Unit
from .types import ERROR, Type
from .unused import Effect, Mentions, Unused, is_meant, unused_in

__all__ = ["Analysis", "FunctionStatements", "StatementState", "analyse", "order_of"]

_NEARBY: Final = 256
"""How many statements before a misspelled name are searched for what was meant."""


class _Facts:
    """What a statement binds and uses. ``shared`` is the lowering of a statement that differs in names alone."""

    __slots__ = (
        "bound",
        "inner_unused",
        "is_broken",
        "is_value",
        "lowered",
        "mentions",
        "own",
        "segment",
        "shared",
        "uses",
    )

    def __init__(
        self,
        segment: Segment,
        bound: str | None,
        uses: tuple[str, ...],
        shared: LoweredStatement | None,
        own: LoweredStatement | None,
    ) -> None:
        self.segment: Final = segment
        self.bound: Final = bound
        self.uses: Final = uses
        self.shared: Final = shared
        self.own = own
        lowered = shared or own
        assert lowered is not None
        self.lowered: Final = lowered
        self.is_value: Final = lowered.is_value
        self.is_broken: Final = isinstance(lowered.value, ErrorExpr)
        self.mentions: Final = uses if own is None or not own.diagnostics else _names_in(segment, bound)
        """The names of outside that count as used here: of what is at fault, every one in the text."""
        bound_at = -1 if bound is None else segment.tokens[1].index(bound)
        unused = () if own is None else unused_in(own.lowering)
        self.inner_unused: Final = tuple(found for found in unused if found.token != bound_at)
        """The values that it binds for itself and does not use."""


@dataclass(frozen=True, slots=True)
class StatementState:
    """A statement in its place: ``order`` grows from one to the next."""

    facts: _Facts
    order: float
    type: Type
    diagnostics: tuple[Diagnostic, ...]
    has_unknown: bool
    """Whether it uses a name that means nothing where it stands."""

    @property
    def is_reported(self) -> bool:
        """Whether there is something to say about it."""
        return bool(self.diagnostics or self.facts.inner_unused)


@dataclass(frozen=True, slots=True)
class FunctionStatements:
    """The statements of one function: segments ``start`` to ``end``, and what each name stands for."""

    start: int
    end: int
    parameters: dict[str, Type]
    result: Type | None
    names: dict[str, StatementState]
    mentions: Mentions
    parameter_definitions: tuple[Definition, ...]
    parameter_origins: Mapping[Expr, Origin]

    def at(self, start: int, end: int, names: dict[str, StatementState], mentions: Mentions) -> FunctionStatements:
        """The same head over other statements."""
        definitions, origins = self.parameter_definitions, self.parameter_origins
        return FunctionStatements(start, end, self.parameters, self.result, names, mentions, definitions, origins)

    @staticmethod
    def head(
        index: int,
        parameters: dict[str, Type],
        result: Type | None,
        definitions: tuple[Definition, ...],
        origins: Mapping[Expr, Origin],
    ) -> FunctionStatements:
        """The head of a function, segment ``index``, without statements yet."""
        mentions = Mentions()
        for name in parameters:
            mentions.bind(name)
        return FunctionStatements(index + 1, index + 1, parameters, result, {}, mentions, definitions, origins)

    def unused(self, analysis: Analysis) -> Iterator[Unused]:
        """The values of the function itself that none of its statements uses."""
        for name in self.mentions.unused:
            if is_meant(name):
                continue
            state = self.names.get(name)
            if state is None:
                yield from self._unused_parameter(name, analysis)
                continue
            index = bisect_left(analysis.states, state.order, self.start, self.end, key=order_of)
            is_graph = name[1:2].isdigit()
            effect = state.facts.lowered.effect if is_graph else self._effect_of(state)
            if effect is Effect.NONE or (is_graph and not state.facts.is_broken):
                kind = SymbolKind.GRAPH if is_graph else SymbolKind.LET
                yield Unused(kind, name, analysis.unit(index), 0 if is_graph else 1, effect)

    def _unused_parameter(self, name: str, analysis: Analysis) -> Iterator[Unused]:
        for definition in self.parameter_definitions:
            if definition.name == name:
                yield Unused(SymbolKind.PARAMETER, name, analysis.unit(self.start - 1), definition.token)

    def _effect_of(self, state: StatementState) -> Effect:
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
                if name[1:2].isdigit() and name in self.names and name not in seen:
                    seen.add(name)
                    pending.append(self.names[name])
        return found


class _Context:
    """What the statements of a text share: its metadata, and everything lowered so far."""

    __slots__ = ("metadata", "names", "templates")

    def __init__(self, metadata: Segment | None) -> None:
        self.metadata: Final = metadata
        self.names: Final = Names()
        self.templates: Final[dict[object, LoweredStatement | None]] = {}
        if metadata is not None:
            text = metadata.tokens[1][0]
            try:
                self.names.metadata = read_metadata(text[text.index("]") + 1 :])
            except MetadataError as error:
                raise NotPlain from error

    def own(self, facts: _Facts) -> LoweredStatement:
        """A statement lowered for itself, so that its diagnostics have its own names and places."""
        if facts.own is None:
            facts.own = LoweredStatement(facts.segment, self.names)
        return facts.own

    def facts(self, segment: Segment) -> _Facts:
        """What a statement binds and uses, remembered with its segment."""
        found = segment.memo.get(self)
        if not isinstance(found, _Facts):
            found = segment.memo[self] = self._facts(segment)
        return found

    def _facts(self, segment: Segment) -> _Facts:
        kinds, texts, _ = segment.tokens
        if "{" in kinds or "w" in kinds[1:] or OPEN_COMMENT in segment.kinds:
            return self._own_facts(segment, kinds, texts)
        names = list(compress(texts, [kind in "LG" for kind in kinds]))
        numbers: dict[str, int] = {}
        pattern = tuple([numbers.setdefault(name, len(numbers)) for name in names])
        key = (kinds, pattern, tuple(compress(texts, [kind not in "LG" for kind in kinds])))
        if key in self.templates:
            shared = self.templates[key]
        else:
            shared = None
            if shape_of("statement", kinds).fault is None:
                lowered = LoweredStatement(segment, self.names)
                shared = None if lowered.diagnostics else lowered
            self.templates[key] = shared
        if shared is None:
            return self._own_facts(segment, kinds, texts)
        bound = names[0] if kinds.startswith(("G=", "wL")) else None
        # The placeholders of the shared statement stand at the same positions of the pattern as our names.
        distinct = list(numbers)
        template_names = list(compress(shared.unit.segment.tokens[1], [kind in "LG" for kind in kinds]))
        by_template = dict(zip(dict.fromkeys(template_names), distinct, strict=True))
        uses = tuple([by_template[name] for name in shared.placeholders])
        return _Facts(segment, bound, uses, shared, None)

    def _own_facts(self, segment: Segment, kinds: str, texts: Sequence[str]) -> _Facts:
        own = LoweredStatement(segment, self.names)
        bound = None
        if kinds.startswith("wL"):
            bound = texts[1]
        elif kinds.startswith("G=") or any(defined.token == 0 for defined in own.lowering.definitions):
            bound = texts[0]  # also where the `=` is missing
        elif isinstance(own.value, ErrorExpr) and kinds.startswith("G"):
            raise NotPlain  # a binding that lost its `=`, or a use: the whole text tells
        return _Facts(segment, bound, tuple(own.placeholders), None, own)


class Analysis:
    """The diagnostics of one text, and what it takes to follow an edit."""

    __slots__ = ("context", "faulty", "functions", "segments", "starts", "states")

    def __init__(
        self,
        context: _Context,
        segments: Sequence[Segment],
        starts: npt.NDArray[np.int64],
        states: list[StatementState | None],
        functions: list[FunctionStatements],
        candidates: Iterable[int],
    ) -> None:
        self.context: Final = context
        self.segments: Final = segments
        self.starts: Final = starts
        self.states: Final = states
        self.functions: Final = functions
        kept = ((index, states[index]) for index in sorted(set(candidates)))
        self.faulty: Final = [index for index, state in kept if state is not None and state.is_reported]
        """The statements with diagnostics or unused values, in order; only ``candidates`` are looked at."""

    def unit(self, index: int) -> Unit:
        """A segment where it stands in the text."""
        return Unit(self.segments[index], index, int(self.starts[index]))

    def unused(self) -> Iterator[Unused]:
        """The values that nothing uses."""
        for function in self.functions:
            yield from function.unused(self)
        for index in self.faulty:
            state = self.states[index]
            assert state is not None
            for found in state.facts.inner_unused:
                yield replace(found, unit=self.unit(index))

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        found: list[Diagnostic] = []
        for index in self.faulty:
            state = self.states[index]
            assert state is not None
            base = int(self.starts[index])
            found.extend(shift(diagnostic, base) for diagnostic in state.diagnostics)
        found.sort(key=lambda diagnostic: diagnostic.span or TextSpan(0, 0))
        return found

    def edited(
        self, segments: Sequence[Segment], starts: npt.NDArray[np.int64], first: int, old_end: int, new_end: int
    ) -> Analysis | None:
        """The analysis after segments ``first`` to ``old_end`` became ``first`` to ``new_end`` of ``segments``.

        ``None`` where the edit reaches beyond the statements of one function, or the text is plain no longer.
        """
        around = (i for i, function in enumerate(self.functions) if function.start <= first and old_end <= function.end)
        position = next(around, None)
        if position is None or any(segments[i].role is not Role.STATEMENT for i in range(first, new_end)):
            return None
        function = self.functions[position]
        shift_by = new_end - old_end
        removed = self.states[first:old_end]
        names, mentions = dict(function.names), function.mentions.copy()
        before: dict[str, Type] = {}
        for state in removed:
            if state is not None and state.facts.bound is not None:
                del names[state.facts.bound]
                mentions.unbind(state.facts.bound)
                before[state.facts.bound] = state.type
        for state in removed:
            if state is not None:
                mentions.remove(state.facts.mentions, names, function.parameters)
        try:
            facts = [self.context.facts(segment) for segment in segments[first:new_end]]
            orders = self._orders(function, first, old_end, len(facts))
            states = self.states[:first]
            states.extend([None] * len(facts))
            states.extend(self.states[old_end:])
            end = function.end + shift_by
            remade = function.at(function.start, end, names, mentions)
            worker = _Worker(self.context, remade, states)
            changed: set[str] = set(before)
            for index, (fact, order) in enumerate(zip(facts, orders, strict=True), first):
                state = worker.place(fact, order, index)
                if fact.bound is not None:
                    if before.get(fact.bound) == state.type:
                        changed.discard(fact.bound)
                    else:
                        changed.add(fact.bound)
            faulty = [i for i in self.faulty if i < first]
            faulty.extend(i + shift_by for i in self.faulty if i >= old_end)
            worker.follow(new_end, changed, faulty)
            worker.check_result()
        except NotPlain:
            return None
        functions = [*self.functions[:position], worker.function]
        later = self.functions[position + 1 :]
        functions.extend(
            other.at(other.start + shift_by, other.end + shift_by, other.names, other.mentions) for other in later
        )
        return Analysis(self.context, segments, starts, states, functions, [*faulty, *worker.touched])

    def _orders(self, function: FunctionStatements, first: int, old_end: int, count: int) -> list[float]:
        low = self.states[first - 1] if first > function.start else None
        high = self.states[old_end] if old_end < function.end else None
        start = low.order if low is not None else (high.order - count - 1 if high is not None else 0.0)
        end = high.order if high is not None else start + count + 1
        step = (end - start) / (count + 1)
        orders = [start + step * (i + 1) for i in range(count)]
        if any(a >= b for a, b in zip([start, *orders], [*orders, end], strict=True)):
            raise NotPlain  # no numbers left between the neighbours: number anew
        return orders


class _Worker:
    """Types the statements of one function; ``states`` is filled in place."""

    def __init__(self, context: _Context, function: FunctionStatements, states: list[StatementState | None]) -> None:
        self.context: Final = context
        self.function: Final = function
        self.states: Final = states
        self.touched: Final[list[int]] = []
        """The statements that were typed."""

    def place(self, facts: _Facts, order: float, index: int) -> StatementState:
        """The state of a statement whose earlier ones are in place."""
        if facts.is_value and index != self.function.end - 1 and not facts.is_broken:
            raise NotPlain
        state = self._state(facts, order, index)
        self.states[index] = state
        self.touched.append(index)
        if facts.bound is not None:
            if facts.bound in self.function.parameters or facts.bound in self.function.names:
                raise NotPlain
            self.function.names[facts.bound] = state
            self.function.mentions.bind(facts.bound)
        self.function.mentions.add(facts.mentions)
        return state

    def follow(self, index: int, changed: set[str], faulty: Iterable[int]) -> None:
        """Type anew what uses a changed name, from ``index`` on, as far as changes reach."""
        states, end = self.states, self.function.end
        # Without a change, only what was meant by a misspelled name may be something else now.
        indices = range(index, end) if changed else [i for i in faulty if index <= i < end]
        for i in indices:
            state = states[i]
            if state is None or (changed.isdisjoint(state.facts.uses) and not state.has_unknown):
                continue
            new = self._state(state.facts, state.order, i)
            states[i] = new
            self.touched.append(i)
            if new.facts.bound is not None:
                self.function.names[new.facts.bound] = new
                if new.type != state.type:
                    changed.add(new.facts.bound)

    def check_result(self) -> None:
        """Leave alone a function whose value is missing, or not of the type that it says."""
        function = self.function
        last = self.states[function.end - 1] if function.end > function.start else None
        if last is None or not last.facts.is_value:
            raise NotPlain
        if function.result is not None and last.type not in (function.result, ERROR):
            raise NotPlain

    def _state(self, facts: _Facts, order: float, index: int) -> StatementState:
        names, parameters = self.function.names, self.function.parameters
        types: list[Type] = []
        for name in facts.uses:
            bound = names.get(name)
            if bound is not None and bound.order < order:
                types.append(bound.type)
            elif name in parameters:
                types.append(parameters[name])
            else:
                return self._state_with_unknown(facts, order, index)
        key = tuple(types)
        lowered = facts.shared
        if lowered is not None:
            typed = lowered.type_with(key)
            if not typed.diagnostics:
                return StatementState(facts, order, typed.type, (), False)
        own = self.context.own(facts)
        typed = own.type_with(key)
        return StatementState(facts, order, typed.type, (*own.diagnostics, *typed.diagnostics), False)

    def _type_of(self, name: str, order: float) -> Type | None:
        bound = self.function.names.get(name)
        if bound is not None and bound.order < order:
            return bound.type
        return self.function.parameters.get(name)

    def _state_with_unknown(self, facts: _Facts, order: float, index: int) -> StatementState:
        """A statement with a name that means nothing here: it has the type of what was meant, if that fits."""
        kinds, texts, _ = facts.segment.tokens
        known = {name: self._type_of(name, order) for name in facts.uses}
        unknown = {name: self._nearest(name, index) for name, type in known.items() if type is None}
        if kinds.startswith("G(") and texts[0] in unknown and kinds.endswith(";"):
            raise NotPlain  # looks like a binding that lost its `=`
        own = self.context.own(facts)
        meant = {name: (self._type_of(near[0], order) if near else None) for name, near in unknown.items()}
        guess = own.type_with(tuple([known[name] or meant[name] or ERROR for name in facts.uses]))
        if guess.diagnostics:
            guess = own.type_with(tuple([known[name] or ERROR for name in facts.uses]))
        found = (*own.diagnostics, *guess.diagnostics, *_undefined(facts, unknown))
        return StatementState(facts, order, guess.type, found, True)

    def _nearest(self, name: str, index: int) -> list[str]:
        nearby = [*self.function.parameters]
        for state in self.states[max(self.function.start, index - _NEARBY) : index]:
            if state is not None and state.facts.bound is not None:
                nearby.append(state.facts.bound)
        return closest(name, nearby, count=3)


def _names_in(segment: Segment, bound: str | None) -> tuple[str, ...]:
    """Every name of a value in a statement but the one that it binds, each once."""
    kinds, texts, _ = segment.tokens
    names = dict.fromkeys(compress(texts, [kind in "LG" for kind in kinds]))
    return tuple(name for name in names if name != bound)


def order_of(state: StatementState | None) -> float:
    """The order of a statement, to search by."""
    return state.order if state is not None else 0.0


def _undefined(facts: _Facts, unknown: dict[str, list[str]]) -> Iterable[Diagnostic]:
    kinds, texts, _ = facts.segment.tokens
    for token, (kind, name) in enumerate(zip(kinds, texts, strict=True)):
        if kind in "LG" and name in unknown and not (token < 2 and name == facts.bound):
            span = facts.segment.span(token)
            near = unknown[name]
            hint = f"; did you mean {near[0]}?" if near else ""
            yield Diagnostic(
                "undefined-variable",
                Severity.ERROR,
                f"undefined variable {name}{hint}",
                span,
                fixes=tuple(replacement(span, other) for other in near),
            )


def analyse(segments: Sequence[Segment], starts: npt.NDArray[np.int64], earlier: Analysis | None) -> Analysis | None:
    """The analysis of a plain text, or ``None``. ``earlier`` lends what it has lowered."""
    try:
        return _analyse(segments, starts, earlier)
    except NotPlain:
        return None


def _analyse(segments: Sequence[Segment], starts: npt.NDArray[np.int64], earlier: Analysis | None) -> Analysis:
    count = len(segments)
    index = 0
    if not count or segments[0].role is not Role.DIRECTIVE or segments[0].tokens[1][:1] != [VERSION_LINE]:
        raise NotPlain
    metadata: Segment | None = None
    index = 1
    if segments[-1].role is Role.METADATA:
        metadata = segments[-1]
        count -= 1
    known = earlier.context if earlier is not None and earlier.context.metadata is metadata else None
    context = known or _Context(metadata)
    states: list[StatementState | None] = [None] * len(segments)
    functions: list[FunctionStatements] = []
    seen: set[str] = set()
    while index < count:
        header = segments[index]
        if header.role is not Role.HEADER:
            if not header.tokens[0] and OPEN_COMMENT not in header.kinds:
                index += 1
                continue
            raise NotPlain
        head = _header(context, header, index)
        name, parameters, result = header.tokens[1][1], head.parameters, head.result
        if name in seen:
            raise NotPlain
        seen.add(name)
        start = index + 1
        end = start
        while end < count and segments[end].role is Role.STATEMENT:
            end += 1
        if end == count or segments[end].role is not Role.CLOSE:
            raise NotPlain
        before = _unchanged(earlier, parameters, result, segments[start:end]) if known is not None else None
        function = head.at(start, end, {}, head.mentions)
        if before is not None:
            function = head.at(start, end, before.names, before.mentions)
        if before is not None and earlier is not None:
            states[start:end] = earlier.states[before.start : before.end]
            functions.append(function)
        else:
            worker = _Worker(context, function, states)
            for position in range(start, end):
                worker.place(context.facts(segments[position]), float(position), position)
            worker.check_result()
            functions.append(worker.function)
        index = end + 1
    if len(functions) > 1 and len({name for f in functions for name in f.names}) < sum(len(f.names) for f in functions):
        raise NotPlain  # a graph variable may be that of an earlier function
    return Analysis(context, segments, starts, states, functions, range(len(states)))


def _unchanged(
    earlier: Analysis | None, parameters: dict[str, Type], result: Type | None, statements: Sequence[Segment]
) -> FunctionStatements | None:
    """The function of an earlier analysis that has the same parameters and the same statements."""
    for function in earlier.functions if earlier is not None and statements else ():
        assert earlier is not None
        if (
            earlier.segments[function.start] is statements[0]
            and function.result == result
            and function.parameters == parameters
            and function.end - function.start == len(statements)
            and all(map(operator.is_, earlier.segments[function.start : function.end], statements))
        ):
            return function
    return None


def _header(context: _Context, header: Segment, index: int) -> FunctionStatements:
    """The head of a function, without statements yet."""
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
    return FunctionStatements.head(index, parameters, result, defined, lowering.origins)
