"""Reductions over dimensions. Axes are an attribute in older operator sets and a constant input in newer ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...inspection import rank_of, shape_of
from ...operators import add, expand_dims, multiply, reduce, squeeze, subtract
from ..node import OnnxNode, converter

_SIMPLE = {"ReduceMax": "max", "ReduceMin": "min", "ReduceSum": "sum", "ReduceMean": "mean", "ReduceProd": "prod"}


def _axes(node: OnnxNode, data: Expr) -> list[int] | None:
    """The axes to reduce; ``None`` where nothing is to be done.

    TVM takes the first axis alone where they are an input, and so computes something else.
    """
    if "axes" in node:
        return list(node.required_ints("axes"))
    given = [] if node[1] is None else [int(axis) for axis in node.constant_input(1).reshape(-1)]
    if given:
        return given
    return None if node.int("noop_with_empty_axes", 0) else list(range(rank_of(data)))


def _operand(node: OnnxNode) -> tuple[Expr, list[int] | None]:
    """What is reduced, of one dimension where it has none, and the axes of :func:`_axes`."""
    data = node.input()
    if not shape_of(data):
        data = expand_dims(data, 0)
    return data, _axes(node, data)


def _same(data: Expr) -> Expr:
    return data


def _reduction(
    node: OnnxNode, name: str, before: Callable[[Expr], Expr] = _same, after: Callable[[Expr], Expr] = _same
) -> Expr:
    """The reduction ``name`` between what is done to each element; that is done where nothing is reduced, too."""
    data, axes = _operand(node)
    if axes is None:
        return after(before(node.input()))
    return after(reduce(name, before(data), axes, bool(node.int("keepdims", 1))))


@converter(*_SIMPLE, becomes=_SIMPLE)
def simple(node: OnnxNode) -> Expr:
    """The Relay reduction of the same meaning."""
    return _reduction(node, _SIMPLE[node.operator])


@converter("ReduceLogSumExp")
def log_sum_exp(node: OnnxNode) -> Expr:
    """``log(sum(exp(x - max))) + max``."""
    data, axes = _operand(node)
    if axes is None:
        return node.input()
    largest = reduce("max", data, axes, True)
    total = reduce("sum", call("exp", subtract(data, largest)), axes, True)
    result = add(call("log", total), largest)
    return result if node.int("keepdims", 1) else squeeze(result, axes)


@converter("ReduceSumSquare")
def sum_of_squares(node: OnnxNode) -> Expr:
    """The ``sum`` of squares."""
    return _reduction(node, "sum", before=lambda data: multiply(data, data))


@converter("ReduceL1")
def sum_of_magnitudes(node: OnnxNode) -> Expr:
    """The ``sum`` of magnitudes."""
    return _reduction(node, "sum", before=partial(call, "abs"))


@converter("ReduceL2")
def euclidean_norm(node: OnnxNode) -> Expr:
    """The square root of the ``sum`` of squares."""
    return _reduction(node, "sum", before=lambda data: multiply(data, data), after=partial(call, "sqrt"))


@converter("ReduceLogSum")
def log_of_sum(node: OnnxNode) -> Expr:
    """The logarithm of the ``sum``."""
    return _reduction(node, "sum", after=partial(call, "log"))
