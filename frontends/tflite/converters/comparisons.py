"""Comparisons, and the choice between two tensors by one."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...inspection import rank_of
from ...operators import reshape
from ..node import TfliteNode, converter
from ..quantized import dequantized, same_steps
from .elementwise import binary

_COMPARISONS = {
    "EQUAL": "equal",
    "GREATER": "greater",
    "GREATER_EQUAL": "greater_equal",
    "LESS": "less",
    "LESS_EQUAL": "less_equal",
    "NOT_EQUAL": "not_equal",
}


@converter(*_COMPARISONS, becomes=_COMPARISONS)
def comparison(node: TfliteNode) -> Expr:
    """A comparison; quantised tensors of different steps are dequantised first, where TVM compares the integers."""
    node.require_inputs(2)
    operator = _COMPARISONS[node.operator]
    lhs, rhs = node.input(0), node.input(1)
    if node.is_quantized and not same_steps(lhs, rhs):
        return call(operator, dequantized(lhs), dequantized(rhs))
    return binary(node, operator)


@converter("SELECT", "WHERE")
def select(node: TfliteNode) -> Expr:
    """``where`` with three inputs; ``WHERE`` with one, which asks for indices, is not converted, as in TVM.

    A condition of one dimension says for each row of ``SELECT`` which tensor it is taken from; TVM broadcasts it along
    the last dimension.
    """
    node.require_inputs(3)
    condition, chosen = node.input(0).expr, node.input(1).expr
    rank = rank_of(chosen)
    if node.operator == "SELECT" and rank_of(condition) == 1 and rank > 1:
        condition = reshape(condition, [-1, *[1] * (rank - 1)])
    return call("where", condition, chosen, node.input(2).expr)
