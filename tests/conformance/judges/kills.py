"""The order of ``memory.kill``: TVM has it from a hash table of addresses, so that it says nothing.

Source of the rule: ``VarSet`` in ``src/relay/backend/liveness_analysis.h``, ``KillInserter`` in
``src/relay/backend/vm/manifest_lifetimes.cc``.
"""

from __future__ import annotations

from typing import TypeGuard

from relay_lsp import ir
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.visitor import post_order, rewrite_post_order

__all__ = ["with_kills_in_order"]


def with_kills_in_order(module: ir.IRModule) -> ir.IRModule:
    """``module`` with the kills after each binding in the order in which their variables are bound."""
    for var, function in module.functions.items():
        order = post_order(function)
        if any(is_call_to(expr, "memory.kill") for expr in order):
            positions = {expr: position for position, expr in enumerate(order)}
            ordered = rewrite_post_order(function, lambda _, expr, positions=positions: _inserted(expr, positions))
            assert isinstance(ordered, ir.Function)
            module = module.with_function(var, ordered)
    return module


def _inserted(expr: ir.Expr, positions: dict[ir.Expr, int]) -> ir.Expr:
    """``expr``, which is followed by kills in order; put among them if it is one."""
    if not _is_kill(expr):
        return expr
    later: list[ir.Let] = []
    body = expr.body
    while _is_kill(body) and positions[_killed(body)] < positions[_killed(expr)]:
        later.append(body)
        body = body.body
    new: ir.Expr = ir.Let(expr.var, expr.value, body, expr.span)
    for let in reversed(later):
        new = ir.Let(let.var, let.value, new, let.span)
    return new


def _is_kill(expr: ir.Expr) -> TypeGuard[ir.Let]:
    return isinstance(expr, ir.Let) and is_call_to(expr.value, "memory.kill")


def _killed(let: ir.Let) -> ir.Expr:
    assert isinstance(let.value, ir.Call)
    return let.value.args[0]
