"""Where the values of one invocation of a function are kept, and which invocation a shared expression belongs to.

An expression that several functions share is evaluated once, for the innermost function around all of its uses; this is
where TVM's ``ToANormalForm``, which precedes its interpreter, binds it (``src/relay/transforms/to_a_normal_form.cc``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..expressions import Constant, Constructor, Expr, Function, GlobalVar, Var
from ..ops import Op
from ..visitor import children, post_order
from .values import Value

__all__ = ["Frame", "FrameScope", "FrameScopes", "find_scopes"]


class FrameScope:
    """The body of a function, with the scope around it."""

    __slots__ = ("depth", "parent")

    def __init__(self, parent: FrameScope | None = None) -> None:
        self.parent: Final = parent
        self.depth: Final[int] = 0 if parent is None else parent.depth + 1


class Frame:
    """One invocation of a function: the values of its variables and of the expressions evaluated so far."""

    __slots__ = ("hoisted", "parent", "scope", "scopes", "values")

    def __init__(self, scopes: FrameScopes, scope: FrameScope, parent: Frame | None = None) -> None:
        self.scopes: Final = scopes
        self.hoisted: Final = scopes.hoisted
        self.scope: Final = scope
        self.parent: Final = parent
        self.values: Final[dict[Expr, Value]] = {}

    def find(self, expr: Expr) -> Value | None:
        """The value of a variable or of an expression evaluated before, here or in a function around; else ``None``."""
        frame: Frame | None = self
        while frame is not None:
            value = frame.values.get(expr)
            if value is not None:
                return value
            frame = frame.parent
        return None

    def of_scope(self, scope: FrameScope) -> Frame:
        """The frame of ``scope``, which is that of this frame or of one around it."""
        frame = self
        while frame.scope is not scope and frame.parent is not None:
            frame = frame.parent
        return frame


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
