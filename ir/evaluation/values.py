"""What evaluation computes with: arrays, tuples, values of algebraic data types, closures and references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from ..diagnostics import Diagnostic, Place, Severity
from ..expressions import Call, Constructor, Expr, Function, NDArray
from ..ops import Op

if TYPE_CHECKING:
    from .frames import Frame

__all__ = ["ADTValue", "Closure", "EvaluationError", "Reference", "Value"]


class EvaluationError(Exception):
    """Something that cannot be evaluated; ``expr`` is the expression at fault, where there is one."""

    def __init__(self, message: str, expr: Expr | None = None, code: str = "evaluation-failed") -> None:
        super().__init__(message)
        self.message: Final = message
        self.expr: Final = expr
        self.code: Final = code

    @property
    def diagnostic(self) -> Diagnostic:
        """This error as a finding about the module."""
        is_call = isinstance(self.expr, Call)
        place = None if self.expr is None else Place(self.expr, callee=is_call)
        return Diagnostic(self.code, Severity.ERROR, self.message, place=place)


@dataclass(frozen=True, slots=True, eq=False)
class ADTValue:
    """A constructor applied to values: ``Cons(1, Nil)``."""

    constructor: Constructor
    fields: tuple[Value, ...]

    def __repr__(self) -> str:
        # A list of a hundred thousand elements is an ordinary value: its tail must not be shown by recursion.
        shown = ", ".join("…" if isinstance(field, ADTValue) else repr(field) for field in self.fields)
        return f"{self.constructor.name_hint}({shown})"


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function and the variables it sees; ``frame`` is ``None`` for a function of the module."""

    function: Function
    frame: Frame | None


@dataclass(slots=True, eq=False)
class Reference:
    """A mutable cell."""

    value: Value


Value: TypeAlias = "NDArray | tuple[Value, ...] | ADTValue | Closure | Reference | Op | Constructor"
"""Any value; an operator and a constructor are functions."""
