"""Padding."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...operators import immediate, pad
from ..node import Operand, TfliteNode, converter
from ..options import option_text
from ..quantized import require_same_steps


def _widths(tensor: Operand) -> list[list[int]]:
    if tensor.value.ndim != 2 or tensor.value.shape[1] != 2:
        raise ConversionError("paddings are a number before and one after each dimension", input=tensor.name)
    return [[immediate(number) for number in row] for row in tensor.value]  # pyright: ignore[reportReturnType]


@converter("PAD", "PADV2")
def padded(node: TfliteNode) -> Expr:
    """``nn.pad`` with zeros, a zero point, or the number that is the third input."""
    node.require_inputs(2, 3)
    tensor = node.input(0)
    value: float = 0
    if tensor.is_quantized:
        require_same_steps(node, tensor, node.output)
        value = float(tensor.zero_point.data)
    filling = node[2]
    if filling is not None:
        if filling.dtype != tensor.dtype:
            raise ConversionError(f"what is filled in is of {filling.dtype}, and the tensor of {tensor.dtype}")
        if tensor.is_quantized:
            require_same_steps(node, tensor, filling)
        value = filling.scalar
    return pad(tensor.expr, _widths(node.input(1)), value)


@converter("MIRROR_PAD")
def mirror_padded(node: TfliteNode) -> Expr:
    """``nn.mirror_pad``; not of quantised tensors."""
    node.require_inputs(2)
    node.require_float()
    widths = [[int(number) for number in pair] for pair in _widths(node.input(1))]
    mode = option_text("mode", node.integer("mode"))
    return call("nn.mirror_pad", node.input(0).expr, pad_width=widths, mode=mode)
