"""The elements of a constant that ``DivToMul`` of TVM leaves as its memory was, so that they say nothing.

It allocates a constant of the divisor's shape and writes the inverse of its first element alone. Source of the rule:
``DivToMulRewrite`` in ``src/relay/transforms/div_to_mul.cc``.
"""

from __future__ import annotations

from relay_lsp import ir
from relay_lsp.ir.visitor import post_order, rewrite_post_order

__all__ = ["with_inverses_of"]


def with_inverses_of(actual: ir.IRModule, expected: ir.IRModule, before: ir.IRModule) -> ir.IRModule:
    """``expected`` with our elements besides the first in the constants that the pass made.

    A constant of several elements that ``before`` does not have is one that the pass made; it gets the elements of the
    constant of ours with the same dtype, shape and first element, and stays as it is where there is none.
    """
    old = {_bytes(constant) for constant in _constants(before)}
    ours = {_first(constant): constant for constant in _constants(actual) if _bytes(constant) not in old}

    def completed(_: ir.Expr, expr: ir.Expr) -> ir.Expr:
        if not isinstance(expr, ir.Constant) or expr.data.size < 2 or _bytes(expr) in old:
            return expr
        return ours.get(_first(expr), expr)

    for var, function in expected.functions.items():
        rewritten = rewrite_post_order(function, completed)
        assert isinstance(rewritten, ir.Function)
        expected = expected.with_function(var, rewritten)
    return ir.infer_types(expected).module


def _constants(module: ir.IRModule) -> list[ir.Constant]:
    return [
        expr for function in module.functions.values() for expr in post_order(function) if isinstance(expr, ir.Constant)
    ]


def _bytes(constant: ir.Constant) -> tuple[str, tuple[int, ...], bytes]:
    return str(constant.data.dtype), constant.data.shape, constant.data.tobytes()


def _first(constant: ir.Constant) -> tuple[str, tuple[int, ...], bytes]:
    return str(constant.data.dtype), constant.data.shape, constant.data.ravel()[:1].tobytes()
