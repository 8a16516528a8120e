"""``tvm.relay.analysis``: questions about expressions and modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from relay_lsp.ir.expressions import Call, Constant, Expr, Match, Pattern, Tuple, Var
from relay_lsp.ir.inference import unmatched_cases as _unmatched_cases
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import free_type_vars, free_vars, post_order
from relay_lsp.ir.well_formed import check_well_formed
from relay_lsp.passes.features import Feature, detect_features

__all__ = [
    "all_dtypes",
    "all_vars",
    "bound_vars",
    "check_constant",
    "detect_feature",
    "free_type_vars",
    "free_vars",
    "list_op_freqs",
    "post_order_visit",
    "unmatched_cases",
    "well_formed",
]


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Call ``fvisit`` with every expression below ``expr`` and then itself, each once."""
    for each in post_order(expr):
        fvisit(each)


def all_vars(expr: Expr) -> list[Var]:
    """Every variable of ``expr``, bound or free, in the order of the first use."""
    return [each for each in post_order(expr) if isinstance(each, Var)]


def well_formed(expr: IRModule | Expr) -> bool:
    """Whether no variable is bound twice, or used where it is not bound."""
    return not check_well_formed(expr)


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called in the functions of a module."""
    calls = (each for function in mod.functions.values() for each in post_order(function) if isinstance(each, Call))
    return dict(Counter(call.op.name for call in calls if isinstance(call.op, Op)))


def bound_vars(expr: Expr) -> list[Var]:
    """Every variable that ``expr`` binds, in the order of the first use."""
    free = set(free_vars(expr))
    return [each for each in all_vars(expr) if each not in free]


def all_dtypes(expr: Expr) -> set[str]:
    """The dtypes of all tensors below a typed expression."""
    types = (each.checked_type for each in post_order(expr))
    return {str(type.dtype) for type in types if isinstance(type, TensorType)}


def check_constant(expr: Expr) -> bool:
    """Whether ``expr`` is a constant, or a tuple of such."""
    return all(isinstance(each, (Constant, Tuple)) for each in post_order(expr))


def detect_feature(expr: Expr | IRModule) -> set[Feature]:
    """The features of Relay that an expression or a module uses."""
    roots = list(expr.functions.values()) if isinstance(expr, IRModule) else [expr]
    return {feature for root in roots for feature in detect_features(root)}


def unmatched_cases(match: Match, mod: IRModule | None = None) -> list[Pattern]:
    """What no arm of a match takes."""
    return _unmatched_cases(match, mod.type_definitions if mod is not None else {})
