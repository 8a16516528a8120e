"""Reverse-mode differentiation: functions that give their gradient besides their result.

What each operator's gradient is stands in ``rules``, one function per operator, and not in the operator's declaration:
a gradient is an expression of other operators, and belongs above all of them, as the legalization of an operator does.
"""

from .first_order_gradient import FirstOrderGradient
from .gradient import gradient
from .lazy_gradient_init import LazyGradientInit
from .registry import GradientRule, find_gradient, register_gradient

__all__ = [
    "FirstOrderGradient",
    "GradientRule",
    "LazyGradientInit",
    "find_gradient",
    "gradient",
    "register_gradient",
]
