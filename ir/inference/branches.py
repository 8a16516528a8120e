"""What the values of the branches of an ``if``, or of the arms of a ``match``, have in common: their type."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Related
from ..expressions import Expr, If, Match
from ..ops.operator import Op
from ..types import IncompleteType, Type
from .inferencer import Inferencer
from .report import Finding, describe, disagreement, facing, last_of, place_of
from .solver import Mismatch

__all__ = ["unify_branches"]


def unify_branches(inferencer: Inferencer, expr: If | Match, values: Sequence[Expr]) -> Type:
    """The one type that the values of all branches have; each that differs from the first is reported at its value.

    An operator alone, where other branches have something else, is mostly a call that is being typed: it is compared
    last, so that it is what is reported.

    Source of the rule: ``VisitExpr_`` of ``IfNode`` and ``MatchNode`` in ``src/relay/transforms/type_infer.cc``, but
    for that order.
    """
    order: list[int] = []
    operators: list[int] = []
    for number, value in enumerate(values):
        (operators if isinstance(last_of(value), Op) else order).append(number)
    if operators and order:
        inferencer.solver.solve()  # a call whose type is not known yet would have that of the operator
    order += operators
    result = inferencer.types[values[order[0]]] if order else IncompleteType()
    for number in order[1:]:
        result = inferencer.unify(
            result,
            inferencer.types[values[number]],
            expr,
            lambda mismatch, number=number: _different(inferencer, expr, values, order[0], number, mismatch),
        )
    return result


def _different(
    inferencer: Inferencer, expr: If | Match, values: Sequence[Expr], first: int, number: int, mismatch: Mismatch
) -> Finding:
    lhs, rhs = inferencer.resolved(values[first]), inferencer.resolved(values[number])
    one, several = ("branch", "branches") if isinstance(expr, If) else ("arm", "arms")
    which = "first" if first < number else "other"
    value = last_of(values[number])
    if isinstance(value, Op):
        own = f"the operator {value.name}, which is not called"
    else:
        own = f"{describe(rhs)}: {disagreement(facing(mismatch, lhs))}"
    message = f"the {several} differ: the {which} is {describe(lhs)}, this one is {own}"
    related = [Related(f"the {which} {one} is {describe(lhs)}", place=place_of(last_of(values[first]), expr, first))]
    if isinstance(expr, If):
        related += inferencer.origins(last_of(values[first]), last_of(values[number]))
    return Finding("type-mismatch", message, place_of(value, expr, number), related)
