"""Which features of Relay a function uses, for the passes that do not take all of them.

Source of the rule: ``src/relay/analysis/feature.cc``, ``include/tvm/relay/feature.h``.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children

from .infrastructure import PassError

__all__ = ["Feature", "detect_features", "is_atomic", "refuse_features"]


class Feature(enum.Enum):
    """A feature by TVM's name; the value says it in words."""

    fVar = "variables"  # noqa: N815 - TVM's names, by which its messages speak of them
    fGlobalVar = "global functions"  # noqa: N815
    fConstant = "constants"  # noqa: N815
    fTuple = "tuples"  # noqa: N815
    fTupleGetItem = "projections"  # noqa: N815
    fFunction = "functions as values"  # noqa: N815
    fOp = "operators"  # noqa: N815
    fCall = "calls"  # noqa: N815
    fLet = "let bindings"  # noqa: N815
    fIf = "conditions"  # noqa: N815
    fRefCreate = "references"  # noqa: N815
    fRefRead = "reads of references"  # noqa: N815
    fRefWrite = "writes to references"  # noqa: N815
    fConstructor = "constructors"  # noqa: N815
    fMatch = "matches"  # noqa: N815
    fGraph = "values shared without let"  # noqa: N815
    fLetRec = "recursive let bindings"  # noqa: N815


_FEATURE_OF: Mapping[type[Expr], Feature] = {
    Var: Feature.fVar,
    GlobalVar: Feature.fGlobalVar,
    Constant: Feature.fConstant,
    Tuple: Feature.fTuple,
    TupleGetItem: Feature.fTupleGetItem,
    Function: Feature.fFunction,
    Op: Feature.fOp,
    Call: Feature.fCall,
    Let: Feature.fLet,
    If: Feature.fIf,
    RefCreate: Feature.fRefCreate,
    RefRead: Feature.fRefRead,
    RefWrite: Feature.fRefWrite,
    Constructor: Feature.fConstructor,
    Match: Feature.fMatch,
}


_TAKEN_AWAY_BY: Mapping[Feature, str] = {
    Feature.fGraph: "ToANormalForm",
    Feature.fLet: "ToGraphNormalForm",
    Feature.fGlobalVar: "Inline",
}
"""The pass after which a function is without a feature, for those that there is one for."""


def is_atomic(expr: Expr) -> bool:
    """Whether using ``expr`` twice duplicates no work: a name, an operator, a constructor, a constant."""
    while isinstance(expr, Call) and is_call_to(expr, "on_device"):
        expr = expr.args[0]
    return isinstance(expr, (Var, Op, Constructor, GlobalVar, Constant))


def detect_features(root: Expr) -> Mapping[Feature, Expr]:
    """The features below ``root``, each with the first expression that has it. Fused functions are not entered."""
    detected: dict[Feature, Expr] = {}
    seen: set[Expr] = set()
    bound_now: set[Var] = set()
    """The variables of the ``let`` bindings whose values are being examined."""
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        expr, leaves_value = stack.pop()
        if leaves_value:
            bound_now.discard(expr)  # type: ignore[arg-type]
            continue
        if expr in seen:
            if not is_atomic(expr):
                detected.setdefault(Feature.fGraph, expr)
            elif expr in bound_now:
                detected.setdefault(Feature.fLetRec, expr)
            continue
        seen.add(expr)
        feature = _FEATURE_OF.get(type(expr))
        if feature is not None:
            detected.setdefault(feature, expr)
        if isinstance(expr, Let):
            bound_now.add(expr.var)
            seen.add(expr.var)
            detected.setdefault(Feature.fVar, expr.var)
            stack.extend(((expr.body, False), (expr.var, True), (expr.value, False)))
        elif not (isinstance(expr, Function) and expr.is_primitive):
            stack.extend((part, False) for part in reversed(children(expr)))
    return detected


def refuse_features(roots: Iterable[Expr], refused: Collection[Feature], what: str) -> None:
    """Make sure that ``what``, such as "a function in continuation-passing style", has none of these features.

    Raises:
        PassError: it has one; the message names all of them, the place is the first.
    """
    for root in roots:
        detected = detect_features(root)
        wrong = [feature for feature in Feature if feature in refused and feature in detected]
        if wrong:
            names = ", ".join(f"{feature.value} ({feature.name})" for feature in wrong)
            without = _TAKEN_AWAY_BY.get(wrong[0]) if len(wrong) == 1 else None
            hint = f"run {without} first" if without else "run the pass before those that make them"
            raise PassError(f"{what} cannot have {names}: {hint}", place=detected[wrong[0]], code="unsupported-feature")
