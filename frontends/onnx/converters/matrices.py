"""Matrix products: ``MatMul`` of any rank, ``Gemm``, ``Einsum``, and fully connected layers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import is_static

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of
from ...operators import (
    add,
    broadcast_to,
    concatenate,
    expand_dims,
    multiply,
    reshape,
    split,
    squeeze,
    strided_slice,
    transpose,
)
from ..node import MICROSOFT, OnnxNode, converter
from .shape_values import integers, shape_value

BatchProduct = Callable[[Expr, Expr], Expr]
"""Multiplies two batches of matrices."""

MatrixProduct = Callable[[Expr, Expr], Expr]
"""Multiplies a matrix with a transposed one."""


def batched_product(node: OnnxNode, a: Expr, b: Expr, dense: MatrixProduct, batch: BatchProduct) -> Expr:
    """The product of two tensors of which one has more than two dimensions: the others broadcast.

    Source of the rule: ``matmul_out_dtype`` and ``qmatmul`` in ``python/tvm/relay/frontend/onnx.py``.
    """
    a_shape, b_shape, a_rank, b_rank = shape_value(a), shape_value(b), rank_of(a), rank_of(b)
    padded_a, padded_b = a_shape, b_shape
    if a_rank > b_rank:
        padded_b = concatenate([integers([1] * (a_rank - b_rank)), b_shape], 0)
    elif a_rank < b_rank:
        padded_a = concatenate([integers([1] * (b_rank - a_rank)), a_shape], 0)
    batches = [
        call("maximum", strided_slice(padded_b, [i], [i + 1]), strided_slice(padded_a, [i], [i + 1]))
        for i in range(max(a_rank, b_rank) - 2)
    ]
    out_batch = concatenate(batches, 0)
    if b_rank == 2 and is_static(shape_of(b)):
        product = dense(flatten_to(node, a, a_shape, 2), transpose(b))
    else:
        full_a = node.fold(concatenate([out_batch, strided_slice(a_shape, [a_rank - 2], [a_rank])], 0))
        full_b = node.fold(concatenate([out_batch, strided_slice(b_shape, [b_rank - 2], [b_rank])], 0))
        if not structural_equal(a_shape, full_a):
            a = broadcast_to(a, full_a)
        if not structural_equal(b_shape, full_b):
            b = broadcast_to(b, full_b)
        a, b = flatten_to(node, a, shape_value(a), 3), flatten_to(node, b, shape_value(b), 3)
        product = batch(a, b)
    rows, columns = strided_slice(a_shape, [a_rank - 2], [a_rank - 1]), strided_slice(b_shape, [b_rank - 1], [b_rank])
    return reshape(product, node.fold(concatenate([out_batch, rows, columns], 0)))


def flatten_to(node: OnnxNode, x: Expr, shape: Expr, rank: int) -> Expr:
    """``x`` with its first dimensions made one, so that ``rank`` are left."""
    present = rank_of(x)
    if present == rank:
        return x
    kept = strided_slice(shape, [present - rank + 1], [present])
    return reshape(x, node.fold(concatenate([integers([-1], dtype_of(shape)), kept], 0)))


def product(node: OnnxNode, a: Expr, b: Expr, out_dtype: str) -> Expr:
    """The product of two tensors of any rank."""
    a_rank, b_rank = rank_of(a), rank_of(b)
    if a_rank == 0 or b_rank == 0:
        raise ConversionError("a matrix product takes tensors of at least one dimension")

    summed = shape_of(a)[-1], shape_of(b)[max(b_rank - 2, 0)]
    if all(isinstance(size, int) for size in summed) and summed[0] != summed[1]:
        raise ConversionError(f"the summed dimensions are {summed[0]} and {summed[1]}", code="type-mismatch")

    def dense(lhs: Expr, rhs: Expr) -> Expr:
        return call("nn.dense", lhs, rhs, units=None, out_dtype=out_dtype)

    def batch(lhs: Expr, rhs: Expr) -> Expr:
        if node.scope.model.use_nt_batch_matmul:
            rhs = transpose(rhs, [0, 2, 1])
        return call(
            "nn.batch_matmul",
            lhs,
            rhs,
            out_dtype=out_dtype,
            transpose_a=False,
            transpose_b=node.scope.model.use_nt_batch_matmul,
        )

    if a_rank == 1 or b_rank == 1:
        return _with_vectors(node, a, b, out_dtype, batch)
    if a_rank > 2 or b_rank > 2:
        return batched_product(node, a, b, dense, batch)
    return dense(a, transpose(b, [1, 0]))


def _with_vectors(node: OnnxNode, a: Expr, b: Expr, out_dtype: str, batch: BatchProduct) -> Expr:
    """A product with a vector on one side, or on both.

    TVM's fails where the other side has more than two dimensions: here the vector becomes a matrix first.
    """
    a_rank, b_rank = rank_of(a), rank_of(b)
    lhs = expand_dims(a, 0) if a_rank == 1 else a
    rhs = expand_dims(b, 1) if b_rank == 1 else b
    axes = [0] * (a_rank == 1) + [-1] * (b_rank == 1)
    if max(a_rank, b_rank) <= 2:
        options = {"units": None, "out_dtype": "", "transpose_a": False, "transpose_b": False}
        return squeeze(call("nn.matmul", lhs, rhs, **options), axes)

    def dense(one: Expr, other: Expr) -> Expr:
        return call("nn.dense", one, other, units=None, out_dtype=out_dtype)

    return squeeze(batched_product(node, lhs, rhs, dense, batch), [-2] * (a_rank == 1) + [-1] * (b_rank == 1))


@converter("MatMul")
def matmul(node: OnnxNode) -> Expr:
    """``nn.dense`` or ``nn.batch_matmul``; what has more dimensions is flattened, and broadcast where it must be."""
    node.require_inputs(2)
    return product(node, node.input(0), node.input(1), node.dtype())


@converter("MatMulInteger16", domain=MICROSOFT, since=10)
def matmul_of_integers16(node: OnnxNode) -> Expr:
    """The ``MatMul`` of 16-bit integers, in 32 bits."""
    node.require_inputs(2)
    dtypes = node.dtype(0), node.dtype(1)
    for index, dtype in enumerate(dtypes):
        if dtype not in ("int16", "uint16"):
            raise ConversionError(f"the operands must be int16 or uint16, not {dtype}", input=str(index))
    return product(node, node.input(0), node.input(1), "uint32" if dtypes == ("uint16", "uint16") else "int32")


@converter("Gemm")
def gemm(node: OnnxNode) -> Expr:
    """``nn.dense`` of the transposed operands, with scales and a bias."""
    node.require_inputs(2, 3)
    a, b, bias = node.input(0), node.input(1), node[2]
    dtype, rank = node.dtype(), node.rank()
    alpha, beta = node.float("alpha", 1.0), node.float("beta", 1.0)
    is_transposed = bool(node.int("transB", 0))
    shape = shape_of(b)
    if len(shape) != 2:
        raise ConversionError(f"the second operand must have two dimensions, not {len(shape)}", input="1")
    if node.int("transA", 0):
        a = transpose(a, [1, 0])
    if not is_transposed:
        b = transpose(b, [1, 0])
    if rank != 2:
        a = call("nn.batch_flatten", a)
    if alpha != 1.0:
        a = multiply(a, constant(alpha, dtype))
    units = shape[0] if is_transposed else shape[1]
    result = call("nn.dense", a, b, units=units if isinstance(units, int) else None)
    if bias is None:
        return result
    return add(result, multiply(constant(beta, dtype), bias) if beta != 1.0 else bias)


@converter("FC")
def fully_connected(node: OnnxNode) -> Expr:
    """``nn.dense`` with a bias (an operator of Caffe2)."""
    (units, _) = static_shape_of(node.input(1), "the weight")
    result = call("nn.dense", call("nn.batch_flatten", node.input(0)), node.input(1), units=units)
    return result if node[2] is None else call("nn.bias_add", result, node.input(2))


@converter("Einsum", since=12)
def einsum(node: OnnxNode) -> Expr:
    """``einsum``."""
    operands = tuple(node.input(index) for index in range(len(node.inputs)))
    return call("einsum", Tuple(operands), equation=node.string("equation"))


@converter("LinearRegressor")
def linear_regressor(node: OnnxNode) -> Expr:
    """``nn.dense`` with the coefficients of the attributes."""
    data, targets = node.input(), node.int("targets", 1)
    coefficients = node.floats("coefficients")
    if coefficients is None:
        raise node.invalid("coefficients", "LinearRegressor needs coefficients")
    weights: Expr = Constant(np.array(coefficients, np.float32))
    features = len(coefficients) // targets
    weights = reshape(weights, [targets, features])
    last = node.shape()[-1]
    if isinstance(last, int) and features < last:
        data = split(data, [features], -1)[0]
    result = call("nn.dense", data, weights, units=None)
    intercepts = node.floats("intercepts")
    if intercepts is None:
        return result
    bias = Constant(np.array(intercepts, np.float32))
    return call("nn.bias_add", result, bias, axis=-1) if targets == 1 else add(result, bias)
