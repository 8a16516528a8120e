"""How far two values are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relay_lsp.ir.evaluation import ADTValue, Closure, Value
from relay_lsp.ir.expressions import Constructor, NDArray
from relay_lsp.ir.ops import Op

from .ranges import float_limits, is_float

__all__ = ["Difference", "largest_difference"]

_ROUNDING = {"float64": 1e-9, "float32": 1e-4, "float16": 2e-2, "bfloat16": 5e-2}
"""By how much of the largest element a dtype's rounding may move a result over a whole network."""


_FUNCTIONS = (Closure, Constructor, Op)
"""What can be called: a pass may put one kind in the place of another."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The place in a value where two values are furthest apart.

    ``size`` is a part of the largest element there; infinite where shapes, dtypes or kinds differ. ``bound`` is what
    counts as rounding.
    """

    place: str
    size: float
    bound: float
    message: str

    @property
    def exceeds(self) -> bool:
        """Whether this is more than rounding."""
        return self.size > self.bound


def largest_difference(expected: Value, actual: Value, bound: float | None = None) -> Difference | None:
    """Where two values differ most; ``None`` where they are equal or cannot be compared (functions, references).

    ``bound`` takes the place of the rounding of each dtype; with it, floats of different dtypes may be compared, and
    integers may be one apart beyond it: the smallest difference of floats becomes one where they are rounded. An
    element that is expected to be infinite, not a number, or beyond what the dtype found can hold says nothing.
    """
    worst: Difference | None = None
    pending: list[tuple[str, Value, Value]] = [("", expected, actual)]
    while pending:
        place, left, right = pending.pop()
        if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
            pending.extend(
                (f"{place}.{index}", one, other) for index, (one, other) in enumerate(zip(left, right, strict=True))
            )
            continue
        if isinstance(left, ADTValue) and isinstance(right, ADTValue):
            if left.constructor.name_hint == right.constructor.name_hint:
                pending.extend(
                    (f"{place}.{left.constructor.name_hint}", one, other)
                    for one, other in zip(left.fields, right.fields, strict=False)
                )
                continue
            name = right.constructor.name_hint
            difference = Difference(place, np.inf, 0.0, f"{name} instead of {left.constructor.name_hint}")
        elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            difference = _of_arrays(place, left, right, bound)
        elif type(left) is type(right) or (isinstance(left, _FUNCTIONS) and isinstance(right, _FUNCTIONS)):
            continue
        else:
            difference = Difference(place, np.inf, 0.0, "another kind of value")
        if difference is not None and (worst is None or difference.size > worst.size):
            worst = difference
    return worst


def _of_arrays(place: str, expected: NDArray, actual: NDArray, bound: float | None) -> Difference | None:
    rounded_on_purpose = bound is not None and is_float(expected) and is_float(actual)
    if expected.shape != actual.shape or (expected.dtype != actual.dtype and not rounded_on_purpose):
        return Difference(
            place,
            np.inf,
            0.0,
            f"an array {actual.shape} of {actual.dtype.name} instead of {expected.shape} of {expected.dtype.name}",
        )
    left, right = expected.astype(np.float64), actual.astype(np.float64)
    # NaN, infinities and numbers beyond the range of the narrower dtype are not compared.
    comparable = np.isfinite(left) & (np.abs(left) <= _largest_number(actual))
    equal = ~comparable | (left == right)
    if equal.all():
        return None
    allowed = _ROUNDING.get(expected.dtype.name, 0.0) if bound is None else bound
    scale = float(np.max(np.abs(left), initial=0.0, where=comparable)) or 1.0
    with np.errstate(invalid="ignore"):
        apart = np.where(equal, 0.0, np.abs(left - right))
    largest = float(np.max(np.where(np.isnan(apart), np.inf, apart)))
    if bound is not None and expected.dtype.kind in "iu":
        largest = max(largest - 1.0, 0.0)
    size = largest / scale
    return Difference(place, size, allowed, f"up to {largest:.3g} apart, where the largest element is {scale:.3g}")


def _largest_number(array: NDArray) -> float:
    return float_limits(array.dtype)[1] if is_float(array) else float("inf")
