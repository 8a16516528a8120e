"""``annotation.compiler_begin`` and ``annotation.compiler_end``: where a value enters and leaves a region."""

from __future__ import annotations

from typing import TypeGuard

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.annotation.compiler_regions import CompilerAttrs

__all__ = ["compiler_begin", "compiler_end", "compiler_of", "is_begin", "is_end"]


def compiler_begin(value: Expr, compiler: str) -> Call:
    """``value`` as it enters a region of ``compiler``."""
    return Call(ops.get("annotation.compiler_begin"), (value,), CompilerAttrs(compiler=compiler))


def compiler_end(value: Expr, compiler: str) -> Call:
    """``value`` as it leaves a region of ``compiler``."""
    return Call(ops.get("annotation.compiler_end"), (value,), CompilerAttrs(compiler=compiler))


def is_begin(expr: Expr) -> TypeGuard[Call]:
    """Whether ``expr`` marks where a value enters a region."""
    return isinstance(expr, Call) and expr.op is ops.get("annotation.compiler_begin")


def is_end(expr: Expr) -> TypeGuard[Call]:
    """Whether ``expr`` marks where a value leaves a region."""
    return isinstance(expr, Call) and expr.op is ops.get("annotation.compiler_end")


def compiler_of(annotation: Call) -> str:
    """The compiler that an annotation names."""
    return annotation.attrs.compiler if isinstance(annotation.attrs, CompilerAttrs) else "default"
