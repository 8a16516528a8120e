"""Pooling of images whose channels are last."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...operators import cast
from ..node import TfliteNode, converter
from ..quantized import activated, require_same_steps
from .convolution import channels_last, window_padding


def _options(node: TfliteNode) -> dict[str, object]:
    node.require_inputs(1)
    _, height, width, _ = channels_last(node.input())
    window = node.integer("filter_height"), node.integer("filter_width")
    strides = node.integer("stride_h"), node.integer("stride_w")
    padding = window_padding(node, (height, width), window, strides) or (0, 0, 0, 0)
    return {"pool_size": window, "strides": strides, "padding": padding, "layout": "NHWC"}


@converter("AVERAGE_POOL_2D")
def average_pool(node: TfliteNode) -> Expr:
    """``nn.avg_pool2d``, of quantised tensors as ``int32``, and the fused activation."""
    options, tensor, result = _options(node), node.input(), node.output
    if not tensor.is_quantized:
        return activated(node, call("nn.avg_pool2d", tensor.expr, **options), result)
    require_same_steps(node, tensor, result)
    pooled = call("nn.avg_pool2d", cast(tensor.expr, "int32"), **options)
    return activated(node, cast(pooled, result.dtype), result)


@converter("MAX_POOL_2D")
def max_pool(node: TfliteNode) -> Expr:
    """``nn.max_pool2d`` and the fused activation."""
    options, tensor, result = _options(node), node.input(), node.output
    if tensor.is_quantized:
        require_same_steps(node, tensor, result)
    return activated(node, call("nn.max_pool2d", tensor.expr, **options), result)


@converter("L2_POOL_2D")
def l2_pool(node: TfliteNode) -> Expr:
    """``sqrt`` of ``nn.avg_pool2d`` of squares, and the fused activation; not of quantised tensors."""
    node.require_float()
    options, result = _options(node), node.output
    squares = call("power", node.input().expr, constant(2, result.dtype))
    return activated(node, call("sqrt", call("nn.avg_pool2d", squares, **options)), result)
