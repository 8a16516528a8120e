"""Rounding as C does it, where numpy does something else."""

from __future__ import annotations

from ..expressions import NDArray
from ..lazy_numpy import np

__all__ = ["round_away_from_zero"]


def round_away_from_zero(values: NDArray) -> NDArray:
    """The nearest whole numbers, halves away from zero (C's ``round``; numpy's takes the even one)."""
    truncated = np.trunc(values)
    with np.errstate(invalid="ignore"):
        step = np.where(np.abs(values - truncated) >= 0.5, np.sign(values), 0)
    return truncated + step.astype(values.dtype)
