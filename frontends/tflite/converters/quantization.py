"""Quantisation as operators of their own, and weights that are stored in fewer bits or without their zeros."""

from __future__ import annotations

import math

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...operators import add, cast, clip, divide, multiply, subtract
from ..node import TfliteNode, converter
from ..quantized import dequantize, quantize, requantize
from ..sparse import dense_array


@converter("QUANTIZE")
def quantized(node: TfliteNode) -> Expr:
    """``qnn.quantize``; ``qnn.requantize`` of what is quantised already."""
    node.require_inputs(1)
    tensor, result = node.input(), node.output
    if tensor.is_quantized and tensor.dtype != "float32":
        return requantize(tensor.expr, tensor.scale, tensor.zero_point, result)
    return quantize(tensor.expr, result)


@converter("DEQUANTIZE")
def dequantized_again(node: TfliteNode) -> Expr:
    """``qnn.dequantize``; ``cast`` of numbers in half precision."""
    node.require_inputs(1)
    tensor = node.input()
    if tensor.dtype == "float16":
        return cast(tensor.expr, "float32")
    return dequantize(tensor.expr, tensor)


@converter("DENSIFY")
def densified(node: TfliteNode) -> None:
    """The dense form of a sparse constant, which what uses it takes as a constant."""
    node.require_inputs(1)
    node.scope.set_known_data(node.output.index, dense_array(node.input()))


@converter("FAKE_QUANT")
def fake_quantized(node: TfliteNode) -> Expr:
    """``clip`` and ``floor`` to the steps that the range and the number of bits give."""
    node.require_inputs(1)
    low, high, bits = node.number("min"), node.number("max"), node.integer("num_bits")
    if not 2 <= bits <= 16:
        raise node.invalid("num_bits", f"there are 2 to 16 bits, not {bits}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise node.invalid("min", f"the range from {low} to {high} is empty")
    first, last = int(bool(node.integer("narrow_range", 0))), 2**bits - 1
    scale = (high - low) / (last - first)
    # The step that stands for zero is a whole one.
    zero = min(max(first - low / scale, first), last)
    zero_point = round(zero)
    low, high = (first - zero_point) * scale, (last - zero_point) * scale
    lowest, step = constant(low), constant(scale)
    shifted = subtract(clip(node.input().expr, low, high), lowest)
    steps = call("floor", add(multiply(shifted, divide(constant(1.0), step)), constant(0.5)))
    return add(multiply(steps, step), lowest)
