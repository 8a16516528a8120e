"""Operators that only compare: they need no dequantised values."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr

from ..patterns import is_op, wildcard
from ..patterns.matcher import Matches
from .rewrite import TypedRewrite

__all__ = ["SimplifyDequantizedChoice"]


class SimplifyDequantizedChoice(TypedRewrite):
    """``argmax``, ``argmin`` or ``argsort`` of dequantised values is that of the quantised ones."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.value = wildcard()
        self.pattern = is_op(name)(is_op("qnn.dequantize")(self.value, wildcard(), wildcard()))

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The same choice, without dequantising."""
        return Call(pre.op, (node_map[self.value][0],), pre.attrs) if isinstance(pre, Call) else post
