"""Images in other sizes, and at other places."""

from __future__ import annotations

import math

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...operators import concatenate, expand_dims, resize, transpose
from ..node import TorchNode, as_expr, converter
from .quantization import by_way_of_floats, is_quantized

_LAYOUTS = ("NCW", "NCHW", "NCDHW")


def _sizes(node: TorchNode, rank: int, scales: int, align_corners: bool = False) -> list[int]:
    """The size of the result: as given, or the present one times the factors at ``scales``.

    Raises:
        ConversionError: there is neither, or a factor does not give a whole number of pixels: PyTorch's pixels then lie
            as far apart as the factor says, and Relay's as the sizes do. Where corners are aligned both go by sizes.
    """
    factors: list[float] = []
    if isinstance(node[scales], list):
        factors = node.numbers(scales)
    elif node[scales] is not None:
        factors = [node.number(scales + place) for place in range(rank)]
    if node[1] is None and not factors:
        raise ConversionError("neither a size nor a factor is given", input="1")
    if node[1] is not None and not (factors and node.has_static_shape()):
        return node.integers(1)
    exact = [size * factor for size, factor in zip(node.static_shape()[-rank:], factors, strict=True)]
    sizes = [math.floor(size) for size in exact] if node[1] is None else node.integers(1)
    for size, wanted, factor in zip(sizes, exact, factors, strict=True):
        node.require(
            align_corners or abs(size - wanted) < 1e-3,
            f"{wanted / factor:g} pixels times {factor:g} are no whole number: Relay's resize goes by sizes alone",
            scales,
        )
    return sizes


def _resized(node: TorchNode, rank: int, method: str, coordinates: str, sizes: list[int], rounding: str = "") -> Expr:
    options: dict[str, float] = {"cubic_alpha": -0.75} if rank == 2 else {}

    def compute(data: Expr) -> Expr:
        return resize(
            rank,
            data,
            sizes,
            layout=_LAYOUTS[rank - 1],
            method=method,
            coordinate_transformation_mode=coordinates,
            rounding_method=rounding,
            **options,  # type: ignore[arg-type]
        )

    if rank == 2 and is_quantized(node):
        scale, zero_point = node.tensor(len(node) - 2), node.tensor(len(node) - 1)
        return by_way_of_floats(node.tensor(), scale, zero_point, compute)
    return compute(node.tensor())


def _coordinates(align_corners: bool) -> str:
    return "align_corners" if align_corners else "half_pixel"


@converter("aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d")
def upsample_nearest(node: TorchNode) -> Expr:
    """``image.resize1d`` to ``image.resize3d`` by the nearest pixel."""
    rank = int(node.operator[-2])
    return _resized(node, rank, "nearest_neighbor", "asymmetric", _sizes(node, rank, 2))


@converter("aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact3d")
def upsample_nearest_exact(node: TorchNode) -> Expr:
    """``image.resize1d`` to ``image.resize3d`` by the pixel whose middle is nearest."""
    rank = int(node.operator[-2])
    return _resized(node, rank, "nearest_neighbor", "half_pixel", _sizes(node, rank, 2), "round_prefer_ceil")


@converter("aten::upsample_linear1d", "aten::upsample_bilinear2d", "aten::upsample_trilinear3d")
def upsample_linear(node: TorchNode) -> Expr:
    """``image.resize1d`` to ``image.resize3d`` by linear interpolation."""
    rank = int(node.operator[-2])
    return _resized(node, rank, "linear", _coordinates(node.flag(2)), _sizes(node, rank, 3, node.flag(2)))


@converter("aten::upsample_bicubic2d")
def upsample_cubic(node: TorchNode) -> Expr:
    """``image.resize2d`` by cubic interpolation."""
    return _resized(node, 2, "cubic", _coordinates(node.flag(2)), _sizes(node, 2, 3, node.flag(2)))


@converter("aten::__interpolate")
def interpolate(node: TorchNode) -> Expr:
    """``image.resize2d``, ``dyn.image.resize2d`` where the size is computed."""
    method = node.text(3, "nearest")
    align_corners = node.flag(4)
    if method.startswith("nearest"):
        method, coordinates = "nearest_neighbor", "asymmetric"
    else:
        method, coordinates = method.removeprefix("bi"), _coordinates(align_corners)
    sizes = node[1]
    if isinstance(sizes, list):
        known = [node.known_int(value) for value in sizes]
        if None not in known:
            return _resized(node, 2, method, coordinates, [number for number in known if number is not None])
        computed: Expr = concatenate([expand_dims(as_expr(value), 0) for value in sizes], 0)
    elif sizes is None:
        return _resized(node, 2, method, coordinates, _sizes(node, 2, 2, align_corners or node.flag(5)))
    else:
        computed = node.tensor(1)
    return resize(
        2, node.tensor(), computed, layout="NCHW", method=method, coordinate_transformation_mode=coordinates,
        cubic_alpha=-0.75,
    )  # fmt: skip


_METHODS = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


@converter("aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d")
def grid_sampler(node: TorchNode) -> Expr:
    """``image.grid_sample``, its coordinates first."""
    rank = node.rank()
    node.require(rank in (4, 5), f"an image has 4 or 5 dimensions, not {rank}", 0)
    method, padding = node.integer(2, 0), node.integer(3, 0)
    node.require(0 <= method < 3 and 0 <= padding < 3, "there is no such way of interpolation or padding", 2)
    return call(
        "image.grid_sample",
        node.tensor(),
        transpose(node.tensor(1), [0, rank - 1, *range(1, rank - 1)]),
        method=_METHODS[method],
        layout=_LAYOUTS[rank - 3],
        padding_mode=_PADDINGS[padding],
        align_corners=node.flag(4),
    )
