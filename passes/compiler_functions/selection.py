"""Which functions the passes of this folder are about."""

from __future__ import annotations

from typing import TypeGuard

from relay_lsp.ir.expressions import Expr, Function

__all__ = ["is_compiler_function"]


def is_compiler_function(expr: Expr, compiler_filter: str) -> TypeGuard[Function]:
    """Whether ``expr`` is a function with the attribute ``Compiler``: any, or the one that the filter names."""
    if not isinstance(expr, Function):
        return False
    compiler = expr.attrs.get("Compiler")
    return compiler is not None and compiler_filter in ("", compiler)
