"""The regions that annotations mark in a function.

A region begins at each ``compiler_begin``; the operators on its way join it, and where the ways meet, regions become
one. Source of the rule: ``src/relay/analysis/annotated_region_set.cc``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeVar

from relay_lsp.ir.expressions import Call, Expr, Function, If, Let, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem
from relay_lsp.ir.visitor import children

from ..infrastructure import PassError
from .annotations import compiler_of, is_begin, is_end

__all__ = ["Region", "RegionSet"]

_Item = TypeVar("_Item")


class Region:
    """A part of a function for one compiler; ``inputs`` begin it and ``outputs`` end it, each in order of discovery."""

    __slots__ = ("_inner", "_inputs", "_outputs", "_within", "identity", "leaving", "target")

    def __init__(self, identity: int, target: str) -> None:
        self.identity = identity
        self.target = target
        self._within: Region | None = None
        self._inputs: deque[Call] = deque()
        self._outputs: deque[Call] = deque()
        # What was at the border, and is inside since two regions became one.
        self._inner: set[Call] = set()
        self.leaving: set[Expr] = set()
        """The values that enter some other region from here."""

    @property
    def inputs(self) -> list[Call]:
        """Where values enter."""
        return [begin for begin in self._inputs if begin not in self._inner]

    @property
    def outputs(self) -> list[Call]:
        """Where values leave."""
        return [end for end in self._outputs if end not in self._inner]

    @property
    def begin_count(self) -> int:
        """How many values have entered, of which some may have come from what is inside by now."""
        return len(self._inputs)

    def begin(self, annotation: Call) -> None:
        """Let a value enter."""
        self._inputs.append(annotation)

    def end(self, annotation: Call) -> None:
        """Let a value leave."""
        self._outputs.append(annotation)

    def find(self) -> Region:
        """The region that this one has become a part of."""
        root = self
        while root._within is not None:
            root = root._within
        current = self
        while current._within is not None:
            current._within, current = root, current._within
        return root

    def absorb(self, other: Region, inside: set[Call]) -> None:
        """Take ``other`` in; ``inside`` has what passed between the two."""
        other._within = self
        self._inputs = _joined(self._inputs, other._inputs)
        self._outputs = _joined(self._outputs, other._outputs)
        self._inner = _united(self._inner, other._inner)
        self._inner |= inside
        self.leaving = _united(self.leaving, other.leaving)
        self.leaving -= inside


def _united(first: set[_Item], second: set[_Item]) -> set[_Item]:
    """Both, at the cost of the smaller."""
    larger, smaller = (first, second) if len(first) > len(second) else (second, first)
    larger |= smaller
    return larger


def _joined(first: deque[Call], second: deque[Call]) -> deque[Call]:
    """Both in order, at the cost of the shorter: regions grow one operator at a time."""
    if len(first) < len(second):
        second.extendleft(reversed(first))
        return second
    first.extend(second)
    return first


class RegionSet:
    """The regions of one function.

    Raises:
        PassError: a value leaves a region that it is not in, or one of another compiler.
    """

    def __init__(self, function: Function) -> None:
        self._of: dict[Expr, Region] = {}
        # Where each value enters regions again.
        self._entries: dict[Expr, list[Call]] = {}
        self._made = 0
        for expr in _in_order(function):
            self._place(expr)

    def region_of(self, expr: Expr) -> Region | None:
        """The region that ``expr`` lies in."""
        region = self._of.get(expr)
        return None if region is None else region.find()

    def merge(self, source: Region, destination: Region) -> None:
        """Make ``source`` a part of ``destination``; what passed between the two is inside from now on."""
        if source is destination:
            return
        begins: list[Call] = []
        # A value that everything uses leaves its region as often as there are uses, and enters each other region once.
        if len(source.leaving) <= destination.begin_count:
            for value in source.leaving:
                begins += [begin for begin in self._entries.get(value, ()) if self.region_of(begin) is destination]
        else:
            begins += [begin for begin in destination.inputs if begin.args[0] in source.leaving]
        inside = {*begins, *(value for begin in begins if isinstance(value := begin.args[0], Call))}
        destination.absorb(source, inside)

    def _place(self, expr: Expr) -> None:
        if is_begin(expr):
            region = Region(self._made, compiler_of(expr))
            self._made += 1
            region.begin(expr)
            self._entries.setdefault(expr.args[0], []).append(expr)
            before = self.region_of(expr.args[0])
            if before is not None:
                before.leaving.add(expr.args[0])
            self._add(region, expr)
        elif is_end(expr):
            region = self.region_of(expr.args[0])
            if region is None:
                raise PassError("a value leaves a region that it is not in", place=expr)
            if region.target != compiler_of(expr):
                raise PassError(
                    f"a value leaves a region of {compiler_of(expr)}, but it is in one of {region.target}", place=expr
                )
            region.end(expr)
            self._add(region, expr)
        else:
            self._join(expr, _flow(expr))

    def _add(self, region: Region, expr: Expr) -> None:
        self._of[expr] = region

    def _join(self, expr: Expr, parts: Sequence[Expr]) -> None:
        open_parts = [part for part in parts if not is_end(part)]
        regions = [self.region_of(part) for part in open_parts]
        joined = next((region for region in regions if region is not None), None)
        if joined is None:
            return
        for part, region in zip(open_parts, regions, strict=True):
            if region is None:
                raise PassError("some inputs come from a region and some do not", place=part)
            self.merge(region.find(), joined)
        own = self.region_of(expr)
        if own is not None:
            self.merge(own, joined)
        else:
            self._add(joined, expr)


_JOINED_FIRST = (Let, If, RefCreate, RefRead, RefWrite)
"""What joins a region before its parts do: in effect none, unless something before it has the same parts."""


def _in_order(function: Function) -> Iterator[Expr]:
    """Every expression once, its parts before it, apart from what is :data:`_JOINED_FIRST`."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(function, False)]
    while stack:
        expr, parts_are_done = stack.pop()
        if parts_are_done:
            yield expr
        elif expr not in seen:
            seen.add(expr)
            if isinstance(expr, _JOINED_FIRST):
                yield expr
            else:
                stack.append((expr, True))
            stack.extend((part, False) for part in reversed(children(expr)) if part not in seen)


def _flow(expr: Expr) -> Sequence[Expr]:
    if isinstance(expr, Call):
        return expr.args
    if isinstance(expr, Tuple):
        return expr.fields
    if isinstance(expr, TupleGetItem):
        return (expr.tuple_value,)
    if isinstance(expr, Let):
        return (expr.var, expr.value, expr.body)
    if isinstance(expr, If):
        return (expr.cond, expr.true_branch, expr.false_branch)
    if isinstance(expr, RefCreate):
        return (expr.value,)
    if isinstance(expr, (RefRead, RefWrite)):
        return (expr.ref,)
    return ()
