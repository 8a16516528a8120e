"""Operators that work on each element, and arithmetic that broadcasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply

from ..registry import register_gradient
from .arithmetic import (
    add,
    collapse_sum_like,
    divide,
    like,
    multiply,
    negative,
    ones_like,
    scalar_like,
    subtract,
    zeros_like,
)


@register_gradient("log")
def _log(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    return (divide(multiply(gradient, ones_like(x)), x),)


@register_gradient("log2", "log10")
def _log_of_base(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, operator = call.args[0], getattr(call.op, "name", "")
    base = apply("log", scalar_like(2.0 if operator == "log2" else 10.0, x, call))
    return (divide(multiply(gradient, ones_like(x)), multiply(base, x)),)


@register_gradient("tan")
def _tan(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    return (divide(gradient, multiply(apply("cos", x), apply("cos", x))),)


@register_gradient("cos")
def _cos(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    return (multiply(gradient, multiply(negative(ones_like(x)), apply("sin", x))),)


@register_gradient("cosh")
def _cosh(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(gradient, apply("sinh", call.args[0])),)


@register_gradient("sin")
def _sin(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(gradient, apply("cos", call.args[0])),)


@register_gradient("sinh")
def _sinh(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(gradient, apply("cosh", call.args[0])),)


@register_gradient("acos")
def _acos(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (multiply(gradient, divide(negative(ones), apply("sqrt", subtract(ones, multiply(x, x))))),)


@register_gradient("acosh")
def _acosh(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (divide(multiply(gradient, ones), apply("sqrt", subtract(multiply(x, x), ones))),)


@register_gradient("asin")
def _asin(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (divide(multiply(gradient, ones), apply("sqrt", subtract(ones, multiply(x, x)))),)


@register_gradient("asinh")
def _asinh(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (divide(multiply(gradient, ones), apply("sqrt", add(ones, multiply(x, x)))),)


@register_gradient("atan")
def _atan(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (divide(multiply(gradient, ones), add(ones, multiply(x, x))),)


@register_gradient("atanh")
def _atanh(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    ones = ones_like(x)
    return (divide(multiply(gradient, ones), subtract(ones, multiply(x, x))),)


@register_gradient("exp")
def _exp(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(gradient, apply("exp", call.args[0])),)


@register_gradient("sqrt")
def _sqrt(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    half = scalar_like(0.5, x, call)
    return (multiply(multiply(gradient, half), apply("power", x, negative(half))),)


@register_gradient("sigmoid")
def _sigmoid(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(multiply(gradient, call), subtract(ones_like(call), call)),)


@register_gradient("tanh")
def _tanh(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (multiply(gradient, subtract(ones_like(call), multiply(call, call))),)


@register_gradient("erf")
def _erf(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    two_by_root_of_pi = scalar_like(1.1283791670955126, x, call)
    return (multiply(multiply(two_by_root_of_pi, apply("exp", multiply(negative(x), x))), gradient),)


@register_gradient("nn.relu")
def _relu(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    zeros, ones = zeros_like(x), ones_like(x)
    return (apply("where", apply("less", x, zeros), zeros, multiply(ones, gradient)),)


@register_gradient("abs")
def _abs(call: Call, gradient: Expr) -> Sequence[Expr]:
    x = call.args[0]
    zeros, ones = zeros_like(x), ones_like(x)
    falling, rising = multiply(negative(ones), gradient), multiply(ones, gradient)
    return (apply("where", apply("less", x, zeros), falling, rising),)


@register_gradient("clip")
def _clip(call: Call, gradient: Expr) -> Sequence[Expr]:
    """TVM takes the bounds as integers here, which moves those that are none."""
    x, attrs = call.args[0], _attrs(call)
    lower = like("broadcast_to_like", scalar_like(int(attrs.a_min), x, call), x)
    upper = like("broadcast_to_like", scalar_like(int(attrs.a_max), x, call), x)
    zeros, ones = zeros_like(x), ones_like(x)
    not_above = apply("where", apply("less", upper, x), zeros, multiply(ones, gradient))
    return (apply("where", apply("less", x, lower), zeros, not_above),)


def _attrs(call: Call) -> Any:
    return call.attrs


@register_gradient("negative")
def _negative(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (negative(gradient),)


@register_gradient("copy")
def _copy(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (gradient,)


@register_gradient("cast")
def _cast(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (like("cast_like", gradient, call.args[0]),)


@register_gradient("cast_like")
def _cast_like(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, other = call.args
    return like("cast_like", gradient, x), zeros_like(other)


@register_gradient("add")
def _add(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, y = call.args
    return collapse_sum_like(gradient, x), collapse_sum_like(gradient, y)


@register_gradient("subtract")
def _subtract(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, y = call.args
    return collapse_sum_like(gradient, x), collapse_sum_like(negative(gradient), y)


@register_gradient("multiply")
def _multiply(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, y = call.args
    return collapse_sum_like(multiply(gradient, y), x), collapse_sum_like(multiply(gradient, x), y)


@register_gradient("divide")
def _divide(call: Call, gradient: Expr) -> Sequence[Expr]:
    x, y = call.args
    of_divisor = negative(divide(multiply(gradient, call), y))
    return collapse_sum_like(divide(gradient, y), x), collapse_sum_like(of_divisor, y)


@register_gradient("where")
def _where(call: Call, gradient: Expr) -> Sequence[Expr]:
    condition, x, y = call.args
    zeros = zeros_like(gradient)
    return (
        zeros_like(condition),
        collapse_sum_like(apply("where", condition, gradient, zeros), x),
        collapse_sum_like(apply("where", condition, zeros, gradient), y),
    )
