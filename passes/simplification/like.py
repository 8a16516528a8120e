"""Operators that take their shape or dtype from another tensor, where both are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.tensor.creation import InitOpAttrs
from relay_lsp.ir.types import DataType, TensorType, is_static

from ..patterns import is_op, wildcard
from ..patterns.matcher import Matches
from .rewrite import TypedRewrite

__all__ = ["concretize_like"]


class _ConcretizeLike(TypedRewrite):
    """``name(data, like)`` or ``name(like)`` becomes what ``concretize`` makes of the data and the result's type."""

    def __init__(self, name: str, concretize: Callable[[Expr, TensorType], Expr], unary: bool = False) -> None:
        super().__init__()
        self.first = wildcard()
        self.second = wildcard()
        self.pattern = is_op(name)(self.first) if unary else is_op(name)(self.first, self.second)
        self.concretize = concretize
        self.needs_shape = name != "cast_like"
        self.data = self.second if name == "full_like" else self.first

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        type = pre.checked_type
        if not isinstance(type, TensorType) or (self.needs_shape and not is_static(type.shape)):
            return post
        return self.concretize(node_map[self.data][0], type)


def _collapse_sum(data: Expr, type: TensorType) -> Expr:
    sizes = tuple(dim for dim in type.shape if isinstance(dim, int))
    shape = Constant(np.array(sizes, dtype=np.int32))
    # The operator declares no attributes, but TVM's call carries them.
    return Call(ops.get("collapse_sum_to"), (data, shape), InitOpAttrs(shape=sizes, dtype=DataType("")))


def concretize_like() -> list[TypedRewrite]:
    """The rewrites, in TVM's order."""
    return [
        _ConcretizeLike("zeros_like", lambda _, type: apply("zeros", shape=type.shape, dtype=type.dtype), True),
        _ConcretizeLike("ones_like", lambda _, type: apply("ones", shape=type.shape, dtype=type.dtype), True),
        _ConcretizeLike("full_like", lambda data, type: apply("full", data, shape=type.shape, dtype=type.dtype)),
        _ConcretizeLike("reshape_like", lambda data, type: apply("reshape", data, newshape=type.shape)),
        _ConcretizeLike("collapse_sum_like", _collapse_sum),
        _ConcretizeLike("broadcast_to_like", lambda data, type: apply("broadcast_to", data, shape=type.shape)),
        _ConcretizeLike("cast_like", lambda data, type: apply("cast", data, dtype=type.dtype)),
    ]
