"""``tvm.relay.analysis``: questions about expressions and modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from relay_lsp.ir.expressions import Call, Expr, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import free_type_vars, free_vars, post_order
from relay_lsp.ir.well_formed import check_well_formed

__all__ = ["all_vars", "free_type_vars", "free_vars", "list_op_freqs", "post_order_visit", "well_formed"]


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
