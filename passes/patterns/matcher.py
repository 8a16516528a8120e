"""Does an expression match a pattern, and which part of it matches which part of the pattern?

Source of the rule: ``src/relay/ir/dataflow_matcher.cc`` (``DFPatternMatcher``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.inference import infer_local
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import TensorType, Type

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
    WildcardPattern,
)

__all__ = ["Matches", "PatternMatcher", "match"]

Matches = Mapping[DFPattern, Sequence[Expr]]
"""For each part of a pattern, what it matched; more than one only for the path of a dominator."""


def match(pattern: DFPattern, expr: Expr) -> bool:
    """Whether ``expr`` matches ``pattern``."""
    return PatternMatcher(DataflowGraph(expr)).match(pattern, expr) is not None


class PatternMatcher:
    """Matches patterns against the expressions of one graph."""

    def __init__(self, graph: DataflowGraph) -> None:
        self.graph = graph
        self._matched: dict[DFPattern, list[Expr]] = {}
        self._trail: list[DFPattern] = []
        self._memoize = True

    def match(self, pattern: DFPattern, expr: Expr) -> Matches | None:
        """What each part of ``pattern`` matched, where ``expr`` matches it."""
        self._matched = {}
        self._trail = []
        self._memoize = True
        return self._matched if self._match(pattern, expr) else None

    def _match(self, pattern: DFPattern, expr: Expr) -> bool:
        if self._memoize:
            known = self._matched.get(pattern)
            if known is not None:
                return known[0] is expr
        watermark = len(self._trail)
        matcher = _MATCHERS[type(pattern)]
        if matcher(self, pattern, expr):
            self._matched.setdefault(pattern, []).append(expr)
            self._trail.append(pattern)
            return True
        self._forget(watermark)
        return False

    def _forget(self, watermark: int) -> None:
        for pattern in self._trail[watermark:]:
            self._matched.pop(pattern, None)
        del self._trail[watermark:]

    def _all(self, patterns: Sequence[DFPattern], exprs: Sequence[Expr]) -> bool:
        return len(patterns) == len(exprs) and all(map(self._match, patterns, exprs))

    def _wildcard(self, pattern: WildcardPattern, expr: Expr) -> bool:
        del pattern, expr
        return True

    def _constant(self, pattern: ConstantPattern, expr: Expr) -> bool:
        del pattern
        return isinstance(expr, Constant)

    def _var(self, pattern: VarPattern, expr: Expr) -> bool:
        return isinstance(expr, Var) and pattern.name in ("", expr.name_hint)

    def _expr(self, pattern: ExprPattern, expr: Expr) -> bool:
        if pattern.expr is expr:
            return True
        if isinstance(pattern.expr, Op) or type(pattern.expr) is not type(expr):
            return False
        return structural_equal(pattern.expr, expr)

    def _alt(self, pattern: AltPattern, expr: Expr) -> bool:
        return self._match(pattern.left, expr) or self._match(pattern.right, expr)

    def _call(self, pattern: CallPattern, expr: Expr) -> bool:
        if not isinstance(expr, Call):
            return False
        watermark = len(self._trail)
        if self._match(pattern.op, expr.op):
            if pattern.args is None:
                return True
            watermark = len(self._trail)
            if self._all(pattern.args, expr.args):
                return True
            self._forget(watermark)
            # Addition and multiplication match with their arguments the other way round as well.
            if _op_name(pattern) in ("add", "multiply"):
                if self._all(pattern.args[::-1], expr.args):
                    return True
                self._forget(watermark)
            return False
        self._forget(watermark)
        return any(self._match(other, expr) for other in _associated(pattern, expr))

    def _function(self, pattern: FunctionPattern, expr: Expr) -> bool:
        if not isinstance(expr, Function):
            return False
        if pattern.params is not None and not self._all(pattern.params, expr.params):
            return False
        return self._match(pattern.body, expr.body)

    def _if(self, pattern: IfPattern, expr: Expr) -> bool:
        return isinstance(expr, If) and self._all(pattern.parts, (expr.cond, expr.true_branch, expr.false_branch))

    def _let(self, pattern: LetPattern, expr: Expr) -> bool:
        return isinstance(expr, Let) and self._all(pattern.parts, (expr.var, expr.value, expr.body))

    def _tuple(self, pattern: TuplePattern, expr: Expr) -> bool:
        return isinstance(expr, Tuple) and (pattern.fields is None or self._all(pattern.fields, expr.fields))

    def _tuple_get_item(self, pattern: TupleGetItemPattern, expr: Expr) -> bool:
        return (
            isinstance(expr, TupleGetItem)
            and pattern.index in (None, -1, expr.index)
            and self._match(pattern.tuple_value, expr.tuple_value)
        )

    def _attr(self, pattern: AttrPattern, expr: Expr) -> bool:
        if not self._match(pattern.pattern, expr):
            return False
        present = _attributes(expr)
        return present is not None and all(
            name in present and _same_value(value, present[name]) for name, value in pattern.attrs.items()
        )

    def _type(self, pattern: TypePattern, expr: Expr) -> bool:
        return structural_equal(pattern.type, _type_of(expr)) and self._match(pattern.pattern, expr)

    def _dtype(self, pattern: DataTypePattern, expr: Expr) -> bool:
        known_type = _type_of(expr)
        return (
            isinstance(known_type, TensorType)
            and known_type.dtype == pattern.dtype
            and self._match(pattern.pattern, expr)
        )

    def _shape(self, pattern: ShapePattern, expr: Expr) -> bool:
        known_type = _type_of(expr)
        return (
            isinstance(known_type, TensorType)
            and known_type.shape == pattern.shape
            and self._match(pattern.pattern, expr)
        )

    def _dominator(self, pattern: DominatorPattern, expr: Expr) -> bool:
        if not self._match(pattern.child, expr):
            return False
        leads_up = self._every_way_leads_to_parent(pattern, expr)
        self._memoize = True
        return leads_up and self._dominates_parent(pattern, expr)

    def _every_way_leads_to_parent(self, pattern: DominatorPattern, expr: Expr) -> bool:
        graph = self.graph
        seen: set[int] = set()
        stack = [graph.index[expr]]
        while stack:
            number = stack.pop()
            current = graph.order[number]
            callee = current.op if isinstance(current, Call) else None
            further: list[int] = []
            for source in graph.inputs[number]:
                above = graph.order[source]
                if above is callee or source in seen:
                    continue
                self._memoize = True
                if self._match(pattern.parent, above):
                    continue
                self._memoize = False
                if not self._match(pattern.path, above):
                    return False
                seen.add(source)
                further.append(source)
            stack.extend(reversed(further))
        return True

    def _dominates_parent(self, pattern: DominatorPattern, expr: Expr) -> bool:
        graph = self.graph
        seen: set[int] = set()
        stack = [graph.index[expr]]
        while stack:
            for number in graph.dominator_children[stack.pop()]:
                if number in seen:
                    continue
                if self._match(pattern.parent, graph.order[number]):
                    return True
                seen.add(number)
                stack.append(number)
        return False


_MATCHERS: dict[type[DFPattern], Callable[[PatternMatcher, Any, Expr], bool]] = {
    WildcardPattern: PatternMatcher._wildcard,  # pyright: ignore[reportPrivateUsage]
    ConstantPattern: PatternMatcher._constant,  # pyright: ignore[reportPrivateUsage]
    VarPattern: PatternMatcher._var,  # pyright: ignore[reportPrivateUsage]
    ExprPattern: PatternMatcher._expr,  # pyright: ignore[reportPrivateUsage]
    AltPattern: PatternMatcher._alt,  # pyright: ignore[reportPrivateUsage]
    CallPattern: PatternMatcher._call,  # pyright: ignore[reportPrivateUsage]
    FunctionPattern: PatternMatcher._function,  # pyright: ignore[reportPrivateUsage]
    IfPattern: PatternMatcher._if,  # pyright: ignore[reportPrivateUsage]
    LetPattern: PatternMatcher._let,  # pyright: ignore[reportPrivateUsage]
    TuplePattern: PatternMatcher._tuple,  # pyright: ignore[reportPrivateUsage]
    TupleGetItemPattern: PatternMatcher._tuple_get_item,  # pyright: ignore[reportPrivateUsage]
    AttrPattern: PatternMatcher._attr,  # pyright: ignore[reportPrivateUsage]
    TypePattern: PatternMatcher._type,  # pyright: ignore[reportPrivateUsage]
    DataTypePattern: PatternMatcher._dtype,  # pyright: ignore[reportPrivateUsage]
    ShapePattern: PatternMatcher._shape,  # pyright: ignore[reportPrivateUsage]
    DominatorPattern: PatternMatcher._dominator,  # pyright: ignore[reportPrivateUsage]
}


def _op_name(pattern: DFPattern) -> str:
    """The name of the operator that a pattern calls, if it calls one."""
    if isinstance(pattern, CallPattern) and isinstance(pattern.op, ExprPattern) and isinstance(pattern.op.expr, Op):
        return pattern.op.expr.name
    return ""


def _calls(expr: Expr, name: str) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == name


def _associated(pattern: CallPattern, expr: Call) -> list[CallPattern]:
    """``pattern`` with a division and a multiplication the other way round: ``(a * b) / c`` also as ``a * (b / c)``."""
    args = pattern.args or ()
    if len(args) != 2:
        return []
    name = _op_name(pattern)
    if name == "divide" and _calls(expr, "multiply") and any(_calls(arg, "divide") for arg in expr.args):
        product = args[0]
        if isinstance(product, CallPattern) and product.args is not None and _op_name(product) == "multiply":
            left, right = product.args
            return [
                CallPattern(product.op, (right, CallPattern(pattern.op, (left, args[1])))),
                CallPattern(product.op, (left, CallPattern(pattern.op, (right, args[1])))),
            ]
    if name == "multiply" and _calls(expr, "divide") and any(_calls(arg, "multiply") for arg in expr.args):
        for quotient, other in ((args[0], args[1]), (args[1], args[0])):
            if isinstance(quotient, CallPattern) and quotient.args is not None and _op_name(quotient) == "divide":
                above, below = quotient.args
                return [CallPattern(quotient.op, (CallPattern(pattern.op, (above, other)), below))]
    return []


def _attributes(expr: Expr) -> Mapping[str, object] | None:
    if isinstance(expr, Op):
        return {"TOpPattern": int(expr.pattern)}
    if isinstance(expr, Function):
        return expr.attrs
    if isinstance(expr, Call):
        attrs = expr.attrs
        return {} if attrs is None else _AttributesOfCall(attrs)
    return None


class _AttributesOfCall(Mapping[str, object]):
    """The attributes of a call by name, read one at a time."""

    def __init__(self, attrs: Attrs) -> None:
        self._attrs = attrs

    def __getitem__(self, name: str) -> object:
        if name not in type(self._attrs).fields():
            raise KeyError(name)
        return getattr(self._attrs, name)

    def __iter__(self):
        return iter(type(self._attrs).fields())

    def __len__(self) -> int:
        return len(type(self._attrs).fields())


def _same_value(wanted: object, present: object) -> bool:
    if isinstance(wanted, (list, tuple)) and isinstance(present, (list, tuple)):
        left, right = cast("Sequence[object]", wanted), cast("Sequence[object]", present)
        return len(left) == len(right) and all(map(_same_value, left, right))
    if isinstance(wanted, float) != isinstance(present, float):
        return False
    return wanted == present


def _type_of(expr: Expr) -> Type | None:
    return expr.checked_type or infer_local(expr).expr.checked_type
