"""Operators that compute each element on its own, in the dtype that PyTorch promotes their inputs to."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...inspection import dtype_of
from ...operators import Outputs, add, cast, clip, divide, multiply, subtract
from ...recurrent import unbind
from ..node import TorchNode, as_expr, converter
from ..runtime_lists import RuntimeList
from ..values import Number, TorchResult, dtype_of_code
from .lists import joined_lists, repeated_list

_BINARY = {
    "aten::mul": "multiply",
    "aten::multiply": "multiply",
    "aten::pow": "power",
    "aten::floor_divide": "floor_divide",
    "aten::fmod": "trunc_mod",
    "aten::remainder": "floor_mod",
    "aten::maximum": "maximum",
    "aten::minimum": "minimum",
    "aten::lt": "less",
    "aten::gt": "greater",
    "aten::le": "less_equal",
    "aten::ge": "greater_equal",
    "aten::ne": "not_equal",
    "aten::eq": "equal",
    "aten::__ior__": "bitwise_or",
    "aten::__iand__": "bitwise_and",
    "aten::__ixor__": "bitwise_xor",
    "aten::__or__": "bitwise_or",
    "aten::__xor__": "bitwise_xor",
    "aten::__lshift__": "left_shift",
    "aten::__rshift__": "right_shift",
    "aten::bitwise_or": "bitwise_or",
    "aten::bitwise_and": "bitwise_and",
    "aten::bitwise_left_shift": "left_shift",
    "aten::bitwise_right_shift": "right_shift",
}


@converter(*_BINARY, becomes=_BINARY)
def binary(node: TorchNode) -> TorchResult:
    """The Relay operator of the same meaning."""
    if node.operator == "aten::mul" and isinstance(node[0], (list, RuntimeList)):
        return repeated_list(node)
    return call(
        _BINARY[node.operator.removesuffix("_") if node.operator not in _BINARY else node.operator],
        *node.promoted(0, 1),
    )


_UNARY = {
    "aten::abs": "abs",
    "aten::neg": "negative",
    "aten::trunc": "trunc",
    "aten::sign": "sign",
    "aten::ceil": "ceil",
    "aten::floor": "floor",
    "aten::isfinite": "isfinite",
    "aten::isinf": "isinf",
    "aten::isnan": "isnan",
}
_FLOATING = {
    "aten::cos": "cos",
    "aten::cosh": "cosh",
    "aten::sin": "sin",
    "aten::sinh": "sinh",
    "aten::tan": "tan",
    "aten::tanh": "tanh",
    "aten::acos": "acos",
    "aten::acosh": "acosh",
    "aten::asin": "asin",
    "aten::asinh": "asinh",
    "aten::atan": "atan",
    "aten::atanh": "atanh",
    "aten::log": "log",
    "aten::log2": "log2",
    "aten::log10": "log10",
    "aten::exp": "exp",
    "aten::erf": "erf",
    "aten::sqrt": "sqrt",
    "aten::rsqrt": "rsqrt",
}


def _unary_name(node: TorchNode) -> str:
    return node.operator if node.operator in _UNARY or node.operator in _FLOATING else node.operator.removesuffix("_")


@converter(*_UNARY, becomes=_UNARY)
def unary(node: TorchNode) -> Expr:
    """The Relay operator of the same meaning."""
    return call(_UNARY[_unary_name(node)], node.promoted(0)[0])


@converter("aten::round")
def rounded(node: TorchNode) -> Expr:
    """``round``, of the number times a power of ten where decimals are asked for, at which TVM does not look."""
    data, decimals = node.promoted(0)[0], node.integer(1, 0)
    if decimals == 0 or "float" not in dtype_of(data):
        return call("round", data)
    factor = constant(10.0 ** abs(decimals), dtype_of(data))
    if decimals > 0:
        return divide(call("round", multiply(data, factor)), factor)
    return multiply(call("round", divide(data, factor)), factor)


def floating(node: TorchNode, data: Expr) -> Expr:
    """``data`` as a floating-point number: PyTorch promotes integers so, and TVM computes in integers."""
    dtype = dtype_of(data)
    return data if "float" in dtype else cast(data, node.model.default_dtype)


@converter(*_FLOATING, becomes=_FLOATING)
def floating_unary(node: TorchNode) -> Expr:
    """The Relay operator of the same meaning."""
    return call(_FLOATING[_unary_name(node)], floating(node, node.promoted(0)[0]))


@converter("aten::add")
def add_(node: TorchNode) -> TorchResult:
    """``add``; a factor of the second input (``alpha``), which TVM leaves out, becomes a ``multiply``."""
    if isinstance(node[0], (list, RuntimeList)):
        return joined_lists(node)
    if node[2] is None or node[2] == 1:
        return add(*node.promoted(0, 1))
    first, second, alpha = node.promoted(0, 1, 2)
    return add(first, multiply(alpha, second))


@converter("aten::sub")
def sub(node: TorchNode) -> Expr:
    """``subtract``, and a ``multiply`` by ``alpha``."""
    if len(node) < 3:
        return subtract(*node.promoted(0, 1))
    first, second, alpha = node.promoted(0, 1, 2)
    return subtract(first, multiply(alpha, second))


@converter("aten::rsub")
def rsub(node: TorchNode) -> Expr:
    """``subtract`` the other way round, and a ``multiply`` by ``alpha``."""
    first, second, alpha = node.promote(
        [node[0], node[1], 1 if node[2] is None else node[2]], [node.dtype(0), node.dtype(1), node.dtype(2)]
    )
    return subtract(second, multiply(alpha, first))


@converter("aten::div", "aten::true_divide", "aten::divide")
def div(node: TorchNode) -> Expr:
    """``divide``, of integers in ``float32``; rounded as ``rounding_mode`` says, which TVM does not look at."""
    rounding = node[2] if isinstance(node[2], str) else None
    integral = all(_is_integral(node, index) for index in (0, 1))
    if rounding == "floor":
        return call("floor_divide", *node.promoted(0, 1))
    if rounding == "trunc":
        first, second = node.promoted(0, 1)
        return divide(first, second) if integral else call("trunc", divide(first, second))
    if not integral:
        return divide(*node.promoted(0, 1))
    return divide(*(_as_float(node, index) for index in (0, 1)))


def _is_integral(node: TorchNode, index: int) -> bool:
    """Whether an input is a whole number or a truth value, or a tensor of them."""
    value = node[index]
    return isinstance(value, int) if isinstance(value, (int, float)) else "float" not in node.dtype(index)


def _as_float(node: TorchNode, index: int) -> Expr:
    value = node[index]
    if isinstance(value, (bool, int, float)):
        return constant(value, "float32")
    return cast(as_expr(value), "float32")


@converter("aten::log1p")
def log1p(node: TorchNode) -> Expr:
    """``log(x + 1)``."""
    data = floating(node, node.tensor())
    return log_of_one_more(data, dtype_of(data))


def log_of_one_more(data: Expr, dtype: str) -> Expr:
    """``log(data + 1)``."""
    return call("log", add(data, constant(1, dtype)))


@converter("aten::expm1")
def expm1(node: TorchNode) -> Expr:
    """``exp(x) - 1``."""
    data = floating(node, node.tensor())
    return subtract(call("exp", data), constant(1, dtype_of(data)))


@converter("aten::exp2")
def exp2(node: TorchNode) -> Expr:
    """``power(2, x)``."""
    data = floating(node, node.tensor())
    return call("power", constant(2.0, dtype_of(data)), data)


@converter("aten::erfc")
def erfc(node: TorchNode) -> Expr:
    """``1 - erf(x)``."""
    data = floating(node, node.tensor())
    return subtract(constant(1.0, dtype_of(data)), call("erf", data))


@converter("aten::frac")
def frac(node: TorchNode) -> Expr:
    """``x - trunc(x)``."""
    return subtract(node.tensor(), call("trunc", node.tensor()))


@converter("aten::logit")
def logit(node: TorchNode) -> Expr:
    """``log(x / (1 - x))``, with ``clip`` before where a bound is given."""
    data, dtype = node.tensor(), node.dtype()
    if node[1] is not None:
        data = clip(data, node.number(1), 1 - node.number(1))
    return call("log", divide(data, subtract(constant(1.0, dtype), data)))


@converter("aten::hypot")
def hypot(node: TorchNode) -> Expr:
    """``sqrt(a * a + b * b)``."""
    first, second = node.promoted(0, 1)
    return call("sqrt", add(multiply(first, first), multiply(second, second)))


@converter("aten::logaddexp")
def logaddexp(node: TorchNode) -> Expr:
    """``max(a, b) + log(1 + exp(-abs(a - b)))``."""
    first, second = node.promoted(0, 1)
    apart = call("negative", call("abs", subtract(first, second)))
    return add(call("maximum", first, second), log_of_one_more(call("exp", apart), dtype_of(first)))


@converter("aten::nan_to_num")
def nan_to_num(node: TorchNode) -> Expr:
    """``where`` for what is no number, and ``clip`` for what is infinite."""
    data, dtype = node.tensor(), node.dtype()
    if "float" not in dtype:
        return data
    info = np.finfo(dtype)
    data = call("where", call("isnan", data), constant(node.number(1, 0.0), dtype), data)
    for index, sign, limit in ((2, 1.0, float(info.max)), (3, -1.0, float(info.min))):
        infinite = call("equal", data, constant(sign * np.inf, dtype))
        data = call("where", infinite, constant(node.number(index, limit), dtype), data)
    return data


@converter("aten::square")
def square(node: TorchNode) -> Expr:
    """``power(x, 2)``."""
    return call("power", node.tensor(), constant(2, node.dtype()))


@converter("aten::lerp")
def lerp(node: TorchNode) -> Expr:
    """``start + weight * (end - start)``."""
    start, end, weight = node.promoted(0, 1, 2)
    return add(start, multiply(weight, subtract(end, start)))


@converter("aten::reciprocal")
def reciprocal(node: TorchNode) -> Expr:
    """``1 / x``."""
    data = floating(node, node.tensor())
    return divide(constant(1.0, dtype_of(data)), data)


@converter("aten::addcdiv")
def addcdiv(node: TorchNode) -> Expr:
    """``x + value * (a / b)``."""
    data, first, second, value = node.promoted(0, 1, 2, 3)
    return add(data, multiply(value, divide(first, second)))


@converter("aten::addcmul")
def addcmul(node: TorchNode) -> Expr:
    """``x + value * (a * b)``."""
    data, first, second, value = node.promoted(0, 1, 2, 3)
    return add(data, multiply(value, multiply(first, second)))


# ---- truth values


@converter("aten::bitwise_not")
def bitwise_not(node: TorchNode) -> Expr:
    """``logical_not`` of truth values, ``bitwise_not`` of integers, which TVM takes as ``int32``."""
    data = node.tensor()
    if node.dtype() == "bool":
        return call("logical_not", cast(data, "bool"))
    return call("bitwise_not", data if node.is_exported else cast(data, "int32"))


@converter("aten::bitwise_xor")
def bitwise_xor(node: TorchNode) -> Expr:
    """``bitwise_xor`` of truth values, or of integers, which TVM takes as ``int32``."""
    if node.is_exported:
        return call("bitwise_xor", *node.promoted(0, 1))
    sides = [cast(node.tensor(i), "bool" if node.dtype(i) == "bool" else "int32") for i in (0, 1)]
    return call("bitwise_xor", *sides)


@converter("aten::logical_not", "aten::__not__")
def logical_not(node: TorchNode) -> Expr | bool:
    """``logical_not``."""
    if isinstance(node[0], (bool, int)):
        return not node[0]
    return call("logical_not", cast(node.tensor(), "bool"))


@converter("aten::logical_and", becomes={"aten::logical_and": "logical_and"})
def logical_and(node: TorchNode) -> Expr:
    """``logical_and``."""
    return call("logical_and", cast(node.tensor(0), "bool"), cast(node.tensor(1), "bool"))


@converter("aten::__and__")
def and_(node: TorchNode) -> Expr:
    """``logical_and`` of truth values, and ``bitwise_and`` of integers, which TVM takes for truth values."""
    if all(node.dtype(index) == "bool" for index in (0, 1)):
        return logical_and(node)
    return call("bitwise_and", *node.promoted(0, 1))


@converter("aten::logical_or", becomes={"aten::logical_or": "logical_or"})
def logical_or(node: TorchNode) -> Expr:
    """``logical_or``."""
    return call("logical_or", cast(node.tensor(0), "bool"), cast(node.tensor(1), "bool"))


@converter("aten::logical_xor", becomes={"aten::logical_xor": "logical_xor"})
def logical_xor(node: TorchNode) -> Expr:
    """``logical_xor``."""
    return call("logical_xor", cast(node.tensor(0), "bool"), cast(node.tensor(1), "bool"))


def places_of(node: TorchNode) -> Expr:
    """Where the first input is not zero, a row for each place: as ``int32`` in TVM, as ``int64`` in PyTorch."""
    places = call("argwhere", node.tensor())
    return cast(places, "int64") if node.is_exported else places


@converter("aten::where")
def where(node: TorchNode) -> Expr | Outputs:
    """``where``; of a condition alone the indices at which it holds."""
    if len(node) == 1:
        return unbind(places_of(node), 1)
    first, second = node.promoted(1, 2)
    return call("where", node.tensor(0), first, second)


# ---- bounds


@converter("aten::clamp", "aten::clip")
def clamp(node: TorchNode) -> Expr:
    """``clip``; ``maximum`` and ``minimum`` where a bound is a tensor that is not known."""
    return clipped(node, 1, 2)


@converter("aten::clamp_min")
def clamp_min(node: TorchNode) -> Expr:
    """``clip`` with a lower bound."""
    return clipped(node, 1, None)


@converter("aten::clamp_max")
def clamp_max(node: TorchNode) -> Expr:
    """``clip`` with an upper bound."""
    return clipped(node, None, 1)


def clipped(node: TorchNode, lower: int | None, upper: int | None) -> Expr:
    """The first input between the bounds at two places; where there is none, between those of its dtype."""
    data = node.tensor()
    if any(isinstance(node[index], float) for index in (lower, upper) if index is not None):
        data = floating(node, data)
    dtype = dtype_of(data)
    info = np.finfo(dtype) if "float" in dtype else np.iinfo(dtype)
    bounds: list[float] = [float(info.min), float(info.max)]
    for side, index in enumerate((lower, upper)):
        if index is None or node[index] is None:
            continue
        known = node.known(node[index])
        if known is None or np.size(known) != 1:
            return _clipped_by_tensors(node, lower, upper)
        bounds[side] = float(np.asarray(known).reshape(-1)[0])
    return call("clip", data, a_min=bounds[0], a_max=bounds[1])


def _clipped_by_tensors(node: TorchNode, lower: int | None, upper: int | None) -> Expr:
    result = node.tensor()
    for name, index in (("maximum", lower), ("minimum", upper)):
        if index is not None and node[index] is not None:
            result = call(name, *node.promote([result, node[index]], [dtype_of(result), node.dtype(index)]))
    return result


# ---- dtypes and copies


@converter("aten::type_as")
def type_as(node: TorchNode) -> Expr:
    """``cast``."""
    return cast(node.tensor(0), node.dtype(1))


@converter("aten::to")
def to(node: TorchNode) -> Expr | Number:
    """``cast``, where the dtype is another one."""
    code = node[1] if node[1] is not None and not isinstance(node[1], str) else node[2]
    if isinstance(code, Expr):
        return _cast_to(node, node.dtype(1))
    if isinstance(code, bool) or not isinstance(code, int):
        return _unchanged(node)
    return _cast_to(node, dtype_of_code(code))


def _unchanged(node: TorchNode) -> Expr | Number:
    value = node[0]
    return value if isinstance(value, (bool, int, float)) else node.tensor()


def _cast_to(node: TorchNode, dtype: str) -> Expr | Number:
    value = node[0]
    if isinstance(value, (bool, int, float)):
        return float(value) if "float" in dtype else int(value)
    data = node.tensor()
    return data if dtype_of(data) == dtype else cast(data, dtype)


@converter("aten::_to_copy")
def to_copy(node: TorchNode) -> Expr | Number:
    """``cast``, where the dtype is another one."""
    if node[1] is None:
        return _unchanged(node)
    return _cast_to(node, dtype_of_code(node[1]))


@converter("aten::clone")
def clone(node: TorchNode) -> Expr:
    """``copy``."""
    return call("copy", node.tensor())


@converter(
    "aten::detach", "aten::contiguous", "aten::IntImplicit", "aten::tensor", "aten::alias", "aten::lift_fresh_copy",
    "aten::lift_fresh", "aten::_assert_tensor_metadata", "aten::detach_", "aten::positive", "aten::lift",
)  # fmt: skip
def identity(node: TorchNode) -> Expr | Number | list[object] | str | None:
    """What comes in."""
    value = node[0]
    if isinstance(value, (bool, int, float, str, list)) or value is None:
        return value
    return node.tensor()


@converter("aten::is_floating_point")
def is_floating_point(node: TorchNode) -> Expr:
    """A constant that says whether the dtype is a floating-point one."""
    return constant("float" in node.dtype(), "bool")


@converter("aten::device", "prim::device")
def device(node: TorchNode) -> None:
    """Nothing: Relay has its devices elsewhere."""
    del node
