"""What the integers of a quantised value stand for.

Source of the rule: ``include/tvm/ir/affine_type.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.structural import structural_equal

__all__ = ["AffineType", "TensorAffineType", "TupleAffineType", "same_affine_type"]


@dataclass(frozen=True, eq=False, slots=True)
class TensorAffineType:
    """A tensor whose real values are ``(x - zero_point) * scale``.

    Scale and zero point are scalars, or vectors along ``axis``; ``dtype`` is that of the integers.
    """

    scale: Expr
    zero_point: Expr
    dtype: str
    axis: int = -1


@dataclass(frozen=True, eq=False, slots=True)
class TupleAffineType:
    """A tuple of such tensors."""

    types: tuple[TensorAffineType, ...]


AffineType: TypeAlias = TensorAffineType | TupleAffineType


def same_affine_type(lhs: TensorAffineType, rhs: TensorAffineType) -> bool:
    """Whether both say the same; constants are compared by their values."""
    return lhs is rhs or (
        lhs.dtype == rhs.dtype
        and lhs.axis == rhs.axis
        and structural_equal(lhs.scale, rhs.scale)
        and structural_equal(lhs.zero_point, rhs.zero_point)
    )
