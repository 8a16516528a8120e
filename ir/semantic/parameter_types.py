"""What the statements of a function tell of its parameters that are declared without types."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from ..type_visitor import has_error, has_incomplete
from ..types import Type
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements, InferredParameter
from .typed_statement import TypedStatement

__all__ = ["ParameterTypes"]


class ParameterTypes:
    """What is known of the parameters without types, while statements of their function are typed one after another."""

    __slots__ = ("_first_open", "_untyped", "inferred", "is_settling", "is_unsure", "late", "too_late")

    def __init__(self, function: FunctionStatements) -> None:
        self._untyped: Final = frozenset(function.head.untyped)
        self.inferred: Final = dict(function.inferred)
        """What is known of them so far."""
        self.late: Final = set(function.determined_late)
        """See :attr:`.FunctionStatements.determined_late`."""
        self.too_late: Final[set[str]] = set()
        """Those of them that a statement used before their types were known: the one that determined it, or another."""
        self.is_settling = False
        """Whether all statements are in place, and those are typed anew that used one before its type was known."""
        self.is_unsure = False
        """Whether a statement that is not typed yet may tell the type of one that others used before it."""
        self._first_open: Final[dict[str, float]] = {}

    def used_open(self, name: str, order: float) -> None:
        """Take note that the statement of ``order`` uses one whose type is not known."""
        self._first_open.setdefault(name, order)

    @property
    def open(self) -> Collection[str]:
        """The names of which a statement that uses them may tell the types, where it is typed anew, or is told late."""
        return () if self.is_settling or not self._untyped else self._untyped | self.late

    def are_used_by(self, statement: TypedStatement) -> bool:
        """Whether a statement may tell something of one of them, where it is typed anew.

        Raises:
            NeedsFullAnalysis: it uses what is told late.
        """
        if self.is_settling:
            return False
        if self.late and not self.late.isdisjoint(statement.uses):
            raise NeedsFullAnalysis  # first it was typed without what is known of these in the end
        return bool(self._untyped) and not self._untyped.isdisjoint(statement.uses)

    def determine(
        self, statement: TypedStatement, determined: Sequence[Type | None], order: float, types: Sequence[Type]
    ) -> None:
        """Take note of what a statement, which uses values of some ``types``, tells of these.

        Where another of the values that it uses is at fault, it need not tell all of a type: then it tells nothing.

        Raises:
            NeedsFullAnalysis: it tells something of another value, or not all of a type.
        """
        for name, type in zip(statement.uses, determined, strict=bool(determined)):
            if type is None or name in self.inferred:
                continue
            if name not in self._untyped:
                raise NeedsFullAnalysis
            if has_incomplete(type) or has_error(type):
                if any(map(has_error, types)):
                    continue
                raise NeedsFullAnalysis
            self.inferred[name] = InferredParameter(type, math.inf if self.is_settling else order)
            if self.is_settling or self._first_open.get(name, order) < order:
                self.late.add(name)
            self.too_late.add(name)

    def forget(
        self, removed: Iterable[TypedStatement | None], placed: Iterable[tuple[TypedStatement, float]]
    ) -> Mapping[str, InferredParameter]:
        """Forget what removed statements determined, or statements after those placed now, which may do it instead.

        Raises:
            NeedsFullAnalysis: one of the statements uses what is told late.
        """
        inferred, late = self.inferred, self.late
        if not inferred:
            return {}
        gone: set[str] = set()
        for state, order in (*((state, state.order) for state in removed if state is not None), *placed):
            if late and not late.isdisjoint(state.uses):
                raise NeedsFullAnalysis
            gone.update([name for name in state.uses if name in inferred and inferred[name].order >= order])
        return {name: inferred.pop(name) for name in gone}
