"""Activations."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, TupleGetItem

from ...inspection import dtype_of, rank_of
from ...operators import add, broadcast_to, clip, divide, multiply, split, subtract
from ..node import TorchNode, converter
from ..values import dtype_of_code
from .elementwise import floating, log_of_one_more
from .quantization import dequantized, is_quantized, quantized


@converter("aten::relu")
def relu(node: TorchNode) -> Expr:
    """``nn.relu``; of quantised numbers the ``maximum`` with their zero point."""
    data = node.tensor()
    if is_quantized(node):
        zero_point = constant(node.integer(len(node) - 1), "int32")
        return call("maximum", data, call("cast", zero_point, dtype="uint8"))
    return call("nn.relu", data)


@converter("aten::threshold")
def threshold(node: TorchNode) -> Expr:
    """``nn.relu``; with another threshold or value than 0, which TVM does not look at, a ``where``."""
    data = node.tensor()
    bound, value = node.number(1, 0.0), node.number(2, 0.0)
    if bound == 0 and value == 0:
        return call("nn.relu", data)
    dtype = dtype_of(data)
    return call(
        "where", call("greater", data, constant(bound, dtype)), data, call("full_like", data, constant(value, dtype))
    )


@converter("aten::relu6")
def relu6(node: TorchNode) -> Expr:
    """``clip`` between 0 and 6."""
    return clip(node.tensor(), 0.0, 6.0)


@converter("aten::hardtanh")
def hardtanh(node: TorchNode) -> Expr:
    """``clip``."""
    return clip(node.tensor(), node.number(1, -1.0), node.number(2, 1.0))


@converter("aten::prelu", "aten::_prelu_kernel")
def prelu(node: TorchNode) -> Expr:
    """``nn.prelu``, its slopes brought to the number of channels."""
    data, shape = node.tensor(), node.shape()
    axis = 0 if len(shape) == 1 else 1
    slopes = node.tensor(1)
    if rank_of(slopes) > 1:
        slopes = call("reshape", slopes, newshape=[-1])
    return call("nn.prelu", data, broadcast_to(slopes, [shape[axis]]), axis=axis)


@converter("aten::leaky_relu")
def leaky_relu(node: TorchNode) -> Expr:
    """``nn.leaky_relu``."""
    return call("nn.leaky_relu", node.tensor(), alpha=node.number(1, 0.01))


@converter("aten::elu")
def elu(node: TorchNode) -> Expr:
    """``-alpha * relu(1 - exp(x)) + relu(x)``, scaled where the program says so."""
    data, dtype = node.tensor(), node.dtype()
    scale, of_input = node.number(2, 1.0), node.number(3, 1.0)
    alpha = constant(-node.number(1, 1.0), dtype)
    inner = data if of_input == 1 else multiply(constant(of_input, dtype), data)
    negative = multiply(alpha, call("nn.relu", subtract(constant(1, dtype), call("exp", inner))))
    result = add(negative, call("nn.relu", data))
    return result if scale == 1 else multiply(constant(scale, dtype), result)


@converter("aten::celu")
def celu(node: TorchNode) -> Expr:
    """``-alpha * relu(1 - exp(x / alpha)) + relu(x)``; TVM has the first sign the other way."""
    data, dtype = node.tensor(), node.dtype()
    alpha = constant(node.number(1, 1.0), dtype)
    inner = call("nn.relu", subtract(constant(1, dtype), call("exp", divide(data, alpha))))
    return add(multiply(call("negative", alpha), inner), call("nn.relu", data))


@converter("aten::selu")
def selu(node: TorchNode) -> Expr:
    """``gamma * (-alpha * relu(1 - exp(x)) + relu(x))``."""
    data, dtype = node.tensor(), node.dtype()
    alpha = constant(-1.6732632423543772848170429916717, dtype)
    gamma = constant(1.0507009873554804934193349852946, dtype)
    negative = multiply(alpha, call("nn.relu", subtract(constant(1.0, dtype), call("exp", data))))
    return multiply(gamma, add(negative, call("nn.relu", data)))


@converter("aten::gelu")
def gelu(node: TorchNode) -> Expr:
    """``x * (0.5 + erf(x * sqrt(0.5)) * 0.5)``; the approximation by ``tanh``, which TVM does not look at, as such."""
    data, dtype = node.tensor(), node.dtype()
    if node.text(1, "none") == "tanh":
        cubic = multiply(constant(0.044715, dtype), call("power", data, constant(3, dtype)))
        inner = multiply(constant((2 / 3.141592653589793) ** 0.5, dtype), add(data, cubic))
        bent = add(constant(1.0, dtype), call("tanh", inner))
        return multiply(multiply(constant(0.5, dtype), data), bent)
    error = call("erf", multiply(data, constant(0.5**0.5, dtype)))
    return multiply(data, add(constant(0.5, dtype), multiply(error, constant(0.5, dtype))))


@converter("aten::silu")
def silu(node: TorchNode) -> Expr:
    """``x * sigmoid(x)``."""
    return multiply(node.tensor(), call("sigmoid", node.tensor()))


@converter("aten::mish")
def mish(node: TorchNode) -> Expr:
    """``x * tanh(log(1 + exp(x)))``."""
    data, dtype = node.tensor(), node.dtype()
    return multiply(data, call("tanh", log_of_one_more(call("exp", data), dtype)))


@converter("aten::glu")
def glu(node: TorchNode) -> Expr:
    """One half times the ``sigmoid`` of the other."""
    first, second = split(node.tensor(), 2, node.integer(1, -1))
    return multiply(first, call("sigmoid", second))


@converter("aten::log_sigmoid", "aten::log_sigmoid_forward")
def log_sigmoid(node: TorchNode) -> Expr | tuple[Expr, None]:
    """``minimum(0, x) - log(exp(-abs(x)) + 1)``."""
    data, dtype = node.tensor(), node.dtype()
    smaller = call("minimum", constant(0, dtype), data)
    result = subtract(smaller, log_of_one_more(call("exp", call("negative", call("abs", data))), dtype))
    return (result, None) if node.operator.endswith("forward") else result


@converter("aten::softplus")
def softplus(node: TorchNode) -> Expr:
    """``log(exp(x * beta) + 1) / beta``; the threshold from which on PyTorch gives ``x`` is left out, as in TVM."""
    dtype = node.dtype()
    beta = constant(node.number(1, 1.0), dtype)
    return divide(call("log", add(call("exp", multiply(node.tensor(), beta)), constant(1.0, dtype))), beta)


@converter("aten::sigmoid")
def sigmoid(node: TorchNode) -> Expr:
    """``sigmoid``; ``qnn.sigmoid`` of quantised numbers."""
    if is_quantized(node):
        node.require(len(node) == 5, "the scale and zero point of the quantised input are not known")
        out_scale, out_zero, scale, zero_point = (node.tensor(index) for index in (1, 2, 3, 4))
        return call("qnn.sigmoid", node.tensor(), scale, zero_point, out_scale, out_zero)
    return call("sigmoid", floating(node, node.tensor()))


def _hard_sigmoid(data: Expr) -> Expr:
    dtype = dtype_of(data)
    return divide(clip(add(data, constant(3.0, dtype)), 0.0, 6.0), constant(6.0, dtype))


@converter("aten::hardsigmoid")
def hard_sigmoid(node: TorchNode) -> Expr:
    """``clip(x + 3, 0, 6) / 6``, of quantised numbers between ``qnn.dequantize`` and ``qnn.quantize``."""
    if is_quantized(node):
        scale, zero_point = node.tensor(1), node.tensor(2)
        return quantized(_hard_sigmoid(dequantized(node.tensor(), scale, zero_point, 1)), scale, zero_point)
    return _hard_sigmoid(node.tensor())


@converter("aten::hardswish")
def hard_swish(node: TorchNode) -> Expr:
    """``x * clip(x + 3, 0, 6) / 6``."""
    return multiply(node.tensor(), hard_sigmoid(node))


@converter("aten::softmax", "aten::_softmax")
def softmax(node: TorchNode) -> Expr:
    """``nn.softmax``."""
    return call("nn.softmax", _in_dtype(node), axis=node.integer(1))


@converter("aten::log_softmax", "aten::_log_softmax")
def log_softmax(node: TorchNode) -> Expr:
    """``nn.log_softmax``."""
    return call("nn.log_softmax", _in_dtype(node), axis=node.integer(1))


def _in_dtype(node: TorchNode) -> Expr:
    """The input in the dtype that the operator is asked to compute in, at which TVM does not look."""
    code, data = node[2], node.tensor()
    if node.operator.startswith("aten::_") or not isinstance(code, int) or isinstance(code, bool):
        return data
    dtype = dtype_of_code(code)
    return data if dtype == dtype_of(data) else call("cast", data, dtype=dtype)


@converter("aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::native_dropout")
def dropout(node: TorchNode) -> Expr | tuple[Expr, None]:
    """``nn.dropout``, which does nothing outside of training."""
    if node.flag(2):
        node.warn("training-mode", "nothing is dropped: the program drops elements at random")
    result = TupleGetItem(call("nn.dropout", node.tensor(), rate=node.number(1, 0.5)), 0)
    return (result, None) if node.operator.startswith("aten::native") else result
