"""Sampling an image at arbitrary places: ``image.affine_grid`` and ``image.grid_sample``.

Source of the rule: ``src/relay/op/image/grid_sample.cc``, ``python/tvm/topi/image/grid_sample.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..nn.windows import convertible_layout, shape_in, static
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["AffineGridAttrs", "GridSampleAttrs"]


@attributes("relay.attrs.AffineGridAttrs")
class AffineGridAttrs(Attrs):
    """Attributes of ``image.affine_grid``."""

    target_shape: Shape = attribute(doc="Height and width of the grid.")


@attributes("relay.attrs.GridSampleAttrs")
class GridSampleAttrs(Attrs):
    """Attributes of ``image.grid_sample``."""

    method: str = attribute(
        default="bilinear", doc="Interpolation: `nearest`, `bilinear` (also of volumes) or `bicubic`."
    )
    layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result: NCHW, or NCDHW for volumes.")
    padding_mode: str = attribute(
        default="zeros",
        doc="What lies outside the image: `zeros`, the `border`'s elements, or the image's `reflection`.",
    )
    align_corners: bool = attribute(
        default=True, doc="Whether -1 and 1 are the centres of the outermost elements rather than their outer edges."
    )


def _affine_relation(context: RelationContext) -> Type | None:
    attrs: AffineGridAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_rank(data, 3, 0, "data", "batch, 2, 3")
    for axis, size in ((1, 2), (2, 3)):
        if not context.require_equal(data.shape[axis], size):
            raise RelationError(f"data must be (batch, 2, 3), but it is {data!r}", argument=0)
    if len(attrs.target_shape) != 2:
        raise RelationError("target_shape must be a height and a width", attribute="target_shape")
    return TensorType((data.shape[0], 2, *attrs.target_shape), data.dtype)


def _affine(attrs: AffineGridAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    (data,) = inputs
    height, width = static(attrs.target_shape)
    # TVM keeps the last element a little inside the image.
    y = np.arange(height, dtype=data.dtype) * data.dtype.type((2.0 - 1e-7) / (height - 1)) - 1
    x = np.arange(width, dtype=data.dtype) * data.dtype.type((2.0 - 1e-7) / (width - 1)) - 1
    factors = data[:, :, :, None, None]
    return factors[:, :, 0] * x[None, None, None, :] + factors[:, :, 1] * y[None, None, :, None] + factors[:, :, 2]


register(
    Op(
        "image.affine_grid",
        doc="The places that an affine map takes a regular grid to: (n, 2, height, width), x and y from -1 to 1.",
        arguments=(Argument("data", "Affine maps (n, 2, 3)."),),
        attrs=AffineGridAttrs,
        relation=_affine_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_affine,
        level=5,
    )
)

_REFERENCES = {4: Layout.parse("NCHW"), 5: Layout.parse("NCDHW")}


def _sample_relation(context: RelationContext) -> Type | None:
    attrs: GridSampleAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    grid = tensor_argument(context, 1, "grid")
    if data is None or grid is None:
        return None
    reference = _REFERENCES.get(data.ndim)
    if reference is None:
        raise RelationError(f"data must be four- or five-dimensional, but it is {data!r}", argument=0)
    require_rank(grid, data.ndim, 1, "grid", "batch, coordinates, places")
    layout = convertible_layout(attrs.layout, reference, "layout")
    shape = shape_in(data.shape, layout, reference, 0, "data")
    return TensorType(convert_shape((*shape[:2], *grid.shape[2:]), reference, layout), data.dtype)


def _reflected(places: NDArray, size: int, align_corners: bool) -> NDArray:
    """Places mirrored at the borders until they lie inside."""
    start, span = (0.0, size - 1) if align_corners else (-0.5, size)
    if span == 0:
        return np.zeros_like(places)
    distance = np.abs(places - start)
    times = np.trunc(distance / span)
    rest = distance - times * span
    mirrored = np.where(times % 2 == 0, rest + start, span - rest + start)
    inside = (places >= start) & (places <= span + start)
    return np.where(inside, places, mirrored).astype(places.dtype)


def _inside(places: NDArray, size: int, attrs: GridSampleAttrs) -> NDArray:
    if attrs.padding_mode == "reflection":
        places = _reflected(places, size, attrs.align_corners)
    return places if attrs.padding_mode == "zeros" else np.clip(places, 0, size - 1)


def _cubic_weights(t: NDArray) -> list[NDArray]:
    alpha = -0.75

    def near(x: NDArray) -> NDArray:
        return ((alpha + 2) * x - (alpha + 3)) * x * x + 1

    def far(x: NDArray) -> NDArray:
        return ((alpha * x - 5 * alpha) * x + 8 * alpha) * x - 4 * alpha

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _taps(places: NDArray, size: int, attrs: GridSampleAttrs) -> list[tuple[NDArray, NDArray]]:
    """Index and weight of each neighbour of the places along one axis of the image."""
    if attrs.method == "bicubic":
        floor = np.floor(places)
        weights = _cubic_weights(places - floor)
        return [
            (_inside(floor + offset, size, attrs).astype(np.int64), weight)
            for offset, weight in zip((-1, 0, 1, 2), weights, strict=True)
        ]
    places = _inside(places, size, attrs)
    if attrs.method == "nearest":
        return [(np.rint(places).astype(np.int64), np.ones_like(places))]
    floor = np.floor(places)
    fraction = places - floor
    index = floor.astype(np.int64)
    return [(index, 1 - fraction), (index + 1, fraction)]


def _sample(attrs: GridSampleAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, grid = inputs
    reference, layout = _REFERENCES[data.ndim], Layout.parse(attrs.layout)
    data = convert_array(data, layout, reference)
    sizes = data.shape[2:]
    taps: list[list[tuple[NDArray, NDArray]]] = []
    for axis, size in enumerate(sizes):
        normal = grid[:, len(sizes) - 1 - axis]
        places = (normal + 1) * (size - 1) / 2 if attrs.align_corners else (normal + 1) * size / 2 - 0.5
        taps.append(_taps(places.astype(data.dtype), size, attrs))
    images = np.arange(len(data)).reshape([-1] + [1] * len(sizes))
    channels_last = np.moveaxis(data, 1, -1)
    result = np.zeros((*grid[:, 0].shape, data.shape[1]), data.dtype)
    for combination in itertools.product(*taps):
        inside = np.ones(grid[:, 0].shape, np.bool_)
        weight = np.ones(grid[:, 0].shape, data.dtype)
        indices: list[NDArray] = []
        for (index, part), size in zip(combination, sizes, strict=True):
            inside &= (index >= 0) & (index < size)
            weight = weight * part
            indices.append(np.clip(index, 0, size - 1))
        values = channels_last[(images, *indices)]
        result += np.where(inside[..., None], values, 0) * weight[..., None]
    return convert_array(np.moveaxis(result, -1, 1), reference, layout)


register(
    Op(
        "image.grid_sample",
        doc="Sample images at the places of a grid. (n, c, h, w) and a grid (n, 2, h', w') give (n, c, h', w'); "
        "volumes (n, c, d, h, w) and (n, 3, d', h', w') give (n, c, d', h', w').",
        arguments=(
            Argument("data", "The images or volumes."),
            Argument("grid", "Places: x, y (and z) from -1 to 1 along each axis."),
        ),
        attrs=GridSampleAttrs,
        relation=_sample_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_sample,
        level=5,
    )
)
