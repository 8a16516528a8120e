"""What each function inside another captures, and a number for what it is.

All are found together, inner ones first, each from its own expressions and what is known of the functions in it. So
thousands of functions, each inside the one before, cost what they are long.
"""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.expressions import Call, Expr, Function, Let, Match, Var
from relay_lsp.ir.structural import structural_hash
from relay_lsp.ir.types import TypeVar
from relay_lsp.ir.visitor import pattern_vars, post_order, post_order_within, type_vars

__all__ = ["LiftedClosure", "closures"]


@dataclass(frozen=True, slots=True)
class LiftedClosure:
    """A function inside another."""

    free: tuple[Var, ...]
    """The variables that it uses and does not bind, in order of first use."""
    type_vars: tuple[TypeVar, ...]
    """The type variables that its annotations use and it does not bind, in order of first use."""
    number: int
    """The same for functions that are alike, whatever they capture; of 64 bits. Two that share other values with what
    is around them may have the same."""


def closures(outer: Function) -> dict[Function, LiftedClosure]:
    """Every function below ``outer``, without itself."""
    closures: dict[Function, LiftedClosure] = {}
    abridged: dict[object, tuple[object, ...]] = {}
    for expr in post_order(outer):
        if isinstance(expr, Function) and expr is not outer:
            closure = closures[expr] = _closure(expr, closures, abridged)
            abridged[expr] = (str(closure.number), *closure.free, *closure.type_vars)
    return closures


def _closure(
    function: Function, known: dict[Function, LiftedClosure], abridged: dict[object, tuple[object, ...]]
) -> LiftedClosure:
    used: dict[Var, None] = {}
    bound: set[Var] = set(function.params)
    used_types: dict[TypeVar, None] = {}
    bound_types: set[TypeVar] = set(function.type_params)
    for expr in post_order_within(function, _is_function):
        if isinstance(expr, Var):
            used[expr] = None
            if expr.type_annotation is not None:
                used_types.update(dict.fromkeys(type_vars(expr.type_annotation)))
        elif isinstance(expr, Let):
            bound.add(expr.var)
        elif isinstance(expr, Match):
            bound.update(var for clause in expr.clauses for var in pattern_vars(clause.lhs))
        elif isinstance(expr, Call):
            for argument in expr.type_args:
                used_types.update(dict.fromkeys(type_vars(argument)))
        elif isinstance(expr, Function) and expr is not function:
            used.update(dict.fromkeys(known[expr].free))
            used_types.update(dict.fromkeys(known[expr].type_vars))
    if function.ret_type is not None:
        used_types.update(dict.fromkeys(type_vars(function.ret_type)))
    return LiftedClosure(
        tuple(var for var in used if var not in bound),
        tuple(var for var in used_types if var not in bound_types),
        structural_hash(function, abridged),
    )


def _is_function(expr: Expr) -> bool:
    return isinstance(expr, Function)
