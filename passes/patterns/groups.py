"""Where in an expression a pattern matches, without overlaps and without circles.

Source of the rule: ``src/relay/ir/dataflow_matcher.cc`` (``PatternGrouper``). Expressions are tried from the last to
the first; a match is a group unless it overlaps an earlier one, or a value inside it is used outside in a way that
would have to come before and after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order

from .dataflow_graph import DataflowGraph
from .language import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
)
from .matcher import Matches, PatternMatcher

__all__ = ["PARTITIONED_FROM_PATTERN", "PatternGroup", "find_groups"]

PARTITIONED_FROM_PATTERN = "PartitionedFromPattern"


@dataclass(frozen=True, eq=False)
class PatternGroup:
    """One place where the pattern matches."""

    number: int
    root: Expr
    matches: Matches
    inputs: tuple[Expr, ...]
    """What flows in from outside, in the order of the parameters of a function made of the group."""
    interior: frozenset[Expr]
    """Everything that the pattern covers, the root included."""


def find_groups(pattern: DFPattern, graph: DataflowGraph) -> dict[Expr, PatternGroup]:
    """Every group of ``graph`` by its root."""
    candidates = _candidates(pattern, graph)
    if not candidates:
        return {}
    parts = _post_order(pattern)
    taken: set[Expr] = set()
    partitioned = _inside_partitioned_functions(graph)
    matcher = PatternMatcher(graph)
    groups: dict[Expr, PatternGroup] = {}
    tried = 0
    for number in candidates:
        expr = graph.order[number]
        if expr in taken or expr in partitioned:
            continue
        matches = matcher.match(pattern, expr)
        if matches is None:
            continue
        group = _make_group(tried, expr, matches, parts)
        tried += 1
        if _is_closed(group, graph, taken):
            groups[expr] = group
            taken |= group.interior
    return groups


def _inside_partitioned_functions(graph: DataflowGraph) -> set[Expr]:
    inside_partitioned_functions: set[Expr] = set()
    for number in graph.by_kind.get(Function, ()):
        function = graph.order[number]
        if isinstance(function, Function) and PARTITIONED_FROM_PATTERN in function.attrs:
            inside_partitioned_functions.add(function)
            inside_partitioned_functions.update(post_order(function.body))
    return inside_partitioned_functions


def _post_order(pattern: DFPattern) -> Sequence[DFPattern]:
    order: dict[DFPattern, None] = {}

    def visit(part: DFPattern) -> None:
        # Patterns are written by hand and shallow; recursion over them is safe.
        if part not in order:
            for inner in part.parts:
                visit(inner)
            order[part] = None

    visit(pattern)
    return tuple(order)


def _make_group(number: int, root: Expr, matches: Matches, parts: Sequence[DFPattern]) -> PatternGroup:
    matches = {part: tuple(exprs) for part, exprs in matches.items()}
    inner: set[Expr] = set()
    for part in parts:
        if isinstance(part, DominatorPattern):
            inner.update(matches.get(part.parent, ()))
            inner.update(matches.get(part.path, ()))
        elif isinstance(part, FunctionPattern):
            for function in matches.get(part, ()):
                if isinstance(function, Function):
                    inner.update(post_order(function.body))
    inputs: dict[Expr, None] = {}
    for part in parts:
        for expr in _inputs_of(part, matches):
            if expr in inner or isinstance(expr, (Op, Function)) or _is_embedded(expr, part):
                continue
            inputs[expr] = None
    return PatternGroup(number, root, matches, tuple(inputs), _interior(root, inputs))


def _inputs_of(part: DFPattern, matches: Matches) -> Iterable[Expr]:
    match = matches.get(part, ())
    if isinstance(part, TuplePattern) and part.fields is None:
        return [field for expr in match if isinstance(expr, Tuple) for field in expr.fields]
    if isinstance(part, CallPattern) and part.args is None:
        return [arg for expr in match if isinstance(expr, Call) for arg in expr.args]
    return match if not part.parts else ()


def _is_embedded(expr: Expr, part: DFPattern) -> bool:
    """Whether ``expr`` is a constant that the pattern names as one, and that therefore stays inside the group."""
    if not isinstance(expr, Constant):
        return False
    return isinstance(part, ConstantPattern) or (isinstance(part, ExprPattern) and isinstance(part.expr, Constant))


def _interior(root: Expr, inputs: dict[Expr, None]) -> frozenset[Expr]:
    seen: set[Expr] = {root}
    stack = [root]
    while stack:
        for part in children(stack.pop()):
            if part not in seen and part not in inputs:
                seen.add(part)
                stack.append(part)
    return frozenset(seen)


def _is_closed(group: PatternGroup, graph: DataflowGraph, taken: set[Expr]) -> bool:
    root = graph.index[group.root]
    for expr in group.interior:
        if isinstance(expr, (Op, Function, Constant)):
            continue
        if expr in taken:
            return False
        if expr is group.root:
            continue
        for target in graph.outputs[graph.index[expr]]:
            # A use outside is harmless only where it flows back into the root of the group.
            if graph.order[target] not in group.interior and not graph.dominates(root, target):
                return False
    return True


def _candidates(pattern: DFPattern, graph: DataflowGraph) -> Sequence[int]:
    """The indices of what may match ``pattern`` at all, the last first."""
    kinds = _root_kinds(pattern)
    if kinds is None:
        return range(len(graph.order) - 1, -1, -1)
    candidates: set[int] = set()
    for kind in kinds:
        candidates.update(graph.by_op.get(kind, ()) if isinstance(kind, Op) else graph.by_kind.get(kind, ()))
    return sorted(candidates, reverse=True)


def _root_kinds(pattern: DFPattern) -> frozenset[Op | type[Expr]] | None:
    """The operators whose calls, and the kinds of expressions, that can match ``pattern``; ``None`` for any."""
    if isinstance(pattern, AltPattern):
        left, right = _root_kinds(pattern.left), _root_kinds(pattern.right)
        return None if left is None or right is None else left | right
    if isinstance(pattern, (AttrPattern, TypePattern, ShapePattern, DataTypePattern)):
        return _root_kinds(pattern.pattern)
    if isinstance(pattern, DominatorPattern):
        return _root_kinds(pattern.child)
    if isinstance(pattern, CallPattern):
        callees = _callees(pattern.op)
        if callees is None or any(op.name in ("divide", "multiply") for op in callees):
            return frozenset({Call})
        return frozenset[Op | type[Expr]](callees)
    if isinstance(pattern, ExprPattern):
        return frozenset({type(pattern.expr)})
    for kind, made in (
        (TuplePattern, Tuple),
        (TupleGetItemPattern, TupleGetItem),
        (VarPattern, Var),
        (ConstantPattern, Constant),
        (FunctionPattern, Function),
        (IfPattern, If),
        (LetPattern, Let),
    ):
        if isinstance(pattern, kind):
            return frozenset({made})
    return None


def _callees(pattern: DFPattern) -> frozenset[Op] | None:
    if isinstance(pattern, AltPattern):
        left, right = _callees(pattern.left), _callees(pattern.right)
        return None if left is None or right is None else left | right
    if isinstance(pattern, AttrPattern):
        return _callees(pattern.pattern)
    if isinstance(pattern, ExprPattern) and isinstance(pattern.expr, Op):
        return frozenset({pattern.expr})
    return None
