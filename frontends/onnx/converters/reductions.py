"""Reductions over dimensions. Axes are an attribute in older operator sets and a constant input in newer ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


def _reduction(node: OnnxNode, compute: Callable[[Expr, Sequence[int], bool], Expr]) -> Expr:
    data = node.input()
    if not shape_of(data):
        data = expand_dims(data, 0)
    axes = _axes(node, data)
    return node.input() if axes is None else compute(data, axes, bool(node.int("keepdims", 1)))


@converter(*_SIMPLE, becomes=_SIMPLE)
def simple(node: OnnxNode) -> Expr:
    """The Relay reduction of the same meaning."""
    return _reduction(node, lambda data, axes, keepdims: reduce(_SIMPLE[node.operator], data, axes, keepdims))


@converter("ReduceLogSumExp")
def log_sum_exp(node: OnnxNode) -> Expr:
    """``log(sum(exp(x - max))) + max``."""

    def compute(data: Expr, axes: Sequence[int], keepdims: bool) -> Expr:
        largest = reduce("max", data, axes, True)
        total = reduce("sum", call("exp", subtract(data, largest)), axes, True)
        result = add(call("log", total), largest)
        return result if keepdims else squeeze(result, axes)

    return _reduction(node, compute)


@converter("ReduceSumSquare")
def sum_of_squares(node: OnnxNode) -> Expr:
    """The ``sum`` of squares."""
    return _reduction(node, lambda data, axes, keepdims: reduce("sum", multiply(data, data), axes, keepdims))


@converter("ReduceL1")
def sum_of_magnitudes(node: OnnxNode) -> Expr:
    """The ``sum`` of magnitudes."""
    return _reduction(node, lambda data, axes, keepdims: reduce("sum", call("abs", data), axes, keepdims))


@converter("ReduceL2")
def euclidean_norm(node: OnnxNode) -> Expr:
    """The square root of the ``sum`` of squares."""
    return _reduction(
        node, lambda data, axes, keepdims: call("sqrt", reduce("sum", multiply(data, data), axes, keepdims))
    )


@converter("ReduceLogSum")
def log_of_sum(node: OnnxNode) -> Expr:
    """The logarithm of the ``sum``."""
    return _reduction(node, lambda data, axes, keepdims: call("log", reduce("sum", data, axes, keepdims)))
