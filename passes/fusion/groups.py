"""Which nodes of a forward graph run as one kernel.

A value may be computed together with the node to which all its uses lead: its immediate post-dominator. The graph has
no cycles, so one pass from the end suffices: the post-dominator of a node is the least common ancestor of its users in
the tree built so far. Three phases then merge what the patterns on all the paths between the two admit.

Source of the rule: ``src/relay/analysis/graph_partitioner.cc``.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.ops.operator import OpPattern

from ..provenance import current_record
from .forward_graph import ForwardGraph, Node
from .reasons import remark_on_fusion

__all__ = ["FusionGroup", "partition"]


class FusionGroup:
    """A set of nodes that run together: a union-find with the merged pattern at its root."""

    __slots__ = ("anchor", "parent", "pattern", "root_expr", "size")

    def __init__(self, node: Node) -> None:
        self.parent: FusionGroup | None = None
        self.pattern = node.pattern
        self.root_expr: Expr = node.expr
        """The expression whose value is the result of the kernel."""
        self.anchor: Expr | None = node.expr if node.pattern is OpPattern.OUT_ELEMWISE_FUSABLE else None
        self.size = 1

    def find(self) -> FusionGroup:
        """The group that stands for this one, with the path to it shortened."""
        root = self
        while root.parent is not None:
            root = root.parent
        current = self
        while current.parent is not None:
            current.parent, current = root, current.parent
        return root

    def merge_into(self, other: FusionGroup) -> None:
        """Make this group a part of ``other``."""
        child, parent = self.find(), other.find()
        if child is parent:
            return
        parent.size += child.size
        child.parent = parent
        if child.anchor is not None:
            parent.anchor = child.anchor
            parent.pattern = max(child.pattern, parent.pattern)


class _TreeNode:
    """A node of the post-dominator tree; ``pattern`` is the strongest on the paths to the parent.

    ``far`` is a second way up, past ``far_pattern`` at most, of a length that makes any climb logarithmic: a value that
    ten thousand operators use, one after the other, is ordinary.
    """

    __slots__ = ("depth", "far", "far_pattern", "node", "parent", "pattern")

    def __init__(self, node: Node | None, parent: _TreeNode | None, pattern: OpPattern) -> None:
        self.node = node
        self.parent: _TreeNode = parent if parent is not None else self
        self.pattern = pattern
        self.far: _TreeNode = self
        self.far_pattern = pattern
        self.depth = 0
        if parent is not None:
            self.depth = parent.depth + 1
            middle = parent.far
            if parent.depth - middle.depth == middle.depth - middle.far.depth:
                self.far = middle.far
                self.far_pattern = max(pattern, parent.far_pattern, middle.far_pattern)
            else:
                self.far = parent


def partition(graph: ForwardGraph, opt_level: int, max_depth: int) -> dict[Expr, FusionGroup]:
    """The group of every expression of the graph; ``max_depth`` bounds the nodes of one. Level 0 fuses nothing."""
    groups = [FusionGroup(node) for node in graph.order]
    if opt_level > 0:
        dominators = _post_dominators(graph)
        fuser = _Fuser(groups, max_depth)
        for phase in range(3):
            for node in graph.order:
                dominator = dominators[node.index].parent.node
                if groups[node.index].pattern is not OpPattern.OPAQUE and dominator is not None:
                    fuser.fuse(node, dominator, dominators[node.index].pattern, phase)
        remarks = current_record().remarks
        if remarks is not None:
            roots = [group.find() for group in groups]
            sinks = [(dominator.parent.node, dominator.pattern) for dominator in dominators]
            remark_on_fusion(remarks, graph, sinks, [root.pattern for root in roots], roots, max_depth)
    return {node.expr: groups[node.index] for node in graph.order}


def _post_dominators(graph: ForwardGraph) -> list[_TreeNode]:
    """The node of the tree of each node of the graph; what nothing dominates hangs from a root without a node."""
    root = _TreeNode(None, None, OpPattern.ELEMWISE)
    tree: dict[int, _TreeNode] = {}
    for node in reversed(graph.order):
        if node.external or not node.outputs:
            pattern = OpPattern.OPAQUE if node.external else OpPattern.ELEMWISE
            tree[node.index] = _TreeNode(node, root, pattern)
            continue
        user, pattern = node.outputs[0]
        ancestor = tree[user.index]
        for user, edge in node.outputs[1:]:
            ancestor, passed = _common_ancestor(ancestor, tree[user.index])
            pattern = max(pattern, passed, edge)
        tree[node.index] = _TreeNode(node, ancestor, pattern)
    return [tree[index] for index in range(len(graph.order))]


def _common_ancestor(lhs: _TreeNode, rhs: _TreeNode) -> tuple[_TreeNode, OpPattern]:
    """The lowest node above (or at) both, and the strongest pattern on the two ways to it."""
    pattern = OpPattern.ELEMWISE
    if lhs.depth < rhs.depth:
        lhs, rhs = rhs, lhs
    while lhs.depth > rhs.depth:
        if lhs.far.depth >= rhs.depth:
            pattern = max(pattern, lhs.far_pattern)
            lhs = lhs.far
        else:
            pattern = max(pattern, lhs.pattern)
            lhs = lhs.parent
    while lhs is not rhs:
        if lhs.far is not rhs.far:
            pattern = max(pattern, lhs.far_pattern, rhs.far_pattern)
            lhs, rhs = lhs.far, rhs.far
        else:
            pattern = max(pattern, lhs.pattern, rhs.pattern)
            lhs, rhs = lhs.parent, rhs.parent
    return lhs, pattern


class _Fuser:
    def __init__(self, groups: list[FusionGroup], max_depth: int) -> None:
        self.groups = groups
        self.max_depth = max_depth

    def fuse(self, node: Node, sink: Node, edge: OpPattern, phase: int) -> None:
        """Merge ``node``, and all between it and its post-dominator ``sink``, into the group of ``sink`` if it may."""
        pattern = self.groups[node.index].pattern
        sink_group = self.groups[sink.index]
        between = self._between(node, sink)
        if between is None:
            return
        if phase == 2:
            # What feeds a tuple inside a kernel joins it, unless the tuple is the kernel's result.
            sink_root = sink_group.find()
            if pattern > OpPattern.INJECTIVE or sink_root.pattern is OpPattern.TUPLE:
                return
            if sink_group.pattern is not OpPattern.TUPLE or sink_root.pattern > OpPattern.INJECTIVE:
                return
            if self._all([*between, sink], lambda kind: kind <= OpPattern.INJECTIVE):
                self._merge(node, between, sink)
            return
        if self._root(node) is sink_group.find() or sink_group.pattern is OpPattern.TUPLE:
            return
        if pattern is OpPattern.OUT_ELEMWISE_FUSABLE:
            # A convolution takes in what works element by element on its result.
            if (
                phase == 0
                and edge is OpPattern.ELEMWISE
                and self._all([*between, sink], lambda kind: kind <= OpPattern.BROADCAST)
            ):
                self._merge(node, between, sink)
        elif pattern <= OpPattern.BROADCAST:
            if (
                edge <= OpPattern.COMM_REDUCE
                and self._all(between, lambda kind: kind <= OpPattern.INJECTIVE)
                and self._root(sink).pattern <= OpPattern.OUT_ELEMWISE_FUSABLE
            ):
                self._merge(node, between, sink)
        elif (
            pattern in (OpPattern.INJECTIVE, OpPattern.TUPLE)
            # Injective operators wait, so that convolutions have finished fusing.
            and phase == 1
            and self._all([*between, sink], lambda kind: kind <= OpPattern.INJECTIVE)
        ):
            self._merge(node, between, sink)

    def _root(self, node: Node) -> FusionGroup:
        return self.groups[node.index].find()

    def _between(self, node: Node, sink: Node) -> list[Node] | None:
        """The nodes on the paths from ``node`` to ``sink``, without the two; ``None`` where they are too many.

        As in TVM, a node counts as many as had joined it when it last stood for its group.
        """
        size = self._root(sink).size + self.groups[node.index].size
        seen = {node.index, sink.index}
        between: list[Node] = []
        stack = [user for user, _ in node.outputs]
        while stack and size <= self.max_depth:
            current = stack.pop()
            if current.index not in seen:
                seen.add(current.index)
                between.append(current)
                size += self.groups[current.index].size
                stack.extend(user for user, _ in current.outputs)
        return between if size <= self.max_depth else None

    def _all(self, nodes: list[Node], admits: Callable[[OpPattern], bool]) -> bool:
        return all(admits(self._root(node).pattern) for node in nodes)

    def _merge(self, node: Node, between: list[Node], sink: Node) -> None:
        target = self.groups[sink.index]
        for step in (node, *between):
            self.groups[step.index].merge_into(target)
