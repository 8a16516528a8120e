"""Which expressions go into one function: those of one source, as far as nothing has to be computed between them.

The expressions of a statement are put into an order in which those of one source stand together where they can. A part
is open for more of its source until something else needs what it gives; so a call in the place of its last expression
comes after all that it needs and before all that need it, whatever other parts there are. Consecutive ``let`` bindings
of one source are one part. Bindings are never moved past others, and effects never past anything.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
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
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import Type, TypeVar
from relay_lsp.ir.visitor import children, type_vars

from ..normal_form.scopes import BindingScope
from .effects import Effects
from .statements import LEAVES, Body, OutlinedStatement

__all__ = ["OUTLINED", "OutlinedPart", "Source", "parts_of"]

OUTLINED: Final = "Outlined"
"""The attribute of an outlined function: the name of the operator or layer that it stands for."""

_NO_INPUT = (Op, Constant, GlobalVar, Constructor)


@dataclass(frozen=True, slots=True)
class Source:
    """What the members of a part have in common; the first of them names it."""

    key: Hashable
    name: str = field(compare=False)


@dataclass(eq=False)
class OutlinedPart:
    """Expressions of one source that become one function.

    ``lets`` are the bindings that go into it as a whole, in order; ``result`` is the value behind the last of them
    where that belongs to the part as well.
    """

    source: Source
    members: dict[Expr, None] = field(default_factory=dict[Expr, None])
    lets: Sequence[Let] = ()
    result: Expr | None = None
    inputs: Sequence[Expr] = ()
    """What flows in, in order of first use: the function's parameters."""
    outputs: Sequence[Expr] = ()
    """What is used outside, a bound value as its variable: the function's results."""


def parts_of(function: Function, source_of: Callable[[Expr], Source | None], effects: Effects) -> list[OutlinedPart]:
    """The parts of ``function`` that have more than one call, in order of evaluation."""
    body = Body(function)
    kinds = _Kinds(body, source_of, effects)
    parts: list[OutlinedPart] = []
    gathered: set[Expr] = set()
    for chain in body.chains():
        for part in _parts_of_chain(chain, body, kinds):
            if _is_worth_a_function(part, body, kinds):
                inside = _inside(part, body)
                _find_borders(part, inside, body)
                if not _is_polymorphic(part, inside):
                    parts.append(part)
                    gathered.update(inside - part.members.keys())
    return [part for part in parts if gathered.isdisjoint(part.members)]


def _is_worth_a_function(part: OutlinedPart, body: Body, kinds: _Kinds) -> bool:
    if len(part.members) == 1 and not part.lets and all(map(body.opened, part.members)):
        return False  # A closure, a branch or a block by itself: what is inside has parts of its own.
    return kinds.calls_in(part.members) > 1


class _Kinds:
    """Of which source each expression is, and which have effects.

    What opens scopes is of a source only if everything inside is as well, and has the effects of what it evaluates.
    """

    def __init__(self, body: Body, source_of: Callable[[Expr], Source | None], effects: Effects) -> None:
        self._source: dict[Expr, Source] = {}
        self._effects: set[Expr] = set()
        self._calls: Counter[Expr] = Counter()
        sources_in: dict[BindingScope, set[Source | None]] = {}
        acting: set[BindingScope] = set()
        calls_in: Counter[BindingScope] = Counter()
        for expr in body.order:
            if isinstance(expr, LEAVES):
                if isinstance(expr, Constant) and (source := source_of(expr)) is not None:
                    self._source[expr] = source
                continue
            source = source_of(expr) if isinstance(expr, _GATHERED) else None
            opened = body.opened(expr)
            for scope in opened:
                inner = sources_in.get(scope)
                if inner and inner != {source}:
                    source = None
            acts = effects.of(expr) or (not isinstance(expr, Function) and not acting.isdisjoint(opened))
            calls = isinstance(expr, Call) + sum(calls_in[scope] for scope in opened)
            around = body.scope_of(expr)
            sources_in.setdefault(around, set()).add(source)
            calls_in[around] += calls
            self._calls[expr] = calls
            if source is not None:
                self._source[expr] = source
            if acts:
                acting.add(around)
                self._effects.add(expr)

    def source(self, expr: Expr) -> Source | None:
        """The source of ``expr``, if it can be gathered."""
        return self._source.get(expr)

    def acts(self, expr: Expr) -> bool:
        """Whether evaluating ``expr`` does more than give a value."""
        return expr in self._effects

    def calls_in(self, exprs: Iterable[Expr]) -> int:
        """How many calls there are in ``exprs`` and inside them."""
        return sum(self._calls[expr] for expr in exprs)


_GATHERED = (Call, Tuple, TupleGetItem, RefCreate, RefRead, RefWrite, Function, If, Let, Match)


def _parts_of_chain(chain: Sequence[OutlinedStatement], body: Body, kinds: _Kinds) -> list[OutlinedPart]:
    parts: list[OutlinedPart] = []
    run: _Run | None = None
    for statement in chain:
        if run is None or not run.takes(statement):
            if run is not None:
                parts.extend(run.parts())
            run = _Run(statement, body, kinds)
    return parts if run is None else [*parts, *run.parts()]


class _Run:
    """Consecutive statements whose values are of one source, with nothing that has to be computed in between."""

    def __init__(self, first: OutlinedStatement, body: Body, kinds: _Kinds) -> None:
        self._body = body
        self._kinds = kinds
        self._source = kinds.source(first.root)
        self._statements = [first]
        self._gathered: set[Expr] = set()
        self._is_open = first.let is not None and self._gather(first)

    def takes(self, statement: OutlinedStatement) -> bool:
        """Add a statement, if it is one more of these."""
        if not self._is_open or self._kinds.source(statement.root) != self._source or not self._gather(statement):
            return False
        self._statements.append(statement)
        self._is_open = statement.let is not None
        return True

    def _gather(self, statement: OutlinedStatement) -> bool:
        """Whether all that is of another source in a statement acts on nothing, and needs nothing of this one."""
        root = statement.root
        if self._source is None or (root not in statement.nodes[-1:] and not (statement.let and _is_constant(root))):
            return False
        gathered: set[Expr] = set() if statement.let is None else {statement.let.var}
        for node in statement.nodes:
            acts = self._kinds.acts(node) and node is not root
            if self._kinds.source(node) == self._source and not acts:
                gathered.add(node)
            elif acts or any(need in gathered or need in self._gathered for need in self._body.needs(node)):
                return False
        self._gathered |= gathered
        return True

    def parts(self) -> list[OutlinedPart]:
        """The part that the statements are, after those of other sources in them."""
        if len(self._statements) == 1:
            (only,) = self._statements
            return _parts_of_statement(only.nodes, only.root, self._body, self._kinds)
        assert self._source is not None
        parts: list[OutlinedPart] = []
        whole = OutlinedPart(self._source, lets=[item.let for item in self._statements if item.let is not None])
        for statement in self._statements:
            others = [node for node in statement.nodes if node not in self._gathered]
            parts.extend(_parts_of_statement(others, statement.root, self._body, self._kinds))
            whole.members.update((node, None) for node in statement.nodes if node in self._gathered)
        last = self._statements[-1]
        whole.result = last.root if last.let is None else None
        return [*parts, whole]


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Constant)


def _parts_of_statement(nodes: Sequence[Expr], root: Expr, body: Body, kinds: _Kinds) -> list[OutlinedPart]:
    partition = _Partition(nodes, root, body, kinds)
    if any(kinds.acts(node) for node in nodes if node is not root):
        # An expression with an effect is not moved, and nothing is moved past it.
        for node in nodes:
            partition.place(node)
    else:
        partition.place_in_a_good_order()
    return partition.parts


class _Partition:
    """Expressions of one statement, given to parts one by one."""

    def __init__(self, nodes: Sequence[Expr], root: Expr, body: Body, kinds: _Kinds) -> None:
        self.parts: list[OutlinedPart] = []
        self._nodes = nodes
        self._root = root
        self._kinds = kinds
        here = set(nodes)
        self._needs = {node: [need for need in body.needs(node) if need in here] for node in nodes}
        self._open: dict[Source, OutlinedPart] = {}
        self._part_of: dict[Expr, OutlinedPart] = {}
        self._to_come: Counter[Source] = Counter()
        for node in nodes:
            if (source := self._source(node)) is not None:
                self._to_come[source] += 1

    def place(self, node: Expr) -> list[OutlinedPart]:
        """Put ``node`` behind all that were placed before; gives the parts to which nothing can be added any more."""
        source = self._source(node)
        closed = self._closed_by(node)
        if self._kinds.acts(node) and node is not self._root:
            closed = list(self._open.values())
        for part in closed:
            self._open.pop(part.source, None)
        if source is not None:
            part = self._open.get(source)
            if part is None:
                part = self._open[source] = OutlinedPart(source)
                self.parts.append(part)
            part.members[node] = None
            self._part_of[node] = part
            self._to_come[source] -= 1
            if not self._to_come[source]:
                del self._open[source]
                closed.append(part)
        return closed

    def place_in_a_good_order(self) -> None:
        """Place every node after what it needs: first those of the part at hand, and last what would close a part."""
        number = {node: position for position, node in enumerate(self._nodes)}
        missing = {node: len(set(needs)) for node, needs in self._needs.items()}
        users: dict[Expr, list[Expr]] = {}
        for node, needs in self._needs.items():
            for need in dict.fromkeys(needs):
                users.setdefault(need, []).append(node)
        ready: list[int] = []
        ready_of: dict[Source | None, list[int]] = {}
        waiting: list[int] = []
        waiting_for: dict[OutlinedPart, list[int]] = {}
        placed: set[int] = set()

        def offer(position: int) -> None:
            heapq.heappush(ready, position)
            heapq.heappush(ready_of.setdefault(self._source(self._nodes[position]), []), position)

        def hold(position: int, until: OutlinedPart) -> None:
            heapq.heappush(waiting, position)
            waiting_for.setdefault(until, []).append(position)

        for node, count in missing.items():
            if not count:
                offer(number[node])
        at_hand: Source | None = None
        while len(placed) < len(self._nodes):
            position = self._next_free(ready_of.get(at_hand, []) if at_hand is not None else [], placed, hold)
            if position is None:
                position = self._next_free(ready, placed, hold)
            if position is None:
                position = _next(waiting, placed)
            assert position is not None, "expressions need each other in a circle"
            placed.add(position)
            node = self._nodes[position]
            for part in self.place(node):
                for held in waiting_for.pop(part, ()):
                    offer(held)
            at_hand = self._source(node)
            for user in users.get(node, ()):
                missing[user] -= 1
                if not missing[user]:
                    offer(number[user])

    def _next_free(self, heap: list[int], placed: set[int], hold: Callable[[int, OutlinedPart], object]) -> int | None:
        """The next node of ``heap`` that closes no part; the others before it are held back."""
        while (position := _next(heap, placed)) is not None:
            closed = self._closed_by(self._nodes[position])
            if not closed:
                return position
            hold(position, closed[0])
        return None

    def _closed_by(self, node: Expr) -> list[OutlinedPart]:
        """The parts with more to come that ``node``, of another source, needs."""
        source = self._source(node)
        closed: dict[OutlinedPart, None] = {}
        for need in self._needs[node]:
            part = self._part_of.get(need)
            if part is not None and part.source != source and self._open.get(part.source) is part:
                closed[part] = None
        return list(closed)

    def _source(self, node: Expr) -> Source | None:
        if self._kinds.acts(node) and node is not self._root:
            return None
        return self._kinds.source(node)


def _next(heap: list[int], placed: set[int]) -> int | None:
    while heap:
        position = heapq.heappop(heap)
        if position not in placed:
            return position
    return None


def _inside(part: OutlinedPart, body: Body) -> set[Expr]:
    """Everything that goes into the function."""
    inside: set[Expr] = set()
    for member in part.members:
        inside |= body.inside(member)
    for let in part.lets:
        inside.update((let, let.var, let.value))
    return inside


def _find_borders(part: OutlinedPart, inside: Set[Expr], body: Body) -> None:
    lets = set(part.lets)
    inputs: dict[Expr, None] = {}
    for expr in sorted(inside, key=body.index.__getitem__):
        if expr not in lets:
            for needed in children(expr):
                if needed not in inside and not isinstance(needed, _NO_INPUT):
                    inputs[needed] = None
    part.inputs = tuple(inputs)

    def leaves(expr: Expr) -> bool:
        return any(user not in inside for user in body.users.get(expr, ()))

    bound = [let.var for let in part.lets if leaves(let.var)]
    if part.lets and part.result is None and part.lets[-1].var not in bound:
        # Whatever it is for, the place of the last binding is that of the call.
        bound.append(part.lets[-1].var)
    part.outputs = (*bound, *(member for member in part.members if member is part.result or leaves(member)))


def _is_polymorphic(part: OutlinedPart, inside: Iterable[Expr]) -> bool:
    """Whether a type in the part speaks of a type parameter of the function around it."""
    types: list[Type | None] = [needed.checked_type for needed in part.inputs]
    bound: set[TypeVar] = set()
    for expr in inside:
        if isinstance(expr, Var):
            types.append(expr.type_annotation)
        elif isinstance(expr, Call):
            types.extend(expr.type_args)
        elif isinstance(expr, Function):
            bound.update(expr.type_params)
            types.append(expr.ret_type)
    return any(var not in bound for type in types if type is not None for var in type_vars(type))
