"""The regions that annotations mark in a function.

A region begins at each ``compiler_begin``; the operators on its way join it, and where the ways meet, regions become
one. Source of the rule: ``src/relay/analysis/annotated_region_set.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.expressions import (
    Call,
    Expr,
    Function,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from ...ir.visitor import post_order
from ..infrastructure import PassError
from .annotations import compiler_of, is_begin, is_end

__all__ = ["Region", "RegionSet"]


class Region:
    """A part of a function for one compiler; ``inputs`` begin it and ``outputs`` end it, each in order of discovery."""

    __slots__ = ("identity", "inputs", "nodes", "outputs", "target")

    def __init__(self, identity: int, target: str) -> None:
        self.identity = identity
        self.target = target
        self.nodes: dict[Expr, None] = {}
        self.inputs: list[Call] = []
        self.outputs: list[Call] = []


class RegionSet:
    """The regions of one function.

    Raises:
        PassError: a value leaves a region that it is not in, or one of another compiler.
    """

    def __init__(self, function: Function) -> None:
        self._of: dict[Expr, Region] = {}
        self._made = 0
        for expr in post_order(function):
            self._place(expr)

    def __iter__(self) -> Iterator[Region]:
        return iter(dict.fromkeys(self._of.values()))

    def region_of(self, expr: Expr) -> Region | None:
        """The region that ``expr`` lies in."""
        return self._of.get(expr)

    def merge(self, source: Region, destination: Region) -> None:
        """Make ``source`` a part of ``destination``; what passed between the two is inside from now on."""
        if source is destination:
            return
        destination.nodes.update(source.nodes)
        for expr in source.nodes:
            self._of[expr] = destination
        destination.inputs.extend(source.inputs)
        destination.outputs.extend(source.outputs)
        inside = [begin for begin in destination.inputs if begin.args[0] in source.nodes]
        passed = {begin.args[0] for begin in inside}
        destination.outputs = [end for end in destination.outputs if end not in passed]
        destination.inputs = [begin for begin in destination.inputs if begin not in inside]

    def _place(self, expr: Expr) -> None:
        if is_begin(expr):
            region = Region(self._made, compiler_of(expr))
            self._made += 1
            region.inputs.append(expr)
            self._add(region, expr)
        elif is_end(expr):
            region = self._of.get(expr.args[0])
            if region is None:
                raise PassError("a value leaves a region that it is not in", place=expr)
            if region.target != compiler_of(expr):
                raise PassError(
                    f"a value leaves a region of {compiler_of(expr)}, but it is in one of {region.target}", place=expr
                )
            region.outputs.append(expr)
            self._add(region, expr)
        else:
            self._join(expr, _flow(expr))

    def _add(self, region: Region, expr: Expr) -> None:
        region.nodes[expr] = None
        self._of[expr] = region

    def _join(self, expr: Expr, parts: Sequence[Expr]) -> None:
        open_parts = [part for part in parts if not is_end(part)]
        regions = [self._of.get(part) for part in open_parts]
        found = next((region for region in regions if region is not None), None)
        if found is None:
            return
        for part, region in zip(open_parts, regions, strict=True):
            if region is None:
                raise PassError("some inputs come from a region and some do not", place=part)
            self.merge(self._of[part], found)
        own = self._of.get(expr)
        if own is not None:
            self.merge(own, found)
        else:
            self._add(found, expr)


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
