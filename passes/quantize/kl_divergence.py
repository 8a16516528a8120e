"""The threshold at which values are cut off so that their quantised distribution differs least from their own.

The numbers are those of TVM's arithmetic, which is in ``float32`` from left to right.

Source of the rule: ``src/relay/quantize/calibrate.cc`` (``MinimizeKL``), ``kl_divergence.py``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from relay_lsp.ir.expressions import NDArray

__all__ = ["find_scale_by_kl"]

_Floats = npt.NDArray[np.float32]
_Counts = npt.NDArray[np.int64]

_BINS: Final = 8001
_QUANTIZED_BINS: Final = 255
_EPSILON: Final = np.float32(0.0001)


def find_scale_by_kl(values: NDArray, bins: int = _BINS, quantized_bins: int = _QUANTIZED_BINS) -> float:
    """The threshold for ``values``, an array of any shape, which must not be empty.

    Args:
        values: what is going to be quantised, finite numbers.
        bins: how many bins the histogram has, an odd number.
        quantized_bins: how many steps the quantised values have.
    """
    limit = np.max(np.abs(values))
    counts, edges = np.histogram(values, bins=bins, range=(-limit, limit))
    return _least_divergence(counts.astype(np.int64), edges.astype(np.float32), quantized_bins)


def _least_divergence(counts: _Counts, edges: _Floats, quantized_bins: int) -> float:
    zero = counts.size // 2
    lowest = quantized_bins // 2
    floats = counts.astype(np.float32)
    before = np.add.accumulate(floats, dtype=np.float32)
    divergences = np.empty(zero + 1 - lowest, np.float32)
    for half in range(lowest, zero + 1):
        start, stop = zero - half, zero + half + 1
        inside = counts[start:stop].copy()
        inside[0] = 0
        own = floats[start:stop].copy()
        own[0] = before[start]
        own[-1] = np.add.accumulate(floats[stop - 1 :], dtype=np.float32)[-1]
        divergences[half - lowest] = _divergence(own, _requantized(inside, own, quantized_bins))
    best = int(np.argmin(divergences))
    return float(edges[zero + lowest + best + 1])


def _requantized(inside: _Counts, own: _Floats, quantized_bins: int) -> _Floats:
    """The distribution that is left when neighbouring bins are merged into ``quantized_bins``."""
    merged = inside.size // quantized_bins
    starts = np.arange(quantized_bins) * merged
    sums = np.add.reduceat(inside, starts).astype(np.float32)
    filled = np.add.reduceat((inside != 0).astype(np.int64), starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(filled > 0, sums / filled.astype(np.float32), np.float32(0)).astype(np.float32)
    lengths = np.full(quantized_bins, merged)
    lengths[-1] = inside.size - starts[-1]
    spread = np.repeat(means, lengths)
    spread[own == 0] = 0
    return spread


def _smoothed(distribution: _Floats) -> _Floats | None:
    """``distribution`` with no zero in it; ``None`` where too little is left of it."""
    zeros = distribution == 0
    count = int(zeros.sum())
    rest = distribution.size - count
    if not rest:
        return None
    taken = _EPSILON * np.float32(count) / np.float32(rest)
    if taken >= 1:
        return None
    return np.where(zeros, distribution + _EPSILON, distribution - taken).astype(np.float32)


def _divergence(own: _Floats, other: _Floats) -> np.float32:
    smoothed, other_smoothed = _smoothed(own), _smoothed(other)
    if other_smoothed is None:
        return np.float32(np.inf)
    if smoothed is None:
        return np.float32(0)
    p = smoothed / np.add.accumulate(smoothed, dtype=np.float32)[-1]
    q = other_smoothed / np.add.accumulate(other_smoothed, dtype=np.float32)[-1]
    terms = p * np.log(p / q)
    return np.add.accumulate(terms, dtype=np.float32)[-1]
