"""Multiplication by a real number in integers: a 32-bit significand, a shift, and a choice of rounding.

Source of the rule: ``src/relay/qnn/utils.cc`` (``GetFixedPointMultiplierShift``, ``FixedPointMultiplyToNearest``),
``src/target/intrin_rule.cc`` (``q_multiply_shift``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ...arrays import round_away_from_zero
from ...expressions import NDArray
from ...lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["clip_to_dtype", "multiply", "significand_and_exponent"]

Integers: TypeAlias = "npt.NDArray[np.int64]"

_POINT = 31
"""The binary point of a significand stands between its bits 31 and 30."""


def significand_and_exponent(multiplier: npt.ArrayLike) -> tuple[Integers, Integers]:
    """``multiplier`` as ``significand * 2 ** (exponent - 31)``, elementwise, the significand below ``2 ** 31``."""
    fraction, exponent = np.frexp(np.asarray(multiplier, np.float64))
    significand = round_away_from_zero(fraction * (1 << _POINT)).astype(np.int64)
    overflows = significand == 1 << _POINT
    return np.where(overflows, significand // 2, significand), exponent.astype(np.int64) + overflows


def multiply(values: NDArray, multiplier: npt.ArrayLike, *, to_nearest: bool) -> npt.NDArray[np.int32]:
    """``values * multiplier`` in fixed-point arithmetic, as int32.

    Halves are rounded up, or away from zero with ``to_nearest``. ``multiplier`` broadcasts against ``values``.
    """
    significand, exponent = significand_and_exponent(multiplier)
    product = (values.astype(np.int64) << np.maximum(exponent, 0)) * significand
    shift = _POINT - np.minimum(exponent, 0)
    half = np.int64(1) << (shift - 1)
    return ((product + np.where(to_nearest & (product < 0), half - 1, half)) >> shift).astype(np.int32)


def clip_to_dtype(values: NDArray, dtype: str) -> NDArray:
    """``values`` limited to what the integer ``dtype`` holds, and converted to it."""
    limits = np.iinfo(dtype)
    if values.dtype.kind == "f":
        # float32 has no 2**31 - 1: the conversion of the limit would itself overflow.
        values = values.astype(np.float64)
    return np.clip(values, limits.min, limits.max).astype(dtype)
