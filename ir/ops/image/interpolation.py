"""Resampling along one axis at a time: where each result comes from, and with which weights.

Source of the rule: ``python/tvm/topi/image/resize.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ...arrays import round_away_from_zero
from ...expressions import NDArray
from ...lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Interpolation", "resample", "resize"]

Reals: TypeAlias = "npt.NDArray[np.floating[Any]]"
"""Positions and weights, in float32."""


class Interpolation(msgspec.Struct, frozen=True):
    """How to resize: the attributes that ``image.resize1d``, ``resize2d`` and ``resize3d`` share."""

    method: str
    coordinate_transformation_mode: str
    rounding_method: str = ""
    cubic_alpha: float = -0.5
    cubic_exclude: bool = False
    extrapolation_value: float = 0.0


def resize(data: NDArray, size: Sequence[int], roi: Sequence[float], how: Interpolation) -> NDArray:
    """``data`` with its last ``len(size)`` axes resized, in float32; nearest neighbours keep their dtype.

    ``roi`` gives the starts and then the ends of the region, as parts of each axis.

    Raises:
        ValueError: TVM knows no such method, mode or rounding.
    """
    leading = data.ndim - len(size)
    positions = [
        _positions(data.shape[leading + axis], target, how.coordinate_transformation_mode, (start, end))
        for axis, (target, start, end) in enumerate(zip(size, roi, roi[len(size) :], strict=False))
    ]
    evenly = [
        how.method == "nearest_neighbor"
        and how.coordinate_transformation_mode == "asymmetric"
        and target % data.shape[leading + axis] == 0
        for axis, target in enumerate(size)
    ]
    return resample(data, positions, how, evenly)


def resample(
    data: NDArray, positions: Sequence[Reals], how: Interpolation, evenly: Sequence[bool] | None = None
) -> NDArray:
    """``data`` at ``positions`` along each of its last axes.

    ``evenly`` says of an axis that it grows by a whole factor, which TVM computes in integers.
    """
    leading = data.ndim - len(positions)
    result = data if how.method == "nearest_neighbor" else data.astype(np.float32)
    for number, places in enumerate(positions):
        axis = leading + number
        if how.method == "nearest_neighbor":
            exact = evenly is not None and evenly[number]
            result = result.take(_nearest(places, data.shape[axis], how, exact), axis)
            continue
        indices, weights = _taps(places, data.shape[axis], how)
        shape = [-1 if other == axis else 1 for other in range(data.ndim)]
        parts = [
            result.take(index, axis) * weight.reshape(shape) for index, weight in zip(indices, weights, strict=True)
        ]
        result = np.sum(parts, axis=0)
    if how.coordinate_transformation_mode == "tf_crop_and_resize":
        return _extrapolated(result, positions, data.shape[leading:], how.extrapolation_value)
    return result


def _extrapolated(result: NDArray, positions: Sequence[Reals], sizes: Sequence[int], value: float) -> NDArray:
    """``value`` wherever a position lies outside the image."""
    outside = np.zeros((), np.bool_)
    for places, size in zip(positions, sizes, strict=True):
        outside = outside[..., None] | (places < 0) | (places > size - 1)
    return np.where(outside, np.asarray(value, result.dtype), result)


def _positions(size: int, target: int, mode: str, region: tuple[float, float]) -> Reals:
    """Where along an axis of ``size`` elements each of ``target`` results lies."""
    x = np.arange(target, dtype=np.float32)
    scale = np.float32(size) / np.float32(target)
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and target > 1):
        return (x + np.float32(0.5)) * scale - np.float32(0.5)
    if mode == "pytorch_half_pixel":
        return np.zeros_like(x)
    if mode == "align_corners":
        return x * (np.float32(size - 1) / np.float32(target - 1)) if target > 1 else np.zeros_like(x)
    if mode == "asymmetric":
        return scale * x
    if mode == "tf_half_pixel_for_nn":
        return (x + np.float32(0.5)) * scale
    if mode == "tf_crop_and_resize":
        start, end = (np.float32(side) for side in region)
        if target == 1:
            return np.full(1, np.float32(0.5) * (start + end) * np.float32(size - 1))
        return start * np.float32(size - 1) + x * (end - start) * np.float32(size - 1) / np.float32(target - 1)
    raise ValueError(f"unknown coordinate_transformation_mode {mode}")


def _nearest(positions: Reals, size: int, how: Interpolation, exact: bool) -> npt.NDArray[np.int64]:
    rounding = how.rounding_method
    tolerance = np.float32(1e-5)
    if not rounding:
        rounding = "round" if how.coordinate_transformation_mode == "align_corners" else "floor"
    if exact or rounding == "floor":
        places = np.floor(positions + tolerance)
    elif rounding == "round":
        places = round_away_from_zero(positions)
    elif rounding == "round_prefer_floor":
        places = np.ceil(positions - np.float32(0.5))
    elif rounding == "round_prefer_ceil":
        places = np.floor(positions + np.float32(0.5))
    elif rounding == "ceil":
        places = np.ceil(positions - tolerance)
    else:
        raise ValueError(f"unknown rounding_method {rounding}")
    return np.clip(places.astype(np.int64), 0, size - 1)


def _taps(positions: Reals, size: int, how: Interpolation) -> tuple[list[npt.NDArray[np.int64]], list[Reals]]:
    """The neighbours of each position and their weights: two for ``linear``, four for ``cubic``."""
    floor = np.floor(positions)
    first = floor.astype(np.int64)
    fraction = positions - floor
    if how.method == "linear":
        neighbours = [first, first + 1]
        weights = [np.float32(1) - fraction, fraction]
    elif how.method == "cubic":
        neighbours = [first + offset for offset in (-1, 0, 1, 2)]
        weights = _cubic_weights(fraction, np.float32(how.cubic_alpha))
        if how.cubic_exclude:
            weights = [
                np.where((index < 0) | (index + 1 > size), np.float32(0), weight)
                for index, weight in zip(neighbours, weights, strict=True)
            ]
            total = np.sum(weights, axis=0)
            weights = [weight / total for weight in weights]
    else:
        raise ValueError(f"unknown method {how.method}")
    return [np.clip(index, 0, size - 1) for index in neighbours], weights


def _cubic_weights(t: Reals, alpha: np.float32) -> list[Reals]:
    square, cube = t * t, t * t * t
    return [
        alpha * (cube - 2 * square + t),
        (alpha + 2) * cube - (3 + alpha) * square + 1,
        -(alpha + 2) * cube + (3 + 2 * alpha) * square - alpha * t,
        -alpha * cube + alpha * square,
    ]
