"""Operators that arrange elements anew, and what a program asks of shapes."""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.types import is_static

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import (
    broadcast_to,
    cast,
    concatenate,
    expand_dims,
    pad,
    reshape,
    squeeze,
    stack,
    take,
    tile,
    transpose,
)
from ..node import TorchNode, as_expr, converter
from ..runtime_lists import RuntimeList
from ..values import Number, TorchResult, TorchValue


@converter("aten::size", "aten::sym_size")
def size(node: TorchNode) -> Expr:
    """A constant; ``shape_of`` where a dimension is not known."""
    shape = node.shape()
    axis = None if node[1] is None else node.integer(1)
    if axis is not None and isinstance(shape[axis], int):
        return constant(int(shape[axis]))  # type: ignore[arg-type]
    if axis is None and is_static(shape):
        return constant(np.array(node.static_shape(), np.int32))
    dynamic = call("shape_of", node.tensor(), dtype="int32")
    return dynamic if axis is None else take(dynamic, constant(axis), 0)


@converter("aten::_shape_as_tensor")
def shape_as_tensor(node: TorchNode) -> Expr:
    """A constant; ``shape_of`` where a dimension is not known."""
    if node.has_static_shape():
        return Constant(np.array(node.static_shape(), np.int64))
    return call("shape_of", node.tensor(), dtype="int64")


@converter("aten::numel", "aten::sym_numel")
def numel(node: TorchNode) -> Expr:
    """``ndarray_size``."""
    return call("ndarray_size", node.tensor(), dtype="int32")


@converter("aten::dim")
def dim(node: TorchNode) -> int:
    """The number of dimensions."""
    return node.rank()


@converter(
    "aten::Int",
    "aten::Bool",
    "prim::ImplicitTensorToNum",
    "aten::ScalarImplicit",
    "aten::item",
    "aten::_local_scalar_dense",
)
def number(node: TorchNode) -> Expr | Number:
    """What comes in: Relay's numbers are tensors without dimensions."""
    value = node[0]
    if isinstance(value, (bool, int, float)):
        if node.operator == "aten::Bool":
            return bool(value)
        return int(value) if node.operator == "aten::Int" else value
    return node.tensor()


@converter("aten::Float")
def float_(node: TorchNode) -> Expr:
    """``cast`` to ``float32``."""
    return cast(node.tensor(), "float32")


@converter("prim::NumToTensor")
def num_to_tensor(node: TorchNode) -> Expr | Number:
    """What comes in."""
    return number(node)


# ---- dimensions


@converter("aten::squeeze")
def squeeze_(node: TorchNode) -> Expr:
    """``squeeze``; dimensions that are not of size 1 stay, which TVM refuses."""
    if len(node) == 1 or node[1] is None:
        return squeeze(node.tensor())
    rank, shape = node.rank(), node.shape()
    axes = node.integers(1)
    if not isinstance(node[1], list):
        (axis,) = axes
        if shape[axis] == 1 or not isinstance(shape[axis], int):
            return squeeze(node.tensor(), [axis])
        return node.tensor()
    axes = [axis for axis in axes if rank and shape[axis] == 1]
    return squeeze(node.tensor(), axes) if axes else node.tensor()


@converter("aten::unsqueeze")
def unsqueeze(node: TorchNode) -> Expr:
    """``expand_dims``."""
    return expand_dims(node.tensor(), node.integer(1), 1)


@converter("aten::transpose", "aten::t", "aten::permute", "aten::swapaxes")
def transpose_(node: TorchNode) -> Expr:
    """``transpose``."""
    rank = node.rank()
    axes = list(range(rank))
    if len(node) == 1:
        axes[-2:] = axes[:-3:-1] if rank >= 2 else axes[-2:]
    elif len(node) == 3:
        first, second = (node.integer(index) for index in (1, 2))
        first, second = (axis + rank if axis < 0 else axis for axis in (first, second))
        axes[first], axes[second] = second, first
    else:
        axes = node.integers(1)
    return transpose(node.tensor(), axes)


@converter("aten::numpy_T")
def numpy_t(node: TorchNode) -> Expr:
    """``transpose`` of all dimensions."""
    return transpose(node.tensor())


@converter("aten::mT", "aten::adjoint")
def matrix_transpose(node: TorchNode) -> Expr:
    """``transpose`` of the last two dimensions."""
    *rest, rows, columns = range(node.rank())
    return transpose(node.tensor(), [*rest, columns, rows])


@converter("aten::diagonal", "aten::diag", "aten::linalg_diagonal")
def diagonal(node: TorchNode) -> Expr:
    """``take`` of the places of the diagonal among all elements of two dimensions."""
    rank = node.rank()
    node.require(rank > 1 or node.operator != "aten::diag", "a matrix of a diagonal is not converted")
    offset = node.integer(1, 0)
    first, second = (0, 1) if node.operator == "aten::diag" else (node.integer(2, 0) % rank, node.integer(3, 1) % rank)
    shape = node.static_shape()
    rest = [axis for axis in range(rank) if axis not in (first, second)]
    rows, columns = shape[first], shape[second]
    places = [row * columns + row + offset for row in range(rows) if 0 <= row + offset < columns]
    data = transpose(node.tensor(), [*rest, first, second])
    data = reshape(data, [*(shape[axis] for axis in rest), rows * columns])
    return take(data, Constant(np.array(places, np.int64)), len(rest))


@converter("aten::unfold")
def unfold(node: TorchNode) -> Expr:
    """``take`` of the windows along a dimension, which becomes two, the second one the last."""
    shape, axis = node.static_shape(), node.integer(1) % max(node.rank(), 1)
    size, step = node.integer(2), node.integer(3)
    starts = np.arange(0, shape[axis] - size + 1, step)
    node.unfolded(len(starts) * size, "the number of places")
    windows = take(node.tensor(), Constant((starts[:, None] + np.arange(size)).astype(np.int64)), axis)
    order = list(range(len(shape) + 1))
    order.append(order.pop(axis + 1))
    return transpose(windows, order)


@converter("aten::im2col")
def im2col(node: TorchNode) -> Expr:
    """``take`` of the rows and the columns of all windows."""
    kernel, dilation, padding, stride = (node.integers(index) for index in (1, 2, 3, 4))
    data = (
        pad(node.tensor(), [(0, 0), (0, 0), *((width, width) for width in padding)]) if any(padding) else node.tensor()
    )
    batch, channels, *sizes = static_shape_of(data, "the input")
    counts: list[int] = []
    for place, size in enumerate(sizes):
        span = dilation[place] * (kernel[place] - 1) + 1
        starts = np.arange(0, size - span + 1, stride[place])
        counts.append(len(starts))
        indices = starts[None, :] + dilation[place] * np.arange(kernel[place])[:, None]
        data = take(data, Constant(indices.astype(np.int64)), 2 + 2 * place)
    data = transpose(data, [0, 1, 2, 4, 3, 5])
    return reshape(data, [batch, channels * math.prod(kernel), math.prod(counts)])


@converter("aten::movedim")
def movedim(node: TorchNode) -> Expr:
    """``transpose``."""
    rank = node.rank()
    sources = [axis % rank for axis in node.integers(1)]
    targets = [axis % rank for axis in node.integers(2)]
    rest = iter([axis for axis in range(rank) if axis not in sources])
    places = dict(zip(targets, sources, strict=True))
    return transpose(node.tensor(), [places[axis] if axis in places else next(rest) for axis in range(rank)])


@converter("aten::flatten")
def flatten(node: TorchNode) -> Expr:
    """``reshape``, and a ``squeeze`` of what it leaves of the flattened dimensions."""
    rank = node.rank()
    if rank == 0:
        return reshape(node.tensor(), [1])
    start, end = node.integer(1, 0) % rank, node.integer(2, -1) % rank
    node.require(start <= end, f"the first dimension to flatten, {start}, comes after the last, {end}")
    gone = list(range(start + 1, end + 1))
    result = reshape(node.tensor(), [0] * start + [-1] + [1] * len(gone) + [0] * (rank - end - 1))
    return squeeze(result, gone) if gone else result


@converter("aten::unflatten")
def unflatten(node: TorchNode) -> Expr:
    """``reshape``."""
    shape = list(node.static_shape())
    axis = node.integer(1) % len(shape)
    return reshape(node.tensor(), [*shape[:axis], *node.integers(2), *shape[axis + 1 :]])


# ---- reshape


@converter("aten::view", "aten::_unsafe_view")
def view(node: TorchNode) -> Expr:
    """``reshape``."""
    if len(node) == 3:
        return reshape(node.tensor(), [node.integer(1), int(node.static_shape(2)[0])])
    if isinstance(node[1], int) and not isinstance(node[1], bool) and node.is_exported:
        raise ConversionError("a view of the bytes as another dtype has no form in Relay")
    return reshaped(node)


@converter("aten::reshape")
def reshape_(node: TorchNode) -> Expr:
    """``reshape``, ``dyn.reshape`` where a size is computed."""
    return reshaped(node)


def reshaped(node: TorchNode) -> Expr:
    """The first input in the shape of the second."""
    given = node[1]
    values: list[TorchValue] = node.values(1) if not isinstance(given, Expr) else _sizes_of_tensor(node, given)
    known = [node.known_int(value) for value in values]
    if node.is_exported and sum(number is None for number in known) == 1 and -1 not in known:
        # The one size that is not known follows from the others.
        return reshape(node.tensor(), [-1 if number is None else number for number in known])
    if None not in known:
        return reshape(node.tensor(), [number for number in known if number is not None])
    parts = [
        constant(number, "int64") if number is not None else cast(as_expr(value), "int64")
        for number, value in zip(known, values, strict=True)
    ]
    return reshape(node.tensor(), concatenate([expand_dims(part, 0) for part in parts], 0))


def _sizes_of_tensor(node: TorchNode, given: Expr) -> list[TorchValue]:
    known = node.known(given)
    if known is None:
        raise ConversionError("the shape is a tensor that is not known", input="1")
    return [int(number) for number in np.asarray(known).reshape(-1)]


@converter("aten::reshape_as", "aten::view_as")
def reshape_as(node: TorchNode) -> Expr:
    """``reshape`` to the shape of the second input."""
    return reshape(node.tensor(), list(node.static_shape(1)))


@converter("aten::pixel_shuffle")
def pixel_shuffle(node: TorchNode) -> Expr:
    """Two ``reshape`` around a ``transpose``."""
    *batch, channels, height, width = node.static_shape()
    factor = node.integer(1)
    node.require(channels % factor**2 == 0, f"{channels} channels cannot be shared by {factor} times {factor} pixels")
    rank = len(batch)
    fewer = channels // factor**2
    data = reshape(node.tensor(), [*batch, fewer, factor, factor, height, width])
    data = transpose(data, [*range(rank), *(rank + axis for axis in (0, 3, 1, 4, 2))])
    return reshape(data, [*batch, fewer, height * factor, width * factor])


@converter("aten::pixel_unshuffle")
def pixel_unshuffle(node: TorchNode) -> Expr:
    """Two ``reshape`` around a ``transpose``."""
    *batch, channels, height, width = node.static_shape()
    factor, rank = node.integer(1), len(batch)
    data = reshape(node.tensor(), [*batch, channels, height // factor, factor, width // factor, factor])
    data = transpose(data, [*range(rank), *(rank + axis for axis in (0, 2, 4, 1, 3))])
    return reshape(data, [*batch, channels * factor**2, height // factor, width // factor])


@converter("aten::channel_shuffle", "aten::native_channel_shuffle")
def channel_shuffle(node: TorchNode) -> Expr:
    """Two ``reshape`` around a ``transpose``."""
    batch, channels, *rest = node.static_shape()
    groups = node.integer(1)
    data = reshape(node.tensor(), [batch, groups, channels // groups, *rest])
    order = [0, 2, 1, *range(3, 3 + len(rest))]
    return reshape(transpose(data, order), [batch, channels, *rest])


# ---- repetition


@converter("aten::repeat", "aten::tile")
def repeat(node: TorchNode) -> Expr:
    """``tile``."""
    return tile(node.tensor(), node.integers(1))


@converter("aten::repeat_interleave")
def repeat_interleave(node: TorchNode) -> Expr:
    """``repeat``, of all elements in a row where no dimension is given."""
    repeats = node.integers(1)
    node.require(len(repeats) == 1, "Relay repeats all elements as often: one number is expected", 1)
    if node[2] is None:
        return call("repeat", reshape(node.tensor(), [-1]), repeats=repeats[0], axis=0)
    return call("repeat", node.tensor(), repeats=repeats[0], axis=node.integer(2))


@converter("aten::expand")
def expand(node: TorchNode) -> Expr:
    """``repeat`` along each dimension of size 1; ``broadcast_to`` where a size is computed."""
    values = node.values(1)
    shape = list(node.shape())
    data = node.tensor()
    more = len(values) - len(shape)
    if more > 0:
        data = expand_dims(data, 0, more)
        shape = [1] * more + shape
    known = [node.known_int(value) for value in values]
    if any(number is None and dim == 1 for number, dim in zip(known, shape, strict=True)):
        return _dynamic_expand(data, values, known)
    for axis, (number, dim) in enumerate(zip(known, shape, strict=True)):
        if number is not None and number != -1 and dim == 1 and not (node.is_exported and number == 1):
            data = call("repeat", data, repeats=number, axis=axis)
    return data


def _dynamic_expand(data: Expr, values: list[TorchValue], known: list[int | None]) -> Expr:
    sizes = call("shape_of", data, dtype="int64")
    parts: list[Expr] = []
    for axis, (value, number) in enumerate(zip(values, known, strict=True)):
        if number == -1:
            part = take(sizes, constant(axis), 0)
        else:
            part = constant(number, "int64") if number is not None else cast(as_expr(value), "int64")
        parts.append(expand_dims(part, 0))
    return broadcast_to(data, concatenate(parts, 0))


@converter("aten::expand_as")
def expand_as(node: TorchNode) -> Expr:
    """``broadcast_to_like``."""
    target, dtype = node.tensor(1), node.dtype()
    if dtype_of(target) != dtype:
        target = cast(target, dtype)
    return call("broadcast_to_like", node.tensor(), target)


@converter("aten::broadcast_tensors")
def broadcast_tensors(node: TorchNode) -> TorchResult:
    """``broadcast_to`` the shape that all have in common."""
    tensors = node.tensors()
    shape = list(np.broadcast_shapes(*(static_shape_of(tensor) for tensor in tensors)))
    return [broadcast_to(tensor, shape) for tensor in tensors]


@converter("aten::broadcast_to")
def broadcast_to_(node: TorchNode) -> Expr:
    """``repeat`` along each dimension of size 1."""
    return expand(node)


@converter("aten::meshgrid")
def meshgrid(node: TorchNode) -> Expr | TorchResult:
    """``meshgrid`` by rows and columns, or by x and y as ``indexing`` says."""
    from relay_lsp.ir.expressions import Tuple

    from ...operators import Outputs

    tensors = node.tensors()
    indexing = node.text(1, "ij")
    return Outputs(call("meshgrid", Tuple(tuple(tensors)), indexing=indexing), len(tensors))


# ---- parts together


@converter("aten::cat", "aten::concat", "aten::concatenate")
def cat(node: TorchNode) -> Expr:
    """``concatenate``."""
    axis, given = node.integer(1, 0), node[0]
    if isinstance(given, RuntimeList):
        return given.joined(axis, False, node.model.functions)
    tensors = node.tensors()
    if node.is_exported:
        dtypes = [dtype_of(tensor) for tensor in tensors]
        tensors = node.promote(list(tensors), dtypes)
        # PyTorch leaves empty tensors of one dimension out.
        tensors = [part for part in tensors if rank_of(part) != 1 or shape_of(part) != (0,)] or tensors[:1]
    return concatenate(tensors, axis)


@converter("aten::hstack", "aten::vstack")
def joined(node: TorchNode) -> Expr:
    """``concatenate`` along the second dimension, or the first."""
    tensors = node.tensors()
    if node.operator == "aten::vstack":
        return concatenate([expand_dims(one, 0) if rank_of(one) == 1 else one for one in tensors], 0)
    return concatenate(tensors, 0 if rank_of(tensors[0]) == 1 else 1)


@converter("aten::stack")
def stack_(node: TorchNode) -> Expr:
    """``stack``."""
    given = node[0]
    if isinstance(given, RuntimeList):
        return given.joined(node.integer(1, 0), True, node.model.functions)
    return stack(node.tensors(), node.integer(1, 0))


@converter("aten::roll")
def roll(node: TorchNode) -> Expr:
    """``gather`` by the moved indices, dimension by dimension."""
    shape = node.static_shape()
    shifts = node.integers(1)
    dims = node.optional_integers(2) or []
    result = node.tensor()
    if not dims:
        flat = _rolled(node, reshape(result, [-1]), (math.prod(shape),), shifts[0], 0)
        return reshape(flat, list(shape))
    for shift, dim in zip(shifts, dims, strict=True):
        result = _rolled(node, result, shape, shift, dim % len(shape))
    return result


def _rolled(node: TorchNode, data: Expr, shape: tuple[int, ...], shift: int, dim: int) -> Expr:
    count = constant(shape[dim], "int64")
    indices = call(
        "arange", constant(0, "int64"), count, constant(1, "int64"),
        start=constant(0, "int64"), stop=count, step=constant(1, "int64"), dtype="int64",
    )  # fmt: skip
    moved = call("add", call("subtract", indices, constant(shift, "int64")), count)
    moved = call("mod", moved, count)
    spread = tile(moved, [*shape[:dim], *shape[dim + 1 :], 1])
    axes = list(range(len(shape)))
    spread = transpose(spread, [*axes[:dim], -1, *axes[dim:-1]])
    return call("gather", data, spread, axis=dim)


@converter("aten::flip")
def flip(node: TorchNode) -> Expr:
    """``reverse`` along each dimension; TVM turns the first alone."""
    result = node.tensor()
    for axis in node.integers(1):
        result = call("reverse", result, axis=axis)
    return result
