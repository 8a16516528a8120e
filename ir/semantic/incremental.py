"""Diagnostics in the time of the edit: the statements of plain functions, each typed on its own.

A dump of a network is functions whose parameters have types and whose statements bind names once. There the meaning of
a statement depends only on its own text, the types of the names it uses, and what the module declares; so both are
cached, statements that differ in names alone share the work, and an edit costs the statements it touches and those
that a changed type reaches. Every other function is read as a whole, given the heads of the rest, and by itself.
:func:`analyse` gives ``None`` for a text that has something else in it than a version line, data types, functions and a
metadata section at its end: there the whole text is read and inferred.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import count as numbers_from
from itertools import islice
from typing import Final

from msgspec.structs import replace

from ..syntax.cuts import Role
from ..syntax.lexer import WHITE_SPACE
from ..syntax.scopes import is_graph_name
from ..syntax.segment_list import Segments
from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from .declarations import AnalysisFault, NeedsFullAnalysis
from .function_regions import is_closed_at
from .function_statements import FunctionStatements
from .function_value import finished
from .heads import Head
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .module_analyzer import ModuleAnalyzer, reanalyze
from .outer import Outer
from .progress import PartialAnalysis, Progress, nothing_yet
from .statement_list import StatementList, replaced
from .statement_typer import StatementTyper
from .typed_statement import TypedStatement
from .unknown_names import NEARBY
from .whole_function import WholeFunctionAnalysis

__all__ = ["ModuleAnalysis", "analyse"]

_OF_STATEMENTS: Final = (Role.STATEMENT, Role.EXTRA_CLOSE)

_RENUMBERED: Final = 256
"""How many statements around are numbered anew where there is no number left between two."""


def analyse(
    segments: Segments, earlier: ModuleAnalysis | None, splice: Splice | None, progress: Progress | None = None
) -> ModuleAnalysis | None:
    """The analysis of a text, or ``None`` where it must be read as a whole.

    ``earlier`` is the analysis of a text which ``splice`` turned into this one: what stayed the same is taken from it.

    Raises:
        AnalysisFault: an exception that was not expected.
    """
    try:
        if earlier is not None and splice is not None:
            earlier.context.types.nearest.begin()
            try:
                followed = _followed(earlier, segments, splice, progress)
            except Exception as error:
                raise AnalysisFault(splice.first) from error
            analysis = followed if followed is not None else ModuleAnalyzer(segments, earlier, splice, progress).run()
            analysis.text_memo = earlier.text_memo
            return analysis
        return ModuleAnalyzer(segments, None, Splice(0, 0, len(segments)), progress).run()
    except NeedsFullAnalysis:
        return None


def _followed(
    earlier: ModuleAnalysis, segments: Segments, splice: Splice, progress: Progress | None
) -> ModuleAnalysis | None:
    """The analysis after the segments of ``splice`` were replaced by those of ``segments``.

    ``None`` where the edit reaches beyond the statements of one function, or they must be analyzed otherwise.
    """
    position = bisect_left(earlier.functions, splice.first, key=_reach)
    if position == len(earlier.functions):
        return None
    function = earlier.functions[position]
    if isinstance(function, WholeFunctionAnalysis):
        return None
    heads = earlier.heads
    if splice.first == function.start - 1 < min(splice.old_end, splice.new_end):
        head = _laid_out_otherwise(earlier, function.head, segments[splice.first])
        if head is None:
            return None
        if heads.get(head.name) is function.head:  # of two functions of one name, the last counts
            heads = {**heads, head.name: head}
        function = replace(function, head=head)
        splice = Splice(splice.first + 1, splice.old_end, splice.new_end, splice.names)
    if splice.first < function.start or splice.old_end > function.last + 1:
        return None
    new = segments[splice.first : splice.new_end]
    has_brace = bool(new) and new[-1].role is Role.CLOSE
    if any(segment.form is None and segment.role not in _OF_STATEMENTS for segment in new[: len(new) - has_brace]):
        return None
    end = function.end + splice.new_end - splice.old_end
    is_closed = function.is_closed
    if has_brace or splice.old_end > function.end:  # the brace is new or gone, or another one
        if has_brace and splice.old_end < function.last + 1:
            return None
        end, is_closed = splice.new_end - has_brace, has_brace
    if not is_closed and is_closed_at(segments, end) is not False:
        return None
    try:
        ended = function.ending(end, is_closed=is_closed)
        return _edited(earlier, ended, heads, segments, position, splice, progress)
    except NeedsFullAnalysis:
        return None


def _laid_out_otherwise(earlier: ModuleAnalysis, old: Head, header: Segment) -> Head | None:
    """The head of a function of which an edit changed the white space at its end; ``None`` where it changed more.

    The blanks before the first statement are part of the head, so a statement that is typed there edits both.
    """
    if header.role is not Role.HEADER or old.segment.text.rstrip(WHITE_SPACE) != header.text.rstrip(WHITE_SPACE):
        return None
    if old.diagnostics or any(isinstance(function, WholeFunctionAnalysis) for function in earlier.functions):
        return None  # the former may lie in the white space; the latter know the heads of others by their identity
    return earlier.context.head_cache.relaid(old, header)


def _reach(function: AnalysedFunction) -> int:
    """The last segment that belongs to a function, or may with an edit: what follows one that is not closed."""
    return function.end if isinstance(function, FunctionStatements) else function.last


def _edited(
    earlier: ModuleAnalysis,
    head: FunctionStatements,
    heads: Mapping[str, Head],
    segments: Segments,
    position: int,
    splice: Splice,
    progress: Progress | None,
) -> ModuleAnalysis:
    """The analysis after an edit of a function, of which ``head`` has the extent and the head that it has now.

    ``heads`` are those of all functions.
    """
    function = earlier.functions[position]
    assert isinstance(function, FunctionStatements)
    shift_by = splice.new_end - splice.old_end
    # The statements alone, without the brace.
    first, old_end, new_end = splice.first, min(splice.old_end, function.end), min(splice.new_end, head.end)
    if new_end == head.end and function.determined_late:
        raise NeedsFullAnalysis  # the value of the function may have told types
    orders = _orders(earlier.states, function, first, old_end, new_end - first)
    names = splice.names
    if orders is None:
        names = None
        first, old_end = max(function.start, first - _RENUMBERED), min(function.end, old_end + _RENUMBERED)
        new_end = old_end + head.end - function.end
        orders = _orders(earlier.states, function, first, old_end, new_end - first)
        if orders is None:
            raise NeedsFullAnalysis
    removed = earlier.states[first:old_end]
    context = earlier.context.within(head.head, head.late)
    statements = context.statements_of(segments[first:new_end], names)
    affected = {name for state in removed if state is not None and (name := state.bound) is not None}
    affected.update([state.bound for state in statements if state.bound is not None])
    outside = Outer(heads, earlier.functions[:position])
    typer = StatementTyper(context, head, earlier.states, outside)
    typer.names.remove(removed)
    lost = typer.parameters.forget(removed, zip(statements, orders, strict=True))
    depended_on = typer.names.mentions.among(affected)  # by others than what is placed now
    depended_on.update(earlier.states.suggests(affected))
    typer.place_all(statements, orders, first)
    placed = typer.placed
    without_equals = [state.bound for state in placed if state.has_lost_equals and state.bound is not None]
    affected.update(without_equals)
    depended_on.update(without_equals)
    ours = {id(state) for state in (*removed, *placed)} if depended_on else set[int]()
    changed: set[str] = set()
    may_suggest = False
    """Whether a statement that is still to be typed may mean another name than before with one that means nothing."""
    for name in depended_on:
        before, now = _values(function, name), _values(typer.function, name)
        if len(before) != len(now) or any(
            old is not new and not (id(old) in ours and id(new) in ours and old.type == new.type)
            for old, new in zip(before, now, strict=True)
        ):
            changed.add(name)
            may_suggest |= bool(before) and (not now or (now[0] is not before[0] and id(now[0]) not in ours))
    braces = [None] * (splice.new_end > head.end)
    states = earlier.states.spliced(first, max(old_end, splice.old_end), [*placed, *braces])
    typer.states, typer.placed = states, []
    if lost or len(typer.parameters.inferred) > len(function.inferred):
        retyped, determined = typer.determine_parameters(placed, first, lost)
        states = typer.states = replaced(states, determined)
        changed |= retyped
    nearby = earlier.states[old_end : old_end + NEARBY + 1]
    is_doubtful = any(state is not None and state.suggested is not None for state in nearby)
    types = [index + shift_by if index >= old_end else index for index in earlier.types]
    top_level = [index + shift_by if index >= old_end else index for index in earlier.top_level]
    headless = [body.moved(shift_by) if body.start >= old_end else body for body in earlier.headless]

    def analysis_with(made: FunctionStatements, states: StatementList, unsettled: range = range(0)) -> ModuleAnalysis:
        functions = [*earlier.functions[:position], made]
        functions.extend(other.moved(shift_by) for other in earlier.functions[position + 1 :])
        call_memo = earlier.call_memo if made.calls.keys() == function.calls.keys() else None
        return ModuleAnalysis(
            earlier.context, segments, states, functions, heads, types, top_level, call_memo, headless, unsettled
        )

    if progress is not None:
        open_head = head.start - 1 if head.head.untyped else None
        knows_uses = not may_suggest and not earlier.states.has_undefined(old_end, function.end)

        def tell(typing: StatementTyper, settled: int, followed: Mapping[int, TypedStatement]) -> None:
            def part() -> PartialAnalysis:
                unsettled = range(settled, head.last + 1)
                analysis = analysis_with(typing.unfinished(), replaced(states, followed), unsettled)
                return PartialAnalysis(analysis, knows_uses, open_head)

            progress(part if typing.is_determined_in_order else nothing_yet)

        typer.progress = tell
    followed = typer.follow(new_end, changed) if changed or is_doubtful else {}
    settled = replaced(states, followed)
    analysis = analysis_with(finished(typer, settled), settled)
    outer_graph = analysis.outer_graph
    touched = affected.union([state.bound for state in followed.values()]) if outer_graph else affected
    return analysis if outer_graph.isdisjoint(touched) else reanalyze(analysis)


def _values(function: FunctionStatements, name: str) -> Sequence[TypedStatement]:
    """The statements that give a name a value that others see."""
    bound = function.names.get(name)
    if isinstance(bound, tuple):
        return bound[:1] if is_graph_name(name) else bound
    return () if bound is None else (bound,)


def _orders(
    states: StatementList, function: FunctionStatements, first: int, old_end: int, count: int
) -> list[float] | None:
    """Numbers for new statements between the neighbours; ``None`` where there are none left."""
    low = states[first - 1] if first > function.start else None
    high = states[old_end] if old_end < function.end else None
    start = low.order if low is not None else (high.order - count - 1 if high is not None else 0.0)
    end = high.order if high is not None else start + count + 1
    step = (end - start) / (count + 1)
    # Each is added to the one before: together they are out by less than half a step.
    if step <= (count + 4) * math.ulp(max(abs(start), abs(end))):
        return None
    return list(islice(numbers_from(start + step, step), count))
