"""Operators of object detection."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, TupleGetItem

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of
from ...operators import add, cast, concatenate, divide, expand_dims, split, squeeze, strided_slice, subtract
from ..node import OnnxNode, converter


@converter("MaxRoiPool")
def max_roi_pool(node: OnnxNode) -> Expr:
    """``vision.roi_pool``."""
    node.require_inputs(2)
    return call(
        "vision.roi_pool",
        node.input(0),
        node.input(1),
        pooled_size=node.required_ints("pooled_shape"),
        spatial_scale=node.float("spatial_scale", 1.0),
        layout="NCHW",
    )


@converter("RoiAlign")
def roi_align(node: OnnxNode) -> Expr:
    """``vision.roi_align``, whose regions begin with the index of their image."""
    node.require_inputs(3)
    regions = node.input(1)
    mode = node.string("mode", "avg")
    if mode not in ("avg", "max"):
        raise node.invalid("mode", f"mode must be avg or max, not {mode}")
    scale = node.float("spatial_scale", 1.0)
    if node.opset >= 16 and node.string("coordinate_transformation_mode", "half_pixel") == "half_pixel":
        # Relay's regions have whole pixels for corners, as ONNX's had before version 16. TVM does not look at it.
        regions = subtract(regions, constant(0.5 / scale, dtype_of(regions)))
    batch = cast(expand_dims(node.input(2), 1, 1), dtype_of(regions))
    return call(
        "vision.roi_align",
        node.input(0),
        concatenate([batch, regions], 1),
        pooled_size=(node.int("output_height", 1), node.int("output_width", 1)),
        spatial_scale=scale,
        sample_ratio=node.int("sampling_ratio", 0),
        layout="NCHW",
        mode=mode,
    )


@converter("NonMaxSuppression", since=10)
def non_max_suppression(node: OnnxNode) -> Expr:
    """``vision.all_class_non_max_suppression``, its result cut to the number that was selected."""
    boxes, scores = node.input(0), node.input(1)
    dtype = dtype_of(boxes)
    if node.int("center_point_box", 0):
        x, y, width, height = split(boxes, 4, 2)
        half_width, half_height = divide(width, constant(2.0, dtype)), divide(height, constant(2.0, dtype))
        corners = [subtract(y, half_height), subtract(x, half_width), add(y, half_height), add(x, half_width)]
        boxes = concatenate(corners, 2)
    most = constant(0, "int64") if node[2] is None else node.input(2)
    thresholds = [constant(0.0, "float32") if node[index] is None else node.input(index) for index in (3, 4)]
    selected = call(
        "vision.all_class_non_max_suppression", boxes, scores, *map(_scalar, [most, *thresholds]), output_format="onnx"
    )
    return strided_slice(TupleGetItem(selected, 0), constant([0], "int64"), TupleGetItem(selected, 1))


def _scalar(value: Expr) -> Expr:
    rank = rank_of(value)
    if rank > 1:
        raise ConversionError(f"a threshold must be a scalar, and has {rank} dimensions")
    return squeeze(value, [0]) if rank == 1 else value
