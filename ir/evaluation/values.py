"""What evaluation computes with: arrays, tuples, values of algebraic data types, closures and
references; and the frame that keeps them for one invocation of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from ..diagnostics import Diagnostic, Place, Severity
from ..expressions import Call, Constructor, Expr, Function, NDArray
from ..ops import Op
from .scopes import FrameScope, FrameScopes

__all__ = ["ADTValue", "Closure", "EvaluationError", "Frame", "Reference", "Value"]


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


class Frame:
    """One invocation of a function: the values of its variables and of the expressions evaluated so far."""

    __slots__ = ("hoisted", "parent", "scope", "scopes", "values")

    def __init__(self, scopes: FrameScopes, scope: FrameScope, parent: Frame | None = None) -> None:
        self.scopes: Final = scopes
        self.hoisted: Final = scopes.hoisted
        self.scope: Final = scope
        self.parent: Final = parent
        self.values: Final[dict[Expr, Value]] = {}

    def find(self, expr: Expr) -> Value | None:
        """The value of a variable or of an expression evaluated before, here or in a function around; else ``None``."""
        frame: Frame | None = self
        while frame is not None:
            value = frame.values.get(expr)
            if value is not None:
                return value
            frame = frame.parent
        return None

    def of_scope(self, scope: FrameScope) -> Frame:
        """The frame of ``scope``, which is that of this frame or of one around it."""
        frame = self
        while frame.scope is not scope and frame.parent is not None:
            frame = frame.parent
        return frame
