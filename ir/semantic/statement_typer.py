"""Types the statements of one plain function, each from the types of what it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Final, Protocol

from msgspec.structs import replace

from ..cancellation import check_cancelled
from ..diagnostics import Diagnostic
from ..inference import OPEN
from ..syntax.scopes import Definition, SymbolKind, is_graph_name
from ..syntax.tokens import GRAPH
from ..type_visitor import has_incomplete
from ..types import ERROR, Type
from .bound_names import BoundNames
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements, InferredParameter
from .heads import Head
from .lazy_findings import counted, together
from .lowered_statement import LoweredStatement, TypedLowering
from .parameter_types import ParameterTypes
from .retyping import Retyping
from .statement_list import StatementList, between, replaced
from .template_cache import TemplateCache
from .templates_above_types import TemplatesAboveTypes
from .typed_statement import TypedStatement
from .unknown_names import NEARBY, UnknownNames, undefined_names

__all__ = ["STEP", "Outside", "StatementTyper"]

STEP: Final = 64
"""How many statements are typed between two reports: what a screen shows.

An edit that reaches further is typed in the background, from its beginning: with 256, the first report came 2 ms later,
and a quote that is opened in 1,000 statements without type comments missed the goal of 6 ms.
"""


class Outside(Protocol):
    """What a function knows of the rest of its module."""

    heads: Mapping[str, Head]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all functions, with their ``@``."""
        ...

    @property
    def globals(self) -> dict[str, Definition]:
        """What the names of the functions stand for, by names without ``@``."""
        ...

    def has_names(self, names: tuple[str, ...]) -> bool:
        """Whether the functions of the module have these names, in this order."""
        ...

    def earlier_graph(self, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        ...


class StatementTyper:
    """Types statements of one function, and keeps its names (:class:`.BoundNames`) up to date.

    With ``is_fresh``, these are all of its statements, from its beginning on: what ``function`` has is its own.
    """

    def __init__(
        self,
        context: TemplateCache | TemplatesAboveTypes,
        function: FunctionStatements,
        states: StatementList,
        outside: Outside,
        *,
        is_fresh: bool = False,
    ) -> None:
        self.context: Final = context
        names, mentions, inferred = function.names, function.mentions, dict(function.inferred)
        if not is_fresh:
            names, mentions = names.copy(), mentions.copy()
        self.function: Final = replace(function, names=names, mentions=mentions, inferred=inferred)
        self.names: Final = BoundNames(function, names, mentions)
        self.parameters: Final = ParameterTypes(function, self.names, outside.heads, inferred, is_fresh=is_fresh)
        self.outside: Final = outside
        self._unknown: Final = UnknownNames(function, outside.heads, context.types.nearest)
        self.states = states
        self.placed: list[TypedStatement] = []
        """New statements that are not among ``states`` yet: they come after those before the first of them."""
        self.progress: Callable[[StatementTyper, int, Mapping[int, TypedStatement]], None] | None = None
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
        state = self._state(statement, order, index)
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
                    of_used = self._type_known(used, order)
                    if of_used is not None:
                        types[used] = of_used
                known.append(of_used)
            if name in of_parameters:
                known.append(None)  # whether it means something else from here on depends on more than its types
            is_sound = lowered is not None and not lowered.diagnostics and not state.inner_unused
            before = seen.get(lowered) if lowered is not None and is_sound else None
            if before is not None and before[0] == known:
                type = before[1]
            elif None not in known:
                own_types = tuple([type for type in known if type is not None])
                if lowered is not None and is_sound:
                    typed = lowered.type_with(own_types, self.outside.heads)
                    if typed.diagnostics:
                        at_fault = self._own_state(state, order, own_types)
                    elif not typed.determined:
                        type = typed.type
                elif not is_open:
                    at_fault = self._own_state(state, order, own_types)
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

    def _type_known(self, name: str, order: float) -> Type | None:
        """The type of a name in the statement of ``order``, where it is bound before it or is all written down."""
        if name[0] == "@":
            return self._type_of_function(name)
        type = self.function.type_before(name, order)
        if type is OPEN:
            self._used_open(name, order)
        return type

    def _used_open(self, name: str, order: float) -> None:
        """Take note that the statement of ``order`` uses a value of which nothing is known.

        Raises:
            NeedsFullAnalysis: it is a free variable without a type, which the statement may tell.
        """
        bound = self.function.bound_before(name, order)
        if bound is not None and bound.kind is SymbolKind.FREE_VAR:
            raise NeedsFullAnalysis
        self.parameters.used_open(name, order)

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
            self._type_known,
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
            new = self._state(state, state.order, index)
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
        new = self._state(state, order, index)
        if len(inferred) > known:
            now = [name for name in state.uses if name in inferred and inferred[name].order == order]
            if any(name not in before and self.states.is_depended_on(name, self.function.start, index) for name in now):
                raise NeedsFullAnalysis
            type = new.type
            new = self._state(state, order, index)  # as those after it are typed: with what it tells
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

    def _state(self, statement: TypedStatement, order: float, index: int) -> TypedStatement:
        type_before, bound_to = self.function.type_before, self.names.bound.get
        types: list[Type] = []
        for name in statement.uses:
            bound = bound_to(name)
            if bound is not None and not isinstance(bound, tuple) and bound.order < order:
                type = bound.type
            else:
                type = type_before(name, order)
            if type is None:
                head = self.outside.heads.get(name)
                if head is None:
                    return self._state_with_unknown(statement, order, index)
                type = head.known_type
                if head.is_open:
                    self.parameters.used_open(name, order)
            if type is OPEN:
                self._used_open(name, order)
            types.append(type)
        key = tuple(types)
        later_type = self._later_type_of(statement)
        if later_type is not None:
            return self._state_with_later_type(statement, order, key, later_type)
        lowered = statement.shared
        if lowered is not None and not lowered.diagnostics and not statement.inner_unused:
            typed = lowered.type_with(key, self.outside.heads)
            if not typed.diagnostics:
                if typed.determined:
                    self.parameters.determine(statement, typed.determined, order, key)
                return statement.placed(order, statement.type_comment if typed.type is ERROR else typed.type)
        return self._own_state(statement, order, key)

    def _later_type_of(self, statement: TypedStatement) -> Type | None:
        """The type that a later statement tells of the value that one binds."""
        name = statement.bound
        if name is None or not self.parameters.late or name in self.function.head.parameters:
            return None
        later = self.parameters.inferred.get(name)
        return None if later is None else later.type

    def _state_with_later_type(
        self, statement: TypedStatement, order: float, types: tuple[Type, ...], later_type: Type
    ) -> TypedStatement:
        """A statement of whose value a later one tells the type."""
        heads, module = self.outside.heads, self.context.types.module
        typed = statement.lowered.with_later_type(types, heads, later_type, module)
        self.parameters.determine(statement, typed.determined, order, types)
        if not (typed.diagnostics or statement.lowered.diagnostics or statement.inner_unused):
            return statement.placed(order, typed.type)
        own = self.context.own(statement)
        findings = own.with_later_type(types, heads, later_type, module).diagnostics
        return statement.with_report(order, typed.type, (*own.diagnostics, *findings))

    def _own_state(
        self, statement: TypedStatement, order: float, types: tuple[Type, ...], outer_graph: tuple[str, ...] = ()
    ) -> TypedStatement:
        typed, findings = self._findings(statement, types)
        if typed.determined and len(findings) == len(typed.diagnostics):
            self.parameters.determine(statement, typed.determined, order, types)
        type = statement.type_comment if typed.type is ERROR else typed.type
        return statement.with_report(order, type, findings, None, outer_graph)

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
                new = retyped[index] = self._state(state, state.order, index)
                self.names.exchange(state, new)
        return retyped, changed

    def type_of(self, name: str, order: float) -> Type | None:
        """The type of a name of any kind in the statement of ``order``; ``None`` where it means nothing there."""
        type = self.function.type_before(name, order)
        if type is None and name[0] == "@":
            head = self.outside.heads.get(name)
            return head.known_type if head is not None else None
        if type is None and is_graph_name(name):
            return self.outside.earlier_graph(name)
        return type

    def types_used(self, statement: TypedStatement) -> tuple[Type, ...]:
        """The types of what a statement in its place uses; the error type for what means nothing there."""
        return tuple([self.type_of(name, statement.order) or ERROR for name in statement.uses])

    def _state_with_unknown(self, statement: TypedStatement, order: float, index: int) -> TypedStatement:
        """A statement with names that mean nothing in its function: they have the type of what was meant, if that fits.

        A graph variable may have its value from a function before.
        """
        function = self.function
        outer_graph = tuple(
            [name for name in statement.uses if is_graph_name(name) and function.type_before(name, order) is None]
        )
        known = {name: self.type_of(name, order) for name in statement.uses}
        for name, type in known.items():
            if type is OPEN:
                self._used_open(name, order)
            elif name[0] == "@" and type is not None and has_incomplete(type):
                self.parameters.used_open(name, order)
        if None not in known.values():
            return self._own_state(
                statement, order, tuple([type for type in known.values() if type is not None]), outer_graph
            )
        unknown = {
            name: self._unknown.closest(name, index, self.states, self.placed)
            for name, type in known.items()
            if type is None
        }
        kinds = statement.lowered.unit.segment.tokens[0]
        if kinds.startswith(GRAPH + "(") and kinds.endswith(";") and statement.segment.tokens[1][0] in unknown:
            return self._state(self.context.without_equals(statement), order, index)
        suggested = {name: (self._suggested_type(near[0], order) if near else None) for name, near in unknown.items()}
        guessed_types = tuple([known[name] or suggested[name] or ERROR for name in statement.uses])
        guess, findings = self._findings(statement, guessed_types)
        if guess.diagnostics:
            known_types = tuple([known[name] or ERROR for name in statement.uses])
            guess, findings = self._findings(statement, known_types)
        diagnostics = together(findings, undefined_names(statement, unknown))
        type = statement.type_comment if guess.type is ERROR else guess.type
        later_type = self._later_type_of(statement)
        if later_type is not None and has_incomplete(type):
            type = later_type
        names = tuple([near[0] for near in unknown.values() if near])
        return statement.with_report(order, type, diagnostics, names, outer_graph)

    def _findings(
        self, statement: TypedStatement, types: tuple[Type, ...]
    ) -> tuple[TypedLowering, Sequence[Diagnostic]]:
        """What :meth:`.TemplateCache.findings` gives; the statement is not lowered for itself before they are shown."""
        lowered, heads = statement.shared, self.outside.heads
        if lowered is not None:
            typed = lowered.type_with(types, heads)
            if lowered.unit.segment is statement.segment:
                return typed, together(lowered.diagnostics, typed.diagnostics)  # it was lowered for itself
            like = (*lowered.diagnostics, *counted(typed.diagnostics))
            if not like:
                return typed, ()
            return typed, self.context.findings_if_shown(like, statement, types, heads)
        return self.context.findings(statement, types, heads)

    def _suggested_type(self, name: str, order: float) -> Type | None:
        return self._type_of_function(name) if name[0] == "@" else self.type_of(name, order)

    def _type_of_function(self, name: str) -> Type | None:
        """The type of a function of the module, where all of it is written down."""
        head = self.outside.heads.get(name)
        return None if head is None or head.is_open else head.signature
