"""What the statements of a function tell of what is open: its parameters that are declared without types, the functions
that it calls and whose heads leave a type open, and values of which a later use tells the type."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from ..type_visitor import has_error, has_incomplete
from ..types import Type
from .bound_names import BoundNames
from .declarations import NeedsFullAnalysis
from .function_statements import FunctionStatements, InferredParameter
from .heads import Head
from .typed_statement import TypedStatement

__all__ = ["ParameterTypes"]


class ParameterTypes:
    """What is known of what is open, while statements of a function are typed one after another.

    Each function sees the heads of the others alone: what a call tells of one counts for all calls in its function.
    """

    __slots__ = (
        "_first_open",
        "_heads",
        "_is_fresh",
        "_names",
        "_untyped",
        "inferred",
        "is_settling",
        "is_unsure",
        "late",
        "too_late",
        "used_open_functions",
    )

    def __init__(
        self,
        function: FunctionStatements,
        names: BoundNames,
        heads: Mapping[str, Head],
        inferred: dict[str, InferredParameter],
        *,
        is_fresh: bool,
    ) -> None:
        self._untyped: Final = frozenset(function.head.untyped)
        self._names: Final = names
        self._heads: Final = heads
        self._is_fresh: Final = is_fresh
        """Whether all statements of the function are typed, from its beginning on."""
        self.inferred: Final = inferred
        """What is known of them so far."""
        self.late: Final = set(function.determined_late)
        """See :attr:`.FunctionStatements.determined_late`."""
        self.too_late: Final[dict[str, None]] = {}
        """Those of them that a statement used before their types were known: the one that determined it, or another."""
        self.is_settling = False
        """Whether all statements are in place, and those are typed anew that used one before its type was known."""
        self.is_unsure = False
        """Whether a statement that is not typed yet may tell the type of one that others used before it."""
        self.used_open_functions = False
        """Whether a statement that was typed calls a function of which others may tell what it leaves open."""
        self._first_open: Final[dict[str, float]] = {}

    def used_open(self, name: str, order: float) -> None:
        """Take note that the statement of ``order`` uses one whose type is not known."""
        self._first_open.setdefault(name, order)
        if name[0] == "@":
            self.used_open_functions = True

    @property
    def open(self) -> Collection[str]:
        """The names of which a statement that uses them may tell the types, where it is typed anew, or is told late.

        Functions are left out.
        """
        return () if self.is_settling else self._untyped | self.late

    def _is_open(self, name: str) -> bool:
        """Whether a name is that of a parameter without a type, or of a function whose head leaves a type open."""
        if name[0] != "@":
            return name in self._untyped
        head = self._heads.get(name)
        return head is not None and head.is_open

    def are_used_by(self, statement: TypedStatement) -> bool:
        """Whether a statement may tell something of one of them, where it is typed anew.

        Raises:
            NeedsFullAnalysis: it uses what is told late.
        """
        if self.is_settling:
            return False
        if self.late and (statement.bound in self.late or not self.late.isdisjoint(statement.uses)):
            raise NeedsFullAnalysis  # first it was typed without what is known of these in the end
        if self._untyped and not self._untyped.isdisjoint(statement.uses):
            return True
        return any(map(self._is_open, statement.calls))

    def determine(
        self, statement: TypedStatement, determined: Sequence[Type | None], order: float, types: Sequence[Type]
    ) -> None:
        """Take note of what a statement, which uses values of some ``types``, tells of these.

        Where another of the values that it uses is at fault, it need not tell all of a type: then it tells nothing.

        Raises:
            NeedsFullAnalysis: it tells something of another value, or not all of a type.
        """
        for name, type in zip(statement.uses, determined, strict=bool(determined)):
            known = self.inferred.get(name)
            if type is None or (known is not None and not (name[0] == "@" and has_incomplete(known.type))):
                continue
            is_value = not self._is_open(name)
            if is_value and not (self._is_fresh and self._names.is_bound_once(name)):
                raise NeedsFullAnalysis
            if (has_incomplete(type) and name[0] != "@") or has_error(type):
                if any(map(has_error, types)):
                    continue
                raise NeedsFullAnalysis
            self.inferred[name] = InferredParameter(type, math.inf if self.is_settling else order)
            # Of a function, one call may tell the type of a parameter, and another statement what it gives.
            if is_value or known or self.is_settling or self._first_open.get(name, order) < order:
                self.late.add(name)
            self.too_late[name] = None

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
            if late and (state.bound in late or not late.isdisjoint(state.uses)):
                raise NeedsFullAnalysis
            gone.update([name for name in state.uses if name in inferred and inferred[name].order >= order])
        return {name: inferred.pop(name) for name in gone}
