"""``ATen``: operators of PyTorch that an export has put into a model as they are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import rank_of, static_shape_of
from ...operators import Outputs, arange, cast, reduce, reshape, stack, take, tile
from ..node import OnnxNode, converter


@converter("ATen")
def aten(node: OnnxNode) -> Expr | Outputs:
    """``size``, ``arange``, ``index_put``, ``reshape`` and ``embedding_bag`` of PyTorch."""
    operator = node.string("operator")
    convert = _OPERATORS.get(operator)
    if convert is None:
        raise node.invalid("operator", f"PyTorch's operator {operator} is not among {', '.join(_OPERATORS)}")
    return convert(node)


def _size(node: OnnxNode) -> Expr:
    shape = call("shape_of", node.input(), dtype="int64")
    return take(shape, constant(-1, "int64"), 0, mode="wrap")


def _arange(node: OnnxNode) -> Expr:
    return arange(node.input(0), node.input(1), node.input(2), dtype="int64")


def _index_put(node: OnnxNode) -> Expr:
    count = len(node.inputs)
    indices, values = [node.input(index) for index in range(1, count - 2)], node.input(count - 2)
    if rank_of(values) != 1:
        flat = [reshape(index, [-1]) for index in indices]
        sizes = [static_shape_of(index, "an index")[0] for index in flat]
        spread: list[Expr] = []
        for place, index in enumerate(flat):
            tiles, repeats = math.prod(sizes[:place]), math.prod(sizes[place + 1 :])
            spread.append(node.fold(call("repeat", tile(index, [tiles]), repeats=repeats, axis=0)))
        indices, values = spread, reshape(values, [-1])
    accumulate = bool(np.any(node.constant_input(count - 1)))
    return call("scatter_nd", node.input(0), stack(indices, 0), values, mode="add" if accumulate else "update")


def _reshape(node: OnnxNode) -> Expr:
    return reshape(node.input(0), node.input(1))


def _embedding_bag(node: OnnxNode) -> Outputs:
    reduction = {0: "sum", 1: "mean", 2: "max"}.get(node.int("mode", 1))
    if reduction is None:
        raise ConversionError("mode must be 0, 1 or 2", attribute="mode")
    weights, indices, offsets = node.input(0), node.input(1), node.input(2)
    bags = take(call("shape_of", offsets, dtype="int64"), constant(0, "int64"))
    indices = reshape(indices, stack([bags, constant(-1, "int64")], 0))
    embedded = take(weights, cast(indices, "int64"), 0)
    unused = constant(0, "float32")
    return Outputs.of(reduce(reduction, embedded, 1), unused, unused, unused)


_OPERATORS: dict[str, Callable[[OnnxNode], Expr | Outputs]] = {
    "size": _size,
    "arange": _arange,
    "index_put": _index_put,
    "reshape": _reshape,
    "embedding_bag": _embedding_bag,
}
