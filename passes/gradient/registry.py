"""The gradients by operator.

Source of the rule: ``FPrimalGradient`` in ``include/tvm/relay/op_attr_types.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.types import TensorType, Type

from ..infrastructure import PassError

__all__ = ["GradientRule", "find_gradient", "gradients", "register_gradient", "require", "static_shape", "tensor_type"]

GradientRule: TypeAlias = Callable[[Call, Expr], Sequence[Expr]]
"""``rule(call, gradient)`` gives the gradient of each argument, of the type of that argument, where ``gradient`` is
that of the call's result. The call and its arguments have types; the arguments are variables.

Raises:
    PassError: this call has no gradient.
"""

_gradients: dict[str, GradientRule] = {}


def register_gradient(*operators: str) -> Callable[[GradientRule], GradientRule]:
    """Give operators a gradient, instead of one that they may have."""

    def register(rule: GradientRule) -> GradientRule:
        _gradients.update(dict.fromkeys(operators, rule))
        return rule

    return register


def find_gradient(operator: str) -> GradientRule | None:
    """The gradient of ``operator``, if it has one."""
    return _gradients.get(operator)


def gradients() -> Mapping[str, GradientRule]:
    """Every gradient by operator."""
    return _gradients


def require(condition: object, call: Call, message: str) -> None:
    """Make sure that a call is of a kind that has a gradient.

    Raises:
        PassError: it is not.
    """
    if not condition:
        operator: Any = call.op
        raise PassError(f"this call of {operator.name} has no gradient: {message}", place=call)


def tensor_type(expr: Expr, call: Call) -> TensorType:
    """The type of a tensor.

    Raises:
        PassError: it is none.
    """
    type: Type | None = expr.checked_type
    if not isinstance(type, TensorType):
        raise PassError("a tensor is needed for the gradient of this call", place=call)
    return type


def static_shape(expr: Expr, call: Call) -> tuple[int, ...]:
    """The shape of a tensor.

    Raises:
        PassError: a dimension is not known.
    """
    sizes: list[int] = []
    for size in tensor_type(expr, call).shape:
        if not isinstance(size, int):
            raise PassError("the gradient of this call needs a shape that is known", place=call)
        sizes.append(size)
    return tuple(sizes)
