"""Fully connected layers."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import static_shape_of
from ...operators import reshape
from ..node import TfliteNode, converter
from ..quantized import activated, product_scale, requantize, weights_for
from .convolution import biased


@converter("FULLY_CONNECTED")
def fully_connected(node: TfliteNode) -> Expr:
    """``reshape`` to rows, ``nn.dense`` or ``qnn.dense``, ``nn.bias_add``, ``qnn.requantize``, and the activation."""
    node.require_inputs(2, 3)
    tensor, weight, result = node.input(0), node.input(1), node.output
    if len(weight.shape) != 2:
        raise ConversionError(f"weights have two dimensions, and {weight.name} has {weight.rank}", input=weight.name)
    if weight.dtype not in ("int8", "uint8", "float32"):
        raise ConversionError(f"weights are of int8, uint8 or float32, not {weight.dtype}", input=weight.name)
    if node.integer("weights_format", 0):
        raise node.invalid("weights_format", "the weights are shuffled for one processor")
    units, depth = weight.shape
    given = tensor.expr
    rows, kernel = reshape(given, [-1, depth]), weights_for(tensor, weight)
    if tensor.is_quantized:
        made = call(
            "qnn.dense",
            rows,
            kernel,
            tensor.zero_point,
            weight.zero_point,
            tensor.scale,
            weight.scale,
            units=units,
            out_dtype="int64" if result.dtype == "int16" else "int32",
        )
    else:
        made = call("nn.dense", rows, kernel, units=units)
    made = biased(node, made, 2, 1)
    if result.is_quantized:
        made = requantize(made, product_scale(tensor, weight), constant(0, "int32"), result)
    made = activated(node, made, result)
    if node.integer("keep_num_dims", 0):
        made = reshape(made, (*static_shape_of(given)[:-1], units))
    return made
