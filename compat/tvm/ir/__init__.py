"""``tvm.ir``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relay_lsp.ir.expressions import Constructor, Expr, GlobalVar
from relay_lsp.ir.module import TypeData
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.structural import structural_equal as _equal
from relay_lsp.ir.structural import structural_hash as _hash
from relay_lsp.ir.types import FuncType, GlobalTypeVar, IncompleteType, TensorType, TupleType, Type, TypeCall, TypeVar
from relay_lsp.passes.compiler_regions import register_target_support

from ...modules import MutableModule as IRModule
from .. import transform
from ..error import TVMError
from . import instrument

__all__ = [
    "Constructor",
    "FuncType",
    "GlobalTypeVar",
    "GlobalVar",
    "IRModule",
    "IncompleteType",
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
    "register_op_attr",
    "structural_equal",
    "structural_hash",
    "transform",
]

RelayExpr = Expr
structural_equal = _equal


def structural_hash(node: object, map_free_vars: bool = False) -> int:
    """A number that is the same for all that is structurally equal, with and without ``map_free_vars``."""
    del map_free_vars
    return _hash(node)


def register_op_attr(op_name: str, attr_key: str, value: Callable[..., Any] | None = None, level: int = 10) -> Any:
    """Say whether a compiler takes calls of an operator: ``target.NAME``, by a function of the call.

    Without ``value``, a decorator that does.

    Raises:
        TVMError: another attribute, which our operators do not look up.
    """
    del level
    target = attr_key.removeprefix("target.")
    if target == attr_key:
        raise TVMError(f"{attr_key} cannot be registered here, only target.NAME of a compiler")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        register_target_support(target, op_name, predicate=lambda call: bool(function(call)))
        return function

    return register if value is None else register(value)


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise where two modules, expressions or types differ.

    Raises:
        ValueError: they do.
    """
    if not structural_equal(lhs, rhs, map_free_vars=map_free_vars):  # pyright: ignore[reportArgumentType]
        raise ValueError(f"StructuralEqual check failed:\n{lhs}\nand\n{rhs}")
