"""Images in another size, and what moves pixels between space, depth and batch."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...operators import immediate, resize
from ..node import Operand, TfliteNode, converter
from ..quantized import dequantized, quantize


def _resized(node: TfliteNode, data: Expr, method: str) -> Expr:
    node.require_inputs(2)
    align_corners = bool(node.integer("align_corners", 0))
    half_pixels = bool(node.integer("half_pixel_centers", 0))
    mode = "half_pixel" if half_pixels else "align_corners" if align_corners else "asymmetric"
    rounding = "round_prefer_ceil" if method == "nearest_neighbor" and half_pixels and not align_corners else ""
    return resize(
        2,
        data,
        node.input(1).integers,
        layout="NHWC",
        method=method,
        coordinate_transformation_mode=mode,
        rounding_method=rounding,
    )


@converter("RESIZE_BILINEAR")
def resize_bilinear(node: TfliteNode) -> Expr:
    """``image.resize2d`` of dequantised numbers, quantised again."""
    made = _resized(node, dequantized(node.input()), "linear")
    return quantize(made, node.output) if node.output.is_quantized else made


@converter("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest_neighbor(node: TfliteNode) -> Expr:
    """``image.resize2d``."""
    return _resized(node, node.input().expr, "nearest_neighbor")


@converter("DEPTH_TO_SPACE")
def depth_to_space(node: TfliteNode) -> Expr:
    """``nn.depth_to_space``."""
    node.require_inputs(1)
    return call("nn.depth_to_space", node.input().expr, block_size=node.integer("block_size"), layout="NHWC")


@converter("SPACE_TO_DEPTH")
def space_to_depth(node: TfliteNode) -> Expr:
    """``nn.space_to_depth``."""
    node.require_inputs(1)
    return call("nn.space_to_depth", node.input().expr, block_size=node.integer("block_size"), layout="NHWC")


def _pairs(tensor: Operand) -> list[list[object]]:
    return [[immediate(number) for number in row.tolist()] for row in tensor.value.reshape(-1, 2)]


@converter("BATCH_TO_SPACE_ND")
def batch_to_space(node: TfliteNode) -> Expr:
    """``nn.batch_to_space_nd``."""
    node.require_inputs(3)
    data, block, crops = node.input(0).expr, node.input(1).numbers, _pairs(node.input(2))
    return call("nn.batch_to_space_nd", data, block_shape=block, crops=crops)


@converter("SPACE_TO_BATCH_ND")
def space_to_batch(node: TfliteNode) -> Expr:
    """``nn.space_to_batch_nd``; quantised tensors are padded with their zero point, where TVM pads with 0."""
    node.require_inputs(3)
    tensor = node.input(0)
    pad_value = float(tensor.zero_point.data) if tensor.is_quantized else 0.0
    return call(
        "nn.space_to_batch_nd",
        tensor.expr,
        block_shape=node.input(1).numbers,
        paddings=_pairs(node.input(2)),
        pad_value=pad_value,
    )
