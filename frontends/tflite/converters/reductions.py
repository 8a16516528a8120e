"""Reductions, and the places of the largest and smallest elements."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...operators import cast, reduce
from ..node import TfliteNode, converter
from ..quantized import dequantized, quantize, requantized_like

_REDUCTIONS = {
    "MEAN": "mean",
    "REDUCE_ANY": "any",
    "REDUCE_MAX": "max",
    "REDUCE_MIN": "min",
    "REDUCE_PROD": "prod",
    "SUM": "sum",
}
_STEPWISE = ("MEAN", "REDUCE_MAX", "REDUCE_MIN")
"""What may be done to quantised numbers as they are: a zero point stays what stands for zero."""


@converter(*_REDUCTIONS, becomes=_REDUCTIONS)
def reduction(node: TfliteNode) -> Expr:
    """A reduction over axes; sums and products of quantised tensors are dequantised, where TVM takes the integers."""
    node.require_inputs(2)
    tensor, result = node.input(0), node.output
    name, axes, keepdims = _REDUCTIONS[node.operator], node.input(1).numbers, bool(node.integer("keep_dims", 0))
    if not axes:  # Relay reduces all dimensions where none is named.
        return requantized_like(tensor.expr, tensor, result)
    if not tensor.is_quantized:
        return reduce(name, tensor.expr, axes, keepdims)
    if node.operator not in _STEPWISE and (tensor.zero_point.data or name == "prod"):
        made = reduce(name, dequantized(tensor), axes, keepdims)
        return quantize(made, result) if result.is_quantized else made
    return requantized_like(reduce(name, cast(tensor.expr, "int32"), axes, keepdims), tensor, result)


_PLACES = {"ARG_MAX": "argmax", "ARG_MIN": "argmin"}


@converter(*_PLACES, becomes=_PLACES)
def place(node: TfliteNode) -> Expr:
    """The place of an element along an axis, as ``int32``, and a ``cast`` where the model has it in ``int64``."""
    node.require_inputs(2)
    axis = int(node.input(1).scalar)
    made = call(_PLACES[node.operator], node.input(0).expr, axis=[axis], keepdims=False, exclude=False)
    return made if node.output.dtype == "int32" else cast(made, node.output.dtype)
