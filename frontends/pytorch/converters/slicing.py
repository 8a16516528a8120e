"""Parts of tensors."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr
from relay_lsp.ir.types import Dim

from ...diagnostics import ConversionError
from ...inspection import dtype_of, shape_of, static_shape_of
from ...operators import Outputs, add, broadcast_to, cast, concatenate, expand_dims, split, strided_slice, take
from ...recurrent import unbind
from ..node import TorchNode, as_expr, converter
from ..runtime_lists import RuntimeList
from ..values import TorchResult, TorchValue
from .lists import list_slice


@converter("aten::slice")
def slice_(node: TorchNode) -> TorchResult:
    """``strided_slice``, ``dyn.strided_slice`` where a bound is computed."""
    if isinstance(node[0], (list, RuntimeList)):
        return list_slice(node)
    stride = 1 if node[4] is None else node.integer(4)
    return sliced(node, node.integer(1, 0), node[2], node[3], stride)


@converter("aten::narrow")
def narrow(node: TorchNode) -> Expr:
    """``strided_slice``; the end is the sum of start and length."""
    start, length = node[2], node[3]
    end: TorchValue
    first, count = node.known_int(start), node.known_int(length)
    if node.is_exported and first is not None and count is not None:
        if first < 0:
            first += int(node.static_shape()[node.integer(1)])
            start = first
        end = first + count
    else:
        end = add(*node.promoted(2, 3))
    return sliced(node, node.integer(1), start, end, 1)


def sliced(node: TorchNode, dim: int, start: TorchValue, end: TorchValue, stride: int) -> Expr:
    """The elements of the first input from ``start`` below ``end`` along ``dim``."""
    data, shape = node.tensor(), node.shape()
    first = 0 if start is None and end is not None and node.is_exported else node.known_int(start)
    last = sys.maxsize if end is None and start is not None and node.is_exported else node.known_int(end)
    if start is None and end is None and stride == 1:
        return data
    if first == 0 and last is not None and last >= sys.maxsize and stride == 1:
        return data
    if start is None:
        first = 0
    begin: Sequence[Dim] | Expr
    if first is not None:
        begin = [first if axis == dim % len(shape) else 0 for axis in range(len(shape))]
    else:
        parts = [constant(0, "int64")] * len(shape)
        sizes: list[Expr] = [expand_dims(part, 0) for part in parts]
        sizes[dim] = cast(expand_dims(as_expr(start), 0), "int64")
        begin = concatenate(sizes, 0)
    strides: list[Dim] = [1] * len(shape)
    strides[dim] = stride
    stop = _end(node, dim, end, last)
    return strided_slice(data, begin, stop, strides, None, "end")


def _end(node: TorchNode, dim: int, end: TorchValue, last: int | None) -> list[Dim] | Expr:
    data, shape = node.tensor(), node.shape()
    is_open = [not isinstance(size, int) for size in shape]
    if end is None or (last is not None and last >= sys.maxsize):
        if not is_open[dim]:
            last = int(shape[dim])  # type: ignore[arg-type]
        elif not any(flag for axis, flag in enumerate(is_open) if axis != dim):
            last = sys.maxsize  # The end of a dimension that is not known, whatever it is.
        else:
            return cast(call("shape_of", data, dtype="int64"), "int64")
    if last is not None and not any(flag for axis, flag in enumerate(is_open) if axis != dim):
        stop: list[Dim] = [size if isinstance(size, int) else 0 for size in shape]
        stop[dim] = last
        return stop
    if last is not None:
        stops: list[Dim] = [size if isinstance(size, int) else sys.maxsize for size in shape]
        stops[dim] = last
        return stops
    whole = cast(call("shape_of", data, dtype="int32"), "int64")
    target = as_expr(end)
    if dtype_of(target) != "int64":
        target = cast(target, "int64")
    return call(
        "scatter_elements",
        whole,
        expand_dims(constant(dim), 0),
        expand_dims(target, 0),
        axis=0,
        reduction="update",
    )


@converter("aten::select", "aten::index_select")
def select(node: TorchNode) -> Expr:
    """``take`` along a dimension."""
    return take(node.tensor(), node.tensor(2), node.integer(1), mode="wrap")


@converter("aten::take")
def take_(node: TorchNode) -> Expr:
    """``take`` of all elements in a row."""
    return take(node.tensor(), cast(node.tensor(1), "int32"), mode="wrap")


# ---- several parts


@converter("aten::split", "aten::unsafe_split")
def split_(node: TorchNode) -> Outputs:
    """``split`` into parts of a size."""
    if isinstance(node[1], list):
        return split_with_sizes(node)
    size, dim = node.integer(1), node.integer(2, 0)
    node.require(size > 0, f"a part must have at least one element, not {size}", 1)
    whole = static_shape_of(node.tensor(), "what is split")[dim]
    node.unfolded(whole // size, "the number of parts")
    return split(node.tensor(), list(range(size, whole, size)), dim)


@converter("aten::split_with_sizes", "aten::unsafe_split_with_sizes", "aten::split_with_sizes_copy")
def split_with_sizes(node: TorchNode) -> Outputs:
    """``split`` into parts of given sizes."""
    sizes, dim = node.integers(1), node.integer(2, 0)
    if len(sizes) == 1:
        return Outputs.of(node.tensor())
    indices = [sum(sizes[: index + 1]) for index in range(len(sizes) - 1)]
    return split(node.tensor(), indices, dim)


@converter("aten::tensor_split")
def tensor_split(node: TorchNode) -> Outputs:
    """``split`` into parts that differ in size by one at most, or at indices."""
    dim = node.integer(2, 0)
    if isinstance(node[1], list):
        return split(node.tensor(), node.integers(1), dim)
    count = node.integer(1)
    node.require(count > 0, f"there must be at least one part, not {count}", 1)
    node.unfolded(count, "the number of parts")
    size, rest = divmod(static_shape_of(node.tensor(), "what is split")[dim], count)
    lengths = [size + 1] * rest + [size] * (count - rest)
    return split(node.tensor(), [sum(lengths[: index + 1]) for index in range(count - 1)], dim)


@converter("aten::chunk", "aten::unsafe_chunk")
def chunk(node: TorchNode) -> Outputs:
    """``split`` into equal parts, of which the last may be smaller."""
    count, dim = node.integer(1), node.integer(2, 0)
    node.require(count > 0, f"there must be at least one part, not {count}", 1)
    whole = static_shape_of(node.tensor(), "what is split")[dim]
    size = -(-whole // count)
    node.unfolded(count, "the number of parts")
    return split(node.tensor(), list(range(size, whole, size)), dim)


@converter("aten::unbind")
def unbind_(node: TorchNode) -> Outputs:
    """``split``, and a ``squeeze`` of each part."""
    axis = node.integer(1, 0)
    return unbind(node.tensor(), axis)


# ---- parts replaced


@converter("aten::slice_scatter")
def slice_scatter(node: TorchNode) -> Expr:
    """``concatenate`` of what is before, the new part and what is behind; with a stride ``scatter_elements``."""
    data, source = node.tensor(), node.tensor(1)
    dim = node.integer(2, 0) % node.rank()
    start = 0 if node[3] is None else node.integer(3)
    end = sys.maxsize if node[4] is None else node.integer(4)
    step = node.integer(5, 1)
    if (start, step) == (0, 1) and end >= sys.maxsize:
        return source
    size = _size(node, dim)
    start, end = (min(max(bound + size if bound < 0 else bound, 0), size) for bound in (start, end))
    if step != 1:
        return _scattered(node, data, source, dim, list(range(start, end, step)))
    return _replaced(data, source, dim, start, end, size)


@converter("aten::select_scatter")
def select_scatter(node: TorchNode) -> Expr:
    """``concatenate`` of what is before, the new part and what is behind."""
    dim = node.integer(2) % node.rank()
    size = _size(node, dim)
    index = node.integer(3) % size
    return _replaced(node.tensor(), expand_dims(node.tensor(1), dim), dim, index, index + 1, size)


@converter("relay::reshape_back")
def reshape_back(node: TorchNode) -> Expr:
    """``reshape`` of a part that was computed in place to the shape of the whole."""
    return call("reshape", node.tensor(1), newshape=list(node.static_shape(0)))


@converter("relay::transpose_back")
def transpose_back(node: TorchNode) -> Expr:
    """``transpose`` of a part that was computed in place to the order of the whole."""
    rank = node.rank()
    order = list(range(rank))
    if len(node) == 2:
        order.reverse()
    elif len(node) == 4:
        first, second = (node.integer(index) % rank for index in (2, 3))
        order[first], order[second] = second, first
    else:
        axes = [axis % rank for axis in node.integers(2)]
        order = [axes.index(axis) for axis in range(rank)]
    return call("transpose", node.tensor(1), axes=order)


@converter("aten::copy", "aten::copy_")
def copy(node: TorchNode) -> Expr:
    """The second input in the shape and dtype of the first."""
    source = node.tensor(1)
    if dtype_of(source) != node.dtype():
        source = cast(source, node.dtype())
    if node.has_static_shape():
        shape = list(node.static_shape())
        return source if list(shape_of(source)) == shape else broadcast_to(source, shape)
    return call("broadcast_to_like", source, node.tensor())


def _size(node: TorchNode, dim: int) -> int:
    size = node.shape()[dim]
    if not isinstance(size, int):
        raise ConversionError(f"the size of dimension {dim} must be known", input="0")
    return size


def _replaced(data: Expr, source: Expr, dim: int, start: int, end: int, size: int) -> Expr:
    """``data`` with ``source`` from ``start`` to ``end`` along ``dim``, which has ``size`` elements."""
    parts = [source]
    if start > 0:
        parts.insert(0, strided_slice(data, [0], [start], [1], [dim]))
    if end < size:
        parts.append(strided_slice(data, [end], [size], [1], [dim]))
    return source if len(parts) == 1 else concatenate(parts, dim)


def _scattered(node: TorchNode, data: Expr, source: Expr, dim: int, places: list[int]) -> Expr:
    shape = static_shape_of(source, "the new part")
    if len(places) != shape[dim]:
        raise ConversionError("the new part does not fit", input="1")
    node.unfolded(int(np.prod(shape)), "the number of elements")
    column = np.array(places, np.int64).reshape([-1 if axis == dim else 1 for axis in range(len(shape))])
    indices = Constant(np.ascontiguousarray(np.broadcast_to(column, shape)))
    return call("scatter_elements", data, indices, source, axis=dim, reduction="update")
