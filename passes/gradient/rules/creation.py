"""Operators whose result does not depend on the values of their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply

from ...construction import scalar
from ..registry import register_gradient
from .arithmetic import like, multiply, sum_over, zeros_like


@register_gradient("zeros", "ones")
def _no_arguments(call: Call, gradient: Expr) -> Sequence[Expr]:
    return ()


@register_gradient("zeros_like")
def _zeros_like(call: Call, gradient: Expr) -> Sequence[Expr]:
    return (call,)


@register_gradient("dyn.zeros", "dyn.ones", "ones_like", "shape_of", "less_equal", "not_equal")
def _constant(call: Call, gradient: Expr) -> Sequence[Expr]:
    return tuple(zeros_like(arg) for arg in call.args)


@register_gradient("arange")
def _arange(call: Call, gradient: Expr) -> Sequence[Expr]:
    start, stop, step = call.args
    length = apply("take", apply("shape_of", call, dtype="int32"), scalar(0, "int32"), axis=0)
    first, one = scalar(0, "int32"), scalar(1, "int32")
    counts = apply("arange", first, length, one, start=first, stop=length, step=one, dtype="int32")
    by_step = multiply(like("cast_like", counts, gradient), gradient)
    return (
        like("cast_like", sum_over(gradient, None), start),
        zeros_like(stop),
        like("cast_like", sum_over(by_step, None), step),
    )
