"""Operators of object detection.

Source of the rules: ``convert_detection_postprocess`` and ``convert_nms_v5`` in
``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

from typing import Any

from flatbuffers import flexbuffers  # pyright: ignore[reportMissingTypeStubs]

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...boxes import suppressed_boxes
from ...diagnostics import ConversionError
from ...operators import (
    Outputs,
    add,
    cast,
    concatenate,
    expand_dims,
    multiply,
    reshape,
    split,
    squeeze,
    strided_slice,
    take,
    transpose,
)
from ..node import TfliteNode, converter
from ..quantized import dequantize


class _CustomOptions:
    """The options of an operator that is not the schema's own, by name."""

    def __init__(self, data: bytes) -> None:
        self._values: Any = None
        try:
            reader: Any = flexbuffers
            self._values = reader.GetRoot(bytearray(data)).AsMap
        except Exception as error:  # Its errors have no common base: the bytes are no such options.
            raise ConversionError(f"the options cannot be read: {error}", code="invalid-model-attribute") from None

    def number(self, name: str, default: float | None = None) -> float:
        """A number; required where there is no default."""
        try:
            value = self._values[name]
            return float(value.AsFloat if value.IsFloat else value.AsInt)
        except KeyError:
            if default is None:
                raise ConversionError(
                    f"the options need {name}", attribute=name, code="missing-model-attribute"
                ) from None
            return default
        except Exception as error:
            raise ConversionError(
                f"the option {name} must be a number: {error}", attribute=name, code="invalid-model-attribute"
            ) from None


_DETECTION = "TFLite_Detection_PostProcess"


@converter(_DETECTION)
def detection_postprocess(node: TfliteNode) -> Outputs:
    """``vision.multibox_transform_loc``, ``vision.non_max_suppression`` and ``vision.get_valid_counts``.

    Suppression is that of all classes together (``use_regular_nms`` is refused), as in TVM.
    """
    options = _CustomOptions(node.record.custom_options)
    if options.number("use_regular_nms", 0):
        raise node.invalid("use_regular_nms", "suppression by class is not converted")
    if options.number("max_classes_per_detection", 1) != 1:
        raise node.invalid("max_classes_per_detection", "a box of several classes is not converted")
    node.require_inputs(3)
    locations, scores, anchors = (node.input(index) for index in range(3))
    classes_count = options.number("num_classes", scores.shape[2] - 1)
    if classes_count != scores.shape[2] - 1:
        raise node.invalid(
            "num_classes",
            f"the first class must be that of the background, and there are {scores.shape[2]} for {classes_count:g}",
        )
    batch, anchor_count = scores.shape[0], anchors.shape[0]
    most = int(options.number("max_detections"))
    classes, boxes = scores.expr, locations.expr
    anchor = anchors.parameter(anchors.value)
    boxes = dequantize(boxes, locations) if locations.is_quantized else boxes
    classes = dequantize(classes, scores) if scores.is_quantized else classes
    anchor = dequantize(anchor, anchors) if anchors.is_quantized else anchor
    classes = transpose(classes, [0, 2, 1])
    y, x, height, width = split(boxes, 4, 2)
    boxes = reshape(concatenate([x, y, width, height], 2), [batch, anchor_count * 4])
    located = call(
        "vision.multibox_transform_loc",
        classes,
        boxes,
        expand_dims(_corners(anchor), 0),
        clip=False,
        threshold=options.number("nms_score_threshold"),
        variances=[1 / options.number(f"{part}_scale") for part in ("x", "y", "w", "h")],
    )
    moved = Outputs(located, 2)
    kept = call(
        "vision.non_max_suppression",
        moved[0],
        moved[1],
        moved[1],
        constant(most, "int32"),
        constant(options.number("nms_iou_threshold"), "float32"),
        force_suppress=True,
        top_k=anchor_count,
        coord_start=2,
        score_index=1,
        id_index=0,
        return_indices=False,
        invalid_to_bottom=False,
    )
    valid = Outputs(
        call("vision.get_valid_counts", kept, constant(0, "float32"), score_threshold=None, id_index=0, score_index=1),
        3,
    )
    count = valid[0]
    rows = strided_slice(valid[1], [0, 0, 0], [batch, most, 6])
    columns = split(rows, 6, 2)
    ids, values = reshape(columns[0], [batch, -1]), reshape(columns[1], [batch, -1])
    corners = concatenate([columns[3], columns[2], columns[5], columns[4]], 2)
    return Outputs.of(corners, ids, values, cast(count, "float32"))  # TVM leaves the integers.


def _corners(anchors: Expr) -> Expr:
    """Boxes by their left, top, right and bottom, of boxes by their middle, height and width."""
    y, x, height, width = split(anchors, 4, 1)
    plus, minus = constant(0.5, "float32"), constant(-0.5, "float32")
    left, right = add(x, multiply(width, minus)), add(x, multiply(width, plus))
    top, bottom = add(y, multiply(height, minus)), add(y, multiply(height, plus))
    return concatenate([left, top, right, bottom], 1)


@converter("NON_MAX_SUPPRESSION_V5")
def non_max_suppression(node: TfliteNode) -> Outputs:
    """``vision.get_valid_counts`` and ``vision.non_max_suppression``; suppression that lowers scores is refused."""
    node.require_inputs(6)
    most = int(node.input(2).scalar)
    overlap, threshold, sigma = (float(node.input(index).scalar) for index in (3, 4, 5))
    if sigma:
        raise ConversionError("suppression that lowers scores is not converted", input=node.input(5).name)
    boxes, scores = node.input(0).expr, node.input(1).expr
    data = expand_dims(concatenate([expand_dims(scores, -1, 1), boxes], -1), 0, 1)
    counted = call(
        "vision.get_valid_counts",
        data,
        constant(threshold, "float32"),
        score_threshold=None,
        id_index=-1,
        score_index=0,
    )
    count, valid, indices = Outputs(counted, 3)
    rows, kept_count = suppressed_boxes(valid, count, indices, most, overlap)
    selected = strided_slice(squeeze(rows, [0]), [0], [most])
    return Outputs.of(selected, take(scores, selected, 0), squeeze(kept_count, [1]))
