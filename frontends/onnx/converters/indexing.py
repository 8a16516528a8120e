"""Operators that take or put elements by their indices."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import add, cast, one_hot, reshape, take, transpose
from ..node import OnnxNode, converter


def positive_indices(node: OnnxNode, data: Expr, indices: Expr, axis: int) -> Expr:
    """``indices`` along ``axis``, counted from the start.

    Source of the rule: ``normalize_gather_indices`` in ``python/tvm/relay/frontend/onnx.py``.
    """
    dtype = dtype_of(indices)
    # An axis from the end would be taken for the first: ``take`` stops at the bounds.
    size = take(call("shape_of", data, dtype=dtype), constant(axis % rank_of(data), "int64"))
    is_negative = node.fold(call("less", indices, constant(0, dtype)))
    if isinstance(is_negative, Constant) and is_negative.data.size == 1:
        return add(indices, size) if is_negative.data.item() else indices
    return call("where", is_negative, add(indices, size), indices)


@converter("Gather")
def gather(node: OnnxNode) -> Expr:
    """``take`` along an axis."""
    data, axis = node.input(0), node.axis(0)
    return take(data, positive_indices(node, data, node.input(1), axis), axis)


@converter("GatherElements")
def gather_elements(node: OnnxNode) -> Expr:
    """``gather``."""
    data, axis = node.input(0), node.axis(0)
    return call("gather", data, positive_indices(node, data, node.input(1), axis), axis=axis)


@converter("GatherND")
def gather_nd(node: OnnxNode) -> Expr:
    """``gather_nd``, whose indices lie along the first dimension."""
    indices, rank = node.input(1), node.rank(1)
    last = shape_of(indices)[-1]
    if not isinstance(last, int):
        raise ConversionError("the last dimension of the indices must be known", input="1")
    by_rows = transpose(indices, [-1, *range(rank - 1)])
    batch_dims = node.int("batch_dims", 0) if node.opset >= 12 else 0
    return call("gather_nd", node.input(0), by_rows, batch_dims=batch_dims, index_rank=last)


@converter("Compress", since=11)
def compress(node: OnnxNode) -> Expr:
    """``take`` at the indices where the condition holds."""
    data = node.input(0)
    indices = reshape(call("argwhere", node.input(1)), [-1])
    if "axis" in node:
        return take(data, indices, node.int("axis"))
    return take(reshape(data, [-1]), indices, 0)


@converter("Scatter", since=9)
def scatter(node: OnnxNode) -> Expr:
    """``scatter_elements``."""
    node.require_inputs(3)
    rank = node.rank()
    if node.rank(1) != rank or node.rank(2) != rank:
        raise ConversionError("data, indices and updates must have one rank")
    if node.shape(1) != node.shape(2):
        raise ConversionError("the indices and the updates must have one shape")
    return _scatter_elements(node, "update")


@converter("ScatterElements", since=11)
def scatter_elements(node: OnnxNode) -> Expr:
    """``scatter_elements``."""
    return _scatter_elements(node, "update")


@converter("ScatterElements", since=16)
def scatter_elements_with_reduction(node: OnnxNode) -> Expr:
    """``scatter_elements`` with a reduction."""
    return _scatter_elements(node, _reduction(node))


def _scatter_elements(node: OnnxNode, reduction: str) -> Expr:
    node.require_inputs(3)
    axis = node.axis(0)
    if node.dtype(1) not in ("int32", "int64"):
        raise ConversionError(f"indices must be int32 or int64, not {node.dtype(1)}", input="1")
    return call("scatter_elements", node.input(0), node.input(1), node.input(2), axis=axis, reduction=reduction)


def _reduction(node: OnnxNode) -> str:
    allowed = ["none", "update", "add", "mul"] + (["min", "max"] if node.opset >= 18 else [])
    reduction = node.string("reduction", "update")
    if reduction not in allowed:
        raise node.invalid("reduction", f"reduction must be one of {', '.join(allowed)}, not {reduction}")
    return "update" if reduction == "none" else reduction


@converter("ScatterND", since=11)
def scatter_nd(node: OnnxNode) -> Expr:
    """``scatter_nd``, whose indices lie along the first dimension."""
    return _scatter_nd(node, "update")


@converter("ScatterND", since=16)
def scatter_nd_with_reduction(node: OnnxNode) -> Expr:
    """``scatter_nd`` with a reduction."""
    return _scatter_nd(node, _reduction(node))


def _scatter_nd(node: OnnxNode, mode: str) -> Expr:
    node.require_inputs(3)
    data, indices, updates = node.input(0), node.input(1), node.input(2)
    rank = rank_of(indices)
    if rank_of(data) == 0 or rank == 0:
        raise ConversionError("data and indices need at least one dimension")
    last = static_shape_of(indices, "the indices")[-1]
    if rank_of(updates) != rank_of(data) + rank - last - 1:
        raise ConversionError(
            f"the updates must have {rank_of(data) + rank - last - 1} dimensions, not {rank_of(updates)}", input="2"
        )
    return call("scatter_nd", data, transpose(indices, [rank - 1, *range(rank - 1)]), updates, mode=mode)


@converter("NonZero", since=9)
def non_zero(node: OnnxNode) -> Expr:
    """``argwhere``, one row for each dimension."""
    node.require_inputs(1)
    return transpose(cast(call("argwhere", node.input()), "int64"), [1, 0])


@converter("OneHot", since=9)
def one_hot_of_indices(node: OnnxNode) -> Expr:
    """``one_hot``, its indices counted from the start."""
    indices, depth, values = node.input(0), node.input(1), node.input(2)
    if rank_of(depth):  # ONNX takes a list of one number too.
        depth = node.fold(reshape(depth, []))
    off, on = take(values, constant(0)), take(values, constant(1))
    dtype, index_dtype = dtype_of(on), dtype_of(indices)
    is_negative = call("less", indices, constant(0, index_dtype))
    indices = call("where", is_negative, add(indices, cast(depth, index_dtype)), indices)
    axis = node.int("axis", -1)
    return one_hot(indices, on, off, depth, axis + node.rank() + 1 if axis < 0 else axis, dtype)


@converter("Trilu", since=14)
def triangle(node: OnnxNode) -> Expr:
    """``trilu``."""
    offset = node[1]
    return call(
        "trilu", node.input(), constant(0, "int32") if offset is None else offset, upper=bool(node.int("upper", 1))
    )


@converter("ReverseSequence", since=10)
def reverse_sequence(node: OnnxNode) -> Expr:
    """``reverse_sequence``."""
    return call(
        "reverse_sequence",
        node.input(0),
        node.input(1),
        seq_axis=node.int("time_axis", 0),
        batch_axis=node.int("batch_axis", 1),
    )
