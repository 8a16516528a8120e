"""Parts of a dataflow graph, as sets of the numbers of its expressions: what flows in, what flows out, how deep.

A set of numbers is an ``int``, whose bit ``n`` says whether ``n`` is in it.

Source of the rule: ``src/relay/collage/dataflow_graph.cc``, ``sub_graph.cc``, ``utils.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Match,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.operator import Op, OpPattern
from relay_lsp.ir.types import TensorType, TupleType, Type

from ..fusion.forward_graph import is_opaque_for_its_shape
from ..patterns.dataflow_graph import DataflowGraph

__all__ = ["CollageGraph", "Nested", "SubGraph", "can_inline", "first_of", "members", "set_order"]

_SIMPLE = ("int16", "int32", "int64", "float16", "float32", "float64", "bool")


def members(numbers: int) -> Iterator[int]:
    """The numbers of a set, ascending."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def first_of(numbers: int) -> int:
    """The lowest number of a set that is not empty."""
    return (numbers & -numbers).bit_length() - 1


def set_order(numbers: int) -> tuple[int, str]:
    """A key that orders sets: by their lowest number; then the one that has the lowest of what the other lacks."""
    return first_of(numbers), format(numbers, "b")[::-1].translate(_LOWEST_FIRST) + "2"


_LOWEST_FIRST: Final = str.maketrans("10", "01")


def can_inline(expr: Expr) -> bool:
    """Whether an expression is written again wherever it is used, instead of being passed to a function."""
    if isinstance(expr, (Op, Constructor, Function)):
        return True
    return isinstance(expr, Constant) and expr.is_scalar and expr.dtype in _SIMPLE


def _is_of_tensors(type: Type | None) -> bool:
    return isinstance(type, TupleType) and all(isinstance(field, TensorType) for field in type.fields)


def _kind_and_label(expr: Expr) -> tuple[int, str]:
    """How an expression fuses, and what it is called."""
    opaque = OpPattern.OPAQUE
    if isinstance(expr, Call):
        if isinstance(expr.op, Op):
            kind = opaque if is_opaque_for_its_shape(expr) else expr.op.pattern
            return kind, expr.op.name
        if isinstance(expr.op, Function):
            pattern = expr.op.attrs.get("TOpPattern")
            return (pattern, "call_prim") if isinstance(pattern, int) else (opaque, "call_fun")
        return opaque, "call_any"
    if isinstance(expr, Constant):
        return OpPattern.ELEMWISE, "scalar" if can_inline(expr) else "const"
    if isinstance(expr, Tuple):
        return (OpPattern.INJECTIVE if _is_of_tensors(expr.checked_type) else opaque), "tuple"
    if isinstance(expr, TupleGetItem):
        return (OpPattern.INJECTIVE if _is_of_tensors(expr.tuple_value.checked_type) else opaque), "proj"
    if isinstance(expr, Var):
        return opaque, f"%{expr.name_hint}"
    if isinstance(expr, GlobalVar):
        return opaque, f"@{expr.name_hint}"
    return opaque, f"`{expr.name}" if isinstance(expr, Op) else type(expr).__name__.lower()


class Border(NamedTuple):
    """What flows into a set of expressions and out of it."""

    entries: int
    """The members that something outside flows into."""
    exits: int
    """The members that flow to the outside."""
    inputs: int
    """What flows in from outside."""
    outputs: int
    """What a member flows into outside."""
    depth: int
    """How many members the longest way through has."""


class CollageGraph:
    """The dataflow of a function, by number."""

    def __init__(self, function: Function) -> None:
        self.dataflow = DataflowGraph(function)
        self.order: Sequence[Expr] = self.dataflow.order
        self.index: Mapping[Expr, int] = self.dataflow.index
        self.size = len(self.order)
        self.root = self.index[function]
        self.inlined = _set_of(number for number, expr in enumerate(self.order) if can_inline(expr))
        self.inputs = [_set_of(numbers) for numbers in self.dataflow.inputs]
        self.outputs = [_set_of(numbers) for numbers in self.dataflow.outputs]
        self._borders: dict[int, Border] = {}
        self._flowing: dict[int, int] = {}

    def border(self, inside: int) -> Border:
        """What flows into a set and out of it."""
        known = self._borders.get(inside)
        if known is None:
            known = self._borders[inside] = self._border(inside)
        return known

    def _border(self, inside: int) -> Border:
        entries = exits = sources = users = deepest = 0
        outside, depths = ~inside & ~self.inlined, dict[int, int]()
        for number in members(inside):
            sources |= self.inputs[number]
            users |= self.outputs[number]
            if self.inputs[number] & outside:
                entries |= 1 << number
            own = depths.setdefault(number, 0) + 1
            if self.outputs[number] & ~inside or number == self.root:
                exits |= 1 << number
                deepest = max(deepest, own)
            for user in self.dataflow.outputs[number]:
                if inside >> user & 1:
                    depths[user] = max(depths.get(user, 0), own)
        return Border(entries, exits, sources & outside, users & ~inside, deepest)

    @cached_property
    def _upstream(self) -> Sequence[int]:
        """For each expression, all whose values flow into it, directly or not."""
        above = [0] * self.size
        for number in range(self.size):
            for user in self.dataflow.outputs[number]:
                above[user] |= 1 << number | above[number]
        return above

    def flowing_into(self, inside: int) -> int:
        """All whose values flow into what some values of a set come in by, directly or not."""
        known = self._flowing.get(inside)
        if known is None:
            known = 0
            for number in members(self.border(inside).entries):
                known |= self._upstream[number]
            self._flowing[inside] = known
        return known

    @cached_property
    def kinds(self) -> Sequence[tuple[int, str]]:
        """How each expression fuses, and what it is called."""
        return [_kind_and_label(expr) for expr in self.order]

    @cached_property
    def blocks(self) -> Sequence[tuple[tuple[int, int], ...]]:
        """The scopes that each expression is evaluated in, outermost first: function bodies and branches."""
        blocks: list[tuple[tuple[int, int], ...] | None] = [None] * self.size
        for number in range(self.size - 1, -1, -1):
            expr = self.order[number]
            for user in self.dataflow.outputs[number]:
                around = blocks[user] or ()
                branch = _branch(self.order[user], expr)
                block = around if branch is None else (*around, (user, branch))
                known = blocks[number]
                blocks[number] = block if known is None else _common(known, block)
        return [block or () for block in blocks]


def _branch(user: Expr, part: Expr) -> int | None:
    """Which scope of ``user`` an expression is the result of; ``None`` where it is in that of ``user`` itself."""
    if isinstance(user, Function):
        return 0 if part is user.body else None
    if isinstance(user, If):
        branches = (user.true_branch, user.false_branch)
        return None if part is user.cond else next(number for number, each in enumerate(branches) if each is part)
    if isinstance(user, Match) and part is not user.data:
        return next((number for number, clause in enumerate(user.clauses) if clause.rhs is part), None)
    return None


def _common(left: tuple[tuple[int, int], ...], right: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    length = next(
        (place for place, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]),
        min(len(left), len(right)),
    )
    return left[:length]


def _set_of(numbers: Iterator[int] | Sequence[int]) -> int:
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


@dataclass(frozen=True, slots=True)
class Nested:
    """A part of a sub-graph that becomes a function with these attributes."""

    part: SubGraph
    attrs: tuple[tuple[str, str | int], ...]

    def joins(self, other: Nested) -> bool:
        """Whether both can be one function. Composite functions stay apart."""
        return self.attrs == other.attrs and all(name != "Composite" for name, _ in self.attrs)


@dataclass(frozen=True, slots=True)
class SubGraph:
    """A set of expressions: what is ``inside``, how it fuses, and which parts of it become functions."""

    inside: int
    kind: int
    label: str
    nested: tuple[Nested, ...] = ()

    @staticmethod
    def of(graph: CollageGraph, inside: int) -> SubGraph:
        """A set of expressions, with the kind and the name that follow from them."""
        kinds = [graph.kinds[number] for number in members(inside)]
        kind = max((kind for kind, _ in kinds), default=0)
        return SubGraph(inside, kind, "+".join(label for _, label in kinds if label))

    def border(self, graph: CollageGraph) -> Border:
        """What flows in and out, and how deep it is."""
        return graph.border(self.inside)

    def touches(self, graph: CollageGraph, downstream: SubGraph) -> bool:
        """Whether values flow from here directly into ``downstream``, and both together make no circle."""
        if self.inside & downstream.inside or not self.border(graph).outputs & downstream.border(graph).entries:
            return False
        return not (_flows_into(graph, self, downstream) or _flows_into(graph, downstream, self))

    def with_(self, other: SubGraph) -> SubGraph:
        """Both together, of which no member is in both."""
        nested = list(self.nested)
        for each in other.nested:
            place = next((number for number, own in enumerate(nested) if own.joins(each)), None)
            if place is None:
                nested.append(each)
            else:
                nested[place] = Nested(nested[place].part.with_(each.part), each.attrs)
        label = "+".join(filter(None, (self.label, other.label)))
        return SubGraph(
            self.inside | other.inside,
            max(self.kind, other.kind),
            label,
            tuple(sorted(nested, key=lambda each: set_order(each.part.inside))),
        )

    def as_function(self, **attrs: str | int) -> SubGraph:
        """The same, all of which becomes a function with these attributes."""
        return SubGraph(self.inside, self.kind, self.label, (Nested(self, tuple(attrs.items())),))

    def is_valid(self, graph: CollageGraph, max_depth: int) -> bool:
        """Whether it can be a function: one result that is used outside alone, one scope, no circle."""
        border = self.border(graph)
        exits = border.exits
        if exits.bit_count() > 1 or border.depth > max_depth:
            return False
        if len({graph.blocks[number] for number in members(self.inside)}) > 1:
            return False
        if any(graph.outputs[number] & self.inside for number in members(exits)):
            return False
        return not border.outputs & graph.flowing_into(self.inside)


def _flows_into(graph: CollageGraph, left: SubGraph, right: SubGraph) -> bool:
    """Whether a value of one goes outside of both, and from there into the other."""
    return bool(left.border(graph).outputs & ~right.inside & graph.flowing_into(right.inside))
