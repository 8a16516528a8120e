"""What the statements of a function share that stands above data types, whose constructors mean nothing in it yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..diagnostics import Diagnostic
from ..syntax.statements import Segment
from ..types import Type
from .heads import Head
from .late_constructors import LateConstructors
from .lazy_findings import LazyFindings
from .lowered_statement import LoweredStatement, TypedLowering
from .typed_statement import TypedStatement

if TYPE_CHECKING:
    from .template_cache import TemplateCache

__all__ = ["TemplatesAboveTypes"]


class TemplatesAboveTypes:
    """What the statements of a function share that stands above the types of the constructors in ``late``.

    Those that name none of these are the same below the types: of ten thousand functions between as many types, each
    would otherwise begin anew. Nothing else that is said of a statement depends on where the types are.
    """

    __slots__ = ("_below", "_late", "types")

    def __init__(self, below: TemplateCache, late: LateConstructors) -> None:
        self.types: Final = below.types
        self._below: Final = below
        """That of functions with the same type parameters which stand below all types."""
        self._late: Final = late

    def is_same(self, other: TemplateCache | TemplatesAboveTypes) -> bool:
        """See :meth:`TemplateCache.is_same`."""
        return isinstance(other, TemplatesAboveTypes) and other._below is self._below and other._late == self._late

    def _context_of(self, statement: TypedStatement) -> TemplateCache:
        is_above = any(map(self._late.__contains__, statement.lowered.declared))
        return self._below.above(self._late) if is_above else self._below

    def statements_of(self, segments: Sequence[Segment], names: Sequence[str] | None = None) -> list[TypedStatement]:
        """See :meth:`TemplateCache.statements_of`."""
        statements = self._below.statements_of(segments, names)
        for number, statement in enumerate(statements):
            if statement.lowered.declared and (context := self._context_of(statement)) is not self._below:
                statements[number] = context.statements_of(segments[number : number + 1])[0]
        return statements

    def own(self, statement: TypedStatement) -> LoweredStatement:
        """See :meth:`TemplateCache.own`."""
        return self._context_of(statement).own(statement)

    def findings(
        self, statement: TypedStatement, types: tuple[Type, ...], heads: Mapping[str, Head]
    ) -> tuple[TypedLowering, Sequence[Diagnostic]]:
        """See :meth:`TemplateCache.findings`."""
        return self._context_of(statement).findings(statement, types, heads)

    def findings_if_shown(
        self, like: Sequence[Diagnostic], statement: TypedStatement, types: tuple[Type, ...], heads: Mapping[str, Head]
    ) -> LazyFindings:
        """See :meth:`TemplateCache.findings_if_shown`."""
        return self._context_of(statement).findings_if_shown(like, statement, types, heads)

    def without_equals(self, statement: TypedStatement) -> TypedStatement:
        """See :meth:`TemplateCache.without_equals`."""
        return self._context_of(statement).without_equals(statement)

    def hidden_let(self, statement: TypedStatement, name: str) -> TypedStatement:
        """See :meth:`TemplateCache.hidden_let`."""
        return self._context_of(statement).hidden_let(statement, name)
