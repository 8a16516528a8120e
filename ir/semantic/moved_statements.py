"""Statements that are in another function than before an edit, or in one that begins or ends elsewhere.

A `def` that is put between the statements of a function, or taken away, gives the half of them other names to see.
Most mean what they did: what callers keep of them (the tokens, which type comments are true) is kept. Without that,
ten thousand statements with type comments take 0.4 s of processor time after such an edit, where 0.1 s is the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from ..syntax.splitting import Splice
from ..syntax.statements import Segment
from .function_statements import FunctionStatements
from .module_analysis import ModuleAnalysis
from .statement_typer import StatementTyper
from .template_cache import TemplateCache
from .templates_above_types import TemplatesAboveTypes
from .typed_statement import TypedStatement

__all__ = ["MovedStatements"]


_Before: TypeAlias = "tuple[TypedStatement, FunctionStatements]"
"""A statement as it was, and the function that it was in."""


class MovedStatements:
    """The statements of ``earlier``, whose text ``splice`` turned into the one that is analyzed."""

    def __init__(self, earlier: ModuleAnalysis, splice: Splice) -> None:
        self._earlier: Final = earlier
        self._splice: Final = splice

    @staticmethod
    def statements_of(
        context: TemplateCache | TemplatesAboveTypes, segments: Sequence[Segment], before: Sequence[_Before | None]
    ) -> list[TypedStatement]:
        """What the statements of some segments bind and use, of which it is known what they were ``before``.

        Raises:
            NeedsFullAnalysis: one of them cannot be understood by itself.
        """
        unknown = [segment for segment, known in zip(segments, before, strict=True) if known is None]
        made = iter(context.statements_of(unknown))
        return [next(made) if known is None else known[0].unplaced() for known in before]

    def keep_cached(
        self, typer: StatementTyper, placed: Sequence[TypedStatement], before: Sequence[_Before | None]
    ) -> None:
        """Keep what callers cache of those of the statements ``placed`` that mean what they did ``before``."""
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

    def before(
        self, first: int, segments: Sequence[Segment], context: TemplateCache | TemplatesAboveTypes
    ) -> list[_Before | None]:
        """What each of the segments from ``first`` on was before, and in which function, if it has the same templates.

        ``None`` for those that are new, and those of which something was to be said.
        """
        splice, earlier = self._splice, self._earlier
        by = splice.new_end - splice.old_end
        before: list[_Before | None] = []
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
                    if context.is_same(earlier.context.within(around.head, around.late)):
                        function = around
            state = earlier.states[at]
            if function is None or state is None or type(state) is not TypedStatement or state.segment is not segment:
                before.append(None)
            else:
                before.append((state, function))
        return before
