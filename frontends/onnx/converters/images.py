"""Operators on images: other sizes, other arrangements of blocks, samples at points of a grid."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, shape_of
from ...operators import cast, concatenate, multiply, resize, strided_slice, take, transpose, upsampling, upsampling3d
from ..node import Node
from ..registry import converter
from .shape_values import shape_value

_METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
_LAYOUTS = {3: "NCW", 4: "NCHW", 5: "NCDHW"}


def _method(node: Node) -> str:
    mode = node.string("mode", "nearest")
    if mode not in _METHODS:
        raise node.invalid("mode", f"mode must be one of {', '.join(_METHODS)}, not {mode}")
    return _METHODS[mode]


def _image_rank(node: Node) -> int:
    rank = node.rank()
    if rank not in _LAYOUTS:
        raise ConversionError(f"Relay resizes images of one to three spatial dimensions, not {rank - 2}")
    return rank


@converter("Resize", since=10)
def resize_by_scales(node: Node) -> Expr:
    """``image.resize`` by scales, with asymmetric coordinates."""
    method, rank = _method(node), _image_rank(node)
    size = node.fold(strided_slice(_scaled(node, node.input(1)), [2], [rank]))
    return _resized(node, rank, size, None, method, "asymmetric", "", -0.5, 0, 0.0)


def _scaled(node: Node, scales: Expr) -> Expr:
    return multiply(cast(shape_value(node.input()), dtype_of(scales)), scales)


@converter("Resize", since=11)
def resize_to_size(node: Node) -> Expr:
    """``image.resize`` to a size or by scales, of a region where one is given."""
    method, rank = _method(node), _image_rank(node)
    scales, size = node[2], node[3]
    if size is None:
        if scales is None or not shape_of(scales) or shape_of(scales)[0] == 0:
            raise ConversionError("Resize needs scales or a size")
        size = _scaled(node, scales)
    elif scales is not None and shape_of(scales) and shape_of(scales)[0] != 0:
        raise ConversionError("Resize takes scales or a size, not both")
    region = node[1]
    if region is not None and shape_of(region) and shape_of(region)[0] == 0:
        region = None
    if region is not None:
        corners = [strided_slice(region, [2], [rank]), strided_slice(region, [rank + 2], [2 * rank])]
        region = node.fold(concatenate(corners, 0))
    return _resized(
        node,
        rank,
        node.fold(strided_slice(size, [2], [rank])),
        region,
        method,
        node.string("coordinate_transformation_mode", "half_pixel"),
        node.string("nearest_mode", "round_prefer_floor"),
        node.float("cubic_coeff_a", -0.75),
        node.int("exclude_outside", 0),
        node.float("extrapolation_value", 0.0),
    )


def _resized(
    node: Node,
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
def upsample(node: Node) -> Expr:
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
    if len(scales) != rank:
        raise ConversionError(f"there must be {rank} scales, not {len(scales)}")
    if any(isinstance(scale, float) and scale != 1.0 for scale in scales[:2]):
        raise ConversionError("batches and channels are not scaled")
    if rank == 5:
        depth, height, width = scales[2:]
        mode = "asymmetric"
        return upsampling3d(node.input(), depth, height, width, method=method, coordinate_transformation_mode=mode)
    height, width = scales[2:]
    return upsampling(node.input(), height, width, method=method)


@converter("DepthToSpace", since=11)
def depth_to_space(node: Node) -> Expr:
    """``nn.depth_to_space``."""
    return call("nn.depth_to_space", node.input(), block_size=node.int("blocksize"), mode=node.string("mode", "DCR"))


@converter("SpaceToDepth")
def space_to_depth(node: Node) -> Expr:
    """``nn.space_to_depth``."""
    return call("nn.space_to_depth", node.input(), block_size=node.int("blocksize"), mode="")


@converter("GridSample", since=16)
def grid_sample(node: Node) -> Expr:
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
