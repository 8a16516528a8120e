"""Operators that order elements, or look for places among ordered ones."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr, TupleGetItem

from ...inspection import rank_of
from ...operators import Outputs, expand_dims, squeeze, strided_slice, topk
from ..node import TorchNode, converter


@converter("aten::topk")
def topk_(node: TorchNode) -> tuple[Expr, ...]:
    """``topk``."""
    node.require(node.flag(4, True), "Relay's topk gives its elements in order", 4)
    count = node.known_int(node[1])
    largest = topk(
        node.tensor(),
        node.tensor(1) if count is None else count,
        node.integer(2, -1),
        is_ascend=not node.flag(3, True),
        dtype="int64",
    )
    assert isinstance(largest, Outputs)
    return tuple(largest)


def _argsort(node: TorchNode, dim: int, descending: bool) -> Expr:
    return call(
        "argsort", node.tensor(), axis=dim, is_ascend=not descending, dtype="int64" if node.is_exported else "int32"
    )


def _order(node: TorchNode) -> tuple[int, bool]:
    """The dimension and whether the largest comes first; ``stable`` may stand before them."""
    if len(node) == 4:
        return node.integer(2, -1), node.flag(3)
    return node.integer(1, -1), node.flag(2)


@converter("aten::sort")
def sort(node: TorchNode) -> tuple[Expr, Expr]:
    """``argsort``, and ``gather`` of its indices."""
    dim, descending = _order(node)
    indices = _argsort(node, dim, descending)
    return call("gather", node.tensor(), indices, axis=dim % max(node.rank(), 1) if node.is_exported else dim), indices


@converter("aten::argsort")
def argsort(node: TorchNode) -> Expr:
    """``argsort``."""
    return _argsort(node, *_order(node))


@converter("aten::_unique2")
def unique(node: TorchNode) -> tuple[Expr, ...]:
    """``unique`` of one dimension, its results cut to as many as there are; always in order."""
    parts = call("unique", node.tensor(), sorted=True, return_counts=node.flag(3))
    count = TupleGetItem(parts, 3)

    def cut(index: int) -> Expr:
        return strided_slice(TupleGetItem(parts, index), [0], count, slice_mode="size")

    inverse = TupleGetItem(parts, 2)
    return (cut(0), inverse, cut(4)) if node.flag(3) else (cut(0), inverse)


def _search(ordered: Expr, values: Expr, narrow: bool, right: bool) -> Expr:
    is_scalar = rank_of(values) == 0
    if is_scalar:
        values = expand_dims(values, 0)
    places = call("searchsorted", ordered, values, right=right, dtype="int32" if narrow else "int64")
    return squeeze(places) if is_scalar else places


@converter("aten::searchsorted")
def searchsorted(node: TorchNode) -> Expr:
    """``searchsorted``."""
    side = node.text(4, "right" if node.flag(3) else "left")
    node.require(node[5] is None and node[6] is None, "an output or a sorter that is given has no form in Relay", 5)
    return _search(node.tensor(0), node.tensor(1), node.flag(2), side == "right")


@converter("aten::bucketize")
def bucketize(node: TorchNode) -> Expr:
    """``searchsorted``."""
    return _search(node.tensor(1), node.tensor(0), node.flag(2), node.flag(3))
