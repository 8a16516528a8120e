"""Operators on images: other sizes, other arrangements of blocks, samples at points of a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, NDArray
from relay_lsp.ir.types import Dim

from ...diagnostics import ConversionError
from ...inspection import dtype_of, shape_of, static_shape_of
from ...operators import cast, concatenate, multiply, resize, strided_slice, take, transpose, upsampling, upsampling3d
from ..node import OnnxNode, converter
from .shape_values import shape_value

_METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
_LAYOUTS = {3: "NCW", 4: "NCHW", 5: "NCDHW"}


def _method(node: OnnxNode) -> str:
    mode = node.string("mode", "nearest")
    if mode not in _METHODS:
        raise node.invalid("mode", f"mode must be one of {', '.join(_METHODS)}, not {mode}")
    return _METHODS[mode]


def _image_rank(node: OnnxNode) -> int:
    rank = node.rank()
    if rank not in _LAYOUTS:
        raise ConversionError(f"Relay resizes images of one to three spatial dimensions, not {rank - 2}")
    return rank


@converter("Resize", since=10)
def resize_by_scales(node: OnnxNode) -> Expr:
    """``image.resize`` by scales, with asymmetric coordinates."""
    method, rank = _method(node), _image_rank(node)
    scales = node.input(1)
    _check_scales(node, scales)
    size = node.fold(strided_slice(_scaled(node, scales), [2], [rank]))
    return _resized(node, rank, size, None, method, "asymmetric", "", -0.5, 0, 0.0)


def _scaled(node: OnnxNode, scales: Expr) -> Expr:
    return multiply(cast(shape_value(node.input()), dtype_of(scales)), scales)


@converter("Resize", since=11)
def resize_to_size(node: OnnxNode) -> Expr:
    """``image.resize`` to a size or by scales, of a region where one is given."""
    method, rank = _method(node), _image_rank(node)
    scales, size, region = _given(node, 2), _given(node, 3), _given(node, 1)
    if size is None and scales is None:
        raise ConversionError("Resize needs scales or a size")
    if size is not None and scales is not None:
        raise ConversionError("Resize takes scales or a size, not both")
    if node.int("antialias", 0):
        raise node.invalid("antialias", "Relay resizes without antialiasing")
    coordinates = node.string("coordinate_transformation_mode", "half_pixel")
    if coordinates not in _COORDINATES:
        known = ", ".join(_COORDINATES)
        raise node.invalid("coordinate_transformation_mode", f"Relay has the coordinates {known}, not {coordinates}")
    axes = node.ints("axes")
    if axes is not None:
        scales, size, region = (
            _scales_of_all_axes(node, axes, scales),
            _sizes_of_all_axes(node, axes, size),
            _region_of_all_axes(node, axes, region),
        )
    elif size is not None:
        size = _keeping_ratio(node, size)
    if size is None:
        assert scales is not None
        _check_scales(node, scales)
        size = _scaled(node, scales)
    rounding = node.string("nearest_mode", "round_prefer_floor")
    _check_size(node, size)
    if method == _METHODS["nearest"] and coordinates == "asymmetric":
        _warn_of_floor(node, size, rounding)
    if region is not None:
        corners = [strided_slice(region, [2], [rank]), strided_slice(region, [rank + 2], [2 * rank])]
        region = node.fold(concatenate(corners, 0))
    return _resized(
        node,
        rank,
        node.fold(strided_slice(size, [2], [rank])),
        region,
        method,
        coordinates,
        rounding,
        node.float("cubic_coeff_a", -0.75),
        node.int("exclude_outside", 0),
        node.float("extrapolation_value", 0.0),
    )


_COORDINATES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)


def _given(node: OnnxNode, index: int) -> Expr | None:
    """An input that is there and has elements."""
    value = node[index]
    return None if value is None or not shape_of(value) or shape_of(value)[0] == 0 else value


def _scales_of_all_axes(node: OnnxNode, axes: Sequence[int], values: Expr | None) -> Expr | None:
    if values is None:
        return None
    known = node.known_value(values)
    if known is None:
        raise ConversionError("where there are axes, scales and sizes must be constant", attribute="axes")
    every = np.ones(node.rank(), known.dtype)
    every[[axis % node.rank() for axis in axes]] = known
    return Constant(every)


def _region_of_all_axes(node: OnnxNode, axes: Sequence[int], region: Expr | None) -> Expr | None:
    if region is None:
        return None
    known = node.known_value(region)
    if known is None:
        raise ConversionError("where there are axes, the region must be constant", attribute="axes")
    starts, ends = np.zeros(node.rank(), known.dtype), np.ones(node.rank(), known.dtype)
    places = [axis % node.rank() for axis in axes]
    starts[places], ends[places] = known[: len(axes)], known[len(axes) :]
    return Constant(np.concatenate([starts, ends]))


def _sizes_of_all_axes(node: OnnxNode, axes: Sequence[int], size: Expr | None) -> Expr | None:
    if size is None:
        return None
    known = node.known_value(size)
    if known is None:
        raise ConversionError("where there are axes, scales and sizes must be constant", attribute="axes")
    present = static_shape_of(node.input())
    places = [axis % node.rank() for axis in axes]
    every = np.array(present, known.dtype)
    every[places] = _with_ratio(node, [present[place] for place in places], known)
    return Constant(every)


def _keeping_ratio(node: OnnxNode, size: Expr) -> Expr:
    if node.string("keep_aspect_ratio_policy", "stretch") == "stretch":
        return size
    known = node.known_value(size)
    if known is None:
        raise ConversionError(
            "where the ratio is kept, the size must be constant", attribute="keep_aspect_ratio_policy"
        )
    return Constant(_with_ratio(node, static_shape_of(node.input()), known))


def _with_ratio(node: OnnxNode, present: Sequence[int], wanted: NDArray) -> NDArray:
    policy = node.string("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted
    ratios = [float(want) / have for want, have in zip(wanted, present, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    _warn_of_rounding(node, [scale] * len(present), present)
    return np.array([math.floor(scale * have + 0.5) for have in present], wanted.dtype)


def _check_scales(node: OnnxNode, scales: Expr) -> None:
    """Refuse other batches and channels, and warn of scales that Relay, which has sizes alone, does not keep."""
    known = _known_numbers(node, scales, "scales")
    if known is None:
        return
    if any(float(scale) != 1 for scale in known[:2]):
        raise ConversionError(_SPACE_ALONE)
    _warn_of_rounding(node, [float(scale) for scale in known], node.shape())


_SPACE_ALONE = "batches and channels are not scaled: Relay resizes what follows the first two dimensions"


def _check_size(node: OnnxNode, size: Expr) -> None:
    known = _known_numbers(node, size, "sizes")
    for present, wanted in zip(node.shape()[:2], () if known is None else known, strict=False):
        if isinstance(present, int) and present != int(wanted):
            raise ConversionError(_SPACE_ALONE)


def _known_numbers(node: OnnxNode, given: Expr, what: str) -> NDArray | None:
    """What is given for each dimension of the image, where that is known."""
    known = node.known_value(given)
    if known is not None:
        _require_rank(node, known, what)
    return known


def _require_rank(node: OnnxNode, given: Sized, what: str) -> None:
    if len(given) != node.rank():
        raise ConversionError(f"there must be {node.rank()} {what}, not {len(given)}")


def _warn_of_rounding(node: OnnxNode, scales: Sequence[float], present: Sequence[Dim]) -> None:
    for scale, size in zip(scales, present, strict=True):
        doubt = "is" if isinstance(size, int) else "may be"
        times = size * scale if isinstance(size, int) else scale
        if abs(times - round(times)) > 1e-4:
            node.warn(
                "resize-scale", f"{size} times {scale:g} {doubt} no whole number: Relay takes the ratio of the sizes"
            )


def _warn_of_floor(node: OnnxNode, size: Expr, rounding: str) -> None:
    """Warn where Relay divides whole numbers, and so takes the pixel before, whatever the rounding.

    Source of the rule: ``can_convert_multiply_to_intdiv`` in ``python/tvm/topi/image/resize.py``.
    """
    known = node.known_value(size)
    if known is None or rounding == "floor":
        return
    for present, wanted in zip(node.shape()[2:], known[2:], strict=False):
        if not isinstance(present, int) or present < 1 or int(wanted) % present:
            continue
        times = int(wanted) // present
        if times > 2 or (times == 2 and rounding != "round_prefer_floor"):
            node.warn(
                "resize-scale",
                f"{present} becomes {int(wanted)}, {times} times as much: Relay then takes the pixel before a place, "
                f"and not as nearest_mode {rounding} says",
            )


def _resized(
    node: OnnxNode,
    rank: int,
    size: Expr,
    region: Expr | None,
    method: str,
    coordinates: str,
    rounding: str,
    cubic_alpha: float,
    cubic_exclude: int,
    extrapolation: float,
) -> Expr:
    return resize(
        rank - 2,
        node.input(),
        size,
        region,
        layout=_LAYOUTS[rank],
        method=method,
        coordinate_transformation_mode=coordinates,
        rounding_method=rounding,
        cubic_alpha=cubic_alpha,
        cubic_exclude=cubic_exclude,
        extrapolation_value=extrapolation,
    )


@converter("Upsample", since=9)
def upsample(node: OnnxNode) -> Expr:
    """``nn.upsampling``, or ``nn.upsampling3d``."""
    rank = node.rank()
    mode = node.string("mode", "nearest")
    if mode not in ("nearest", "linear"):
        raise node.invalid("mode", f"mode must be nearest or linear, not {mode}")
    if rank not in (4, 5):
        raise ConversionError(f"Relay scales images of two or three spatial dimensions up, not {rank - 2}")
    method = "nearest_neighbor" if mode == "nearest" else "trilinear" if rank == 5 else "bilinear"
    scales: list[float] | list[Expr] | None = list(node.floats("scales") or ()) or None
    if scales is None:
        given = node.input(1)
        known = given.data if isinstance(given, Constant) else node.parameter_value(given)
        scales = (
            [take(given, constant(index)) for index in range(rank)]
            if known is None
            else [float(scale) for scale in known.reshape(-1)]
        )
    _require_rank(node, scales, "scales")
    if any(isinstance(scale, float) and scale != 1.0 for scale in scales[:2]):
        raise ConversionError(_SPACE_ALONE)
    for scale, size in zip(scales, node.shape(), strict=True):
        if isinstance(scale, float):
            _warn_of_rounding(node, [scale], [size])
    if rank == 5:
        depth, height, width = scales[2:]
        mode = "asymmetric"
        return upsampling3d(node.input(), depth, height, width, method=method, coordinate_transformation_mode=mode)
    height, width = scales[2:]
    return upsampling(node.input(), height, width, method=method)


@converter("DepthToSpace", since=11)
def depth_to_space(node: OnnxNode) -> Expr:
    """``nn.depth_to_space``."""
    return call("nn.depth_to_space", node.input(), block_size=node.int("blocksize"), mode=node.string("mode", "DCR"))


@converter("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Expr:
    """``nn.space_to_depth``."""
    return call("nn.space_to_depth", node.input(), block_size=node.int("blocksize"), mode="")


@converter("GridSample", since=16)
def grid_sample(node: OnnxNode) -> Expr:
    """``image.grid_sample``, whose grid has its coordinates along the second dimension."""
    mode = node.string("mode", "bilinear")
    method = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return call(
        "image.grid_sample",
        node.input(0),
        transpose(node.input(1), [0, 3, 1, 2]),
        method=method,
        padding_mode=node.string("padding_mode", "zeros"),
        align_corners=node.int("align_corners", 0) != 0,
    )
