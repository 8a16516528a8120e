"""Calls of the operators on quantised tensors, with the scales and zero points that the model's tensors have.

Source of the rules: ``quantize``, ``dequantize`` and ``convert_qnn_fused_activation_function`` in
``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Constant, Expr

from ..diagnostics import ConversionError
from ..operators import clip
from .node import Operand, TfliteNode
from .options import option_text

__all__ = [
    "activated",
    "clip_steps",
    "dequantize",
    "dequantized",
    "dequantized_weights",
    "product_scale",
    "quantize",
    "requantize",
    "requantized_like",
    "require_same_steps",
    "same_steps",
    "weights_for",
]

_ACTIVATION = "fused_activation_function"
_BOUNDS: dict[str, tuple[float, float | None]] = {"RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}


def quantize(data: Expr, result: Operand) -> Expr:
    """``qnn.quantize`` to the steps of ``result``."""
    axis = result.quantized_axis if result.scale.data.ndim else -1
    return call("qnn.quantize", data, result.scale, result.zero_point, axis=axis, out_dtype=result.dtype)


def dequantize(data: Expr, tensor: Operand) -> Expr:
    """``qnn.dequantize`` from the steps of ``tensor``."""
    axis = tensor.quantized_axis if tensor.scale.data.ndim else -1
    return call("qnn.dequantize", data, tensor.scale, tensor.zero_point, axis=axis)


def dequantized(tensor: Operand) -> Expr:
    """The numbers of ``tensor``, in floating point where it is quantised."""
    return dequantize(tensor.expr, tensor) if tensor.is_quantized else tensor.expr


def dequantized_weights(tensor: Operand, weight: Operand) -> Expr | None:
    """The numbers of quantised weights that a tensor of floating-point numbers is multiplied by; else ``None``.

    Such hybrid layers come of quantisation of the dynamic range. The interpreter quantises the tensor too while it
    runs; here it stays as it is. TVM multiplies by the steps as they are.

    Raises:
        ConversionError: one of the two is quantised, or of another type, and the other one has no scale for that.
    """
    if tensor.is_quantized == weight.is_quantized and (tensor.is_quantized or tensor.dtype == weight.dtype):
        return None
    if tensor.is_quantized or not weight.is_quantized:
        raise ConversionError(
            f"{weight.name} of {weight.dtype} and {tensor.name} of {tensor.dtype} are multiplied, and not both of them "
            "are quantised",
            input=weight.name,
        )
    return dequantize(weight.expr, weight)


def weights_for(tensor: Operand, weight: Operand) -> Expr:
    """The weights that a tensor is multiplied by: the numbers where these are wanted, as they are elsewhere.

    Raises:
        ConversionError: as :func:`dequantized_weights`.
    """
    numbers = dequantized_weights(tensor, weight)
    return weight.expr if numbers is None else numbers


def requantize(data: Expr, scale: Expr, zero_point: Expr, result: Operand, axis: int = -1) -> Expr:
    """``qnn.requantize`` to the steps of ``result``."""
    return call(
        "qnn.requantize", data, scale, zero_point, result.scale, result.zero_point, axis=axis, out_dtype=result.dtype
    )


def requantized_like(data: Expr, tensor: Operand, result: Operand) -> Expr:
    """``qnn.requantize`` of what has the steps of ``tensor``, where ``result`` is quantised."""
    if not result.is_quantized:
        return data
    return requantize(data, tensor.scale, tensor.zero_point, result)


def product_scale(data: Operand, weight: Operand) -> Constant:
    """The scale of products, one for all or one for each channel."""
    return Constant(np.asarray(data.scale.data * weight.scale.data, np.float32), "float32")


def same_steps(first: Operand, second: Operand) -> bool:
    """Whether two tensors have the same scale and zero point, as nearly as TVM wants it."""
    return (
        first.is_quantized
        and second.is_quantized
        and first.scale.data.shape == second.scale.data.shape
        and np.allclose(first.scale.data, second.scale.data, rtol=1e-5, atol=1e-5)
        and np.allclose(first.zero_point.data, second.zero_point.data, rtol=1e-5, atol=1e-5)
    )


def require_same_steps(node: TfliteNode, *tensors: Operand) -> None:
    """Check that tensors have one scale and zero point.

    Raises:
        ConversionError: they have not.
    """
    for tensor in tensors[1:]:
        if not same_steps(tensors[0], tensor):
            raise ConversionError(
                f"{node.operator} takes and gives tensors of one scale and zero point, and {tensor.name} has others "
                f"than {tensors[0].name}"
            )


# ---- activations


def clip_steps(data: Expr, low: float, high: float | None, tensor: Operand, dtype: str) -> Expr:
    """``clip`` of quantised numbers between what stands for ``low`` and ``high`` in the steps of ``tensor``."""
    limits = np.iinfo(dtype)
    scale, zero_point = float(tensor.scale.data), int(tensor.zero_point.data)

    def step(number: float) -> float:
        return float(round(number / scale) + zero_point)

    upper = float(limits.max) if high is None else min(float(limits.max), step(high))
    return clip(data, max(float(limits.min), step(low)), upper)


def activated(node: TfliteNode, data: Expr, result: Operand) -> Expr:
    """``data`` with the activation that the options name, in the steps of ``result`` where it is quantised.

    Raises:
        ConversionError: there is no such activation, or it has no form for quantised numbers.
    """
    name = option_text(_ACTIVATION, node.integer(_ACTIVATION, 0))
    if name == "NONE":
        return data
    if name in _BOUNDS:
        low, high = _BOUNDS[name]
        if result.is_quantized:
            return clip_steps(data, low, high, result, result.dtype)
        return call("nn.relu", data) if high is None else clip(data, low, high)
    if name == "TANH" and not result.is_quantized:
        return call("tanh", data)
    kind = "on quantised tensors" if result.is_quantized else "here"
    raise node.invalid(_ACTIVATION, f"the fused activation {name} is not converted {kind}")
