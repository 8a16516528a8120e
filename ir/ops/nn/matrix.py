"""Products of matrices as TVM computes them: integers exactly (wrapping around), floats in their own precision.

numpy multiplies integer matrices without BLAS, a hundred times slower than floats. Sums of products that stay below
2**53 are exact in ``float64``, which is nearly always so for quantized networks; only the others take the slow path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expressions import NDArray
from ...lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["matrix_product"]

_EXACT = 2**53
"""Below it, every integer is a ``float64``."""


def matrix_product(lhs: NDArray, rhs: NDArray, dtype: npt.DTypeLike) -> NDArray:
    """``lhs @ rhs`` with sums in ``dtype``, over any leading axes that broadcast.

    Integers wrap around as in ``dtype``. The half-precision floats are summed in ``float32`` and then rounded.
    """
    result = np.dtype(dtype)
    if result.kind in "iub":
        return _integer_product(lhs, rhs, result)
    wide = np.float64 if result == np.float64 else np.float32
    return np.matmul(lhs.astype(wide, copy=False), rhs.astype(wide, copy=False)).astype(result, copy=False)


def _integer_product(lhs: NDArray, rhs: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    lhs, rhs = lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False)
    if lhs.size == 0 or rhs.size == 0:
        return np.matmul(lhs, rhs)
    largest = _magnitude(lhs) * _magnitude(rhs) * lhs.shape[-1]
    if largest >= _EXACT:
        return np.matmul(lhs, rhs)
    exact = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64))
    return exact.astype(np.int64).astype(dtype)


def _magnitude(array: NDArray) -> int:
    return max(abs(int(array.min())), abs(int(array.max())))
