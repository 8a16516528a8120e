"""``tvm.ir``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relay_lsp.ir.expressions import Constructor, Expr, GlobalVar
from relay_lsp.ir.module import TypeData
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.structural import first_difference as _first_difference
from relay_lsp.ir.structural import structural_equal as _equal
from relay_lsp.ir.structural import structural_hash as _hash
from relay_lsp.ir.types import FuncType, GlobalTypeVar, IncompleteType, TensorType, TupleType, Type, TypeCall, TypeVar
from relay_lsp.ir.visitor import free_type_vars, free_vars, type_vars
from relay_lsp.passes.infrastructure.operator_rules import register_rule

from ...modules import MutableModule as IRModule
from ...modules import frozen
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


def structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> bool:
    """Whether two modules, expressions, types or attributes are built alike."""
    return _equal(_fixed(lhs), _fixed(rhs), map_free_vars=map_free_vars)


def structural_hash(node: object, map_free_vars: bool = False) -> int:
    """A number that is the same for all that is structurally equal.

    A free variable is equal to itself alone, unless ``map_free_vars`` lets it correspond to another one.
    """
    number = _hash(_fixed(node))
    free: Sequence[object] = ()
    if isinstance(node, Expr) and not map_free_vars:
        free = (*free_vars(node), *free_type_vars(node))
    elif isinstance(node, Type) and not map_free_vars:
        free = type_vars(node)
    return hash((number, *map(id, free))) if free else number


def _fixed(node: object) -> object:
    """``node``, or what a module that scripts can change holds now."""
    return frozen(node) if isinstance(node, IRModule) else node


def register_op_attr(op_name: str, attr_key: str, value: Callable[..., Any] | None = None, level: int = 10) -> Any:
    """Give an operator a rule: whether a compiler takes its calls (``target.NAME``, by a function of the call), or one
    of :data:`.RULE_ATTRIBUTES`, such as ``FTVMLegalize``. The last one counts, whatever its ``level``.

    Without ``value``, a decorator that does.

    Raises:
        TVMError: another attribute, which our operators do not look up, or there is no such operator.
    """
    del level

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            register_rule(attr_key, op_name, function)
        except ValueError as error:
            raise TVMError(str(error)) from None
        return function

    return register if value is None else register(value)


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise where two modules, expressions or types differ.

    Raises:
        ValueError: they do.
    """
    difference = _first_difference(_fixed(lhs), _fixed(rhs), map_free_vars)
    if difference is not None:
        raise ValueError(f"StructuralEqual check failed: {difference}\n{lhs}\nand\n{rhs}")
