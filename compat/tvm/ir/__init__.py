"""``tvm.ir``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Constructor, Expr, GlobalVar
from relay_lsp.ir.module import TypeData
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.structural import structural_equal as _equal
from relay_lsp.ir.structural import structural_hash
from relay_lsp.ir.types import FuncType, GlobalTypeVar, TensorType, TupleType, Type, TypeCall, TypeVar

from ...modules import MutableModule as IRModule
from .. import transform
from . import instrument

__all__ = [
    "Constructor",
    "FuncType",
    "GlobalTypeVar",
    "GlobalVar",
    "IRModule",
    "Op",
    "RelayExpr",
    "SequentialSpan",
    "SourceName",
    "Span",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeVar",
    "assert_structural_equal",
    "instrument",
    "structural_equal",
    "structural_hash",
    "transform",
]

RelayExpr = Expr
structural_equal = _equal


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise where two modules, expressions or types differ.

    Raises:
        ValueError: they do.
    """
    if not structural_equal(lhs, rhs, map_free_vars=map_free_vars):  # pyright: ignore[reportArgumentType]
        raise ValueError(f"StructuralEqual check failed:\n{lhs}\nand\n{rhs}")
