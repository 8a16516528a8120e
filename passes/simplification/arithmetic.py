"""Sums, products and quotients with constants and with themselves."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import OpPattern

from ..construction import scalar
from ..fold_constant import ConstantFolder
from ..infrastructure import PassError
from ..patterns import is_constant, is_op, wildcard
from ..patterns.matcher import Matches
from .rewrite import TypedRewrite, inferred_tensor_type

__all__ = [
    "EliminateIdentity",
    "FullElementwise",
    "SimplifyAdd",
    "SimplifyAdjacentMultiplyOrAdd",
    "SimplifyRSqrt",
    "SwitchAddMultiply",
]


class SimplifyAdd(TypedRewrite):
    """``x + x`` is ``x * 2``."""

    def __init__(self) -> None:
        super().__init__()
        self.lhs = wildcard()
        self.rhs = wildcard()
        self.pattern = is_op("add")(self.lhs, self.rhs)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The product, where both sides are one expression."""
        lhs, type = node_map[self.lhs][0], inferred_tensor_type(pre)
        if lhs is not node_map[self.rhs][0] or type is None:
            return post
        return apply("multiply", lhs, scalar(2, type.dtype))


class SimplifyRSqrt(TypedRewrite):
    """``a / sqrt(x)`` is ``a * rsqrt(x)``."""

    def __init__(self) -> None:
        super().__init__()
        self.value = wildcard()
        self.numerator = wildcard()
        self.pattern = is_op("divide")(self.numerator, is_op("sqrt")(self.value))

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The product."""
        return apply("multiply", node_map[self.numerator][0], apply("rsqrt", node_map[self.value][0]))


class EliminateIdentity(TypedRewrite):
    """``x + 0``, ``x - 0``, ``x * 1`` and ``x / 1`` are ``x``, where that has the shape of the result."""

    def __init__(self) -> None:
        super().__init__()
        self.value = wildcard()
        self.constant = is_constant()
        zeros = is_op("zeros")() | is_op("zeros_like")(wildcard()) | self.constant
        ones = is_op("ones")() | is_op("ones_like")(wildcard()) | self.constant
        self.pattern = (
            is_op("add")(self.value, zeros)
            | is_op("multiply")(self.value, ones)
            | is_op("subtract")(self.value, zeros)
            | is_op("divide")(self.value, ones)
        )

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The other side, if the constant really is neutral."""
        if not isinstance(pre, Call) or not isinstance(post, Call):
            return post
        value = node_map[self.value][0]
        other = pre.args[1] if post.args[1] is value else pre.args[0]
        if self.constant in node_map:
            constant = node_map[self.constant][0]
            neutral = 0.0 if pre.op in (ops.get("add"), ops.get("subtract")) else 1.0
            # One element is enough: the sizes of a constant of the shape (1, 1) change nothing, either.
            if not isinstance(constant, Constant) or constant.data.size != 1 or float(constant.data.item()) != neutral:
                return post
        type = inferred_tensor_type(other)
        return value if type is not None and type == pre.checked_type else post


class FullElementwise(TypedRewrite):
    """A tensor of one value, broadcast against another of the result's shape, may as well be a scalar."""

    def __init__(self) -> None:
        super().__init__()
        self.other = wildcard()
        self.value = is_constant()
        like = wildcard()
        self.full = is_op("full")(self.value) | is_op("full_like")(like, self.value)
        self.ones = is_op("ones")() | is_op("ones_like")(like)
        self.zeros = is_op("zeros")() | is_op("zeros_like")(like)
        broadcast = wildcard().has_attr({"TOpPattern": int(OpPattern.BROADCAST)})
        filled = self.full | self.ones | self.zeros
        self.pattern = broadcast(filled, self.other) | broadcast(self.other, filled)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The same operator on the scalar."""
        type = inferred_tensor_type(pre)
        if not isinstance(pre, Call) or not isinstance(post, Call) or type is None:
            return post
        other = node_map[self.other][0]
        filled_left = post.args[1] is other
        if inferred_tensor_type(pre.args[1] if filled_left else pre.args[0]) != type:
            return post
        if self.full in node_map:
            value = node_map[self.value][0]
            if not isinstance(value, Constant) or not value.is_scalar:
                raise PassError("full takes a scalar to fill with", place=pre)
        else:
            value = scalar(1 if self.ones in node_map else 0, type.dtype)
        args = (value, other) if filled_left else (other, value)
        return Call(pre.op, args, pre.attrs, pre.type_args, pre.span)


class SwitchAddMultiply(TypedRewrite):
    """``(x + a) * b`` is ``x * b + a * b``: products first, which scales fold into."""

    def __init__(self) -> None:
        super().__init__()
        self.value, self.added, self.factor = wildcard(), is_constant(), is_constant()
        self.pattern = (self.value + self.added) * self.factor

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The sum of products, with the product of the constants computed."""
        value, added, factor = (node_map[part][0] for part in (self.value, self.added, self.factor))
        if isinstance(value, Constant):
            return post
        return apply("add", apply("multiply", value, factor), _computed(apply("multiply", added, factor)))


class SimplifyAdjacentMultiplyOrAdd(TypedRewrite):
    """``x * a * b`` is ``x * (a * b)``, and so for sums."""

    def __init__(self) -> None:
        super().__init__()
        self.value, self.first, self.second = wildcard(), is_constant(), is_constant()
        self.pattern = (self.value * self.first * self.second) | (self.value + self.first + self.second)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """One operator, with that of the constants computed."""
        value, first, second = (node_map[part][0] for part in (self.value, self.first, self.second))
        if isinstance(value, Constant) or not isinstance(pre, Call):
            return post
        return Call(pre.op, (value, _computed(Call(pre.op, (first, second)))))


def _computed(expr: Expr) -> Expr:
    with np.errstate(all="ignore"):
        return ConstantFolder(fold_qnn=False).visit(expr)
