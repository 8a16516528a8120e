"""Types the statements of one plain function: new ones in their places, and those that depend on what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Final

from msgspec.structs import replace

from ..cancellation import check_cancelled
from ..types import ERROR, Type
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements, InferredParameter
from .lowered_statement import LoweredStatement
from .retyping import Retyping
from .statement_list import StatementList, between, replaced
from .statement_types import StatementTypes
from .typed_statement import TypedStatement
from .unknown_names import NEARBY

__all__ = ["STEP", "StatementTyper"]

STEP: Final = 64
"""How many statements are typed between two reports: what a screen shows.

An edit that reaches further is typed in the background, from its beginning: with 256, the first report came 2 ms later,
and a quote that is opened in 1,000 statements without type comments missed the goal of 6 ms.
"""


class StatementTyper(StatementTypes):
    """Goes through statements of one function, and keeps its names (:class:`.BoundNames`) up to date."""

    progress: Callable[[StatementTyper, int, Mapping[int, TypedStatement]], None] | None = None
    """Called while statements are typed anew: up to which segment all are settled, and those made so far.

    It is given this typer, so that it need not hold it: with a cycle every edit would leave its objects to the
    garbage collector, which looks for them seldom."""

    def unfinished(self) -> FunctionStatements:
        """The function with its names as they are now, before all of its statements are settled: its value is not."""
        function = self.names.copied_into(self.function)
        return replace(function, inferred=dict(self.parameters.inferred), findings=(), type=ERROR)

    # ---- statements

    def place(self, statement: TypedStatement, order: float, index: int) -> TypedStatement:
        """The state of a statement whose earlier ones are in place.

        Raises:
            NeedsFullAnalysis: it cannot be understood by itself.
        """
        name = statement.bound
        if name is not None and self.names.hides_nothing(statement, order):
            statement = self.context.hidden_let(statement, name)
            self.names.hide(order, name)
        state = self.state(statement, order, index)
        self.names.bind(state)
        self.names.mention((state.mentions,), [name for name in state.mentions if name[0] == "@"])
        self.placed.append(state)
        return state

    def place_all(self, statements: Sequence[TypedStatement], orders: Sequence[float], first: int) -> None:
        """Put new statements in their places, one after another from segment ``first`` on.

        It does what :meth:`place` does with each. Most lines of a text are like others that came before them: these are
        gone through here, with as little as can be for each, and are put in place themselves.

        Raises:
            NeedsFullAnalysis: one of them cannot be understood by itself.
        """
        function, names, placed = self.function, self.names.bound, self.placed
        bindings = [state.bound for state in statements if state.bound is not None]
        of_parameters = function.head.parameters.keys() & bindings
        bound_already = names.among(bindings)
        bound_already.update(function.head.parameters)
        fresh: dict[str, TypedStatement] = {}  # what binds names that are not among ``names`` yet
        types: dict[str, Type] = {}  # none of these changes from here on, or means something else in between
        seen: dict[LoweredStatement, tuple[list[Type | None], Type]] = {}  # the last types, which mostly come again
        mentions: list[tuple[str, ...]] = []
        functions: set[str] = set()
        bound_here: list[str] = []
        shift = first - len(placed)
        is_open = bool(function.head.untyped)  # a statement may tell a type, then, and is put in place by itself

        def put_away() -> None:
            names.update(fresh)
            bound_already.update(fresh)
            bound_here.extend(fresh)
            fresh.clear()

        for state, order in zip(statements, orders, strict=True):
            lowered, name, uses = state.shared, state.bound, state.uses
            type = at_fault = None
            known: list[Type | None] = []
            for used in uses:
                of_used = types.get(used)
                if of_used is None:
                    of_used = self.type_known(used, order)
                    if of_used is not None:
                        types[used] = of_used
                known.append(of_used)
            if name in of_parameters or state.lowered.declares_inside:
                known.append(None)  # whether a name means something else from here on depends on more than its types
            is_sound = lowered is not None and not lowered.diagnostics and not state.inner_unused
            before = seen.get(lowered) if lowered is not None and is_sound else None
            if before is not None and before[0] == known:
                type = before[1]
            elif None not in known:
                own_types = tuple([type for type in known if type is not None])
                if lowered is not None and is_sound:
                    typed = lowered.type_with(own_types, self.outside.heads)
                    if typed.diagnostics:
                        at_fault = self.own_state(state, order, own_types)
                    elif not typed.determined:
                        type = typed.type
                elif not is_open:
                    at_fault = self.own_state(state, order, own_types)
            if at_fault is not None:
                state, type = at_fault, at_fault.type
            elif lowered is None or type is None or type is ERROR:
                put_away()
                count = len(self.parameters.inferred)
                name = self.place(state, order, len(placed) + shift).bound
                if len(self.parameters.inferred) > count:
                    types.clear()
                if name is not None:
                    bound_already.add(name)
                    types.pop(name, None)
                continue
            else:
                seen[lowered] = known, type  # each time: the same types are found equal sooner than equal ones
                state.order = order
                state.type = type
            placed.append(state)
            if at_fault is None or state.mentioned is None:
                mentions.append(uses)
                if state.lowered.functions:
                    functions.update(state.calls)
            else:
                mentions.append(state.mentioned)
                functions.update([other for other in state.mentioned if other[0] == "@"])
            if name is None:
                continue
            if name in fresh or name in bound_already:
                put_away()
                self.names.bind(state)
                types.pop(name, None)
            else:
                fresh[name] = state
                types[name] = type
        put_away()
        self.names.mention(mentions, functions, bound_here)

    def follow(self, start: int, changed: set[str], unknown: Sequence[int] = ()) -> dict[int, TypedStatement]:
        """Type anew what depends on a changed name, from ``start`` on, as far as changes reach.

        Where a name means nothing, what was meant may be another name now, of those bound shortly before. ``unknown``
        are statements that have to be typed anew in any case.
        """
        made: dict[int, TypedStatement] = {}
        retyping = Retyping(
            self.names.bound,
            self.names.rebound | self.parameters.inferred.keys(),
            changed,
            made,
            lambda index, state: self._follow(index, state, changed, made),
            self.type_known,
        )
        end, done = self.function.end, 0
        nearby = min(end, start + NEARBY + 1)
        misspelled = [state is not None and state.suggested is not None for state in self.states[start:nearby]]
        again = sorted({*unknown, *compress(range(start, nearby), misspelled)})
        for first, stop, block in self.states.parts(start, end):
            here = between(again, first, stop)
            if first >= nearby and not here and changed.isdisjoint(block.names):
                continue
            retyping.go_through(first, self.states[first:stop], here, self.parameters.open)
            if len(made) - done >= STEP:
                done = len(made)
                check_cancelled()
                if self.progress is not None:
                    self.progress(self, stop, made)
        self.names.bound.settle_if_large()  # else the next edit would have to, before it shows anything
        return made

    def _follow(self, index: int, state: TypedStatement, changed: set[str], made: dict[int, TypedStatement]) -> None:
        if self.parameters.are_used_by(state):
            new = self._determined_anew(state, index, changed)
        else:
            new = self.state(state, state.order, index)
        made[index] = new
        name = new.bound
        if name != state.bound or (state.has_lost_equals and name and self.type_of(name, state.order) is not None):
            raise NeedsFullAnalysis  # where a name is bound, or no more, a call of it is no binding, or is one
        if name is not None and self.names.exchange(state, new) and new.type != state.type:
            changed.add(name)

    def _determined_anew(self, state: TypedStatement, index: int, changed: set[str]) -> TypedStatement:
        """A statement that is typed anew, and uses parameters without types: it may tell other types of them now.

        Raises:
            NeedsFullAnalysis: an earlier statement uses a parameter whose type this one tells, or would.
        """
        inferred, order = self.parameters.inferred, state.order
        known_before = {name: inferred[name] for name in state.uses if name in inferred}
        before = {name: parameter.type for name, parameter in known_before.items() if parameter.order == order}
        for name in before:
            del inferred[name]
        known = len(inferred)
        new = self.state(state, order, index)
        if len(inferred) > known:
            now = [name for name in state.uses if name in inferred and inferred[name].order == order]
            if any(name not in before and self.states.is_depended_on(name, self.function.start, index) for name in now):
                raise NeedsFullAnalysis
            type = new.type
            new = self.state(state, order, index)  # as those after it are typed: with what it tells
            if new.type != type:
                raise NeedsFullAnalysis
            changed.update([name for name in now if before.pop(name, None) != inferred[name].type])
        changed.update(before)
        if not self.parameters.is_unsure and before:
            self.parameters.is_unsure = any(
                self.states.is_depended_on(name, index + 1, self.function.end) for name in before
            )
        return new

    def determine_parameters(
        self, placed: Sequence[TypedStatement], first: int, lost: Mapping[str, InferredParameter]
    ) -> tuple[set[str], dict[int, TypedStatement]]:
        """Settle what statements that were ``placed`` from segment ``first`` on tell of parameters without types.

        ``lost`` is what is known no longer for their sake. Gives the parameters that have other types now, and those of
        the statements that were typed anew.

        Raises:
            NeedsFullAnalysis: an earlier statement uses a parameter whose type one of them tells.
        """
        inferred = self.parameters.inferred
        orders = {state.order for state in placed}
        determined = {name for name, parameter in inferred.items() if parameter.order in orders}
        determining = {inferred[name].order for name in determined}
        made: dict[int, TypedStatement] = {}
        changed = {name for name in determined if name not in lost or inferred[name].type != lost[name].type}
        changed.update(lost.keys() - inferred.keys())
        for index, state in enumerate(placed, first):
            if state.order in determining:
                determined_here = [
                    name for name in state.uses if name in determined and inferred[name].order == state.order
                ]
                if any(self.states.is_depended_on(name, self.function.start, index) for name in determined_here):
                    raise NeedsFullAnalysis
                self._follow(index, state, changed, made)
        self.parameters.is_unsure = any(
            self.states.is_depended_on(name, first, self.function.end) for name in lost.keys() - inferred.keys()
        )
        return changed, made

    @property
    def is_determined_in_order(self) -> bool:
        """Whether no statement that is not typed yet can tell anything of those before it."""
        return not (self.parameters.late or self.parameters.is_unsure or self.parameters.used_open_functions)

    def settle_parameters(self, states: StatementList) -> dict[int, TypedStatement]:
        """Type anew what used parameters before their types were known; ``states`` has all statements of the function.

        Raises:
            NeedsFullAnalysis: a statement cannot be understood by itself.
        """
        made: dict[int, TypedStatement] = {}
        self.parameters.is_settling = True
        self.placed = []
        before = states
        while self.parameters.too_late:
            retyped, changed = self._tell_back(states)
            self.states = states = replaced(states, retyped)
            followed = self.follow(self.function.start, changed)
            states = replaced(states, followed)
            made.update(retyped)
            made.update(followed)
        self.parameters.late.update(
            [new.bound for index, new in made.items() if new.bound and (old := before[index]) and old.type != new.type]
        )
        return made

    def _tell_back(self, states: StatementList) -> tuple[dict[int, TypedStatement], set[str]]:
        """Type anew the statements of whose values later ones tell the types, and those of which these tell it in turn.

        Gives them, and all names of which something is told.

        Raises:
            NeedsFullAnalysis: another statement binds such a name, too.
        """
        retyped: dict[int, TypedStatement] = {}
        changed: set[str] = set()
        function, too_late = self.function, self.parameters.too_late
        while too_late:
            name, _ = too_late.popitem()  # the last one first: sets would not have the same order each time
            changed.add(name)
            state = self.names.bound.get(name)
            if isinstance(state, tuple):
                raise NeedsFullAnalysis
            if state is not None and name in self.parameters.inferred:
                index = states.position(state.order, function.start, function.end)
                new = retyped[index] = self.state(state, state.order, index)
                self.names.exchange(state, new)
        return retyped, changed
