"""Operators that order elements, or look for the extreme ones."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, TupleGetItem

from ...diagnostics import ConversionError
from ...inspection import rank_of
from ...operators import Outputs, cast, concatenate, reshape, strided_slice, topk
from ..node import OnnxNode, converter
from .shape_values import integers


@converter("ArgMax", "ArgMin")
def arg_extreme(node: OnnxNode) -> Expr:
    """``argmax`` or ``argmin``, cast to ``int64``."""
    index = call(
        node.operator.lower(),
        node.input(),
        axis=[node.int("axis", 0)],
        keepdims=bool(node.int("keepdims", 1)),
        select_last_index=bool(node.int("select_last_index", 0)),
    )
    return cast(index, "int64")


@converter("TopK")
def top_k(node: OnnxNode) -> Outputs | Expr:
    """``topk`` of the largest, or a part of what ``sort`` and ``argsort`` give of the smallest."""
    axis, largest = node.axis(-1), node.int("largest", 1)
    data = node.input(0)
    size = node.shape()[axis]
    if node.opset < 10 and node[1] is None:
        _check_count(node, node.int("k"), size)
        return topk(data, node.int("k"), axis, dtype="int64")
    node.require_inputs(2)
    count = node.known_value(node.input(1))
    if count is not None:
        _check_count(node, int(count.reshape(-1)[0]), size)
    if largest:
        return topk(data, node.input(1), axis, dtype="int64")
    rank = rank_of(data)
    axis = axis + rank if axis < 0 else axis
    to_the_end = int(np.iinfo(np.int64).max)
    end = concatenate([integers([to_the_end] * axis), node.input(1), integers([to_the_end] * (rank - axis - 1))], 0)
    begin, stride = [0] * rank, [1] * rank
    values = call("sort", data, axis=axis)
    indices = call("argsort", data, axis=axis, dtype="int64")
    return Outputs.of(strided_slice(values, begin, end, stride), strided_slice(indices, begin, end, stride))


def _check_count(node: OnnxNode, count: int, size: object) -> None:
    """Refuse a count of which Relay's ``topk`` would make another: it takes all where none is asked for.

    Raises:
        ConversionError: it is not positive, or larger than the dimension.
    """
    if count < 1 or (isinstance(size, int) and count > size):
        message = f"k is {count}; it must be positive, and not above the {size} of the dimension"
        raise node.invalid("k", message) if "k" in node else ConversionError(message, input="1")


@converter("Unique", since=11)
def unique(node: OnnxNode) -> Outputs:
    """``unique`` of one dimension, its results cut to as many as there are."""
    node.require_inputs(1)
    data = node.input()
    if "axis" not in node:
        data = reshape(data, [-1])
    elif node.rank() != 1:
        raise ConversionError("Relay has unique elements of one dimension only", attribute="axis")
    results = call("unique", data, sorted=bool(node.int("sorted", 1)), return_counts=True)
    count = TupleGetItem(results, 3)

    def cut(index: int) -> Expr:
        return strided_slice(TupleGetItem(results, index), constant([0]), count)

    return Outputs.of(cut(0), cast(cut(1), "int64"), cast(TupleGetItem(results, 2), "int64"), cast(cut(4), "int64"))


@converter("CumSum")
def cumulative_sum(node: OnnxNode) -> Expr:
    """``cumsum``, between two ``reverse`` where it runs backwards."""
    data = node.input()
    axis = int(node.constant_input(1).reshape(-1)[0]) if node[1] is not None else None
    exclusive = bool(node.int("exclusive", 0))
    if not node.int("reverse", 0):
        return call("cumsum", data, axis=axis, exclusive=exclusive)
    backwards = call("cumsum", call("reverse", data, axis=axis), axis=axis, exclusive=exclusive)
    return call("reverse", backwards, axis=axis)
