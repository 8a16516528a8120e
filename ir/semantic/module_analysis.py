"""What is known of a text, function by function, and what its names stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, cast

from ..collections.block_list import common_ends
from ..collections.cached import cached
from ..syntax.scopes import is_graph_name
from ..syntax.segment_list import Segments
from ..syntax.units import Unit
from ..types import Type
from .function_statements import FunctionStatements
from .graph_binders import AnalysedFunction, GraphBinders
from .headless_bodies import HeadlessBody
from .heads import Head
from .statement_list import StatementList
from .template_cache import TemplateCache
from .typed_statement import TypedStatement
from .whole_function import WholeFunctionAnalysis

__all__ = ["AnalysedFunction", "ModuleAnalysis"]


class NoteworthyFunctions(NamedTuple):
    """Those of some functions that may be at fault besides their statements, and those that may bind unused values."""

    functions: Sequence[AnalysedFunction]
    at_fault: Sequence[int]
    with_unused: Sequence[int]


def _may_be_at_fault(function: FunctionStatements) -> bool:
    head = function.head
    known_later = function.findings or function.rebound or head.untyped or head.repeated
    return bool(not function.is_closed or head.diagnostics or known_later)


class ModuleAnalysis:
    """What is known of one text, and what it takes to follow an edit."""

    def __init__(
        self,
        context: TemplateCache,
        segments: Segments,
        states: StatementList,
        functions: Sequence[AnalysedFunction],
        heads: Mapping[str, Head],
        types: Sequence[int],
        top_level: Sequence[int],
        call_memo: dict[object, object] | None = None,
        headless: Sequence[HeadlessBody] = (),
        unsettled: range = range(0),
    ) -> None:
        self.context: Final = context
        self.segments: Final = segments
        self.states: Final = states
        self.functions: Final = functions
        self.heads: Final = heads
        self.types: Final = types
        """The segments that define data types."""
        self.top_level: Final = top_level
        """The segments that are no part of a definition: the version line, directives, what does not belong."""
        self.headless: Final = headless
        """The bodies of functions without their heads, as far as they were known."""
        self.call_memo: Final[dict[object, object]] = {} if call_memo is None else call_memo
        """What callers cache of which functions there are, and which others each of them names."""
        self.text_memo: dict[object, object] = {}
        """What callers keep from one text to the one after an edit, with what shows whether it still holds."""
        self.unsettled: Final = unsettled
        """The segments of which nothing is said yet, as they may be otherwise once an edit has been followed."""

    @cached
    def outer_graph(self) -> frozenset[str]:
        """The graph variables that are used in a function which does not bind them before."""
        names = set(self._last_outer_uses)
        for function in self.functions:
            if isinstance(function, WholeFunctionAnalysis):
                names.update(function.outer_graph)
        return frozenset(names)

    @cached
    def _last_outer_uses(self) -> Mapping[str, int]:
        """The last statement that uses each of these variables, where statements are typed one by one."""
        last: dict[str, int] = {}
        for first, report in self.states.reports(0, len(self.segments)):
            last.update({name: first + at for name, at in report.outer_graph.items()})
        return last

    @cached
    def reported(self) -> Sequence[int]:
        """The statements with diagnostics or unused values, and those that depend on other functions; in order."""
        return self.states.reported(0, len(self.segments))

    @cached
    def _last_borrowers(self) -> Mapping[str, int]:
        """Where the last function begins that uses each of these variables, of those that are read as a whole."""
        whole = (function for function in self.functions if isinstance(function, WholeFunctionAnalysis))
        return {name: function.start for function in whole for name in function.borrowed}

    @cached
    def binders(self) -> GraphBinders:
        """What knows which function binds a graph variable first."""
        return GraphBinders(self.functions)

    def lends(self, function: AnalysedFunction, name: str) -> bool:
        """Whether a later function uses this one's graph variable, which TVM allows."""
        if name not in self.outer_graph:
            return False
        binder = self.binders.first(name)
        if binder is not None and binder.start < function.start:
            return False
        is_used = self._last_outer_uses.get(name, -1) > function.last
        return is_used or self._last_borrowers.get(name, -1) > function.start

    @cached
    def noteworthy(self) -> NoteworthyFunctions:
        """The functions that there is something to say about; of a thousand mostly a few."""
        known = cast("NoteworthyFunctions | None", self.text_memo.get(NoteworthyFunctions))
        functions, first, last = self.functions, 0, len(self.functions)
        at_fault: list[int] = []
        with_unused: list[int] = []
        if known is not None:
            first, same_behind = common_ends(known.functions, functions)
            at_fault += known.at_fault[: bisect_left(known.at_fault, first)]
            with_unused += known.with_unused[: bisect_left(known.with_unused, first)]
            last -= same_behind
        for number, function in enumerate(islice(functions, first, last), first):
            is_whole = isinstance(function, WholeFunctionAnalysis)
            if is_whole or _may_be_at_fault(function):
                at_fault.append(number)
            if is_whole or function.mentions.unused or function.rebound or function.head.repeated:
                with_unused.append(number)
        if known is not None:
            by = len(functions) - len(known.functions)
            at_fault += [number + by for number in known.at_fault[bisect_left(known.at_fault, last - by) :]]
            with_unused += [number + by for number in known.with_unused[bisect_left(known.with_unused, last - by) :]]
        noteworthy = self.text_memo[NoteworthyFunctions] = NoteworthyFunctions(functions, at_fault, with_unused)
        return noteworthy

    # ---- names

    def function_at(self, index: int) -> AnalysedFunction | None:
        """The function that a segment is part of, its head and its closing brace included."""
        position = bisect_left(self.functions, index, key=lambda function: function.last)
        if position < len(self.functions) and self.functions[position].start - 1 <= index:
            return self.functions[position]
        return None

    def definition_before(self, function: FunctionStatements, name: str, order: float) -> tuple[int, int] | None:
        """Where a name that a statement of a function uses is defined: the segment, and the token in it."""
        bound = function.bound_before(name, order)
        if bound is not None:
            return self.index_of(function, bound), bound.bound_at
        parameters = function.head.defined_at().get(name)
        if parameters:
            return function.start - 1, min(parameters)
        return self.outer_definition(function, name) if is_graph_name(name) else None

    def earlier_graph(self, function: AnalysedFunction, name: str) -> Type | None:
        """The type of a graph variable that a function before this one binds, which TVM finds as well."""
        binder = self.binders.first(name)
        return binder.graph_type(name) if binder is not None and binder.start < function.start else None

    def outer_definition(self, function: AnalysedFunction, name: str) -> tuple[int, int] | None:
        """Where a graph variable is bound that a function does not bind itself: the segment, and the token in it."""
        binder = self.binders.first(name)
        if binder is None or binder.start >= function.start:
            return None
        if isinstance(binder, WholeFunctionAnalysis):
            unit = binder.graph_unit(name)
            return (binder.start - 1 + unit[0], unit[1]) if unit is not None else None
        bound = binder.binding(name)
        return (self.index_of(binder, bound), bound.bound_at) if bound is not None else None

    def unit(self, index: int) -> Unit:
        """A segment where it stands in the text."""
        return Unit(self.segments[index], index, self.segments.start(index))

    def index_of(self, function: FunctionStatements, state: TypedStatement) -> int:
        """The segment of a statement of a function."""
        return self.states.position(state.order, function.start, function.end)
