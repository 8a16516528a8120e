"""Types that a statement leaves open: other statements of its function may tell them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..diagnostics import Place
from ..expressions import Call, Constructor, ErrorExpr, Expr, GlobalVar, Var
from ..ops.operator import Op
from ..type_visitor import has_incomplete, has_unknown, rewrite_type
from ..types import OPEN, IncompleteType, Type
from ..visitor import children
from .report import InferenceReport, name_of

__all__ = ["CANNOT_INFER", "OPEN", "UNTYPED", "OpenExpressions", "opened", "unannotated", "with_unknowns"]

CANNOT_INFER: Final = "cannot-infer-type"
"""The code of a type that nothing determines; not used where another error may be the cause."""

UNTYPED: Final = (Op, GlobalVar, Constructor, ErrorExpr)
"""What these are, their module or their use decides; they carry no type of their own."""


def opened(type: Type) -> Type:
    """``type`` with :data:`OPEN` for everything in it that is not known."""
    return rewrite_type(type, lambda part: OPEN if isinstance(part, IncompleteType) else part, has_unknown)


def with_unknowns(type: Type) -> Type:
    """``type`` with an incomplete type of its own for everything in it that is open."""
    return rewrite_type(type, lambda part: IncompleteType() if part is OPEN else part, has_incomplete)


def unannotated(name: str) -> str:
    """What is wrong with a variable whose uses do not tell its type."""
    return f"the type of {name} cannot be inferred from its uses; annotate it"


class OpenExpressions:
    """The expressions whose types cannot be inferred; those are reported of which no part is to blame."""

    def __init__(self, report: InferenceReport, known: Iterable[Expr] = ()) -> None:
        self._report: Final = report
        self._open: Final = set(known)

    def add(self, expr: Expr, *, is_broken: bool) -> None:
        """Take note of an expression whose parts have been visited; with ``is_broken``, it is not reported.

        What would have determined the type may stand in the part that could not be read.
        """
        self._open.add(expr)
        if is_broken or any(part in self._open for part in children(expr) if not isinstance(part, UNTYPED)):
            return
        report = self._report
        if isinstance(expr, Var):
            message = unannotated(name_of(expr))
        elif isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            callee = name_of(expr.op)
            message = f"the type of this call cannot be inferred, because {callee} does not declare its result"
            # What the callee gives is known once the whole module is typed.
            report.undeclared[len(report.diagnostics)] = expr.op
        else:
            message = f"the type of {name_of(expr)} cannot be inferred; what it depends on is not constrained enough"
        report.error(CANNOT_INFER, message, Place(expr))
