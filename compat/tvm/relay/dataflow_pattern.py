"""``tvm.relay.dataflow_pattern``: the pattern language, matching, rewriting and partitioning."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.passes.patterns import DFPatternCallback, match, partition
from relay_lsp.passes.patterns import rewrite as _rewrite
from relay_lsp.passes.patterns.language import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)

from ...modules import frozen

__all__ = [
    "AltPattern",
    "AttrPattern",
    "CallPattern",
    "ConstantPattern",
    "DFPattern",
    "DFPatternCallback",
    "DataTypePattern",
    "DominatorPattern",
    "ExprPattern",
    "FunctionPattern",
    "IfPattern",
    "LetPattern",
    "ShapePattern",
    "TupleGetItemPattern",
    "TuplePattern",
    "TypePattern",
    "VarPattern",
    "WildcardPattern",
    "dominates",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_constant",
    "is_expr",
    "is_if",
    "is_let",
    "is_op",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "partition",
    "rewrite",
    "wildcard",
]


def rewrite(
    callbacks: DFPatternCallback | Sequence[DFPatternCallback], expr: Expr, mod: IRModule | None = None
) -> Expr:
    """Let each callback rewrite its matches in ``expr``, which may use functions of ``mod``.

    Raises:
        TVMError: nothing settles: two callbacks undo each other.
    """
    return _rewrite(callbacks, expr, None if mod is None else frozen(mod))
