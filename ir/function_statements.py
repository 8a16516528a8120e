"""The statements of one plain function, each typed from the types of what it uses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from .block_list import BlockList, BlockMap
from .declarations import Head, NotPlain
from .diagnostics import Diagnostic, Place, Severity
from .statement_facts import Facts, StatementContext
from .syntax.scopes import is_graph_name
from .syntax.suggestions import closest, replacement
from .types import ERROR, FuncType, Type
from .unused import Mentions

__all__ = ["FunctionStatements", "Outside", "StatementState", "StatementTyper", "States", "replaced"]

Memo: TypeAlias = "dict[object, object]"

_NEARBY: Final = 256
"""How many statements before a misspelled name are searched for what was meant."""


class Outside(Protocol):
    """What a function knows of the rest of its module."""

    heads: Mapping[str, Head]

    def earlier_graph(self, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        ...


class StatementState:
    """A statement in its place; immutable. ``order`` grows from one to the next.

    Where it uses names that mean nothing there, ``meant`` has those that were probably meant; else it is ``None``.
    ``foreign`` are the graph variables that it does not have from its own function.
    """

    __slots__ = ("_memo", "diagnostics", "facts", "foreign", "meant", "order", "type")

    def __init__(
        self,
        facts: Facts,
        order: float,
        type: Type,
        diagnostics: tuple[Diagnostic, ...],
        meant: tuple[str, ...] | None = None,
        foreign: tuple[str, ...] = (),
    ) -> None:
        self.facts: Final = facts
        self.order: Final = order
        self.type: Final = type
        self.diagnostics: Final = diagnostics
        self.meant: Final = meant
        self.foreign: Final = foreign
        self._memo: dict[object, object] | None = None

    @property
    def memo(self) -> dict[object, object]:
        """What others remember of it."""
        if self._memo is None:
            self._memo = {}
        return self._memo

    @property
    def is_reported(self) -> bool:
        """Whether there is something to say about it, or it depends on more than its own function."""
        return bool(self.diagnostics or self.facts.inner_unused or self.foreign)

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The names that its meaning depends on."""
        return (*self.facts.names, *self.meant) if self.meant else self.facts.names


Bindings: TypeAlias = "BlockMap[str, StatementState | tuple[StatementState, ...]]"
"""The statement that binds each name; where there are several, all of them in order."""


class _Block(list["StatementState | None"]):
    """Some consecutive statements, and the names that they depend on."""

    __slots__ = ("_names", "_runs")

    def __init__(self, states: Sequence[StatementState | None]) -> None:
        super().__init__(states)
        self._names: frozenset[str] | None = None
        self._runs: list[tuple[int, int, Memo | None]] | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every name whose type tells that of a statement here."""
        if self._names is None:
            self._names = frozenset([name for state in self if state is not None for name in state.depends_on])
        return self._names

    @property
    def runs(self) -> Sequence[tuple[int, int, Memo | None]]:
        """Statements that follow one another, from one to another, with what others remember of them together.

        A segment that is no statement stands alone, and nothing is remembered of it here.
        """
        if self._runs is None:
            self._runs = []
            start = 0
            for at in [*(at for at, state in enumerate(self) if state is None), len(self)]:
                if start < at:
                    self._runs.append((start, at, {}))
                if at < len(self):
                    self._runs.append((at, at + 1, None))
                start = at + 1
        return self._runs


class States(BlockList["StatementState | None"]):
    """The statements of a text, by segment; other segments have none."""

    __slots__ = ()

    block_type: ClassVar[Any] = _Block
    _blocks: Sequence[_Block]

    def position(self, order: float, start: int, end: int) -> int:
        """The first statement from ``start`` to ``end``, which are all of one function, with at least this order."""
        blocks = self._blocks
        first, last = self.block_number(start), self.block_number(max(start, end - 1))
        if first < last:
            # All blocks but the first of them begin with a statement of the function.
            number = bisect_right(range(first + 1, last + 1), order, key=lambda number: _order(blocks[number][0]))
            first += number
            block_start = self.block_start(first)
            start, end = max(start, block_start), min(end, block_start + len(blocks[first]))
        block, base = blocks[first], self.block_start(first)
        return base + bisect_left(block, order, start - base, end - base, key=_order)

    def using(self, names: set[str], start: int, end: int) -> Iterator[int]:
        """The statements from ``start`` to ``end`` that depend on one of some names, which may get more meanwhile."""
        index = start
        while index < end:
            number = self.block_number(index)
            block, first = self._blocks[number], self.block_start(number)
            last = min(first + len(block), end)
            if names and not names.isdisjoint(block.names):
                for at in range(index, last):
                    state = block[at - first]
                    if state is not None and not names.isdisjoint(state.depends_on):
                        yield at
            index = last

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int, Memo | None]]:
        """The runs of statements of each block that have some of ``start`` to ``end``; see :attr:`_Block.runs`."""
        if start >= end:
            return
        for number in range(self.block_number(start), self.block_number(end - 1) + 1):
            first = self.block_start(number)
            for run_start, run_end, memo in self._blocks[number].runs:
                if first + run_end > start and first + run_start < end:
                    yield first + run_start, first + run_end, memo


def _order(state: StatementState | None) -> float:
    assert state is not None
    return state.order


@dataclass(frozen=True, slots=True, eq=False)
class FunctionStatements:
    """The statements of one function: segments ``start`` to ``end``, and what each name stands for.

    A name that is bound more than once has all its statements in ``names``, and is in ``rebound``: its first value
    stays. ``findings`` are what is wrong with the value of the function, with places in the last statement and in the
    head; ``type`` is that of its value. ``calls`` counts the statements that name each function of the module.
    """

    head: Head
    start: int
    end: int
    names: Bindings
    rebound: frozenset[str]
    mentions: Mentions
    calls: Mapping[str, int]
    findings: tuple[Diagnostic, ...] = ()
    type: Type = ERROR

    @staticmethod
    def of(head: Head, start: int, end: int) -> FunctionStatements:
        """A function whose statements are not known yet."""
        mentions = Mentions()
        for parameter in head.parameters:
            mentions.bind(parameter)
        return FunctionStatements(head, start, end, BlockMap(), frozenset(), mentions, {})

    @property
    def name(self) -> str:
        """The name, with its ``@``."""
        return self.head.name

    @property
    def parameters(self) -> Mapping[str, Type]:
        """The type of each parameter."""
        return self.head.parameters

    @property
    def last(self) -> int:
        """The last segment of the function: its closing brace."""
        return self.end

    @property
    def checked_type(self) -> Type:
        """The type of the function; of the error type, as far as it could not be found."""
        return FuncType(tuple(self.parameters.values()), self.head.result or self.type)

    def moved(self, by: int) -> FunctionStatements:
        """The same, that many segments further on."""
        return replace(self, start=self.start + by, end=self.end + by) if by else self

    def at(self, start: int, end: int) -> FunctionStatements:
        """The same head, over other segments."""
        return replace(self, start=start, end=end)

    def binding(self, name: str) -> StatementState | None:
        """The statement that gives a name its value."""
        found = self.names.get(name)
        return found[0] if isinstance(found, tuple) else found

    def bound_before(self, name: str, order: float) -> StatementState | None:
        """The statement before that of ``order`` that gives a name its value."""
        found = self.binding(name)
        return found if found is not None and found.order < order else None

    def graph_type(self, name: str) -> Type | None:
        """The type of a graph variable that it binds; ``None`` where it binds no such."""
        found = self.binding(name)
        return found.type if found is not None else None

    def type_before(self, name: str, order: float) -> Type | None:
        """The type that a name has in the statement of ``order``; ``None`` where it means nothing there."""
        found = self.bound_before(name, order)
        return found.type if found is not None else self.parameters.get(name)


def replaced(states: States, made: Mapping[int, StatementState]) -> States:
    """The statements with some of them replaced."""
    for number in sorted({states.block_number(index) for index in made}):
        start = states.block_start(number)
        block = list(states.blocks[number])
        for offset in range(len(block)):
            block[offset] = made.get(start + offset, block[offset])
        states = states.with_block(number, block)
    return states


class StatementTyper:
    """Types statements of one function, and keeps its names up to date."""

    def __init__(
        self,
        context: StatementContext,
        function: FunctionStatements,
        names: Bindings,
        states: States,
        outside: Outside,
    ) -> None:
        self.context: Final = context
        self.names: Final = names
        self.rebound: Final = set(function.rebound)
        self.mentions: Final = function.mentions.copy(function.end - function.start)
        self.function: Final = replace(function, names=names, mentions=self.mentions)
        self.calls: Final = dict(function.calls)
        self.outside: Final = outside
        self.states = states
        self.placed: list[StatementState] = []
        """New statements that are not among ``states`` yet: they come after those before the first of them."""

    # ---- names

    def remove(self, states: Iterable[StatementState | None]) -> None:
        """Forget what statements bind and mention."""
        gone = [state for state in states if state is not None]
        unbound = [name for state in gone if (name := self._unbind(state)) is not None]
        self.mentions.unbind(*unbound)
        mentions = [state.facts.mentions for state in gone]
        for name, count in self.mentions.remove(mentions, self.names, self.function.parameters).items():
            if name[0] == "@":
                self.calls[name] -= count
                if not self.calls[name]:
                    del self.calls[name]

    def _unbind(self, state: StatementState) -> str | None:
        """Forget what a statement binds; gives its name, where nothing binds that any more."""
        name = state.facts.bound
        if name is None:
            return None
        found = self.names.get(name)
        if not isinstance(found, tuple):
            del self.names[name]
            return name
        left = [other for other in found if other is not state]
        if len(left) > 1:
            self.names[name] = tuple(left)
        else:
            self.names[name] = left[0]
            self.rebound.discard(name)
        return None

    def _bind(self, state: StatementState) -> None:
        """Take note of what a statement binds.

        Raises:
            NotPlain: which binding of a name counts would depend on more than their order.
        """
        name = state.facts.bound
        if name is None:
            return
        found = self.names.get(name)
        if name in self.function.parameters or (found is not None and not is_graph_name(name)):
            raise NotPlain
        if found is None:
            self.names[name] = state
            self.mentions.bind(name)
            return
        others = found if isinstance(found, tuple) else (found,)
        self.names[name] = tuple(sorted((*others, state), key=lambda other: other.order))
        self.rebound.add(name)

    def _replace(self, old: StatementState, new: StatementState) -> None:
        name = new.facts.bound
        if name is None:
            return
        found = self.names.get(name)
        if isinstance(found, tuple):
            self.names[name] = tuple([new if other is old else other for other in found])
        else:
            self.names[name] = new

    def finished(self, states: States, faulty: Sequence[int]) -> FunctionStatements:
        """The function with its names as they are now, and its value; ``faulty`` are its reported statements.

        Raises:
            NotPlain: the type of the value agrees with the declared one, but is not the same.
        """
        function = replace(self.function, rebound=frozenset(self.rebound), calls=self.calls)
        head = function.head
        last = states[function.end - 1] if function.end > function.start else None
        if last is not None and last.facts.is_value:
            type, findings = last.type, ()
            if head.result is not None and type != head.result and type is not ERROR:
                findings = self._result_findings(last, head.result)
            return replace(function, type=type, findings=findings)
        if any(self._is_misread(states[index]) for index in faulty):
            return replace(function, type=ERROR, findings=())  # the fault is reported already
        missing = Diagnostic(
            "missing-value",
            Severity.ERROR,
            "expected an expression: a body ends with its value",
            place=Place(head.function, callee=True),
        )
        if last is None or last.facts.bound is not None:
            return replace(function, type=ERROR, findings=(missing,))
        findings = ()
        if head.result is not None and last.type != head.result and last.type is not ERROR:
            findings = self._result_findings(last, head.result)
        return replace(function, type=last.type, findings=(missing, *findings))

    def _result_findings(self, last: StatementState, result: Type) -> tuple[Diagnostic, ...]:
        names = [self.type_of(name, last.order) or ERROR for name in last.facts.uses]
        return self.context.own(last.facts).result_findings(
            tuple(names), self.outside.heads, result, self.function.head
        )

    @staticmethod
    def _is_misread(state: StatementState | None) -> bool:
        return state is not None and bool(state.facts.segment.diagnostics)

    # ---- statements

    def place(self, facts: Facts, order: float, index: int, is_last: bool) -> StatementState:
        """The state of a statement whose earlier ones are in place.

        Raises:
            NotPlain: it cannot be understood by itself.
        """
        if facts.is_value and not is_last and not facts.is_broken:
            raise NotPlain
        state = self._state(facts, order, index)
        self._bind(state)
        self._mention((facts.mentions,))
        self.placed.append(state)
        return state

    def place_all(self, facts: Sequence[Facts], orders: Sequence[float], first: int) -> None:
        """Put statements in their places, one after another from segment ``first`` on.

        It does what :meth:`place` does with each. Most lines of a text are like others that came before them: these are
        gone through here, with as little as can be for each.

        Raises:
            NotPlain: one of them cannot be understood by itself.
        """
        function, names, placed = self.function, self.names, self.placed
        parameters, type_before = function.parameters, function.type_before
        types: dict[str, Type] = {}  # of the names that are bound here, and nowhere else
        alike: list[Facts] = []
        last = function.end - 1
        for index, (fact, order) in enumerate(zip(facts, orders, strict=True), first):
            lowered, name = fact.shared, fact.bound
            if lowered is not None and (not lowered.is_value or index == last):
                known = [types.get(used) or type_before(used, order) for used in fact.uses]
                if lowered.functions:
                    known[-len(lowered.functions) :] = [self._type_of_function(name) for name in lowered.functions]
                type = lowered.known_type(tuple(known))
                if type is not None:
                    state = StatementState(fact, order, type, ())
                    if name is None or (name not in parameters and names.add(name, state)):
                        placed.append(state)
                        alike.append(fact)
                        types[name or ""] = type
                        continue
            self.place(fact, order, index, index == last)
        self._mention([fact.mentions for fact in alike])
        self.mentions.bind(*[fact.bound for fact in alike if fact.bound is not None])

    def _mention(self, mentions: Iterable[Iterable[str]]) -> None:
        """Count the names that statements mention."""
        for name, count in self.mentions.add(mentions).items():
            if name[0] == "@":
                self.calls[name] = self.calls.get(name, 0) + count

    def follow(self, start: int, changed: set[str], unknown: Sequence[int] = ()) -> dict[int, StatementState]:
        """Type anew what depends on a changed name, from ``start`` on, as far as changes reach.

        Where a name means nothing, what was meant may be another name now, of those bound shortly before. ``unknown``
        are statements that have to be typed anew in any case.
        """
        made: dict[int, StatementState] = {}
        end = self.function.end
        nearby = min(end, start + _NEARBY + 1)
        again = {index for index in unknown if index < nearby}
        for index, state in enumerate(self.states[start:nearby], start):
            if state is not None and (
                state.meant is not None or index in again or not changed.isdisjoint(state.facts.uses)
            ):
                self._follow(index, changed, made)
        at = nearby
        for stop in [*sorted({index for index in unknown if index >= nearby}), end]:
            for index in self.states.using(changed, at, stop):
                self._follow(index, changed, made)
            if stop < end:
                self._follow(stop, changed, made)
            at = stop + 1
        return made

    def _follow(self, index: int, changed: set[str], made: dict[int, StatementState]) -> None:
        state = self.states[index]
        if state is None:
            return
        new = self._state(state.facts, state.order, index)
        made[index] = new
        name = new.facts.bound
        if name is not None:
            counts = self.function.binding(name) is state
            self._replace(state, new)
            if counts and new.type != state.type:
                changed.add(name)

    def _state(self, facts: Facts, order: float, index: int) -> StatementState:
        function = self.function
        types: list[Type] = []
        for name in facts.uses:
            type = function.type_before(name, order)
            if type is None:
                head = self.outside.heads.get(name)
                if head is None:
                    return self._state_with_unknown(facts, order, index)
                type = head.known_type
            types.append(type)
        key = tuple(types)
        lowered = facts.shared
        if lowered is not None:
            typed = lowered.type_with(key, self.outside.heads)
            if not typed.diagnostics:
                return StatementState(facts, order, facts.told if typed.type is ERROR else typed.type, ())
        return self._own_state(facts, order, key)

    def _own_state(
        self, facts: Facts, order: float, types: tuple[Type, ...], foreign: tuple[str, ...] = ()
    ) -> StatementState:
        own = self.context.own(facts)
        typed = own.type_with(types, self.outside.heads)
        type = facts.told if typed.type is ERROR else typed.type
        return StatementState(facts, order, type, (*own.diagnostics, *typed.diagnostics), None, foreign)

    def type_of(self, name: str, order: float) -> Type | None:
        """The type of a name of any kind in the statement of ``order``; ``None`` where it means nothing there.

        Raises:
            NotPlain: it is that of a function whose type is not all written down.
        """
        found = self.function.type_before(name, order)
        if found is None and name[0] == "@":
            head = self.outside.heads.get(name)
            return head.known_type if head is not None else None
        if found is None and is_graph_name(name):
            return self.outside.earlier_graph(name)
        return found

    def _state_with_unknown(self, facts: Facts, order: float, index: int) -> StatementState:
        """A statement with names that mean nothing in its function: they have the type of what was meant, if that fits.

        A graph variable may have its value from a function before.
        """
        kinds, texts, _ = facts.segment.tokens
        function = self.function
        foreign = tuple(
            [name for name in facts.uses if is_graph_name(name) and function.type_before(name, order) is None]
        )
        known = {name: self.type_of(name, order) for name in facts.uses}
        if None not in known.values():
            return self._own_state(facts, order, tuple([type for type in known.values() if type is not None]), foreign)
        unknown = {name: self._nearest(name, index) for name, type in known.items() if type is None}
        if kinds.startswith("G(") and texts[0] in unknown and kinds.endswith(";"):
            raise NotPlain  # looks like a binding that lost its `=`
        own = self.context.own(facts)
        meant = {name: (self._meant_type(near[0], order) if near else None) for name, near in unknown.items()}
        guess = own.type_with(tuple([known[name] or meant[name] or ERROR for name in facts.uses]), self.outside.heads)
        if guess.diagnostics:
            guess = own.type_with(tuple([known[name] or ERROR for name in facts.uses]), self.outside.heads)
        found = (*own.diagnostics, *guess.diagnostics, *_undefined(facts, unknown))
        type = facts.told if guess.type is ERROR else guess.type
        names = tuple([near[0] for near in unknown.values() if near])
        return StatementState(facts, order, type, found, names, foreign)

    def _meant_type(self, name: str, order: float) -> Type | None:
        return self._type_of_function(name) if name[0] == "@" else self.type_of(name, order)

    def _type_of_function(self, name: str) -> Type | None:
        """The type of a function of the module, where all of it is written down."""
        head = self.outside.heads.get(name)
        return None if head is None or head.is_open else head.signature

    def _nearest(self, name: str, index: int) -> list[str]:
        if name[0] == "@":
            return closest(name, self.outside.heads, count=3)
        first = max(self.function.start, index - _NEARBY)
        recent = self.placed[max(0, len(self.placed) - (index - first)) :]
        before = self.states[first : index - len(recent)]
        nearby = [state.facts.bound for state in (*before, *recent) if state is not None and state.facts.bound]
        is_graph = is_graph_name(name)
        candidates = (other for other in (*self.function.parameters, *nearby) if is_graph_name(other) == is_graph)
        return closest(name, candidates, count=3)


def _undefined(facts: Facts, unknown: Mapping[str, Sequence[str]]) -> Iterator[Diagnostic]:
    kinds, texts, _ = facts.segment.tokens
    for token, (kind, name) in enumerate(zip(kinds, texts, strict=True)):
        if kind in "LG@" and name in unknown and not (token == facts.bound_at and name == facts.bound):
            span = facts.segment.span(token)
            near = unknown[name]
            hint = f"; did you mean {near[0]}?" if near else ""
            is_function = kind == "@"
            yield Diagnostic(
                "undefined-global" if is_function else "undefined-variable",
                Severity.ERROR,
                f"{'the module has no function' if is_function else 'undefined variable'} {name}{hint}",
                span,
                fixes=tuple(replacement(span, other) for other in near),
            )
