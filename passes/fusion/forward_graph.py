"""The dataflow graph of a function, seen forwards: who uses each value, and in which pattern.

Source of the rule: ``src/relay/transforms/fuse_ops.cc`` (``IndexedForwardGraphCreator``).
"""

from __future__ import annotations

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
    Function,
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
from relay_lsp.ir.ops.operator import Op, OpPattern
from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import TensorType, TupleType, Type, is_static
from relay_lsp.ir.visitor import children

from ..infrastructure.operators import fusion_pattern

__all__ = ["ForwardGraph", "Node", "is_opaque_for_its_shape"]

_SIMPLE_CONSTANTS = ("int32", "int64", "float32", "float64", "bool")


class Node:
    """One expression in the graph. ``outputs`` are the users, each with the pattern of the edge."""

    __slots__ = ("expr", "external", "index", "outputs", "pattern")

    def __init__(self, expr: Expr) -> None:
        self.expr = expr
        self.index = -1
        self.external = False
        """Whether something outside the dataflow uses it, so that its value must exist."""
        self.pattern = OpPattern.OPAQUE
        self.outputs: list[tuple[Node, OpPattern]] = []


class ForwardGraph:
    """The graph of ``root``; ``order`` has each node after those that it uses.

    Raises:
        PassError: TVM has no fusion pattern for an operator.
    """

    def __init__(self, root: Expr) -> None:
        self.nodes: dict[Expr, Node] = {}
        self.order: list[Node] = []
        self._use(root, None)
        self._build(root)

    def _build(self, root: Expr) -> None:
        seen: set[Expr] = set()
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            expr, expanded = stack.pop()
            if expanded:
                self._place(expr)
                continue
            if expr in seen:
                continue
            seen.add(expr)
            if isinstance(expr, Function) and "Compiler" in expr.attrs:
                continue
            self._enter(expr)
            stack.append((expr, True))
            parts = children(expr)
            stack.extend((part, False) for part in reversed(parts) if part not in seen)

    def _use(self, expr: Expr, user: Node | None, pattern: OpPattern = OpPattern.OPAQUE) -> None:
        node = self.nodes.get(expr)
        if node is None:
            node = self.nodes[expr] = Node(expr)
        if user is None:
            node.external = True
        else:
            node.outputs.append((user, pattern))

    def _place(self, expr: Expr) -> None:
        # Functions, operators and names are no dataflow of their own; they may be used, but never fuse.
        if isinstance(expr, (Call, Constant, If, Let, Match, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem, Var)):
            node = self.nodes.get(expr)
            if node is None:
                node = self.nodes[expr] = Node(expr)
                node.external = True
            node.index = len(self.order)
            self.order.append(node)

    def _enter(self, expr: Expr) -> None:
        if isinstance(expr, Call):
            self._enter_call(expr)
        elif isinstance(expr, Constant):
            if expr in self.nodes and expr.is_scalar and expr.dtype in _SIMPLE_CONSTANTS:
                self.nodes[expr].pattern = OpPattern.ELEMWISE
        elif isinstance(expr, Tuple):
            node = self.nodes[expr]
            node.pattern = OpPattern.TUPLE
            for field in expr.fields:
                if isinstance(field.checked_type, TensorType):
                    self._use(field, node, OpPattern.INJECTIVE)
                else:
                    self._use(field, None)
        elif isinstance(expr, TupleGetItem):
            tuple_type = expr.tuple_value.checked_type
            # A kernel takes tensors and tuples of tensors; what holds anything else does not fuse.
            if isinstance(tuple_type, TupleType) and all(isinstance(field, TensorType) for field in tuple_type.fields):
                node = self.nodes[expr]
                node.pattern = OpPattern.INJECTIVE
                self._use(expr.tuple_value, node, OpPattern.INJECTIVE)
            else:
                self._use(expr.tuple_value, None)
        elif not isinstance(expr, Var):
            for part in children(expr):
                self._use(part, None)

    def _enter_call(self, call: Call) -> None:
        node = self.nodes[call]
        if isinstance(call.op, Op):
            if not is_opaque_for_its_shape(call):
                node.pattern = fusion_pattern(call.op, call)
        else:
            self._use(call.op, node)
        self._use(call.op, None)
        for arg in call.args:
            pattern = node.pattern
            if pattern is OpPattern.BROADCAST and _same_shape(call.checked_type, arg.checked_type):
                pattern = OpPattern.ELEMWISE
            self._use(arg, node, pattern)


def _same_shape(lhs: Type | None, rhs: Type | None) -> bool:
    return isinstance(lhs, TensorType) and isinstance(rhs, TensorType) and lhs.shape == rhs.shape


def is_opaque_for_its_shape(call: Call) -> bool:
    """Whether a call fuses with nothing because the shape of its result depends on data."""
    return _is_dynamic(call.checked_type) and _needs_data(call)


def _needs_data(call: Call) -> bool:
    op = call.op
    if not isinstance(op, Op) or not op.shape_needs_data:
        return False
    if op.name == "strided_slice":
        return any(getattr(call.attrs, name, None) is None for name in ("begin", "end", "strides"))
    return True


def _is_dynamic(type: Type | None) -> bool:
    parts = () if type is None else distinct_parts(type)
    return any(isinstance(part, TensorType) and not is_static(part.shape) for part in parts)
