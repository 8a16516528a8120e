"""Choosing among overlapping boxes: ``vision.get_valid_counts`` and the two ``non_max_suppression``.

Source of the rule: ``src/relay/op/vision/nms.cc``, ``python/tvm/topi/vision/nms.py``, ``nms_util.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, register
from ..shapes import multiply

__all__ = ["AllClassNonMaximumSuppressionAttrs", "GetValidCountsAttrs", "NonMaximumSuppressionAttrs"]


@attributes("relay.attrs.GetValidCountsAttrs")
class GetValidCountsAttrs(Attrs):
    """Attributes of ``vision.get_valid_counts``."""

    score_threshold: float | None = attribute(doc="Not used: the threshold is an argument.")
    id_index: int = attribute(default=0, doc="Where in a box its class stands; -1 for boxes without a class.")
    score_index: int = attribute(default=1, doc="Where in a box its score stands.")


@attributes("relay.attrs.NonMaximumSuppressionAttrs")
class NonMaximumSuppressionAttrs(Attrs):
    """Attributes of ``vision.non_max_suppression``."""

    force_suppress: bool = attribute(default=False, doc="Whether boxes of different classes suppress each other.")
    top_k: int = attribute(default=-1, doc="How many boxes are considered, best first; -1 for all.")
    coord_start: int = attribute(default=2, doc="Where in a box its four coordinates begin.")
    score_index: int = attribute(default=1, doc="Where in a box its score stands.")
    id_index: int = attribute(default=0, doc="Where in a box its class stands; -1 for boxes without a class.")
    return_indices: bool = attribute(
        default=True, doc="Whether the result is the boxes' indices rather than the boxes."
    )
    invalid_to_bottom: bool = attribute(default=False, doc="Whether the suppressed boxes come last.")


@attributes("relay.attrs.AllClassNonMaximumSuppressionAttrs")
class AllClassNonMaximumSuppressionAttrs(Attrs):
    """Attributes of ``vision.all_class_non_max_suppression``."""

    output_format: str = attribute(
        default="onnx", doc="`onnx`: (indices, count); `tensorflow`: (indices, scores, counts)."
    )


def _valid_counts_relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_rank(data, 3, 0, "data", "batch, boxes, numbers of a box")
    return TupleType((TensorType(data.shape[:1], "int32"), data, TensorType(data.shape[:2], "int32")))


def _valid_counts(
    attrs: GetValidCountsAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray, NDArray]:
    data, threshold = inputs
    valid = data[:, :, attrs.score_index] > threshold
    if attrs.id_index >= 0:
        valid &= data[:, :, attrs.id_index] >= 0
    boxes = np.full_like(data, -1)
    indices = np.full(data.shape[:2], -1, np.int32)
    counts = valid.sum(axis=1).astype(np.int32)
    for image, count in enumerate(counts):
        boxes[image, :count] = data[image, valid[image]]
        indices[image, :count] = np.flatnonzero(valid[image])
    return counts, boxes, indices


register(
    Op(
        "vision.get_valid_counts",
        doc="Move the boxes whose score exceeds a threshold to the front. The result is a tuple: how many those are, "
        "for each image; the boxes, -1 behind the valid ones; and the index that each had, likewise.",
        arguments=(
            Argument("data", "Boxes (n, boxes, numbers of a box)."),
            Argument("score_threshold", "The score to exceed, a scalar."),
        ),
        metadata_attrs=GetValidCountsAttrs,
        relation=_valid_counts_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_valid_counts,
        level=5,
    )
)


def _overlaps(corners: NDArray, box: int, others: NDArray) -> NDArray:
    """Intersection over union of one box with others; ``corners`` are rows of two opposite corners."""
    left, top = np.minimum(corners[:, 0], corners[:, 2]), np.minimum(corners[:, 1], corners[:, 3])
    right, bottom = np.maximum(corners[:, 0], corners[:, 2]), np.maximum(corners[:, 1], corners[:, 3])
    width = np.minimum(right[box], right[others]) - np.maximum(left[box], left[others])
    height = np.minimum(bottom[box], bottom[others]) - np.maximum(top[box], top[others])
    shared = np.maximum(width, 0) * np.maximum(height, 0)
    areas = (right - left) * (bottom - top)
    union = areas[box] + areas[others] - shared
    return np.where(union > 0, shared / np.where(union > 0, union, 1), 0)


def _suppression_relation(context: RelationContext) -> Type | None:
    attrs: NonMaximumSuppressionAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    counts = tensor_argument(context, 1, "valid_count")
    if data is None or counts is None:
        return None
    require_rank(data, 3, 0, "data", "batch, boxes, numbers of a box")
    require_rank(counts, 1, 1, "valid_count", "one number for each image")
    if not attrs.return_indices:
        return data
    return TupleType((TensorType(data.shape[:2], "int32"), TensorType((data.shape[0], 1), "int32")))


def _suppressed(
    boxes: NDArray, attrs: NonMaximumSuppressionAttrs, limit: int, threshold: float
) -> tuple[NDArray, NDArray]:
    """The valid boxes of one image, best first and -1 where suppressed, and the index that each had."""
    order = np.argsort(-boxes[:, attrs.score_index], kind="stable")
    kept = len(order) if attrs.top_k <= 0 else min(attrs.top_k, len(order))
    result = np.full_like(boxes, -1)
    indices = np.full(len(boxes), -1, np.int32)
    result[:kept], indices[:kept] = boxes[order[:kept]], order[:kept]
    corners = result[:, attrs.coord_start : attrs.coord_start + 4].copy()
    chosen: list[int] = []
    for box in range(len(boxes)):
        if len(chosen) != limit and result[box, attrs.score_index] <= 0:
            continue
        valid = len(chosen) != limit
        if valid:
            rivals = np.asarray(chosen, np.int64)
            if attrs.id_index >= 0:
                rivals = rivals[result[rivals, attrs.id_index] >= 0]
                if not attrs.force_suppress:
                    rivals = rivals[result[rivals, attrs.id_index] == result[box, attrs.id_index]]
            valid = not np.any(_overlaps(corners, box, rivals) >= threshold)
        if valid:
            chosen.append(box)
        else:
            result[box], indices[box] = -1, -1
    return result, indices


def _suppression(attrs: NonMaximumSuppressionAttrs, inputs: Sequence[NDArray], result_type: Type) -> object:
    data, counts, original, limit, threshold = inputs
    result = np.full_like(data, -1)
    indices = np.full(data.shape[:2], -1, np.int32)
    for image, count in enumerate(counts):
        if threshold > 0:
            result[image, :count], indices[image, :count] = _suppressed(
                data[image, :count], attrs, int(limit), float(threshold)
            )
        else:
            result[image, :count], indices[image, :count] = data[image, :count], np.arange(count)
    if not attrs.return_indices:
        return _valid_first(result) if attrs.invalid_to_bottom else result
    for image in range(len(data)):
        chosen = indices[image][indices[image] >= 0]
        indices[image] = -1
        indices[image, : len(chosen)] = original[image, chosen]
    return indices, (indices >= 0).sum(axis=1, keepdims=True).astype(np.int32)


def _valid_first(boxes: NDArray) -> NDArray:
    result = np.full_like(boxes, -1)
    for image, rows in enumerate(boxes):
        valid = rows[rows[:, 0] >= 0]
        result[image, : len(valid)] = valid
    return result


register(
    Op(
        "vision.non_max_suppression",
        doc="Go through the boxes, best first, and drop each that overlaps one that is kept. The result is a tuple, "
        "the indices that the kept boxes had, (n, boxes) and -1 behind, and their number, (n, 1); or, without "
        "`return_indices`, the boxes themselves with -1 in place of the dropped ones.",
        arguments=(
            Argument("data", "Boxes (n, boxes, numbers of a box)."),
            Argument("valid_count", "How many boxes of each image to look at."),
            Argument("indices", "The index that each box had before `vision.get_valid_counts`, (n, boxes)."),
            Argument("max_output_size", "How many boxes to keep at most, a scalar; -1 for all."),
            Argument("iou_threshold", "From which intersection over union on boxes overlap, a scalar."),
        ),
        metadata_attrs=NonMaximumSuppressionAttrs,
        relation=_suppression_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_suppression,
        level=5,
    )
)


def _all_class_relation(context: RelationContext) -> Type | None:
    attrs: AllClassNonMaximumSuppressionAttrs = context.attrs
    boxes = tensor_argument(context, 0, "boxes")
    scores = tensor_argument(context, 1, "scores")
    if boxes is None or scores is None:
        return None
    require_rank(boxes, 3, 0, "boxes", "batch, boxes, 4")
    require_rank(scores, 3, 1, "scores", "batch, classes, boxes")
    batch, count = boxes.shape[0], boxes.shape[1]
    classes = scores.shape[1]
    if attrs.output_format == "onnx":
        total: Dim = ANY
        if batch is not ANY and count is not ANY:
            total = multiply(multiply(batch, classes), count)
        return TupleType((TensorType((total, 3), "int64"), TensorType((1,), "int64")))
    of_each: Dim = ANY if count is ANY else multiply(classes, count)
    return TupleType(
        (
            TensorType((batch, of_each, 2), "int64"),
            TensorType((batch, of_each), "float32"),
            TensorType((batch,), "int64"),
        )
    )


def _chosen_boxes(boxes: NDArray, scores: NDArray, limit: int, iou: float, threshold: float) -> NDArray:
    """The indices of the boxes kept for one image and class, best first."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > threshold]
    if iou <= 0:
        return order[:0]
    corners = boxes[order]
    alive = np.ones(len(order), np.bool_)
    positive = scores[order] > 0
    chosen: list[int] = []
    for box in range(len(order)):
        if len(chosen) == (limit if limit > 0 else len(order)):
            break
        if not alive[box]:
            continue
        chosen.append(box)
        others = np.arange(box + 1, len(order))
        alive[others] &= ~((_overlaps(corners, box, others) >= iou) & positive[others])
    return order[chosen]


def _all_class(
    attrs: AllClassNonMaximumSuppressionAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, ...]:
    boxes, scores, limit, iou, threshold = inputs
    batch, classes, count = scores.shape
    onnx = attrs.output_format == "onnx"
    # What lies behind the chosen boxes is not defined in the ONNX format; here it is zero, as in the other one.
    indices = np.zeros((batch, classes * count, 2), np.int64)
    chosen_scores = np.zeros((batch, classes * count), np.float32)
    totals = np.zeros(batch, np.int64)
    listed: list[tuple[int, int, int]] = []
    for image in range(batch):
        for label in range(classes):
            of_class = scores[image, label]
            for box in _chosen_boxes(boxes[image], of_class, int(limit), float(iou), float(threshold)):
                indices[image, totals[image]] = label, box
                chosen_scores[image, totals[image]] = of_class[box]
                totals[image] += 1
                listed.append((image, label, int(box)))
    if not onnx:
        return indices, chosen_scores, totals
    flat = np.zeros((batch * classes * count, 3), np.int64)
    flat[: len(listed)] = np.asarray(listed, np.int64).reshape(-1, 3)
    return flat, totals.sum(keepdims=True)


register(
    Op(
        "vision.all_class_non_max_suppression",
        doc="Non-maximum suppression for each class on its own. In ONNX's format the result is a tuple of the indices "
        "(image, class, box) of the chosen boxes, (n * classes * boxes, 3), and their number; in TensorFlow's of "
        "(class, box) for each image, the scores, and the numbers for each image. Chosen boxes come first, class by "
        "class, best first.",
        arguments=(
            Argument("boxes", "Two opposite corners of each box, (n, boxes, 4)."),
            Argument("scores", "Scores (n, classes, boxes)."),
            Argument("max_output_boxes_per_class", "How many boxes of a class to choose at most, a scalar."),
            Argument("iou_threshold", "From which intersection over union on boxes overlap, a scalar."),
            Argument("score_threshold", "The score to exceed, a scalar."),
        ),
        metadata_attrs=AllClassNonMaximumSuppressionAttrs,
        relation=_all_class_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_all_class,
        level=5,
    )
)
