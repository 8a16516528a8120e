"""Shapes: read, changed, and tensors that are made by a shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.types import Dim, is_static

from ...diagnostics import ConversionError
from ...inspection import shape_of
from ...operators import IntegersOrExpr, arange, cast, expand_dims, full, reshape, squeeze, tile, transpose, zeros
from ..node import Operand, TfliteNode, converter, dtype_name
from ..quantized import requantize, require_same_steps, same_steps


@converter("RESHAPE")
def reshaped(node: TfliteNode) -> Expr:
    """``reshape``, to a computed shape ``dyn.reshape``; ``qnn.requantize`` where the steps of ``uint8`` change."""
    node.require_inputs(1, 2)
    tensor, result = node.input(0), node.output
    shape = _wanted_shape(node)
    if not isinstance(shape, Expr):
        _require_sizes(tensor, shape)
    if tensor.is_quantized and tensor.dtype == "int8":
        require_same_steps(node, tensor, result)
    made = reshape(tensor.expr, shape)
    if tensor.is_quantized and tensor.dtype == "uint8" and not same_steps(tensor, result):
        return requantize(made, tensor.scale, tensor.zero_point, result)
    return made


def _wanted_shape(node: TfliteNode) -> IntegersOrExpr:
    wanted = node[1]
    if wanted is None:
        if "new_shape" not in node.options:
            raise ConversionError("RESHAPE needs the option new_shape", code="missing-model-attribute")
        return node.integers("new_shape")
    if wanted.is_computed:
        known = node.scope.known_value(wanted.expr)
        return wanted.expr if known is None else [int(size) for size in known.reshape(-1)]
    return wanted.integers


def _require_sizes(tensor: Operand, sizes: Sequence[Dim]) -> None:
    """Check that sizes mean the same to Relay, whose ``reshape`` has other uses for 0 and for numbers below -1.

    Raises:
        ConversionError: one of them does not.
    """
    shape = shape_of(tensor.expr)
    for axis, size in enumerate(sizes):
        is_empty = axis < len(shape) and shape[axis] == 0
        if isinstance(size, int) and (size < -1 or (size == 0 and not is_empty)):
            raise ConversionError(f"a size of {size} is none that {tensor.name} can be reshaped to")


@converter("SHAPE")
def shape(node: TfliteNode) -> Expr:
    """The shape as a constant; ``shape_of`` where it is not known."""
    node.require_inputs(1)
    dtype = dtype_name(node.integer("out_type"))
    dimensions = shape_of(node.input().expr)
    if is_static(dimensions):
        return constant(np.array([int(size) for size in dimensions if isinstance(size, int)], np.int64), dtype)
    return call("shape_of", node.input().expr, dtype=dtype)


@converter("SQUEEZE")
def squeezed(node: TfliteNode) -> Expr:
    """``squeeze``, of all dimensions of size 1 where none is named."""
    node.require_inputs(1)
    return squeeze(node.input().expr, list(node.integers("squeeze_dims")) or None)


@converter("EXPAND_DIMS")
def expanded(node: TfliteNode) -> Expr:
    """``expand_dims``."""
    node.require_inputs(2)
    tensor = node.input(0)
    if tensor.is_quantized:
        require_same_steps(node, tensor, node.output)
    return expand_dims(tensor.expr, int(node.input(1).scalar), 1)


@converter("TRANSPOSE")
def transposed(node: TfliteNode) -> Expr:
    """``transpose``."""
    node.require_inputs(2)
    return transpose(node.input(0).expr, node.input(1).numbers or None)


@converter("TILE")
def tiled(node: TfliteNode) -> Expr:
    """``tile``."""
    node.require_inputs(2)
    return tile(node.input(0).expr, node.input(1).numbers)


@converter("CAST")
def casted(node: TfliteNode) -> Expr:
    """``cast`` to the type that the options have, else to that of the result."""
    node.require_inputs(1)
    dtype = dtype_name(node.integer("out_data_type")) if node.record.options_type else node.output.dtype
    return cast(node.input().expr, dtype)


@converter("FILL")
def filled(node: TfliteNode) -> Expr:
    """``full`` of a shape that is constant."""
    node.require_inputs(2)
    return full(node.input(1).expr, node.input(0).numbers)


@converter("ZEROS_LIKE")
def zeros_like(node: TfliteNode) -> Expr:
    """``zeros_like``."""
    node.require_inputs(1)
    return call("zeros_like", node.input().expr)


@converter("RANGE")
def number_range(node: TfliteNode) -> Expr:
    """``arange``."""
    node.require_inputs(3)
    start, limit, step = (node.input(index) for index in range(3))
    dtype = step.dtype if step.dtype == "float32" else start.dtype
    return arange(start.expr, limit.expr, step.expr, dtype)


@converter("MATRIX_DIAG")
def matrix_diag(node: TfliteNode) -> Expr:
    """``matrix_set_diag`` of zeros."""
    node.require_inputs(1)
    diagonal = node.input()
    if diagonal.is_quantized:
        require_same_steps(node, diagonal, node.output)
    sizes = np.array([*diagonal.shape, diagonal.shape[-1]], np.int64)
    return _with_diagonal(zeros(constant(sizes, "int64"), diagonal.dtype), diagonal.expr)


@converter("MATRIX_SET_DIAG")
def matrix_set_diag(node: TfliteNode) -> Expr:
    """``matrix_set_diag``."""
    node.require_inputs(2)
    tensor, diagonal = node.input(0), node.input(1)
    if tensor.dtype != diagonal.dtype:
        raise ConversionError(f"the matrices are of {tensor.dtype}, and their diagonals of {diagonal.dtype}")
    if tensor.is_quantized:
        require_same_steps(node, tensor, node.output, diagonal)
    return _with_diagonal(tensor.expr, diagonal.expr)


def _with_diagonal(data: Expr, diagonal: Expr) -> Expr:
    return call("matrix_set_diag", data, diagonal, k1=0, k2=0, super_diag_right_align=True, sub_diag_right_align=False)
