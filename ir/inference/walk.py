"""The walk over one function: parts first, with a stack of its own.

Source of the rules: ``src/relay/transforms/type_infer.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..expressions import (
    Call,
    Constant,
    Constructor,
    ErrorExpr,
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
from ..ops.operator import Op
from ..types import Type
from .blocks import type_function, type_if, type_let
from .calls import type_call
from .inferencer import Inferencer, Stack
from .matches import type_match
from .parts import type_leaf, type_parts

__all__ = ["infer"]


_STEPS: Final[Mapping[type[Expr], Callable[[Inferencer, Expr, int, Stack], None]]] = {
    Var: type_leaf,
    Constant: type_leaf,
    GlobalVar: type_leaf,
    Constructor: type_leaf,
    Op: type_leaf,
    Call: type_call,
    Tuple: type_parts,
    TupleGetItem: type_parts,
    RefCreate: type_parts,
    RefRead: type_parts,
    RefWrite: type_parts,
    ErrorExpr: type_parts,
    Function: type_function,
    Let: type_let,
    If: type_if,
    Match: type_match,
}
"""How each kind of expression is typed, by the stage that the walk has reached in it."""


def infer(inferencer: Inferencer, root: Expr) -> Type:
    """Type ``root`` and everything below it, and solve what waits."""
    types, stop_at_typed = inferencer.types, inferencer.stop_at_typed
    steps = _STEPS
    # The number beside an expression says how much of it is done: 0 is nothing.
    stack: Stack = [(root, 0)]
    while stack:
        expr, stage = stack.pop()
        if stage == 0:
            if expr in types:
                continue
            if stop_at_typed and expr.checked_type is not None:
                inferencer.know(expr, expr.checked_type)
                continue
        step = steps.get(type(expr))
        if step is None:
            step = next(step for kind, step in steps.items() if isinstance(expr, kind))
        step(inferencer, expr, stage, stack)
    inferencer.solver.solve()
    return types[root]
