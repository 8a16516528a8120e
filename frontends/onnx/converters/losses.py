"""Losses of training."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...inspection import dtype_of, static_shape_of
from ...operators import Outputs, cast, divide, expand_dims, multiply, ones, reduce, squeeze, subtract
from ..node import OnnxNode, converter
from .indexing import positive_indices

_REDUCTIONS = ("mean", "sum", "none")


def _weighted_loss(node: OnnxNode, scores: Expr, target: Expr, weights: Expr | None) -> tuple[Expr, Expr]:
    """The loss of each element, and the sum of their weights."""
    channels = static_shape_of(scores, "the scores")[1]
    positive = positive_indices(node, scores, target, 1)
    if "ignore_index" in node and not 0 <= node.int("ignore_index") < channels:
        # What is ignored is looked up all the same: at an index that there is.
        is_there = call("less", positive, constant(channels, dtype_of(positive)))
        is_positive = call("greater_equal", positive, constant(0, dtype_of(positive)))
        positive = call("where", call("logical_and", is_there, is_positive), positive, call("zeros_like", positive))
    if weights is None:
        weights = ones([channels], dtype_of(scores))
    loss = call("negative", call("gather", scores, expand_dims(positive, 1), axis=1))
    loss = squeeze(loss, [1])
    row = call("nn.batch_flatten", expand_dims(positive, 0))
    chosen = call("reshape_like", call("gather_nd", weights, row), loss)
    loss = multiply(loss, chosen)
    if "ignore_index" in node:
        ignored = call("equal", target, constant(node.int("ignore_index"), dtype_of(target)))
        counted = subtract(constant(1, "int8"), cast(ignored, "int8"))
        loss = call("where", counted, loss, constant(0, dtype_of(loss)))
        chosen = multiply(chosen, call("cast_like", counted, chosen))
    return loss, reduce("sum", chosen)


def _reduced(node: OnnxNode, loss: Expr, total: Expr) -> Expr:
    reduction = node.string("reduction", "mean")
    if reduction not in _REDUCTIONS:
        raise node.invalid("reduction", f"reduction must be one of {', '.join(_REDUCTIONS)}, not {reduction}")
    if reduction == "mean":
        return divide(reduce("sum", loss), total)
    return reduce("sum", loss) if reduction == "sum" else loss


@converter("NegativeLogLikelihoodLoss", since=13)
def negative_log_likelihood(node: OnnxNode) -> Expr:
    """The negative scores of the targets, weighted."""
    loss, total = _weighted_loss(node, node.input(0), node.input(1), node[2])
    return _reduced(node, loss, total)


@converter("SoftmaxCrossEntropyLoss", since=13)
def softmax_cross_entropy(node: OnnxNode) -> Expr | Outputs:
    """The negative logarithms of the softmax at the targets, weighted."""
    scores = call("log", call("nn.softmax", node.input(0), axis=1))
    loss, total = _weighted_loss(node, scores, node.input(1), node[2])
    loss = _reduced(node, loss, total)
    return Outputs.of(loss, scores) if len(node.outputs) == 2 else loss
