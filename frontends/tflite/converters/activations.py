"""Activations that are operators of their own."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...operators import add, broadcast_to, clip, divide, multiply, reshape, subtract
from ..node import TfliteNode, converter
from ..quantized import clip_steps, dequantized, quantize, requantized_like

_BOUNDS: dict[str, tuple[float, float | None]] = {"RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}


@converter("RELU", "RELU6", "RELU_N1_TO_1")
def rectified(node: TfliteNode) -> Expr:
    """``nn.relu`` or ``clip``; quantised numbers are clipped in their own steps, then ``qnn.requantize``."""
    node.require_inputs(1)
    tensor, result = node.input(), node.output
    low, high = _BOUNDS[node.operator]
    if tensor.is_quantized:
        dtype = tensor.dtype if node.operator == "RELU_N1_TO_1" else result.dtype
        made = clip_steps(tensor.expr, low, high, tensor, dtype)
    elif high is None:
        made = call("nn.relu", tensor.expr)
    else:
        made = clip(tensor.expr, low, high)
    return requantized_like(made, tensor, result)


def _quantized_as_result(node: TfliteNode, made: Expr) -> Expr:
    return quantize(made, node.output) if node.output.is_quantized else made


@converter("LEAKY_RELU")
def leaky_relu(node: TfliteNode) -> Expr:
    """``nn.leaky_relu`` of dequantised numbers."""
    node.require_inputs(1)
    made = call("nn.leaky_relu", dequantized(node.input()), alpha=node.number("alpha"))
    return _quantized_as_result(node, made)


@converter("HARD_SWISH")
def hard_swish(node: TfliteNode) -> Expr:
    """``x * clip(x + 3, 0, 6) / 6`` of dequantised numbers."""
    node.require_inputs(1)
    data = dequantized(node.input())
    made = divide(multiply(data, clip(add(data, constant(3.0)), 0.0, 6.0)), constant(6.0))
    return _quantized_as_result(node, made)


@converter("ELU")
def elu(node: TfliteNode) -> Expr:
    """``nn.relu`` of the number, less ``nn.relu`` of one minus its ``exp``; not of quantised tensors."""
    node.require_inputs(1)
    node.require_float()
    data, dtype = node.input().expr, node.input().dtype
    below = call("nn.relu", subtract(constant(1.0, dtype), call("exp", data)))
    return add(multiply(constant(-1.0, dtype), below), call("nn.relu", data))


@converter("PRELU")
def prelu(node: TfliteNode) -> Expr:
    """``nn.prelu`` of flat tensors; quantised ones are dequantised, where TVM multiplies the integers."""
    node.require_inputs(2)
    tensor, slopes = node.input(0), node.input(1)
    shape = list(tensor.shape)
    alpha = reshape(broadcast_to(dequantized(slopes), shape), [-1])
    made = call("nn.prelu", reshape(dequantized(tensor), [-1]), alpha, axis=0)
    return _quantized_as_result(node, reshape(made, shape))


@converter("SOFTMAX")
def softmax(node: TfliteNode) -> Expr:
    """``nn.softmax`` of dequantised numbers along the last dimension; ``beta``, if it is not 1, multiplies them."""
    node.require_inputs(1)
    data = dequantized(node.input())
    beta = node.options.get("beta", 1.0)
    if isinstance(beta, float) and beta != 1.0:
        data = multiply(data, constant(beta, "float32"))
    return _quantized_as_result(node, call("nn.softmax", data, axis=-1))


@converter("LOG_SOFTMAX")
def log_softmax(node: TfliteNode) -> Expr:
    """``nn.log_softmax`` of dequantised numbers along the last dimension."""
    node.require_inputs(1)
    return _quantized_as_result(node, call("nn.log_softmax", dequantized(node.input()), axis=-1))
