"""Rewrite every match of a pattern, or make a function of each.

Source of the rule: ``src/relay/ir/dataflow_matcher.cc`` (``PatternRewriter``, ``PatternPartitioner``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from relay_lsp.ir.expressions import AttributeValue, Call, Expr, Function, If, Let, Match, Tuple, TupleGetItem, Var
from relay_lsp.ir.inference import InferredExpr, infer_expr, infer_local
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.visitor import children, with_children

from ..infrastructure.errors import PassError
from ..provenance.mutator import ExprMutator
from ..provenance.record import current_record
from .dataflow_graph import DataflowGraph
from .groups import PARTITIONED_FROM_PATTERN, PatternGroup, find_groups
from .language import DFPattern
from .matcher import Matches

__all__ = ["DFPatternCallback", "partition", "rewrite"]

MOST_ROUNDS = 100


class DFPatternCallback:
    """A pattern and what to put in the place of a match. Set :attr:`pattern` and override :meth:`callback`.

    ``require_type`` asks for types on everything before matching; ``rewrite_once`` stops after the first round that
    changed something.
    """

    pattern: DFPattern

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """What stands in the place of the match.

        ``pre`` is the match before this round, ``post`` the same with its inputs rewritten, ``node_map`` gives what
        each part of the pattern matched, rewritten as well.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what it makes of a match")

    def rewrite(self, expr: Expr) -> Expr:
        """:func:`rewrite` with this callback alone."""
        return rewrite(self, expr)


def rewrite(
    callbacks: DFPatternCallback | Sequence[DFPatternCallback], expr: Expr, module: IRModule | None = None
) -> Expr:
    """Let each callback rewrite its matches in ``expr``, one callback after the other, until nothing changes.

    Everything new is recorded as made from what the pattern covered.

    Raises:
        PassError: nothing settles within 100 rounds: two callbacks undo each other.
    """
    everyone = [callbacks] if isinstance(callbacks, DFPatternCallback) else list(callbacks)
    done: set[DFPatternCallback] = set()
    graph: DataflowGraph | None = None
    rounds = 0
    while True:
        last = expr
        for callback in everyone:
            if callback in done:
                continue
            if callback.require_type and expr.checked_type is None:
                expr = infer_with_record(expr, module)
            if graph is None or graph.root is not expr:
                graph = DataflowGraph(expr)
            groups = find_groups(callback.pattern, graph)
            rounds += 1
            if not groups:
                continue
            new = _GroupRewriter(groups, callback).visit(expr)
            if callback.rewrite_once and not structural_equal(new, expr):
                done.add(callback)
            expr = new
        if expr is last or structural_equal(expr, last):
            return expr
        if rounds >= MOST_ROUNDS:
            names = ", ".join(type(callback).__name__ for callback in everyone)
            raise PassError(f"no end of rewriting after {rounds} rounds; {names} may undo each other", place=expr)


def infer_with_record(expr: Expr, module: IRModule | None = None) -> Expr:
    """``expr`` with types; what inference rebuilt is recorded as made from what it replaced."""
    return _recorded(infer_expr(expr, module))


def infer_locally(expr: Expr, module: IRModule | None = None) -> Expr:
    """The same, but without looking below what has a type already: costs what is new, for those who ask often."""
    return _recorded(infer_local(expr, module))


def _recorded(inferred: InferredExpr) -> Expr:
    record = current_record()
    for new, old in inferred.replaced.items():
        record.record(new, old)
    return inferred.expr


class _GroupRewriter(ExprMutator):
    def __init__(self, groups: Mapping[Expr, PatternGroup], callback: DFPatternCallback) -> None:
        super().__init__()
        self._groups = groups
        self._callback = callback

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        group = self._groups.get(pre)
        if group is None:
            return post
        memo = self.memo
        node_map: dict[DFPattern, Sequence[Expr]] = {}
        for part, exprs in group.matches.items():
            node_map[part] = tuple(post if expr is pre else memo.get(expr, expr) for expr in exprs)
        new = self._callback.callback(pre, post, node_map)
        if self.record.remarks is not None:
            rule = type(self._callback).__name__
            if new is post:
                self.record.remarks.missed(rule, pre, f"matches {rule}, which leaves it as it is")
            else:
                self.record.remarks.passed(rule, pre, f"rewritten by {rule}")
        return self.derive(new, *_sources(group)) if new is not pre else new


def _sources(group: PatternGroup) -> list[Expr]:
    """What an expression made of a group was made from: the root first, then the rest of what the pattern covered."""
    kinds = (Call, Tuple, TupleGetItem, If, Let, Match)
    sources = {group.root: None}
    for exprs in group.matches.values():
        sources.update((expr, None) for expr in exprs if expr in group.interior and isinstance(expr, kinds))
    return list(sources)


def partition(
    pattern: DFPattern,
    expr: Expr,
    attrs: Mapping[str, AttributeValue] | None = None,
    check: Callable[[Expr], bool] = lambda _: True,
    graph: DataflowGraph | None = None,
) -> Expr:
    """``expr`` with every match that passes ``check`` made a function of its own, and called in its place.

    The function carries ``PartitionedFromPattern``, which names the operators in it, and ``attrs``. Who tries many
    patterns on one expression makes its ``graph`` once.
    """
    groups = find_groups(pattern, DataflowGraph(expr) if graph is None else graph)
    return _Partitioner(groups, attrs or {}, check).visit(expr) if groups else expr


class _Partitioner(ExprMutator):
    def __init__(
        self, groups: Mapping[Expr, PatternGroup], attrs: Mapping[str, AttributeValue], check: Callable[[Expr], bool]
    ) -> None:
        super().__init__()
        self._groups = groups
        self._attrs = attrs
        self._check = check

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        group = self._groups.get(pre)
        if group is None:
            return post
        remarks, name = self.record.remarks, str(self._attrs.get("Composite", "the pattern"))
        if not self._check(pre):
            if remarks is not None:
                remarks.missed("check", pre, f"not gathered: it matches {name}, whose check refuses it")
            return post
        if remarks is not None:
            remarks.passed("composite", pre, f"gathered into {name}")
        function = self._extract(group)
        return Call(function, tuple(self.memo[expr] for expr in group.inputs))

    def _extract(self, group: PatternGroup) -> Function:
        """A function of the group's inputs with the group as its body; each expression stems from its counterpart."""
        made: dict[Expr, Expr] = {}
        params: list[Var] = []
        for number, expr in enumerate(group.inputs):
            param = Var(f"FunctionVar_{group.number}_{number}")
            self.record.record(param, expr)
            params.append(param)
            made[expr] = param
        name = ""
        for expr in _below(group.root, made):
            parts = children(expr)
            copy = with_children(expr, [made[part] for part in parts]) if parts else expr
            if copy is not expr:
                self.record.attribute(copy, expr)
            made[expr] = copy
            name += _name_part(expr)
        attrs = {PARTITIONED_FROM_PATTERN: name, **self._attrs}
        return Function(tuple(params), made[group.root], attrs=attrs)


def _below(root: Expr, inputs: Mapping[Expr, Expr]) -> list[Expr]:
    """Everything below ``root`` that does not lie behind an input, children first."""
    order: list[Expr] = []
    seen: set[Expr] = set(inputs)
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        expr, finished = stack.pop()
        if finished:
            order.append(expr)
        elif expr not in seen:
            seen.add(expr)
            stack.append((expr, True))
            stack.extend((part, False) for part in reversed(children(expr)) if part not in seen)
    return order


def _name_part(expr: Expr) -> str:
    if isinstance(expr, Call):
        return f"{expr.op.name}_" if isinstance(expr.op, Op) else "Call_"
    if isinstance(expr, TupleGetItem):
        return f"TupleGetItem{expr.index}_"
    if isinstance(expr, Function):
        return "Function"
    for kind, name in ((Tuple, "Tuple_"), (Let, "Let_"), (If, "If_"), (Match, "Match_")):
        if isinstance(expr, kind):
            return name
    return ""
