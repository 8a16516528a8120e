"""The dataflow of each stage of a trace: nodes, edges, namespaces, and which nodes of a stage became which of another.

It reads the records of a trace alone (:mod:`relay_lsp.passes.provenance.trace_records`), so a trace that was written by
another program gives graphs as well. A node is an expression that has a value. ``let`` and the names of values are
looked through; a function that is called where it stands (a fused one) is a namespace, and its parameters are what it
is called with.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from relay_lsp.passes.provenance.trace_records import (
    FailureRecord,
    HeaderRecord,
    NewExpressions,
    PassRecord,
    StageRecord,
    TraceFormatError,
    TraceRecord,
    read_records,
)

__all__ = ["StageGraph", "StageNode", "TraceGraphs", "read_graphs"]

_NO_NODE = frozenset(("Let", "Function", "GlobalVar"))
_DEEPEST_PATH = 12


@dataclass(frozen=True)
class StageNode:
    """A value: its expression's number in the trace, and where it comes from."""

    expression: int
    label: str
    type: str
    layers: Sequence[str]
    namespace: Sequence[str]
    inputs: Sequence[int]
    """The expressions of the nodes that its operands come from."""
    flops: int
    """-1 where they are not known."""


@dataclass(frozen=True)
class StageGraph:
    """The values of a module. ``name`` is the file, or the pass that made the module."""

    number: int
    name: str
    nodes: Sequence[StageNode]


@dataclass
class TraceGraphs:
    """The stages whose text differs from the one before, and what came from what between them."""

    source: str = ""
    stages: list[StageGraph] = field(default_factory=list[StageGraph])
    steps: list[PassRecord] = field(default_factory=list[PassRecord])

    def links(self, before: StageGraph, after: StageGraph) -> list[tuple[list[int], list[int]]]:
        """Which nodes of ``before`` became which of ``after``: groups that share no node, in the order of ``after``."""
        origins: dict[int, set[int]] = {node.expression: {node.expression} for node in after.nodes}
        step = self._into(after.number)
        while step is not None and step.before >= before.number:
            sources = _sources(step)
            for known in origins.values():
                moved = {old for each in known for old in sources.get(each, (each,))}
                known.clear()
                known |= moved
            step = self._into(step.before) if step.before > before.number else None
        there = {node.expression for node in before.nodes}
        return _merged((origin & there, new) for new, origin in origins.items())

    def _into(self, stage: int) -> PassRecord | None:
        return next((step for step in self.steps if step.after == stage and step.before != stage), None)


def _sources(step: PassRecord) -> Mapping[int, Sequence[int]]:
    sources: dict[int, list[int]] = {}
    for columns, keeps in ((step.made, False), (step.joined, True)):
        for expression, old in zip(columns.expression, columns.sources, strict=True):
            known = sources.setdefault(expression, [expression] if keeps else [])
            known += [old] if isinstance(old, int) else old
    return sources


def _merged(links: Iterable[tuple[set[int], int]]) -> list[tuple[list[int], list[int]]]:
    """Links with a node in common become one."""
    numbers = count()
    group_of: dict[int, int] = {}
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for old, new in links:
        if not old:
            continue
        touched = sorted({group_of[each] for each in old if each in group_of})
        target = touched[0] if touched else next(numbers)
        left, right = groups.setdefault(target, ([], []))
        for other in touched[1:]:
            more_left, more_right = groups.pop(other)
            left += more_left
            right += more_right
            group_of.update((each, target) for each in more_left)
        fresh = sorted(each for each in old if each not in group_of)
        left += fresh
        group_of.update((each, target) for each in fresh)
        right.append(new)
    return [(sorted(left), right) for left, right in groups.values()]


def read_graphs(lines: Iterable[str]) -> TraceGraphs:
    """The graphs of a trace.

    Raises:
        TraceFormatError: it is no trace, one of another version, or one without operands (written before they were).
    """
    reader = _Reader()
    for number, record in read_records(lines):
        try:
            reader.read(record)
        except TraceFormatError as error:
            raise TraceFormatError(f"line {number}: {error}") from None
        except (ValueError, IndexError, KeyError) as error:
            raise TraceFormatError(f"line {number}: {error}") from error
    return reader.finish()


class _Reader:
    def __init__(self) -> None:
        self.graphs = TraceGraphs()
        self._strings: list[str] = []
        self._exprs: dict[int, _Expression] = {}
        self._orders: list[list[int]] = []

    def read(self, record: TraceRecord) -> None:
        if isinstance(record, HeaderRecord):
            self.graphs.source = record.source
        elif isinstance(record, StageRecord):
            self._strings += record.strings
            self._take(record.new)
            self._orders.append(record.order)
        elif isinstance(record, PassRecord):
            self.graphs.steps.append(record)
        elif isinstance(record, FailureRecord):
            pass  # What stands above it holds.

    def _take(self, new: NewExpressions) -> None:
        if new.operands is None:
            raise TraceFormatError("the trace does not say what expressions are made of; write it anew")
        strings = self._strings
        for index, operands in enumerate(new.operands):
            type_number, layers = new.type[index], new.layers[index]
            self._exprs[new.first + index] = _Expression(
                strings[new.kind[index]],
                strings[new.label[index]],
                strings[type_number] if type_number >= 0 else "",
                json.loads(strings[layers]) if layers >= 0 else [],
                [operands] if isinstance(operands, int) else operands,
                -1 if new.flops is None else new.flops[index],
            )

    def finish(self) -> TraceGraphs:
        shown = {0: self.graphs.source or "source"}
        shown.update((step.after, step.name) for step in self.graphs.steps if step.has_effect)
        self.graphs.stages = [
            StageGraph(number, name, _nodes(self._exprs, self._orders[number]))
            for number, name in sorted(shown.items())
            if number < len(self._orders)
        ]
        return self.graphs


@dataclass(frozen=True, slots=True)
class _Expression:
    kind: str
    label: str
    type: str
    layers: list[str]
    operands: list[int]
    flops: int


def _nodes(exprs: Mapping[int, _Expression], order: Sequence[int]) -> list[StageNode]:
    """The nodes of a stage in the order of evaluation."""
    scope = _Scope(exprs, order)
    nodes: list[StageNode] = []
    for number in dict.fromkeys(order):
        expr = exprs[number]
        if not scope.is_node(number):
            continue
        operands = expr.operands
        if expr.kind == "Call" and operands[0] >= 0 and exprs[operands[0]].kind == "GlobalVar":
            operands = operands[1:]
        inputs = dict.fromkeys(source for operand in operands for source in scope.sources(operand))
        label = f"projection {expr.label}" if expr.kind == "TupleGetItem" else expr.label or expr.kind
        cost = expr.flops if expr.kind == "Call" else 0
        nodes.append(StageNode(number, label, expr.type, expr.layers, scope.namespace(number), [*inputs], cost))
    return nodes


class _Scope:
    """What names stand for in a stage, and which function is around each expression."""

    def __init__(self, exprs: Mapping[int, _Expression], order: Sequence[int]) -> None:
        self._exprs = exprs
        self._bound: dict[int, list[int]] = {}
        self._around: dict[int, int] = {}
        self._known: dict[int, list[int]] = {}
        self._names: dict[int, str] = {}
        members = dict.fromkeys(order)
        parameters: set[int] = set()
        for number in members:
            expr = exprs[number]
            if expr.kind == "Function":
                parameters.update(expr.operands[:-1])
            elif expr.kind == "Let":
                self._bind(expr.operands[0], expr.operands[1])
        # Parents come after what is in them, so the way back meets a function before its body.
        for number in reversed(members):
            expr = exprs[number]
            inner = number if expr.kind == "Function" else self._around.get(number, -1)
            for part in expr.operands:
                self._around.setdefault(part, inner)
        for number in members:
            expr = exprs[number]
            if expr.kind == "Match":
                for part in expr.operands[1:]:
                    if part >= 0 and exprs[part].kind == "Var" and part not in self._bound and part not in parameters:
                        self._bind(part, expr.operands[0])
            callee = self._callee(number)
            if callee >= 0:
                for parameter, argument in zip(exprs[callee].operands, expr.operands[1:], strict=False):
                    self._bind(parameter, argument)
        self._name_functions(members)

    def _bind(self, name: int, value: int) -> None:
        known = self._bound.setdefault(name, [])
        if value not in known:
            known.append(value)

    def _callee(self, call: int) -> int:
        """The function that a call applies where it stands, or -1."""
        expr = self._exprs[call]
        callee = expr.operands[0] if expr.kind == "Call" else -1
        seen: set[int] = set()
        while callee >= 0 and self._exprs[callee].kind == "Var" and callee not in seen:
            seen.add(callee)
            values = self._bound.get(callee, [])
            callee = values[0] if len(values) == 1 else -1
        return callee if callee >= 0 and self._exprs[callee].kind == "Function" else -1

    def is_node(self, number: int) -> bool:
        """Whether an expression is a value of its own, and not another name of one."""
        kind = self._exprs[number].kind
        return kind not in _NO_NODE and not (kind == "Var" and number in self._bound) and self._callee(number) < 0

    def sources(self, operand: int) -> list[int]:
        """The nodes that the value of an operand comes from."""
        known = self._known.get(operand)
        if known is not None:
            return known
        sources: dict[int, None] = {}
        seen: set[int] = set()
        waiting = [operand]
        while waiting:
            number = waiting.pop()
            if number < 0 or number in seen:
                continue
            seen.add(number)
            expr = self._exprs[number]
            callee = self._callee(number)
            if callee >= 0:
                waiting.append(callee)
            elif expr.kind in ("Let", "Function"):
                waiting.append(expr.operands[-1])
            elif expr.kind == "Var" and number in self._bound:
                waiting += self._bound[number]
            elif expr.kind != "GlobalVar":
                sources[number] = None
        return self._known.setdefault(operand, list(sources))

    def _functions(self, number: int) -> list[int]:
        """The functions around an expression, outermost first."""
        functions: list[int] = []
        around = self._around.get(number, -1)
        while around >= 0 and around not in functions:
            functions.append(around)
            around = self._around.get(around, -1)
        return functions[::-1]

    def _name_functions(self, members: Iterable[int]) -> None:
        operators: dict[int, list[str]] = {}
        for number in members:
            expr = self._exprs[number]
            around = self._around.get(number, -1)
            if around >= 0 and expr.kind == "Call" and expr.operands[0] == -1:
                operators.setdefault(around, []).append(expr.label.removeprefix("nn."))
        for number, names in operators.items():
            self._names[number] = "_".join(names[:4]) + (f"_and_{len(names) - 4}_more" if len(names) > 4 else "")

    def namespace(self, number: int) -> list[str]:
        """The layer that all layers of an expression lie in, then the functions around it but the outermost."""
        path = _shared(self._exprs[number].layers)
        return path + [f"{self._names.get(each, 'fn')} {each}" for each in self._functions(number)[1:]]


def _shared(layers: Sequence[str]) -> list[str]:
    paths = [_path(name) for name in layers]
    if not paths:
        return []
    shared = paths[0]
    for path in paths[1:]:
        length = next((at for at, pair in enumerate(zip(shared, path, strict=False)) if pair[0] != pair[1]), None)
        shared = shared[: min(len(shared), len(path)) if length is None else length]
    return shared


def _path(name: str) -> list[str]:
    separator = "/" if "/" in name else "."
    parts = [part for part in name.split(separator) if part] or [name]
    return parts if len(parts) <= _DEEPEST_PATH else [*parts[: _DEEPEST_PATH - 1], ".".join(parts[_DEEPEST_PATH - 1 :])]
