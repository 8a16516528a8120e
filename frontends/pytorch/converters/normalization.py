"""Normalisations."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem

from ...inspection import rank_of
from ...operators import add, multiply, reduce, reshape, variance
from ..node import TorchNode, converter


def _scales(node: TorchNode, weight: int, bias: int, channels: int, dtype: str) -> tuple[Expr, Expr, bool]:
    """The scale and the offset of each channel, ones and zeros where there are none; and whether there are."""
    if node[weight] is not None and node[bias] is not None:
        return node.tensor(weight), node.tensor(bias), True
    ones, zeros = (Constant(np.full([channels], value, dtype)) for value in (1, 0))
    scale = ones if node[weight] is None else node.tensor(weight)
    offset = zeros if node[bias] is None else node.tensor(bias)
    return scale, offset, node[weight] is not None or node[bias] is not None


@converter("aten::batch_norm", "aten::_batch_norm_impl_index")
def batch_norm(node: TorchNode) -> Expr:
    """``nn.batch_norm`` with the stored mean and variance; of the batch's own where none are stored."""
    return _batch_norm(node, 3, 4, node.number(7, 1e-5), node.flag(5))


@converter("aten::_native_batch_norm_legit_no_training")
def batch_norm_without_training(node: TorchNode) -> tuple[Expr, None, None]:
    """``nn.batch_norm``."""
    return _batch_norm(node, 3, 4, node.number(6, 1e-5), False), None, None


@converter("aten::_native_batch_norm_legit", "aten::native_batch_norm")
def native_batch_norm(node: TorchNode) -> tuple[Expr, None, None]:
    """``nn.batch_norm`` with the stored mean and variance; of the batch's own where none are stored."""
    if len(node) == 6:  # The form without stored statistics.
        return _batch_norm(node, 99, 99, node.number(5, 1e-5), True), None, None
    return _batch_norm(node, 3, 4, node.number(7, 1e-5), node.flag(5)), None, None


def _batch_norm(node: TorchNode, mean: int, spread: int, epsilon: float, training: bool) -> Expr:
    data, dtype, shape = node.tensor(), node.dtype(), node.shape()
    channels = shape[1]
    node.require(isinstance(channels, int), "the number of channels must be known")
    assert isinstance(channels, int)
    gamma, beta, is_scaled = _scales(node, 1, 2, channels, dtype)
    if node[mean] is None or node[spread] is None:
        axes = [axis for axis in range(len(shape)) if axis != 1]
        average, deviation = reduce("mean", data, axes), variance(data, axes)
    else:
        if training:
            node.warn("training-mode", "the statistics of the batch are not computed: the stored ones are used")
        average, deviation = node.tensor(mean), node.tensor(spread)
    result = call(
        "nn.batch_norm", data, gamma, beta, average, deviation,
        axis=1, epsilon=epsilon, center=is_scaled, scale=is_scaled,
    )  # fmt: skip
    return TupleGetItem(result, 0)


@converter("aten::instance_norm")
def instance_norm(node: TorchNode) -> Expr:
    """``nn.instance_norm``; ``nn.batch_norm`` with the stored mean and variance where the program uses those."""
    if not node.flag(5, True) and node[3] is not None:
        return _batch_norm(node, 3, 4, node.number(7, 1e-5), False)
    channels = node.shape()[1]
    assert isinstance(channels, int)
    gamma, beta, is_scaled = _scales(node, 1, 2, channels, node.dtype())
    return call(
        "nn.instance_norm", node.tensor(), gamma, beta, axis=1, epsilon=node.number(7, 1e-5), center=is_scaled,
        scale=is_scaled,
    )  # fmt: skip


@converter("aten::layer_norm")
def layer_norm(node: TorchNode) -> Expr:
    """``nn.layer_norm`` over the last dimension; over several, which TVM refuses, in one row."""
    return _layer_norm(node)


@converter("aten::native_layer_norm")
def native_layer_norm(node: TorchNode) -> tuple[Expr, None, None]:
    """``nn.layer_norm`` over the last dimension; over several, which TVM refuses, in one row."""
    return _layer_norm(node), None, None


def _layer_norm(node: TorchNode) -> Expr:
    data, sizes = node.tensor(), node.integers(1)
    size = int(np.prod(sizes))
    gamma, beta, is_scaled = _scales(node, 2, 3, size, node.dtype())
    has_all = node[2] is not None or node[3] is not None
    epsilon = node.number(4, 1e-5)

    def normalized(values: Expr, scale: Expr, offset: Expr) -> Expr:
        return call("nn.layer_norm", values, scale, offset, axis=-1, epsilon=epsilon, center=is_scaled, scale=has_all)

    if len(sizes) == 1:
        return normalized(data, gamma, beta)
    shape = list(node.static_shape())
    rows = reshape(data, [*shape[: len(shape) - len(sizes)], size])
    gamma, beta = (reshape(part, [size]) if rank_of(part) > 1 else part for part in (gamma, beta))
    return reshape(normalized(rows, gamma, beta), shape)


@converter("aten::group_norm")
def group_norm(node: TorchNode) -> Expr:
    """``nn.group_norm``."""
    return _group_norm(node, node.integer(1), 2, 3, node.number(4, 1e-5))


@converter("aten::native_group_norm")
def native_group_norm(node: TorchNode) -> tuple[Expr, None, None]:
    """``nn.group_norm``."""
    return _group_norm(node, node.integer(6), 1, 2, node.number(7, 1e-5)), None, None


def _group_norm(node: TorchNode, groups: int, weight: int, bias: int, epsilon: float) -> Expr:
    channels = node.shape()[1]
    assert isinstance(channels, int)
    gamma, beta, _ = _scales(node, weight, bias, channels, node.dtype())
    return call(
        "nn.group_norm", node.tensor(), gamma, beta, num_groups=groups, axis=1, epsilon=epsilon, center=True, scale=True
    )


@converter("aten::rms_norm", "aten::_fused_rms_norm")
def rms_norm(node: TorchNode) -> Expr | tuple[Expr, None]:
    """``x / sqrt(mean(x * x) + epsilon) * weight``; TVM has no converter of it."""
    data, sizes, dtype = node.tensor(), node.integers(1), node.dtype()
    axes = list(range(-len(sizes), 0))
    epsilon = float(np.finfo(dtype).eps) if node[3] is None else node.number(3)
    squares = reduce("mean", multiply(data, data), axes, True)
    result = multiply(data, call("rsqrt", add(squares, constant(epsilon, dtype))))
    if node[2] is not None:
        result = multiply(result, node.tensor(2))
    return (result, None) if node.operator.endswith("_fused_rms_norm") else result
