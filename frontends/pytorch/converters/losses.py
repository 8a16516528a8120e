"""Losses of training."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...operators import add, divide, full, multiply, reduce, subtract
from ..node import TorchNode, converter
from .elementwise import log_of_one_more

_REDUCTIONS = ("none", "mean", "sum")


def _reduction(node: TorchNode, index: int) -> str:
    number = node.integer(index, 1)
    node.require(0 <= number < 3, f"there is no reduction {number}", index)
    return _REDUCTIONS[number]


def _reduced(node: TorchNode, loss: Expr, index: int) -> Expr:
    how = _reduction(node, index)
    return loss if how == "none" else reduce(how, loss)


def _negative_log_likelihood(node: TorchNode, scores: Expr, weights: int, reduction: int, ignored: int) -> Expr:
    classes = node.static_shape()[1]
    weight = node.optional(weights)
    if weight is None:
        weight = full(constant(1), [classes], node.dtype())
    return call(
        "nn.nll_loss",
        scores,
        node.tensor(1),
        weight,
        reduction=_reduction(node, reduction),
        ignore_index=node.integer(ignored, -100),
    )


@converter("aten::nll_loss", "aten::nll_loss2d", "aten::nll_loss_nd")
def nll_loss(node: TorchNode) -> Expr:
    """``nn.nll_loss``."""
    return _negative_log_likelihood(node, node.tensor(), 2, 3, 4)


@converter("aten::nll_loss_forward", "aten::nll_loss2d_forward")
def nll_loss_forward(node: TorchNode) -> tuple[Expr, None]:
    """``nn.nll_loss``."""
    return _negative_log_likelihood(node, node.tensor(), 2, 3, 4), None


@converter("aten::cross_entropy_loss")
def cross_entropy_loss(node: TorchNode) -> Expr:
    """``nn.nll_loss`` of ``nn.log_softmax``, ``nn.cross_entropy_with_logits`` where the targets are probabilities."""
    node.require(node.number(5, 0.0) == 0, "label smoothing is not converted", 5)
    node.require(node.rank() > 1, "scores without a batch are not converted", 0)
    if node.shape(0) != node.shape(1):
        # Classes are along the second dimension; TVM takes the last one.
        axis = -1 if node.rank() <= 2 else 1
        return _negative_log_likelihood(node, call("nn.log_softmax", node.tensor(), axis=axis), 2, 3, 4)
    node.require(node[2] is None, "weights of classes are not converted where the targets are probabilities", 2)
    node.require(_reduction(node, 3) == "mean", "the loss of probabilities must be a mean", 3)
    scores = call("nn.log_softmax", node.tensor(), axis=-1)
    return call("nn.cross_entropy_with_logits", scores, node.tensor(1))


@converter("aten::l1_loss")
def l1_loss(node: TorchNode) -> Expr:
    """``abs(x - y)``, reduced."""
    return _reduced(node, call("abs", subtract(node.tensor(0), node.tensor(1))), 2)


@converter("aten::smooth_l1_loss", "aten::huber_loss")
def smooth_l1_loss(node: TorchNode) -> Expr:
    """Half the square of a small difference, and the magnitude of a large one, reduced."""
    dtype, bound = node.dtype(), node.number(3, 1.0)
    apart = call("abs", subtract(node.tensor(0), node.tensor(1)))
    half, limit = constant(0.5, dtype), constant(bound, dtype)
    near = multiply(half, multiply(apart, apart))
    far = subtract(apart, multiply(half, limit))
    if node.operator == "aten::huber_loss":
        far = multiply(limit, far)
    elif bound:
        near = divide(near, limit)
    return _reduced(node, call("where", call("less", apart, limit), near, far), 2)


@converter("aten::binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(node: TorchNode) -> Expr:
    """``max(x, 0) - x * y + log(1 + exp(-abs(x)))``, weighted and reduced."""
    node.require(node[3] is None, "a weight of positive answers is not converted", 3)
    logits, target, dtype = node.tensor(0), node.tensor(1), node.dtype()
    tail = log_of_one_more(call("exp", call("negative", call("abs", logits))), dtype)
    loss = add(subtract(call("nn.relu", logits), multiply(logits, target)), tail)
    return _reduced(node, loss if node[2] is None else multiply(loss, node.tensor(2)), 4)


@converter("aten::binary_cross_entropy")
def binary_cross_entropy(node: TorchNode) -> Expr:
    """``-(y * log(x) + (1 - y) * log(1 - x))``, with logarithms of at least -100, weighted and reduced."""
    data, target, dtype = node.tensor(0), node.tensor(1), node.dtype()
    one, least = constant(1.0, dtype), constant(-100.0, dtype)
    logs = [call("maximum", call("log", part), least) for part in (data, subtract(one, data))]
    loss = call("negative", add(multiply(target, logs[0]), multiply(subtract(one, target), logs[1])))
    return _reduced(node, loss if node[2] is None else multiply(loss, node.tensor(2)), 3)


@converter("aten::mse_loss")
def mse_loss(node: TorchNode) -> Expr:
    """``power(x - y, 2)``, reduced."""
    squares = call("power", subtract(node.tensor(0), node.tensor(1)), constant(2, node.dtype()))
    return _reduced(node, squares, 2)
