"""Operators that work element by element: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem
from relay_lsp.ir.types import TensorType

from ...inspection import dtype_of, rank_of, type_of
from ...operators import add, cast, clip, concatenate, divide, expand_dims, multiply, reduce, reshape, subtract
from ..node import MICROSOFT, OnnxNode, converter
from ..tensors import dtype_name
from .shape_values import shape_value

_UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan",
    "Log": "log",
    "Neg": "negative",
    "Not": "logical_not",
    "Relu": "nn.relu",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
_BINARY = {
    "Add": "add",
    "And": "logical_and",
    "Div": "divide",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Mul": "multiply",
    "Or": "logical_or",
    "Sub": "subtract",
    "Xor": "logical_xor",
}


@converter(*_UNARY, becomes=_UNARY)
def unary(node: OnnxNode) -> Expr:
    """The Relay operator of the same meaning."""
    return call(_UNARY[node.operator], node.input())


@converter("Identity")
def identity(node: OnnxNode) -> Expr:
    """``copy``; what is no tensor stays itself."""
    value = node.input()
    return call("copy", value) if isinstance(type_of(value), TensorType) else value


@converter(*_BINARY, becomes=_BINARY)
def binary(node: OnnxNode) -> Expr:
    """The Relay operator of the same meaning; before version 7, ``axis`` aligns the second operand."""
    lhs, rhs = node.input(0), node.input(1)
    if node.opset < 7 and node.int("broadcast", 0) and "axis" in node:
        following = rank_of(lhs) - node.int("axis") % max(rank_of(lhs), 1) - rank_of(rhs)
        if following > 0:
            rhs = expand_dims(rhs, rank_of(rhs), following)
    return call(_BINARY[node.operator], lhs, rhs)


def _fold_left(node: OnnxNode, name: str) -> Expr:
    result = node.input(0)
    for index in range(1, len(node.inputs)):
        result = call(name, result, node.input(index))
    return result


@converter("Sum")
def sum_of_inputs(node: OnnxNode) -> Expr:
    """``add``, input after input."""
    return _fold_left(node, "add")


@converter("Max")
def maximum(node: OnnxNode) -> Expr:
    """``maximum``, input after input."""
    return _fold_left(node, "maximum")


@converter("Min")
def minimum(node: OnnxNode) -> Expr:
    """``minimum``, input after input."""
    return _fold_left(node, "minimum")


@converter("Mean")
def mean_of_inputs(node: OnnxNode) -> Expr:
    """The ``mean`` over the inputs, which must have one shape."""
    if len(node.inputs) == 1:
        return node.input()
    stacked = [expand_dims(node.input(index), 0) for index in range(len(node.inputs))]
    return reduce("mean", concatenate(stacked, 0), 0)


@converter("Mod")
def mod(node: OnnxNode) -> Expr:
    """``floor_mod``, or ``mod`` where ``fmod`` is set."""
    node.require_inputs(2)
    return call("mod" if node.int("fmod", 0) else "floor_mod", node.input(0), node.input(1))


@converter("Pow", since=13)
def power(node: OnnxNode) -> Expr:
    """``power`` of floating-point numbers, cast back where the base is an integer."""
    base, exponent = node.input(0), node.input(1)
    result_dtype = base_dtype = dtype_of(base)
    if not base_dtype.startswith("float"):
        base_dtype = "float32"
        base = cast(base, base_dtype)
    if base_dtype != dtype_of(exponent):
        exponent = cast(exponent, base_dtype)
    result = call("power", base, exponent)
    return result if base_dtype == result_dtype else cast(result, result_dtype)


@converter("Reciprocal")
def reciprocal(node: OnnxNode) -> Expr:
    """``1 / x``."""
    return divide(constant(1.0, node.dtype()), node.input())


@converter("Round", since=11)
def round_half_to_even(node: OnnxNode) -> Expr:
    """Rounding of halves to even numbers, put together of ``ceil`` and ``floor``."""
    x, dtype = node.input(), node.dtype()
    half, one, two = constant(0.5, dtype), constant(1, dtype), constant(2, dtype)
    rounded = call("ceil", subtract(x, half))
    is_half = subtract(one, subtract(call("ceil", add(x, half)), call("floor", add(x, half))))
    is_odd = call("abs", call("mod", rounded, two))
    return add(rounded, multiply(is_half, is_odd))


@converter("IsInf", since=10)
def is_infinite(node: OnnxNode) -> Expr:
    """``isinf``, of one sign where ``detect_negative`` or ``detect_positive`` is 0."""
    x = node.input()
    result = call("isinf", x)
    if not node.int("detect_negative", 1):
        result = multiply(result, call("greater", x, constant(0, node.dtype())))
    if not node.int("detect_positive", 1):
        result = multiply(result, call("less", x, constant(0, node.dtype())))
    return result


@converter("Where", since=9)
def where(node: OnnxNode) -> Expr:
    """``where``."""
    return call("where", node.input(0), node.input(1), node.input(2))


# ---- activations


@converter("LeakyRelu")
def leaky_relu(node: OnnxNode) -> Expr:
    """``nn.leaky_relu``; the slope is ONNX's 0.01 where it is not given."""
    return call("nn.leaky_relu", node.input(), alpha=node.float("alpha", 0.01))


@converter("Elu")
def elu(node: OnnxNode) -> Expr:
    """``relu(x) - alpha * relu(1 - exp(x))``."""
    x, alpha = node.input(), node.float("alpha", 1.0)
    return add(_negative_part(x, alpha), call("nn.relu", x))


def _negative_part(x: Expr, alpha: float) -> Expr:
    dtype = dtype_of(x)
    return multiply(constant(-alpha, dtype), call("nn.relu", subtract(constant(1.0, dtype), call("exp", x))))


@converter("Selu")
def selu(node: OnnxNode) -> Expr:
    """``gamma`` times the ``Elu``."""
    alpha = node.float("alpha", 1.67326319217681884765625)
    gamma = node.float("gamma", 1.05070102214813232421875)
    x = node.input()
    return multiply(constant(gamma, node.dtype()), add(_negative_part(x, alpha), call("nn.relu", x)))


@converter("Celu", since=12)
def celu(node: OnnxNode) -> Expr:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    x, dtype = node.input(), node.dtype()
    alpha = constant(node.float("alpha", 1.0), dtype)
    zero, one = constant(0, dtype), constant(1, dtype)
    grown = multiply(alpha, subtract(call("exp", divide(x, alpha)), one))
    return add(call("maximum", zero, x), call("minimum", zero, grown))


@converter("PRelu")
def prelu(node: OnnxNode) -> Expr:
    """``nn.prelu`` of the flattened input, the slope broadcast to it."""
    node.require_inputs(2)
    x = node.input(0)
    shape = shape_value(x)
    slope = reshape(call("broadcast_to_like", node.input(1), x), [-1])
    return reshape(call("nn.prelu", reshape(x, [-1]), slope, axis=0), shape)


@converter("ThresholdedRelu")
def thresholded_relu(node: OnnxNode) -> Expr:
    """``x`` times a mask of what is greater than ``alpha``."""
    x = node.input()
    limit = call("full_like", x, constant(node.float("alpha", 1.0), node.dtype()))
    return multiply(x, cast(call("greater", x, limit), node.dtype()))


@converter("Gelu", domain=MICROSOFT)
def gelu(node: OnnxNode) -> Expr:
    """``x / 2 * (1 + erf(x / sqrt(2)))``, or by ``tanh`` where ``approximate`` says so."""
    if node.string("approximate", "none") == "tanh":
        return _tanh_gelu(node.input())
    return gelu_of(node.input())


def gelu_of(x: Expr) -> Expr:
    """The Gaussian error linear unit of an expression."""
    dtype = dtype_of(x)
    half, one, root = constant(0.5, dtype), constant(1.0, dtype), constant(math.sqrt(2), dtype)
    scaled = multiply(half, x)
    return multiply(scaled, add(one, call("erf", divide(x, root))))


@converter("FastGelu", domain=MICROSOFT)
def fast_gelu(node: OnnxNode) -> Expr:
    """The ``Gelu`` by ``tanh``, of the input with a bias."""
    x, bias = node.input(), node[1]
    return _tanh_gelu(x if bias is None else add(x, bias))


def _tanh_gelu(x: Expr) -> Expr:
    dtype = dtype_of(x)
    half, one = constant(0.5, dtype), constant(1.0, dtype)
    linear = constant(math.sqrt(2 / math.pi), dtype)
    cubic = constant(0.044715 * math.sqrt(2 / math.pi), dtype)
    scaled = multiply(half, x)
    argument = add(multiply(linear, x), multiply(cubic, call("power", x, constant(3, dtype))))
    return multiply(scaled, add(one, call("tanh", argument)))


@converter("BiasGelu", domain=MICROSOFT)
def bias_gelu(node: OnnxNode) -> Expr:
    """The ``Gelu`` of the input with a bias."""
    return gelu_of(add(node.input(0), node.input(1)))


@converter("HardSigmoid")
def hard_sigmoid(node: OnnxNode) -> Expr:
    """``clip(alpha * x + beta, 0, 1)``."""
    return clip(_linear(node, 0.2, 0.5), 0, 1)


def _linear(node: OnnxNode, alpha: float, beta: float) -> Expr:
    scaled = multiply(node.input(), constant(node.float("alpha", alpha), node.dtype()))
    return add(scaled, constant(node.float("beta", beta), node.dtype()))


@converter("HardSwish", since=14)
def hard_swish(node: OnnxNode) -> Expr:
    """``x * clip(x / 6 + 0.5, 0, 1)``."""
    return multiply(node.input(), clip(_linear(node, 1 / 6, 0.5), 0, 1))


@converter("Softplus")
def softplus(node: OnnxNode) -> Expr:
    """``log(exp(x) + 1)``."""
    return call("log", add(call("exp", node.input()), constant(1, node.dtype())))


@converter("ParametricSoftplus")
def parametric_softplus(node: OnnxNode) -> Expr:
    """``alpha * log(exp(beta * x) + 1)``."""
    dtype = node.dtype()
    alpha, beta = constant(node.float("alpha", 1.0), dtype), constant(node.float("beta", 1.0), dtype)
    return multiply(call("log", add(call("exp", multiply(beta, node.input())), constant(1.0, dtype))), alpha)


@converter("Softsign")
def softsign(node: OnnxNode) -> Expr:
    """``x / (1 + abs(x))``."""
    return divide(node.input(), add(constant(1.0, node.dtype()), call("abs", node.input())))


@converter("ScaledTanh")
def scaled_tanh(node: OnnxNode) -> Expr:
    """``alpha * tanh(beta * x)``."""
    alpha, beta = (constant(node.float(name, 1.0), node.dtype()) for name in ("alpha", "beta"))
    return multiply(call("tanh", multiply(beta, node.input())), alpha)


@converter("Affine")
def affine(node: OnnxNode) -> Expr:
    """``alpha * x + beta``."""
    alpha, beta = constant(node.float("alpha", 1.0), node.dtype()), constant(node.float("beta", 0.0), node.dtype())
    return add(multiply(alpha, node.input()), beta)


@converter("Scale")
def scale(node: OnnxNode) -> Expr:
    """``x * scale``."""
    return multiply(node.input(), constant(node.float("scale", 1.0), node.dtype()))


@converter("Shrink", since=9)
def shrink(node: OnnxNode) -> Expr:
    """``x`` brought nearer to 0 by ``bias`` outside ``lambd``, and 0 inside."""
    x, dtype = node.input(), node.dtype()
    limit, bias = constant(node.float("lambd", 0.5), dtype), constant(node.float("bias", 0.0), dtype)
    zeros = call("zeros_like", x)
    below = call("where", call("less", x, call("negative", limit)), add(x, bias), zeros)
    return add(below, call("where", call("greater", x, limit), subtract(x, bias), zeros))


@converter("Clip")
def clip_to_attributes(node: OnnxNode) -> Expr:
    """``clip`` to the attributes ``min`` and ``max``."""
    return clip(node.input(), node.float("min", -math.inf), node.float("max", math.inf))


@converter("Clip", since=11)
def clip_to_inputs(node: OnnxNode) -> Expr:
    """``clip`` to constant inputs, else ``maximum`` and ``minimum``."""
    low, high = node[1], node[2]
    if isinstance(low, Constant) and isinstance(high, Constant):
        return clip(node.input(), low.data.item(), high.data.item())
    result = node.input()
    if low is not None:
        result = call("maximum", result, low)
    return result if high is None else call("minimum", result, high)


@converter("Dropout")
def dropout(node: OnnxNode) -> Expr:
    """``nn.dropout``, of which the first result is the value; the mask is of training alone."""
    rate = node.float("ratio", 0.5)
    if node[2] is not None and np.any(node.known_value(node.input(2))):
        node.warn("training-mode", "nothing is dropped: the module is of inference alone")
    known = None if node[1] is None else node.known_value(node.input(1))
    if known is not None:
        rate = float(known.reshape(-1)[0])
    return TupleGetItem(call("nn.dropout", node.input(), rate=rate), 0)


# ---- casts


@converter("Cast")
def cast_to_name(node: OnnxNode) -> Expr:
    """``cast`` to the dtype of that name."""
    return cast(node.input(), node.string("to").lower())


@converter("Cast", since=6)
def cast_to_number(node: OnnxNode) -> Expr:
    """``cast`` to the dtype that ONNX numbers so."""
    return cast(node.input(), dtype_name(node.int("to")))


@converter("CastLike", since=15)
def cast_like(node: OnnxNode) -> Expr:
    """``cast_like``."""
    return call("cast_like", node.input(0), node.input(1))
