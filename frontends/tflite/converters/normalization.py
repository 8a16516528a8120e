"""Normalisation."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ..node import TfliteNode, converter
from ..quantized import activated


@converter("L2_NORMALIZATION")
def l2_normalization(node: TfliteNode) -> Expr:
    """``nn.l2_normalize`` along the last dimension, and the fused activation; not of quantised tensors."""
    node.require_inputs(1)
    node.require_float()
    tensor = node.input()
    made = call("nn.l2_normalize", tensor.expr, eps=1e-12, axis=[tensor.rank - 1])
    return activated(node, made, node.output)


@converter("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(node: TfliteNode) -> Expr:
    """``nn.lrn`` along the channels, whose ``alpha`` is of the window as a whole; not of quantised tensors."""
    node.require_inputs(1)
    node.require_float()
    size = 2 * node.integer("radius") + 1
    return call(
        "nn.lrn",
        node.input().expr,
        size=size,
        axis=3,
        bias=node.number("bias"),
        alpha=node.number("alpha") * size,
        beta=node.number("beta"),
    )
