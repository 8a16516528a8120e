"""Regions of interest: ``vision.roi_align``, ``vision.roi_pool``.

Source of the rule: ``src/relay/op/vision/rcnn_op.cc``, ``python/tvm/topi/vision/rcnn``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["ROIAlignAttrs", "ROIPoolAttrs"]


@attributes("relay.attrs.ROIAlignAttrs")
class ROIAlignAttrs(Attrs):
    """Attributes of ``vision.roi_align``."""

    pooled_size: Shape = attribute(doc="Height and width of the result.")
    spatial_scale: float = attribute(doc="Size of `data` as a part of the size that `rois` are measured in.")
    sample_ratio: int = attribute(default=-1, doc="Samples in each direction for each element; -1 for as many as fit.")
    layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result: NCHW or NHWC.")
    mode: str = attribute(default="avg", doc="What is made of the samples: `avg` or `max`.")


@attributes("relay.attrs.ROIPoolAttrs")
class ROIPoolAttrs(Attrs):
    """Attributes of ``vision.roi_pool``."""

    pooled_size: Shape = attribute(doc="Height and width of the result.")
    spatial_scale: float = attribute(doc="Size of `data` as a part of the size that `rois` are measured in.")
    layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result: NCHW or NHWC.")


def _pooled_relation(context: RelationContext) -> Type | None:
    attrs: ROIAlignAttrs | ROIPoolAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    rois = tensor_argument(context, 1, "rois")
    if data is None or rois is None:
        return None
    require_rank(data, 4, 0, "data", f"layout {attrs.layout}")
    require_rank(rois, 2, 1, "rois", "regions, 5")
    if len(attrs.pooled_size) < 2:
        raise RelationError("pooled_size must be a height and a width", attribute="pooled_size")
    height, width = attrs.pooled_size[:2]
    if attrs.layout == "NCHW":
        return TensorType((rois.shape[0], data.shape[1], height, width), data.dtype)
    if attrs.layout == "NHWC":
        return TensorType((rois.shape[0], height, width, data.shape[3]), data.dtype)
    raise RelationError(f"layout must be NCHW or NHWC, not {attrs.layout}", attribute="layout")


def _pooled_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Data in the layout that the attributes say; five numbers for each region."""
    assert isinstance(attrs, (ROIAlignAttrs, ROIPoolAttrs))
    return InferredLayout((attrs.layout, "N5"), (attrs.layout,), attrs)


def _bilinear(image: NDArray, y: NDArray, x: NDArray) -> NDArray:
    """Samples of an image (c, h, w) at the points of ``y`` and ``x``; 0 more than one element outside."""
    height, width = image.shape[1:]
    outside = (y < -1) | (x < -1) | (y > height) | (x > width)
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    bottom, right = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
    dy, dx = y - top, x - left
    upper = image[:, top, left] * (1 - dx) + image[:, top, right] * dx
    lower = image[:, bottom, left] * (1 - dx) + image[:, bottom, right] * dx
    return np.where(outside, 0, upper * (1 - dy) + lower * dy)


def _channels_first(data: NDArray, layout: str) -> NDArray:
    return data if layout == "NCHW" else np.moveaxis(data, 3, 1)


def _as_layout(result: NDArray, layout: str) -> NDArray:
    return result if layout == "NCHW" else np.moveaxis(result, 1, 3)


def _roi_align(attrs: ROIAlignAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, rois = _channels_first(inputs[0], attrs.layout), inputs[1]
    height, width = (int(size) for size in _static(attrs.pooled_size))
    result = np.zeros((len(rois), data.shape[1], height, width), data.dtype)
    for region, (image, left, top, right, bottom) in enumerate(rois):
        left, top, right, bottom = (side * rois.dtype.type(attrs.spatial_scale) for side in (left, top, right, bottom))
        cell_height = max(bottom - top, rois.dtype.type(1)) / height
        cell_width = max(right - left, rois.dtype.type(1)) / width
        rows = attrs.sample_ratio if attrs.sample_ratio > 0 else int(np.ceil(cell_height))
        columns = attrs.sample_ratio if attrs.sample_ratio > 0 else int(np.ceil(cell_width))
        y = top + (np.arange(height)[:, None] + (np.arange(rows) + 0.5) / rows) * cell_height
        x = left + (np.arange(width)[:, None] + (np.arange(columns) + 0.5) / columns) * cell_width
        samples = _bilinear(data[int(image)], y[:, :, None, None], x[None, None])
        reduce = np.mean if attrs.mode == "avg" else np.max
        result[region] = reduce(samples, axis=(2, 4))
    return _as_layout(result, attrs.layout)


def _roi_pool(attrs: ROIPoolAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, rois = _channels_first(inputs[0], attrs.layout), inputs[1]
    height, width = (int(size) for size in _static(attrs.pooled_size))
    result = np.zeros((len(rois), data.shape[1], height, width), data.dtype)
    for region, (image, *sides) in enumerate(rois):
        left, top, right, bottom = np.floor(np.asarray(sides) * attrs.spatial_scale + 0.5).astype(np.int64)
        rows = _cells(int(top), int(bottom), height, data.shape[2])
        columns = _cells(int(left), int(right), width, data.shape[3])
        for row, (first_row, last_row) in enumerate(rows):
            for column, (first_column, last_column) in enumerate(columns):
                cell = data[int(image), :, first_row:last_row, first_column:last_column]
                if cell.size:
                    result[region, :, row, column] = cell.max(axis=(1, 2))
    return _as_layout(result, attrs.layout)


def _cells(start: int, end: int, count: int, limit: int) -> list[tuple[int, int]]:
    """Where each of ``count`` cells of a region begins and ends, inside the image."""
    size = max(end - start + 1, 1) / count
    tolerance = 1e-5
    return [
        (
            min(max(int(np.floor(cell * size + tolerance)) + start, 0), limit),
            min(max(int(np.ceil((cell + 1) * size - tolerance)) + start, 0), limit),
        )
        for cell in range(count)
    ]


def _static(size: Shape) -> tuple[Any, ...]:
    return size[:2]


_REGIONS = Argument("rois", "Regions (count, 5): image, left, top, right, bottom.")

register(
    Op(
        "vision.roi_align",
        doc="Sample each region of interest on a grid of `pooled_size`, interpolating between elements. In the layout "
        "NCHW the result is (regions, channels, height, width).",
        arguments=(Argument("data", "Features, four-dimensional."), _REGIONS),
        metadata_attrs=ROIAlignAttrs,
        relation=_pooled_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=_roi_align,
        infer_layout=_pooled_layout,
        level=5,
    )
)

register(
    Op(
        "vision.roi_pool",
        doc="Divide each region of interest into cells, `pooled_size` of them, and take the greatest element of each; "
        "0 for an empty cell. In the layout NCHW the result is (regions, channels, height, width).",
        arguments=(Argument("data", "Features, four-dimensional."), _REGIONS),
        metadata_attrs=ROIPoolAttrs,
        relation=_pooled_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=_roi_pool,
        infer_layout=_pooled_layout,
        level=5,
    )
)
