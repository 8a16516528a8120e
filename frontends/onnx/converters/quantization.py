"""Quantisation of tensors, and the operands of quantised operators.

Source of the rule for operands: ``get_scalar``, ``get_scalar_or_1d_tensor`` in ``python/tvm/relay/frontend/onnx.py``.
"""

from __future__ import annotations

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of
from ...operators import Outputs, cast, clip, divide, reduce, squeeze, subtract
from ..node import OnnxNode, converter
from ..tensors import dtype_name

__all__ = ["dequantize", "each_channel", "quantize", "scalar"]


def scalar(node: OnnxNode, index: int, dtype: str = "float32") -> Expr:
    """A scale or zero point as a scalar."""
    return _operand(node, index, dtype, squeezed=True)


def each_channel(node: OnnxNode, index: int, dtype: str = "float32") -> Expr:
    """A scale or zero point, one for all or one for each channel."""
    return _operand(node, index, dtype, squeezed=False)


def _operand(node: OnnxNode, index: int, dtype: str, squeezed: bool) -> Expr:
    given = node.input(index)
    known = node.parameter_value(given)
    if known is not None:
        return Constant(known.astype(numpy_dtype(dtype)), dtype)
    rank = rank_of(given)
    if rank > 1:
        raise ConversionError(f"a scale or zero point has at most one dimension, not {rank}", input=str(index))
    return cast(squeeze(given, [0]) if squeezed and rank == 1 else given, dtype)


def quantize(data: Expr, scale: Expr, zero_point: Expr, out_dtype: str, axis: int = -1) -> Expr:
    """``qnn.quantize``."""
    return call("qnn.quantize", data, scale, zero_point, axis=axis, out_dtype=out_dtype)


def dequantize(data: Expr, scale: Expr, zero_point: Expr, axis: int = -1) -> Expr:
    """``qnn.dequantize``."""
    return call("qnn.dequantize", data, scale, zero_point, axis=axis)


def _zero_point(node: OnnxNode, default_dtype: str) -> tuple[Expr, str]:
    """The zero point, or zeros in the shape of the scale where there is none."""
    given = node[2]
    if given is not None:
        return given, dtype_of(given)
    if rank_of(node.input(1)) == 0:
        return constant(0, default_dtype), default_dtype
    return call("zeros_like", cast(node.input(1), default_dtype)), default_dtype


def _axis(node: OnnxNode) -> int:
    if node.opset < 13 or node.rank() < 2:
        return 0
    return node.int("axis", 1)


def _refuse_blocks(node: OnnxNode) -> None:
    if node.int("block_size", 0):
        raise node.invalid("block_size", "Relay quantises tensors and channels, not blocks")


@converter("QuantizeLinear", since=10)
def quantize_linear(node: OnnxNode) -> Expr:
    """``qnn.quantize``."""
    _refuse_blocks(node)
    dtype = dtype_name(node.int("output_dtype")) if node.int("output_dtype", 0) else "uint8"
    zero_point, dtype = _zero_point(node, dtype)
    return quantize(node.input(0), node.input(1), cast(zero_point, "int32"), dtype, _axis(node))


@converter("DequantizeLinear", since=10)
def dequantize_linear(node: OnnxNode) -> Expr:
    """``qnn.dequantize``."""
    _refuse_blocks(node)
    zero_point, _ = _zero_point(node, node.dtype())
    return dequantize(node.input(0), node.input(1), cast(zero_point, "int32"), _axis(node))


@converter("DynamicQuantizeLinear", since=11)
def dynamic_quantize_linear(node: OnnxNode) -> Outputs:
    """``qnn.quantize`` to ``uint8`` with the scale and zero point that the data's range gives.

    TVM subtracts the least value itself, which is wrong where it is positive; here it is the least of it and 0.
    """
    data, dtype = node.input(), node.dtype()
    zero = constant(0, dtype)
    largest = call("maximum", zero, reduce("max", data))
    least = call("minimum", zero, reduce("min", data))
    scale = divide(subtract(largest, least), constant(255, dtype))
    zero_point = subtract(zero, divide(least, scale))
    zero_point = cast(call("round", clip(zero_point, 0, 255)), "uint8")
    return Outputs.of(quantize(data, scale, cast(zero_point, "int32"), "uint8", 0), scale, zero_point)
