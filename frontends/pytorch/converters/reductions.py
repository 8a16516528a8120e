"""Reductions over dimensions."""

from __future__ import annotations

import math

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...inspection import dtype_of
from ...operators import add, cast, divide, mean_variance, multiply, reduce, squeeze, subtract, variance
from ..node import TorchNode, converter
from ..values import dtype_of_code
from .quantization import by_way_of_floats, is_quantized


def _largest(node: TorchNode, elementwise: str, reduction: str, index: str) -> Expr | tuple[Expr, Expr | None]:
    """The extreme element of all, along a dimension with its index, or of two tensors element by element."""
    given = node[1]
    if len(node) == 1:
        return reduce(reduction, node.promoted(0)[0])
    if isinstance(given, (list, int)) and not isinstance(given, bool):
        axes, keepdims = node.optional_integers(1), node.flag(2)
        data = node.promoted(0)[0]
        values = reduce(reduction, data, axes[0] if axes and not isinstance(given, list) else axes, keepdims)
        if node.operator in ("aten::amax", "aten::amin"):
            return values
        place = None
        if node.is_used(1):
            # TVM has no indices here.
            place = cast(call(index, data, axis=axes, keepdims=keepdims), "int64")
        return values, place
    return call(elementwise, *node.promoted(0, 1))


@converter("aten::max", "aten::amax")
def largest(node: TorchNode) -> Expr | tuple[Expr, Expr | None]:
    """``max`` or ``maximum``; with ``argmax`` where the index is used."""
    return _largest(node, "maximum", "max", "argmax")


@converter("aten::min", "aten::amin")
def smallest(node: TorchNode) -> Expr | tuple[Expr, Expr | None]:
    """``min`` or ``minimum``; with ``argmin`` where the index is used."""
    return _largest(node, "minimum", "min", "argmin")


@converter("aten::sum", "aten::prod")
def total(node: TorchNode) -> Expr:
    """``sum`` or ``prod``; of integers as ``int64`` in an exported program."""
    data = node.tensor()
    name = node.operator.rpartition(":")[2]
    if len(node) > 2:
        axes = node.optional_integers(1)
        single = isinstance(node[1], int)
        code, keepdims = node[3], node.flag(2)
    else:
        axes, single, code, keepdims = None, False, node[1], False
    if code is not None:
        data = _in_dtype(data, code)
    elif "float" not in dtype_of(data) and (node.is_exported or dtype_of(data) == "bool"):
        data = data if dtype_of(data) == "int64" else cast(data, "int64")
    return reduce(name, data, axes[0] if axes and single else axes, keepdims)


@converter("aten::argmax", "aten::argmin")
def arg_extreme(node: TorchNode) -> Expr:
    """``argmax`` or ``argmin``, as ``int64`` in an exported program."""
    axes = None if len(node) < 3 or node[1] is None else node.integers(1)
    name = node.operator.rpartition(":")[2]
    result = call(name, node.tensor(), axis=axes, keepdims=len(node) > 2 and node.flag(2))
    return cast(result, "int64") if node.is_exported else result


@converter("aten::mean")
def mean(node: TorchNode) -> Expr:
    """``mean``; of quantised numbers between ``qnn.dequantize`` and ``qnn.quantize``."""
    data = node.tensor()
    axes, keepdims = (node.optional_integers(1), node.flag(2)) if len(node) > 2 else (None, False)
    if is_quantized(node):
        node.require(len(node) == 6, "the scale and zero point of the quantised input are not known")
        return by_way_of_floats(
            data, node.tensor(4), node.tensor(5), lambda values: reduce("mean", values, axes, keepdims)
        )
    code = node[3] if len(node) > 2 else node[1]
    return reduce("mean", data if code is None else _in_dtype(data, code), axes, keepdims)


def _in_dtype(data: Expr, code: object) -> Expr:
    """``data`` in the dtype that has PyTorch's number ``code``."""
    dtype = dtype_of_code(code)
    return data if dtype == dtype_of(data) else cast(data, dtype)


def _spread(node: TorchNode) -> tuple[list[int] | None, bool, bool]:
    """Axes, whether they are kept, and whether the estimate is unbiased."""
    if len(node) == 2:
        return None, False, node.flag(1, True)
    correction = node.known(node[2])
    node.require(correction in (None, 0, 1, True, False), "the correction must be 0 or 1", 2)
    return node.optional_integers(1), node.flag(3), True if correction is None else bool(correction)


@converter("aten::std")
def std(node: TorchNode) -> Expr:
    """``sqrt`` of ``variance``."""
    axes, keepdims, unbiased = _spread(node)
    return call("sqrt", variance(node.tensor(), axes, keepdims, unbiased=unbiased))


@converter("aten::var")
def var(node: TorchNode) -> Expr:
    """``variance``."""
    axes, keepdims, unbiased = _spread(node)
    return variance(node.tensor(), axes, keepdims, unbiased=unbiased)


@converter("aten::var_mean")
def var_mean(node: TorchNode) -> tuple[Expr, Expr]:
    """``variance`` and ``mean``."""
    axes, keepdims, unbiased = _spread(node)
    middle, spread = mean_variance(node.tensor(), axes, keepdims, unbiased=unbiased)
    return spread, middle


@converter("aten::std_mean")
def std_mean(node: TorchNode) -> tuple[Expr, Expr]:
    """``sqrt`` of ``variance``, and ``mean``."""
    spread, middle = var_mean(node)
    return call("sqrt", spread), middle


@converter("aten::norm", "aten::linalg_vector_norm")
def norm(node: TorchNode) -> Expr:
    """``power(sum(power(abs(x), p)), 1 / p)``; ``max`` or ``min`` of magnitudes where ``p`` is infinite."""
    data = node.tensor()
    if node[4] is not None:
        data = _in_dtype(data, node[4])
    dtype = dtype_of(data)
    order = node.number(1, 2.0)
    axes, keepdims = (node.optional_integers(2), node.flag(3)) if len(node) > 3 else (None, False)
    magnitudes = call("abs", data)
    if math.isinf(order):
        return reduce("max" if order > 0 else "min", magnitudes, axes, keepdims)
    powers = call("power", magnitudes, constant(order, dtype))
    return call("power", reduce("sum", powers, axes, keepdims), constant(1.0 / order, dtype))


@converter("aten::frobenius_norm")
def frobenius_norm(node: TorchNode) -> Expr:
    """``sqrt(sum(x * x))``."""
    data = node.tensor()
    axes, keepdims = (node.optional_integers(1), node.flag(2)) if len(node) > 2 else (None, False)
    return call("sqrt", reduce("sum", multiply(data, data), axes, keepdims))


@converter("aten::_weight_norm", "aten::_weight_norm_interface")
def weight_norm(node: TorchNode) -> Expr | tuple[Expr, None]:
    """``g * (v / norm(v))``, with the norm over all dimensions but one."""
    direction, magnitude, dim = node.tensor(0), node.tensor(1), node.integer(2, 0)
    dtype = node.dtype()
    powers = call("power", call("abs", direction), constant(2.0))
    length = call("power", reduce("sum", powers, dim, True, exclude=True), constant(0.5, dtype))
    result = multiply(magnitude, divide(direction, length))
    return (result, None) if node.operator.endswith("interface") else result


@converter("aten::logsumexp")
def logsumexp(node: TorchNode) -> Expr:
    """``log(sum(exp(x - max))) + max``."""
    data, axes = node.promoted(0)[0], node.integers(1)
    highest = reduce("max", data, axes, True)
    result = add(call("log", reduce("sum", call("exp", subtract(data, highest)), axes, True)), highest)
    return result if node.flag(2) else squeeze(result, axes)


@converter("aten::all", "aten::any")
def all_any(node: TorchNode) -> Expr:
    """``all`` or ``any``."""
    data = node.tensor()
    if dtype_of(data) != "bool":
        data = cast(data, "bool")
    axes = node.optional_integers(1) if len(node) > 1 else None
    return reduce(node.operator.rpartition(":")[2], data, axes, node.flag(2))


@converter("aten::cumsum")
def cumsum(node: TorchNode) -> Expr:
    """``cumsum``."""
    dtype = None if node[2] is None else dtype_of_code(node[2])
    if dtype is None and node.is_exported and "float" not in node.dtype():
        dtype = "int64"
    return call("cumsum", node.tensor(), axis=node.integer(1), **({} if dtype is None else {"dtype": dtype}))


@converter("aten::cumprod")
def cumprod(node: TorchNode) -> Expr:
    """``cumprod``."""
    dtype = None if node[2] is None else dtype_of_code(node[2])
    if dtype is None and node.is_exported and "float" not in node.dtype():
        dtype = "int64"
    return call("cumprod", node.tensor(), axis=node.integer(1), **({} if dtype is None else {"dtype": dtype}))
