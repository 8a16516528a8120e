"""Statements that are in another function than before an edit, or in one that begins or ends elsewhere.

A `def` that is put between the statements of a function, or taken away, gives the half of them other names to see.
Most mean what they did: what callers keep of them (the tokens, which type comments are true) is kept. Without that,
ten thousand statements with type comments take 0.4 s of processor time after such an edit, where 0.1 s is the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from .function_statements import FunctionStatements
from .module_analysis import ModuleAnalysis
from .statement_typer import StatementTyper
from .template_cache import TemplateCache
from .typed_statement import TypedStatement

__all__ = ["MovedStatements"]


class MovedStatements:
    """The statements of ``earlier``, whose text ``splice`` turned into the one that is analyzed."""

    def __init__(self, earlier: ModuleAnalysis, splice: Splice) -> None:
        self._earlier: Final = earlier
        self._splice: Final = splice

    def statements_of(self, context: TemplateCache, segments: Sequence[Segment], first: int) -> list[TypedStatement]:
        """What statements bind and use, which are the segments from ``first`` on.

        Raises:
            NeedsFullAnalysis: one of them cannot be understood by itself.
        """
        before = self._before(first, segments, context)
        unknown = [segment for segment, known in zip(segments, before, strict=True) if known is None]
        made = iter(context.statements_of(unknown))
        return [next(made) if known is None else known[0].unplaced() for known in before]

    def keep_cached(self, typer: StatementTyper, placed: Sequence[TypedStatement], first: int) -> None:
        """Keep what callers cache of those that mean what they did; they are ``placed`` from segment ``first`` on."""
        before = self._before(first, [state.segment for state in placed], typer.context)
        for new, known in zip(placed, before, strict=True):
            if known is not None and type(new) is TypedStatement and self._mean_the_same(typer, new, *known):
                new.take_cached(known[0])

    def _mean_the_same(
        self, typer: StatementTyper, new: TypedStatement, old: TypedStatement, function: FunctionStatements
    ) -> bool:
        """Whether all that a statement uses is what it was in the function that it was in, and so its value."""
        if new.lowered is not old.lowered or new.type != old.type:
            return False
        for name in new.uses:
            if name[0] == "@":
                if typer.outside.heads.get(name) is not self._earlier.heads.get(name):
                    return False
                continue
            value, before = typer.function.bound_before(name, new.order), function.bound_before(name, old.order)
            if (value is None) is not (before is None):
                return False
            if value is not before and typer.type_of(name, new.order) != function.type_before(name, old.order):
                return False
        return True

    def _before(
        self, first: int, segments: Sequence[Segment], context: TemplateCache
    ) -> list[tuple[TypedStatement, FunctionStatements] | None]:
        """What each of some segments was before, and in which function, where that has the same templates.

        ``None`` for those that are new, and those of which something was to be said.
        """
        splice, earlier = self._splice, self._earlier
        by = splice.new_end - splice.old_end
        before: list[tuple[TypedStatement, FunctionStatements] | None] = []
        function: FunctionStatements | None = None
        known_to = first  # up to which segment it is known which function it was in
        for index, segment in enumerate(segments, first):
            at = index if index < splice.first else index - by
            if splice.first <= index < splice.new_end:
                before.append(None)
                continue
            if index >= known_to or index == splice.new_end:
                around = earlier.function_at(at)
                function, known_to = None, index + 1
                if isinstance(around, FunctionStatements):
                    known_to = around.end + index - at
                    if earlier.context.within(around.head, around.late) is context:
                        function = around
            state = earlier.states[at]
            if function is None or state is None or type(state) is not TypedStatement or state.segment is not segment:
                before.append(None)
            else:
                before.append((state, function))
        return before
