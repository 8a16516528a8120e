"""Loops as Relay has them: a function that calls itself.

Source of the rule: ``while_loop`` in ``python/tvm/relay/loops.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, If, Let, Tuple, Var

__all__ = ["while_loop"]


def while_loop(
    variables: Sequence[Var],
    condition: Callable[[Sequence[Expr]], Expr],
    body: Callable[[Sequence[Expr]], Sequence[Expr]],
) -> Expr:
    """A function that calls itself with what ``body`` makes of its parameters, as long as ``condition`` holds."""
    loop = Var("while_loop")
    params = tuple(Var(var.name_hint, var.type_annotation, var.span) for var in variables)
    cond = condition(params)
    again = Call(loop, tuple(body(params)))
    return Let(loop, Function(params, If(cond, again, Tuple(params))), loop)
