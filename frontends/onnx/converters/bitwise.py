"""Operators on the bits of integers."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ..node import OnnxNode, converter

_OPERATORS = {
    "BitwiseAnd": "bitwise_and",
    "BitwiseNot": "bitwise_not",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
}


def _integers(node: OnnxNode, prefixes: tuple[str, ...]) -> list[Expr]:
    operands = [node.input(index) for index in range(len(node.inputs))]
    for index in range(len(operands)):
        if not node.dtype(index).startswith(prefixes):
            raise ConversionError(f"an integer is expected, not {node.dtype(index)}", input=str(index))
    return operands


@converter(*_OPERATORS, since=18, becomes=_OPERATORS)
def bitwise(node: OnnxNode) -> Expr:
    """The Relay operator of the same meaning."""
    node.require_inputs(1 if node.operator == "BitwiseNot" else 2)
    return call(_OPERATORS[node.operator], *_integers(node, ("int", "uint")))


@converter("BitShift", since=11)
def bit_shift(node: OnnxNode) -> Expr:
    """``left_shift`` or ``right_shift``."""
    node.require_inputs(2)
    direction = node.string("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise node.invalid("direction", f"direction must be LEFT or RIGHT, not {direction}")
    return call(f"{direction.lower()}_shift", *_integers(node, ("uint",)))
