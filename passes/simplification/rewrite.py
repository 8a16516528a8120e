"""What the rewrites have in common."""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.types import TensorType

from ..patterns import DFPatternCallback
from ..patterns.rewriting import infer_with_record

__all__ = ["TypedRewrite", "inferred_tensor_type"]


class TypedRewrite(DFPatternCallback):
    """A rewrite that asks for types."""

    def __init__(self) -> None:
        super().__init__(require_type=True)


def inferred_tensor_type(expr: Expr) -> TensorType | None:
    """The tensor type of ``expr``, inferred where an earlier rewrite has just made it; ``None`` for anything else."""
    typed = expr if expr.checked_type is not None else infer_with_record(expr)
    return typed.checked_type if isinstance(typed.checked_type, TensorType) else None
