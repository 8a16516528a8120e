"""Numbers to quantised numbers and back, and what computes with quantised numbers by way of others.

PyTorch keeps scale and zero point inside of a tensor; :mod:`..quantized_inputs` makes them inputs of the operators.
Source of the rules: ``python/tvm/relay/frontend/qnn_torch.py``.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...operators import cast
from ..node import TorchNode, converter


def is_quantized(node: TorchNode) -> bool:
    """Whether the first input is quantised: TVM tells it by its dtype."""
    return node.dtype() == "uint8"


def quantized(data: Expr, scale: Expr, zero_point: Expr, axis: int = -1, dtype: str = "uint8") -> Expr:
    """``qnn.quantize``."""
    return call("qnn.quantize", data, scale, zero_point, axis=axis, out_dtype=dtype)


def dequantized(data: Expr, scale: Expr, zero_point: Expr, axis: int = -1) -> Expr:
    """``qnn.dequantize``."""
    return call("qnn.dequantize", data, scale, zero_point, axis=axis)


def by_way_of_integers(data: Expr, compute: Callable[[Expr], Expr]) -> Expr:
    """What ``compute`` makes of ``data`` as ``int32``."""
    return cast(compute(cast(data, "int32")), "uint8")


def by_way_of_floats(data: Expr, scale: Expr, zero_point: Expr, compute: Callable[[Expr], Expr]) -> Expr:
    """What ``compute`` makes of the numbers that ``data`` stands for."""
    return quantized(compute(dequantized(data, scale, zero_point)), scale, zero_point, axis=1)


@converter("aten::quantize_per_tensor")
def quantize_per_tensor(node: TorchNode) -> Expr:
    """``qnn.quantize`` to ``uint8``."""
    return quantized(node.tensor(), node.tensor(1), node.tensor(2), axis=1 if node.rank() > 1 else 0)


@converter("aten::dequantize")
def dequantize(node: TorchNode) -> Expr:
    """``qnn.dequantize``."""
    node.require(len(node) == 3, "the scale and zero point of the quantised input are not known")
    return dequantized(node.tensor(), node.tensor(1), node.tensor(2))
