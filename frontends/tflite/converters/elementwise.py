"""Operators that work on each element: arithmetic with a fused activation, and functions of one number."""

from __future__ import annotations

from functools import reduce

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...operators import add
from ..node import TfliteNode, converter
from ..quantized import activated, dequantized, quantize, same_steps

__all__ = ["binary"]

_UNARY = {
    "ABS": "abs",
    "CEIL": "ceil",
    "COS": "cos",
    "EXP": "exp",
    "FLOOR": "floor",
    "LOG": "log",
    "NEG": "negative",
    "ROUND": "round",
    "RSQRT": "rsqrt",
    "SIN": "sin",
    "SQRT": "sqrt",
    "TAN": "tan",
    "TANH": "tanh",
    "LOGISTIC": "sigmoid",
}


@converter(*_UNARY, becomes=_UNARY)
def unary(node: TfliteNode) -> Expr:
    """The function of dequantised numbers, quantised again where the result is."""
    node.require_inputs(1)
    result = call(_UNARY[node.operator], dequantized(node.input()))
    return quantize(result, node.output) if node.output.is_quantized else result


@converter("SQUARE")
def square(node: TfliteNode) -> Expr:
    """``power`` with 2; not of quantised tensors."""
    node.require_inputs(1)
    node.require_float()
    return call("power", node.input().expr, constant(2, node.output.dtype))


def binary(node: TfliteNode, operator: str) -> Expr:
    """An operator of two tensors that are not quantised, and the activation that is fused with it."""
    node.require_inputs(2)
    return activated(node, call(operator, node.input(0).expr, node.input(1).expr), node.output)


_ARITHMETIC = {"ADD": ("add", "qnn.add"), "SUB": ("subtract", "qnn.subtract"), "MUL": ("multiply", "qnn.mul")}


@converter(*_ARITHMETIC)
def arithmetic(node: TfliteNode) -> Expr:
    """``add``, ``subtract``, ``multiply``; ``qnn.add``, ``qnn.subtract``, ``qnn.mul`` of quantised tensors."""
    node.require_inputs(2)
    plain, quantized = _ARITHMETIC[node.operator]
    if not node.is_quantized:
        return binary(node, plain)
    lhs, rhs, result = node.input(0), node.input(1), node.output
    made = call(
        quantized,
        lhs.expr,
        rhs.expr,
        lhs.scale,
        lhs.zero_point,
        rhs.scale,
        rhs.zero_point,
        result.scale,
        result.zero_point,
    )
    return activated(node, made, result)


_FLOATING = {"DIV": "divide", "POW": "power", "FLOOR_DIV": "floor_divide", "FLOOR_MOD": "floor_mod"}


@converter(*_FLOATING, becomes=_FLOATING)
def floating(node: TfliteNode) -> Expr:
    """Arithmetic that has no form for quantised tensors."""
    node.require_float()
    return binary(node, _FLOATING[node.operator])


@converter("ADD_N")
def add_n(node: TfliteNode) -> Expr:
    """``add``, one tensor after the other; not of quantised ones."""
    if not node.inputs:
        raise ConversionError("ADD_N takes a tensor or more", code="missing-model-input")
    node.require_float()
    return reduce(add, (node.input(index).expr for index in range(len(node.inputs))))


@converter("SQUARED_DIFFERENCE")
def squared_difference(node: TfliteNode) -> Expr:
    """``power`` of ``subtract`` with 2; not of quantised tensors."""
    node.require_float()
    return call("power", binary(node, "subtract"), constant(2, node.output.dtype))


_EXTREMES = {"MAXIMUM": "maximum", "MINIMUM": "minimum"}


@converter(*_EXTREMES, becomes=_EXTREMES)
def extreme(node: TfliteNode) -> Expr:
    """The larger or smaller of two; quantised tensors of other steps than the result are dequantised, TVM refuses."""
    node.require_inputs(2)
    lhs, rhs, result = node.input(0), node.input(1), node.output
    if node.is_quantized and not (same_steps(lhs, result) and same_steps(rhs, result)):
        return quantize(call(_EXTREMES[node.operator], dequantized(lhs), dequantized(rhs)), result)
    return call(_EXTREMES[node.operator], lhs.expr, rhs.expr)


_LOGICAL = {"LOGICAL_AND": "logical_and", "LOGICAL_OR": "logical_or"}


@converter(*_LOGICAL, becomes=_LOGICAL)
def logical(node: TfliteNode) -> Expr:
    """An operator of two truth values."""
    node.require_inputs(2)
    return call(_LOGICAL[node.operator], node.input(0).expr, node.input(1).expr)


@converter("LOGICAL_NOT")
def logical_not(node: TfliteNode) -> Expr:
    """``logical_not``."""
    node.require_inputs(1)
    return call("logical_not", node.input().expr)
