"""Operators that take or put elements by their indices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, Tuple

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of
from ...operators import (
    Outputs,
    add,
    broadcast_to,
    cast,
    multiply,
    one_hot,
    reshape,
    squeeze,
    stack,
    take,
    transpose,
    zeros,
)
from ...recurrent import unbind
from ..node import TorchNode, as_expr, converter
from ..values import TorchValue
from .elementwise import places_of


@converter("aten::gather")
def gather(node: TorchNode) -> Expr:
    """``gather``."""
    return call("gather", node.tensor(), node.tensor(2), axis=node.integer(1))


@converter("aten::embedding")
def embedding(node: TorchNode) -> Expr:
    """``take`` of rows."""
    return take(node.tensor(), cast(node.tensor(1), "int32"), 0)


@converter("aten::one_hot")
def one_hot_(node: TorchNode) -> Expr:
    """``one_hot``, whose number of classes must be given."""
    classes = node.integer(1, -1)
    node.require(classes != -1, "the number of classes must be given: Relay cannot count them", 1)
    indices = cast(node.tensor(), "int32")
    dtype = "int64" if node.is_exported else "int32"
    return one_hot(indices, constant(1.0, dtype), constant(0.0, dtype), classes, -1, dtype)


@converter("aten::index", "aten::_unsafe_index")
def index(node: TorchNode) -> Expr:
    """``adv_index`` between two ``transpose`` that bring the indexed dimensions to the front and back."""
    data, rank = node.tensor(), node.rank()
    given = node[1]
    if not isinstance(given, list):
        raise ConversionError("the indices must be a list whose length is known", input="1")
    indices, axes = _index_tensors(node, given)
    if not axes:
        return data
    rest = [axis for axis in range(rank) if axis not in axes]
    chosen = call("adv_index", Tuple((transpose(data, [*axes, *rest]), *indices)))
    if any(following - axis != 1 for axis, following in pairwise(axes)):
        return chosen
    count = rank_of(chosen)
    new = count - len(rest)
    order = list(range(count))
    return transpose(chosen, [*order[new : new + axes[0]], *order[:new], *order[new + axes[0] :]])


def _index_tensors(node: TorchNode, given: list[TorchValue]) -> tuple[list[Expr], list[int]]:
    """The index of each indexed dimension, and which these are; a mask stands for the indices where it holds."""
    del node
    indices: list[Expr] = []
    axes: list[int] = []
    axis = 0
    for value in given:
        if value is None:
            axis += 1
            continue
        part = as_expr(value)
        if dtype_of(part) == "bool":
            count = rank_of(part)
            places = call("argwhere", part)
            if count == 1:
                indices.append(squeeze(places, [1]))
            else:
                indices.extend(unbind(places, 1))
            axes.extend(range(axis, axis + count))
            axis += count
            continue
        indices.append(part)
        axes.append(axis)
        axis += 1
    return indices, axes


@converter("aten::nonzero", "aten::argwhere")
def nonzero(node: TorchNode) -> Expr | Outputs:
    """``argwhere``."""
    places = places_of(node)
    return unbind(places, 1) if node.flag(1) else places


@converter("aten::nonzero_numpy")
def nonzero_numpy(node: TorchNode) -> Outputs:
    """``argwhere``, and the coordinates of each dimension."""
    return unbind(places_of(node), 1)


@converter("aten::masked_select")
def masked_select(node: TorchNode) -> Expr:
    """``adv_index`` by the places where the mask holds, both of them broadcast to one shape."""
    data, mask = node.tensor(), node.tensor(1)
    if node.has_static_shape(0) and node.has_static_shape(1):
        shape = list(np.broadcast_shapes(node.static_shape(0), node.static_shape(1)))
        data, mask = (part if list(shape_of(part)) == shape else broadcast_to(part, shape) for part in (data, mask))
    node.require(rank_of(data) == rank_of(mask), "a mask of other dimensions than the data must have a known shape", 1)
    return call("adv_index", Tuple((data, *unbind(call("argwhere", mask), 1))))


@converter("aten::masked_fill")
def masked_fill(node: TorchNode) -> Expr:
    """``where``."""
    value = cast(node.tensor(2), node.dtype())
    return call("where", node.tensor(1), value, node.tensor())


@converter("aten::masked_scatter")
def masked_scatter(node: TorchNode) -> Expr:
    """``where`` of the source's elements in the order of the mask."""
    data, source = node.tensor(), node.tensor(2)
    shape = list(node.static_shape())
    mask = broadcast_to(node.tensor(1), shape)
    flat = reshape(cast(mask, "int32"), [-1])
    order = call("cumsum", flat, axis=0, dtype="int32", exclusive=True)
    chosen = reshape(take(reshape(source, [-1]), order), shape)
    return call("where", mask, chosen, data)


# ---- scattering


@converter("aten::scatter")
def scatter(node: TorchNode) -> Expr:
    """``scatter_elements``; a number as the source is broadcast to the indices."""
    source = node[3]
    reduction = {"": "update", "add": "add", "multiply": "mul"}.get(node.text(4))
    if reduction is None:
        raise ConversionError(f"a reduction is add or multiply, not {node.text(4)}", input="4")
    if isinstance(source, (bool, int, float)):
        shape = list(node.static_shape(2))
        return _scatter_elements(node, broadcast_to(constant(source, node.dtype()), shape), reduction)
    return _scatter_elements(node, node.tensor(3), reduction)


@converter("aten::scatter_add")
def scatter_add(node: TorchNode) -> Expr:
    """``scatter_elements`` with sums."""
    return _scatter_elements(node, node.tensor(3), "add")


_REDUCTIONS = {"sum": "add", "prod": "mul", "mean": "mean", "amax": "max", "amin": "min"}


@converter("aten::scatter_reduce")
def scatter_reduce(node: TorchNode) -> Expr:
    """``scatter_elements`` with a reduction that what is there takes part in."""
    node.require(node[5] is None or node.flag(5), "Relay's reductions include what is there: include_self is needed", 5)
    reduction = _REDUCTIONS.get(node.text(4))
    if reduction is None:
        raise ConversionError(f"a reduction is one of {', '.join(_REDUCTIONS)}, not {node.text(4)}", input="4")
    return _scatter_elements(node, node.tensor(3), reduction)


def _scatter_elements(node: TorchNode, source: Expr, reduction: str) -> Expr:
    data, indices, rank = node.tensor(), node.tensor(2), node.rank()
    of_indices, of_source, of_data = shape_of(indices), shape_of(source), node.shape()
    if not of_indices or 0 in of_indices:
        return data
    if len(of_indices) != rank or len(of_source) != rank:
        raise ConversionError("the data, the indices and the source must have one rank")
    axis = node.integer(1)
    axis = axis + rank if axis < 0 else axis
    node.require(0 <= axis < rank, f"dimension {axis} is out of bounds of {rank} dimensions", 1)
    for place, (size, here, there) in enumerate(zip(of_indices, of_source, of_data, strict=True)):
        if isinstance(size, int) and isinstance(here, int):
            node.require(size <= here, "there are more indices than elements of the source", 2)
        if place != axis and isinstance(size, int) and isinstance(there, int):
            node.require(size <= there, "there are more indices than places", 2)
    return call("scatter_elements", data, indices, source, axis=axis, reduction=reduction)


@converter("aten::index_put", "aten::_index_put_impl", "aten::_unsafe_index_put")
def index_put(node: TorchNode) -> Expr:
    """``scatter_nd``; a mask becomes ``where`` where a number is put."""
    given, values = node[1], node.tensor(2)
    if not isinstance(given, list):
        raise ConversionError("the indices must be a list whose length is known", input="1")
    mode = "add" if node.flag(3) else "update"
    masks = [value for value in given if isinstance(value, Expr) and dtype_of(value) == "bool"]
    if masks and len(given) == 1 and mode == "update" and rank_of(values) == 0:
        mask, rank = masks[0], node.rank()
        if rank_of(mask) < rank:
            mask = call("expand_dims", mask, axis=rank_of(mask), num_newaxis=rank - rank_of(mask))
        return call("where", mask, cast(values, node.dtype()), node.tensor())
    if any(value is None for value in given):
        raise ConversionError("whole dimensions among the indices have no form in Relay's scatter_nd", input="1")
    indices, _ = _index_tensors(node, given)
    if node.is_exported:
        shape = list(np.broadcast_shapes(*(_sizes(part) for part in indices)))
        indices = [broadcast_to(part, shape) if list(shape_of(part)) != shape else part for part in indices]
        wanted = [*shape, *node.static_shape()[len(indices) :]]
        if list(shape_of(values)) != wanted:
            values = broadcast_to(values, wanted)
    return call("scatter_nd", node.tensor(), stack(indices, 0), values, mode=mode)


def _sizes(expr: Expr) -> tuple[int, ...]:
    from ...inspection import static_shape_of

    return static_shape_of(expr, "an index")


@converter("aten::bincount")
def bincount(node: TorchNode) -> Expr:
    """``scatter_elements`` of ones, or of weights, into zeros."""
    data, dtype = node.tensor(), node.dtype()
    if dtype == "int64":
        data = cast(data, "int32")
    size = add(call("max", data, axis=None, keepdims=False, exclude=False), constant(1, "int32"))
    if node.integer(2, 0) > 0:
        size = call("maximum", size, constant(node.integer(2), "int32"))
    weights = node.optional(1)
    updates = call("ones_like", data) if weights is None else weights
    counts = zeros(reshape(size, [1]), "int32" if weights is None else dtype_of(weights))
    result = call("scatter_elements", counts, data, updates, axis=0, reduction="add")
    return cast(result, "int64") if dtype == "int32" or (node.is_exported and weights is None) else result


@converter("aten::index_add")
def index_add(node: TorchNode) -> Expr:
    """``scatter_elements`` with sums."""
    source, shape, axis = node.tensor(3), node.static_shape(3), node.integer(1)
    axis %= len(shape)
    if node[4] is not None and node[4] != 1:
        source = multiply(source, constant(node.number(4), node.dtype()))
    row = reshape(node.tensor(2), [-1 if place == axis else 1 for place in range(len(shape))])
    return call("scatter_elements", node.tensor(), broadcast_to(row, list(shape)), source, axis=axis, reduction="add")
