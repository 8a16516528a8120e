"""Operators that keep the values and change the shape, or ask for it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem, Var
from relay_lsp.ir.types import is_static

from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import (
    Outputs,
    add,
    broadcast_to,
    concatenate,
    expand_dims,
    immediate,
    reduce,
    reshape,
    split,
    squeeze,
    strided_slice,
    tile,
    transpose,
)
from ..node import OnnxNode, converter
from .shape_values import integers, shape_value


@converter("Shape")
def shape(node: OnnxNode) -> Expr:
    """The shape: a constant where it is known, else ``shape_of``."""
    return shape_value(node.input())


@converter("Shape", since=15)
def part_of_shape(node: OnnxNode) -> Expr:
    """A part of the shape: a constant where it is known, else a slice of ``shape_of``."""
    x = node.input()
    known, rank = shape_of(x), node.rank()
    start, end = node.int("start", 0), node.int("end", rank)
    begin, stop, _ = slice(start, end).indices(rank)
    if is_static(known):
        return integers([int(dim) for dim in known[begin:stop] if isinstance(dim, int)])
    whole = call("shape_of", x, dtype="int64")
    return whole if (begin, stop) == (0, rank) else strided_slice(whole, [begin], [max(begin, stop)])


@converter("Size")
def size(node: OnnxNode) -> Expr:
    """``ndarray_size``."""
    return call("ndarray_size", node.input(), dtype="int64")


@converter("Reshape")
def reshape_to_attribute(node: OnnxNode) -> Expr:
    """``reshape`` to the attribute ``shape``."""
    return reshape(node.input(), node.required_ints("shape"))


@converter("Reshape", since=5)
def reshape_to_input(node: OnnxNode) -> Expr:
    """``reshape`` to a constant shape, else ``dyn.reshape``."""
    allowzero = bool(node.int("allowzero", 0))
    known = node.parameter_value(node.input(1))
    if known is not None:
        return reshape(node.input(0), [int(number) for number in known.reshape(-1)], allowzero)
    return reshape(node.input(0), node.input(1), allowzero)


@converter("Flatten")
def flatten(node: OnnxNode) -> Expr:
    """``nn.batch_flatten``, or a ``reshape`` where the axis is not 1."""
    x = node.input()
    whole, rank = shape_value(x), node.rank()
    axis = node.int("axis", 1)
    if not -rank <= axis <= rank:
        raise node.invalid("axis", f"axis {axis} is out of bounds of {rank} dimensions")
    axis = axis + rank if axis < 0 else axis
    if axis == 1:
        return call("nn.batch_flatten", x)
    before = reduce("prod", strided_slice(whole, [0], [axis], [1]), keepdims=True)
    after = reduce("prod", strided_slice(whole, [axis], [rank], [1]), keepdims=True)
    return reshape(x, node.fold(concatenate([before, after], 0)))


@converter("Transpose")
def permute(node: OnnxNode) -> Expr:
    """``transpose``."""
    return transpose(node.input(), node.ints("perm"))


@converter("Unsqueeze")
def unsqueeze_by_attribute(node: OnnxNode) -> Expr:
    """``expand_dims`` for each of the attribute ``axes``."""
    return _expand(node.input(), node.required_ints("axes"))


@converter("Unsqueeze", since=13)
def unsqueeze_by_input(node: OnnxNode) -> Expr:
    """``expand_dims`` for each constant axis, else ``dyn.expand_dims``."""
    data, axes = node.input(0), node.input(1)
    if isinstance(axes, Constant):
        return _expand(data, [int(axis) for axis in axes.data.reshape(-1)])
    (count,) = node.static_shape(1)
    rank = node.rank() + count
    ordered = split(call("sort", axes, axis=-1), count)
    for index in range(count):
        axis = reshape(TupleGetItem(ordered.value, index), [])
        is_positive = call("greater_equal", axis, constant(0, "int64"))
        data = expand_dims(data, call("where", is_positive, axis, add(axis, constant(rank, "int64"))))
    return data


def _expand(data: Expr, axes: Sequence[int]) -> Expr:
    rank = rank_of(data) + len(axes)
    if isinstance(data, Var) or len(axes) > 1:
        # One negative axis of what is no variable stays negative, as in TVM; of several each would shift the others.
        axes = [axis % rank if axis < 0 else axis for axis in axes]
    for axis in sorted(axes):
        data = expand_dims(data, axis)
    return data


@converter("Squeeze")
def squeeze_by_attribute(node: OnnxNode) -> Expr:
    """``squeeze``."""
    return squeeze(node.input(), node.ints("axes"))


@converter("Squeeze", since=13)
def squeeze_by_input(node: OnnxNode) -> Expr:
    """``squeeze`` of constant axes, else ``dyn.squeeze``."""
    data, axes = node.input(), node[1]
    if axes is None:
        known = node.shape()
        if not known:
            return data
        axes = integers([axis for axis, dim in enumerate(known) if dim == 1], "int32")
    if isinstance(axes, Constant):
        return squeeze(data, [int(axis) for axis in axes.data.reshape(-1)])
    dtype = dtype_of(axes)
    rank = call("shape_of", call("shape_of", data, dtype=dtype), dtype=dtype)
    is_negative = call("less", axes, constant(0, dtype))
    return squeeze(data, node.fold(call("where", is_negative, add(axes, rank), axes)))


@converter("Expand", since=8)
def expand(node: OnnxNode) -> Expr:
    """``broadcast_to`` the shape that both broadcast to."""
    data, wanted = node.input(0), node.input(1)
    dtype = dtype_of(wanted)
    present = shape_value(data, dtype)
    (present_rank,), (wanted_rank,) = static_shape_of(present), static_shape_of(wanted)
    if present_rank < wanted_rank:
        present = concatenate([integers([1] * (wanted_rank - present_rank), dtype), present], 0)
    elif wanted_rank < present_rank:
        wanted = concatenate([integers([1] * (present_rank - wanted_rank), dtype), wanted], 0)
    return broadcast_to(data, node.fold(call("maximum", present, wanted)))


@converter("Tile", since=6)
def tile_by_input(node: OnnxNode) -> Expr:
    """``tile``."""
    return tile(node.input(0), node.input(1))


@converter("Concat")
def concat(node: OnnxNode) -> Expr:
    """``concatenate``."""
    return concatenate([node.input(index) for index in range(len(node.inputs))], node.int("axis", 1))


@converter("Split")
def split_by_attribute(node: OnnxNode) -> Expr | Outputs:
    """``split`` into parts of the sizes in the attribute ``split``, or into equal ones."""
    sizes = node.ints("split")
    return _split(node, _indices(sizes) if sizes is not None and len(sizes) > 1 else len(node.outputs))


@converter("Split", since=13)
def split_by_input(node: OnnxNode) -> Expr | Outputs:
    """``split`` into parts of constant sizes, or into equal ones (the last smaller where they cannot be)."""
    sizes = node[1]
    if sizes is not None and rank_of(sizes) > 0:
        known = node.fold(sizes)
        if not isinstance(known, Constant):
            known = Constant(node.constant_input(1))
        sizes_known = list(known.data.reshape(-1))
        if 0 in sizes_known:
            return _slices(node, [int(size) for size in sizes_known])
        return _split(node, _indices(sizes_known))
    count = len(node.outputs)
    if node.int("num_outputs", count) != count:
        raise node.invalid("num_outputs", f"num_outputs is {node.int('num_outputs')}, and there are {count} outputs")
    axis = node.int("axis", 0)
    length = node.shape()[axis]
    if isinstance(length, int) and count > 0 and length % count:
        part = -(-length // count)
        return _split(node, _indices([part] * count))
    return _split(node, count)


def _indices(sizes: Sequence[Any]) -> list[Any]:
    """Where the parts but the first begin; numpy's integers keep their dtype, as TVM's attributes do."""
    return [immediate(index) for index in itertools.accumulate(sizes[:-1])]


def _slices(node: OnnxNode, sizes: Sequence[int]) -> Outputs:
    """Parts of which some are empty, which Relay's ``split`` does not give."""
    ends = list(itertools.accumulate(sizes))
    axis = node.int("axis", 0) % max(node.rank(), 1)
    return Outputs.of(
        *(strided_slice(node.input(), [end - size], [end], [1], [axis]) for size, end in zip(sizes, ends, strict=True))
    )


def _split(node: OnnxNode, indices: int | list[int]) -> Expr | Outputs:
    parts = split(node.input(), indices, node.int("axis", 0))
    return parts[0] if len(parts) == 1 else parts
