"""Normalisations and softmax."""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, static_shape_of
from ...operators import (
    Outputs,
    add,
    concatenate,
    divide,
    mean_variance,
    multiply,
    one_hot,
    reduce,
    reshape,
    strided_slice,
    subtract,
    take,
    variance,
)
from ..node import MICROSOFT, OnnxNode, converter
from .shape_values import integers, shape_value


@converter("BatchNormalization", "SpatialBN")
def batch_norm(node: OnnxNode) -> Outputs:
    """``nn.batch_norm``; its mean and variance stand for those that ONNX saves in training too."""
    if node.int("training_mode", 0):
        node.warn("training-mode", "the statistics of the batch are not computed: the stored ones are used")
    inputs = [node.input(index) for index in range(5)]
    result = call("nn.batch_norm", *inputs, epsilon=node.float("epsilon", 1e-5))
    fields = [TupleGetItem(result, index) for index in (0, 1, 2, 1, 2)]
    return Outputs.of(*fields)


@converter("InstanceNormalization")
def instance_norm(node: OnnxNode) -> Expr:
    """``nn.instance_norm``."""
    inputs = [node.input(index) for index in range(3)]
    return call("nn.instance_norm", *inputs, epsilon=node.float("epsilon", 1e-5))


@converter("LayerNormalization", since=17)
def layer_norm(node: OnnxNode) -> Outputs:
    """The normalisation over all dimensions from ``axis`` on, with the mean and the inverse of the deviation."""
    x, gamma, beta = node.input(0), node.input(1), node[2]
    axis, rank, dtype = node.int("axis", -1), node.rank(), node.dtype()
    axes = list(range(axis, rank) if axis >= 0 else range(rank + axis, rank))
    mean = reduce("mean", x, axes, True)
    spread = variance(x, axes, True, with_mean=mean)
    epsilon = constant(node.float("epsilon", 1e-5), dtype)
    inverse = divide(constant(1, dtype), call("sqrt", add(spread, epsilon)))
    result = multiply(multiply(subtract(x, mean), inverse), gamma)
    return Outputs.of(result if beta is None else add(result, beta), mean, inverse)


def normalized(x: Expr, epsilon: float, gamma: Expr, beta: Expr | None) -> Expr:
    """The normalisation over the last dimension."""
    mean, spread = mean_variance(x, -1, True)
    centered = subtract(x, mean)
    result = divide(centered, call("sqrt", add(spread, constant(epsilon, dtype_of(x)))))
    result = multiply(result, gamma)
    return result if beta is None else add(result, beta)


@converter("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_norm(node: OnnxNode) -> Outputs:
    """The sum of the embeddings of words, positions and segments, normalised; and the lengths of the sentences."""
    ids, segment_ids, words, positions = node.input(0), node[1], node.input(2), node.input(3)
    segments, gamma, beta, mask, position_ids = node[4], node.input(5), node.input(6), node[7], node[8]
    batch, length = node.static_shape()
    if position_ids is None:
        node.unfolded(batch * length, "the number of positions")
        position_ids = Constant(np.array([list(range(length))] * batch, np.int32))
    vectors = take(words, ids, 0)
    total = add(vectors, take(positions, position_ids, 0))
    if segment_ids is not None:
        if segments is None:
            raise ConversionError("segment ids need an embedding of segments", input="4")
        total = add(total, take(segments, segment_ids, 0))
    result = normalized(total, node.float("epsilon", 1e-12), gamma, beta)
    lengths: Expr = Constant(np.zeros((batch,), np.int32))
    if mask is not None:
        lengths = reduce("sum", mask, 1)
    return Outputs.of(result, lengths)


@converter("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_norm(node: OnnxNode) -> Outputs:
    """The sum of two tensors and a bias, normalised; the other outputs are placeholders, as in TVM."""
    data, skip, gamma, beta, bias = node.input(0), node.input(1), node.input(2), node[3], node[4]
    total = add(data, skip)
    if bias is not None:
        total = add(total, bias)
    placeholder = constant(0, "float32")
    return Outputs.of(normalized(total, node.float("epsilon", 1e-12), gamma, beta), placeholder, placeholder)


@converter("MeanVarianceNormalization", since=13)
def mean_variance_norm(node: OnnxNode) -> Expr:
    """``(x - mean) / sqrt(mean(x * x) - mean * mean)``."""
    x, axes = node.input(), list(node.ints("axes") or (0, 2, 3))
    mean = reduce("mean", x, axes, True)
    mean_squared = call("power", mean, constant(2, "float32"))
    squared_mean = reduce("mean", call("power", x, constant(2, "float32")), axes, True)
    return divide(subtract(x, mean), call("sqrt", subtract(squared_mean, mean_squared)))


@converter("LRN")
def local_response_norm(node: OnnxNode) -> Expr:
    """``nn.lrn`` over the channels."""
    return call(
        "nn.lrn",
        node.input(),
        size=node.int("size"),
        axis=1,
        bias=node.float("bias", 1.0),
        alpha=node.float("alpha", 0.0001),
        beta=node.float("beta", 0.75),
    )


# ---- softmax


@converter("Softmax")
def softmax_of_matrix(node: OnnxNode) -> Expr:
    """``nn.softmax`` of a matrix: the dimensions from ``axis`` on are its columns."""
    x, rank = node.input(), node.rank()
    axis = node.int("axis", 1)
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis <= rank:
        raise node.invalid("axis", f"axis {axis} is out of bounds of {rank} dimensions")
    if axis != 0 and axis == rank - 1:
        return call("nn.softmax", x, axis=axis)
    shape = static_shape_of(x, "the input of Softmax")
    rows = [] if axis == 0 else [math.prod(shape[:axis])]
    return reshape(call("nn.softmax", reshape(x, [*rows, -1]), axis=-1), shape)


@converter("Softmax", since=13)
def softmax_of_axis(node: OnnxNode) -> Expr:
    """``nn.softmax``."""
    axis, rank = node.int("axis", -1), node.rank()
    if not -rank <= axis < rank:
        raise node.invalid("axis", f"axis {axis} is out of bounds of {rank} dimensions")
    return call("nn.softmax", node.input(), axis=axis + rank if axis < 0 else axis)


@converter("LogSoftmax")
def log_softmax_of_matrix(node: OnnxNode) -> Expr:
    """The logarithm of the ``Softmax``."""
    return call("log", softmax_of_matrix(node))


@converter("LogSoftmax", since=13)
def log_softmax_of_axis(node: OnnxNode) -> Expr:
    """The logarithm of the ``Softmax``."""
    return call("log", softmax_of_axis(node))


@converter("Hardmax")
def hardmax_of_matrix(node: OnnxNode) -> Expr:
    """``one_hot`` of ``argmax`` of a matrix: the dimensions from ``axis`` on are its columns."""
    x, rank, dtype = node.input(), node.rank(), node.dtype()
    axis = node.int("axis", 1)
    axis = axis + rank if axis < 0 else axis
    shape = shape_value(x)
    rows: Expr = integers([1])
    if axis != 0:
        rows = reduce("prod", strided_slice(shape, [0], [axis], [1]), 0, True)
    columns = reduce("prod", strided_slice(shape_value(x), [axis], [2147483647], [1]), 0, True)
    matrix = reshape(x, node.fold(concatenate([rows, columns], 0)))
    depth = node.fold(take(shape_value(matrix), integers([1])))
    return reshape(_one_at(_argmax(matrix, 1), depth, 1, dtype), shape_value(x))


@converter("Hardmax", since=13)
def hardmax_of_axis(node: OnnxNode) -> Expr:
    """``one_hot`` of ``argmax``."""
    x = node.input()
    axis = node.int("axis", -1) % max(rank_of(x), 1)
    depth = node.fold(take(shape_value(x), integers([axis])))
    return _one_at(_argmax(x, axis), depth, axis, node.dtype())


def _argmax(x: Expr, axis: int) -> Expr:
    return call("argmax", x, axis=[axis], keepdims=False)


def _one_at(indices: Expr, depth: Expr, axis: int, dtype: str) -> Expr:
    return one_hot(indices, constant(1.0, dtype), constant(0.0, dtype), depth, axis, dtype)
