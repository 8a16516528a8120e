"""The innermost scope in which every use of an expression can see it.

A function's body, a branch, a match arm and what a ``let`` opens are scopes. An expression belongs to the lowest common
ancestor of the scopes that use it.

Source of the rule: ``src/relay/analysis/dependency_graph.cc``, ``CalcScope`` in
``src/relay/transforms/to_a_normal_form.cc``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from relay_lsp.ir.expressions import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children

__all__ = ["BindingScope", "BindingScopes"]


@dataclass(eq=False)
class Binding:
    """A value bound in a scope, and the expression that it was made from (a ``Let`` where one was there already)."""

    var: Var
    value: Expr
    source: Expr


class BindingScope:
    """A scope, with the bindings made in it so far."""

    __slots__ = ("_jump", "bindings", "level", "parent")

    def __init__(self, parent: BindingScope | None = None) -> None:
        self.parent: BindingScope = parent if parent is not None else self
        self.level: int = parent.level + 1 if parent is not None else 0
        self.bindings: deque[Binding] = deque()
        # A second way up, of a length that makes any climb logarithmic: thousands of nested lets are ordinary.
        self._jump: BindingScope = self
        if parent is not None:
            far = parent._jump
            self._jump = far._jump if parent.level - far.level == far.level - far._jump.level else parent

    def take(self, inner: BindingScope) -> None:
        """Append the bindings of ``inner``, which has none from then on.

        Only the shorter of the two is moved: a hundred thousand nested scopes hand theirs up in linear time.
        """
        if len(self.bindings) < len(inner.bindings):
            inner.bindings.extendleft(reversed(self.bindings))
            self.bindings = inner.bindings
        else:
            self.bindings.extend(inner.bindings)
        inner.bindings = deque()

    def ancestor(self, level: int) -> BindingScope:
        """The scope of this level, not above its own, that holds this one."""
        scope = self
        while scope.level > level:
            scope = scope._jump if scope._jump.level >= level else scope.parent
        return scope

    def common_ancestor(self, other: BindingScope) -> BindingScope:
        """The innermost scope that holds both."""
        left, right = self, other
        if left.level < right.level:
            left, right = right, left
        left = left.ancestor(right.level)
        while left is not right:
            if left._jump is not right._jump:
                left, right = left._jump, right._jump
            else:
                left, right = left.parent, right.parent
        return left


@dataclass(eq=False)
class _Inside:
    """The scope that ``parts`` of an expression open."""

    parts: Sequence[Expr]


_Node: TypeAlias = "Expr | _Inside"


@dataclass(eq=False)
class BindingScopes:
    """The scope of every expression below a root, the scopes that it opens, and what was moved out of its own place."""

    scope_of: dict[_Node, BindingScope] = field(default_factory=dict["_Node", BindingScope])
    opened: dict[Expr, Sequence[BindingScope]] = field(default_factory=dict[Expr, Sequence[BindingScope]])
    lifted: set[Expr] = field(default_factory=set[Expr])

    @staticmethod
    def of(root: Expr) -> BindingScopes:
        """Find them for everything below ``root``."""
        inside: dict[Expr, tuple[_Inside, ...]] = {}
        order, first = _order(root, inside)
        binding_scopes = BindingScopes()
        scope_of = binding_scopes.scope_of
        scope_of[root] = BindingScope()
        for node in reversed(order):
            scope = scope_of[node]
            if isinstance(node, _Inside):
                scope = scope_of[node] = BindingScope(scope)
            elif node in first and scope is not scope_of[first[node]] and not isinstance(node, Op):
                binding_scopes.lifted.add(node)
            for part in _parts(node, inside):
                known = scope_of.get(part)
                if known is None:
                    scope_of[part] = scope
                elif known is not scope:
                    scope_of[part] = known.common_ancestor(scope)
        binding_scopes.opened = {expr: [scope_of[opened] for opened in opens] for expr, opens in inside.items()}
        return binding_scopes


def _parts(node: _Node, inside: dict[Expr, tuple[_Inside, ...]]) -> Sequence[_Node]:
    if isinstance(node, _Inside):
        return node.parts
    opens = inside.get(node)
    if opens is None:
        return children(node)
    if isinstance(node, If):
        return (node.cond, *opens)
    if isinstance(node, Match):
        return (node.data, *opens)
    return opens


def _opens(expr: Expr) -> tuple[_Inside, ...]:
    if isinstance(expr, If):
        return (_Inside((expr.true_branch,)), _Inside((expr.false_branch,)))
    if isinstance(expr, Function):
        return (_Inside((*expr.params, expr.body)),)
    if isinstance(expr, Let):
        return (_Inside((expr.var, expr.value, expr.body)),)
    if isinstance(expr, Match):
        return tuple(_Inside((clause.rhs,)) for clause in expr.clauses)
    return ()


def _order(root: Expr, inside: dict[Expr, tuple[_Inside, ...]]) -> tuple[list[_Node], dict[_Node, _Node]]:
    """Everything below ``root``, each after its parts, and for each the one that depended on it first.

    Fills in what each expression opens. A call, tuple or projection depends on its parts when all of them are known;
    everything else on each part as soon as that is.
    """
    order: list[_Node] = []
    first: dict[_Node, _Node] = {}
    seen: set[_Node] = set()
    # A node to visit, or one that has reached these parts, and whether those are its last.
    stack: list[tuple[_Node, Sequence[_Node] | None, bool]] = [(root, None, False)]
    while stack:
        node, reached, is_complete = stack.pop()
        if reached is not None:
            for part in reached:
                first.setdefault(part, node)
            if is_complete:
                order.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, (Var, Op, GlobalVar, Constructor)):
            order.append(node)
            continue
        if isinstance(node, Expr) and (opens := _opens(node)):
            inside[node] = opens
        parts = _parts(node, inside)
        if not parts or isinstance(node, (Call, Tuple, TupleGetItem)):
            stack.append((node, parts, True))
            stack.extend((part, None, False) for part in reversed(parts))
            continue
        for position in reversed(range(len(parts))):
            stack.append((node, (parts[position],), position == len(parts) - 1))
            stack.append((parts[position], None, False))
    return order, first
