"""Which invocation of a function a shared expression belongs to.

An expression that several functions share is evaluated once, for the innermost function around all of its uses; this is
where TVM's ``ToANormalForm``, which precedes its interpreter, binds it (``src/relay/transforms/to_a_normal_form.cc``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..expressions import Constant, Constructor, Expr, Function, GlobalVar, Var
from ..ops import Op
from ..visitor import children, post_order

__all__ = ["FrameScope", "FrameScopes", "find_scopes"]


class FrameScope:
    """The body of a function, with the scope around it."""

    __slots__ = ("depth", "parent")

    def __init__(self, parent: FrameScope | None = None) -> None:
        self.parent: Final = parent
        self.depth: Final[int] = 0 if parent is None else parent.depth + 1


class FrameScopes:
    """The scope of each function under one root; and what belongs further out than where it is used."""

    __slots__ = ("hoisted", "of_function", "root")

    def __init__(
        self, root: FrameScope, of_function: Mapping[Function, FrameScope], hoisted: Mapping[Expr, FrameScope]
    ) -> None:
        self.root: Final = root
        self.of_function: Final = of_function
        self.hoisted: Final = hoisted


def find_scopes(root: Expr) -> FrameScopes:
    """The scopes under ``root``: the body of a module's function, or any expression. Takes linear time."""
    outermost = FrameScope()
    order = post_order(root)
    if not any(isinstance(expr, Function) for expr in order):
        return FrameScopes(outermost, {}, {})
    scope_of: dict[Expr, FrameScope] = {root: outermost}
    of_function: dict[Function, FrameScope] = {}
    hoisted: dict[Expr, FrameScope] = {}
    # Parents come before children, so that the scope of an expression is settled before it is handed down.
    for expr in reversed(order):
        scope = scope_of[expr]
        if isinstance(expr, Function):
            scope = of_function[expr] = FrameScope(scope)
        for child in children(expr):
            if isinstance(child, (Constant, Constructor, GlobalVar, Op, Var)):
                scope_of[child] = outermost
                continue
            known = scope_of.get(child)
            if known is None:
                scope_of[child] = scope
            elif known is not scope:
                scope_of[child] = hoisted[child] = _common(known, scope)
    return FrameScopes(outermost, of_function, hoisted)


def _common(first: FrameScope, second: FrameScope) -> FrameScope:
    """The innermost scope around both."""
    while first is not second:
        if first.depth >= second.depth and first.parent is not None:
            first = first.parent
        elif second.parent is not None:
            second = second.parent
        else:
            break
    return first
