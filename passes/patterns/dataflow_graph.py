"""The dataflow of an expression: who uses whom, in what order, and who dominates whom.

Source of the rule: ``src/relay/ir/indexed_graph.{h,cc}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from relay_lsp.ir.expressions import Call, Expr, Function, Let, Match, Var
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, pattern_vars

__all__ = ["DataflowGraph"]


class DataflowGraph:
    """The expressions below ``root`` as a graph without cycles.

    ``order`` lists them so that each comes after what flows into it: a let's value before its variable before its
    body. A number is an index into it.
    """

    def __init__(self, root: Expr) -> None:
        self.root = root
        self.order: list[Expr] = _dataflow_order(root)
        self.index: dict[Expr, int] = {expr: number for number, expr in enumerate(self.order)}

    @cached_property
    def outputs(self) -> Sequence[Sequence[int]]:
        """For each expression, those that its value flows into."""
        return self._edges[1]

    @cached_property
    def inputs(self) -> Sequence[Sequence[int]]:
        """For each expression, those whose values flow into it."""
        return self._edges[0]

    @cached_property
    def _edges(self) -> tuple[list[list[int]], list[list[int]]]:
        index = self.index
        inputs: list[list[int]] = [[] for _ in self.order]
        outputs: list[list[int]] = [[] for _ in self.order]

        def flows(source: Expr, target: int) -> None:
            number = index[source]
            # A call of a let-bound function from inside that function would close a circle.
            if number < target:
                inputs[target].append(number)
                outputs[number].append(target)

        for number, expr in enumerate(self.order):
            if isinstance(expr, Function):
                flows(expr.body, number)
            elif isinstance(expr, Let):
                flows(expr.value, index[expr.var])
                flows(expr.body, number)
            elif isinstance(expr, Match):
                for clause in expr.clauses:
                    for var in pattern_vars(clause.lhs):
                        flows(expr.data, index[var])
                    flows(clause.rhs, number)
            else:
                for part in children(expr):
                    flows(part, number)
        return inputs, outputs

    @cached_property
    def dominator_parent(self) -> Sequence[int]:
        """For each expression, the nearest one that everything that leaves it flows through; -1 for none."""
        outputs = self.outputs
        parents = [-1] * len(self.order)
        depths = [0] * len(self.order)
        for number in range(len(self.order) - 1, -1, -1):
            parent = -1
            for position, target in enumerate(dict.fromkeys(outputs[number])):
                parent = target if position == 0 else _common_ancestor(parent, target, parents, depths)
                if parent < 0:
                    break
            parents[number] = parent
            depths[number] = depths[parent] + 1 if parent >= 0 else 1
        return parents

    @cached_property
    def dominator_children(self) -> Sequence[Sequence[int]]:
        """The inverse of :attr:`dominator_parent`, later expressions first."""
        dominator_children: list[list[int]] = [[] for _ in self.order]
        for number in range(len(self.order) - 1, -1, -1):
            parent = self.dominator_parent[number]
            if parent >= 0:
                dominator_children[parent].append(number)
        return dominator_children

    def dominates(self, number: int, other: int) -> bool:
        """Whether everything that leaves ``other`` flows through ``number``."""
        parents = self.dominator_parent
        current = parents[other]
        while 0 <= current < number:
            current = parents[current]
        return current == number

    @cached_property
    def by_op(self) -> dict[Op, list[int]]:
        """The calls of each operator, in order."""
        matching: dict[Op, list[int]] = {}
        for number, expr in enumerate(self.order):
            if type(expr) is Call and isinstance(expr.op, Op):
                matching.setdefault(expr.op, []).append(number)
        return matching

    @cached_property
    def by_kind(self) -> dict[type[Expr], list[int]]:
        """The expressions of each kind, in order."""
        matching: dict[type[Expr], list[int]] = {}
        for number, expr in enumerate(self.order):
            matching.setdefault(type(expr), []).append(number)
        return matching


def _common_ancestor(left: int, right: int, parents: Sequence[int], depths: Sequence[int]) -> int:
    while left != right:
        if left < 0 or right < 0:
            return -1
        if depths[left] < depths[right]:
            right = parents[right]
        elif depths[left] > depths[right]:
            left = parents[left]
        else:
            left, right = parents[left], parents[right]
    return left


def _dataflow_order(root: Expr) -> list[Expr]:
    order: list[Expr] = []
    seen: set[Expr] = set()
    unbound: set[Var] = set()
    # An entry is an expression to enter, one to finish (in a tuple), or a let whose variable is bound now (in a list).
    stack: list[Expr | tuple[Expr] | list[Let]] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            order.append(item[0])
            continue
        if isinstance(item, list):
            var = item[0].var
            unbound.discard(var)
            if var not in seen:
                seen.add(var)
                order.append(var)
            continue
        if item in seen or item in unbound:
            continue
        seen.add(item)
        if isinstance(item, Let):
            unbound.add(item.var)
            stack.extend(((item,), item.body, [item], item.value))
            continue
        parts = children(item)
        if not parts:
            order.append(item)
            continue
        stack.append((item,))
        stack.extend(part for part in reversed(parts) if part not in seen)
    return order
