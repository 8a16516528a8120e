"""Elements by their indices, and tensors that are made of indices."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import rank_of
from ...operators import Outputs, cast, one_hot, take, topk, transpose
from ..node import Operand, TfliteNode, converter


def _require_indices(tensor: Operand) -> None:
    if tensor.dtype not in ("int32", "int64"):
        raise ConversionError(f"indices are of int32 or int64, not {tensor.dtype}", input=tensor.name)


@converter("GATHER")
def gather(node: TfliteNode) -> Expr:
    """``take`` without checks of its own: constant indices must be inside, computed ones become ``int32``."""
    node.require_inputs(2)
    tensor, indices = node.input(0), node.input(1)
    _require_indices(indices)
    shape = tensor.shape
    axis = node.integer("axis")
    axis += len(shape) if axis < 0 else 0
    if not 0 <= axis < len(shape):
        raise node.invalid("axis", f"{tensor.name} has {len(shape)} dimensions, and no axis {node.integer('axis')}")
    data = tensor.expr
    if indices.is_computed:
        places = cast(indices.expr, "int32")
    else:
        value = indices.value
        if value.size and not 0 <= value.min() <= value.max() < shape[axis]:
            raise ConversionError(f"an index is outside of the {shape[axis]} elements", input=indices.name)
        places = indices.expr
    batch_dims = node.integer("batch_dims", 0)
    batch_dims += rank_of(places) if batch_dims < 0 else 0
    return take(data, places, axis, batch_dims=batch_dims, mode="fast")


@converter("GATHER_ND")
def gather_nd(node: TfliteNode) -> Expr:
    """``gather_nd`` with the parts of an index in the first dimension; not of quantised tensors."""
    node.require_inputs(2)
    node.require_float()
    _require_indices(node.input(1))
    data, indices = node.input(0).expr, node.input(1).expr
    places = transpose(indices, [-1, *range(rank_of(indices) - 1)])
    return call("gather_nd", data, places, batch_dims=0, index_rank=None)


@converter("ONE_HOT")
def one_hot_values(node: TfliteNode) -> Expr:
    """``one_hot``; not of quantised tensors."""
    node.require_inputs(4)
    node.require_float()
    indices, depth, on_value, off_value = (node.input(index) for index in range(4))
    if on_value.dtype != off_value.dtype:
        raise ConversionError(f"the two values are of {on_value.dtype} and {off_value.dtype}")
    return one_hot(indices.expr, on_value.expr, off_value.expr, int(depth.scalar), node.integer("axis"), on_value.dtype)


@converter("TOPK_V2")
def largest(node: TfliteNode) -> Expr | Outputs:
    """``topk`` along the last dimension."""
    node.require_inputs(2)
    return topk(node.input(0).expr, int(node.input(1).scalar))


@converter("SPARSE_TO_DENSE")
def sparse_to_dense(node: TfliteNode) -> Expr:
    """``sparse_to_dense``; not of quantised tensors."""
    node.require_inputs(4)
    node.require_float()
    indices, shape, values, default = (node.input(index) for index in range(4))
    _require_indices(indices)
    _require_indices(shape)
    made = indices.expr, values.expr, default.expr
    return call("sparse_to_dense", *made, output_shape=shape.numbers)
