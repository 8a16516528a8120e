"""Regions proposed by a network: ``vision.proposal``.

Source of the rule: ``src/relay/op/vision/rcnn_op.cc`` (``ProposalRel``), ``python/tvm/topi/vision/rcnn/proposal.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import DimExpr
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import multiply

__all__ = ["ProposalAttrs"]


@attributes("relay.attrs.ProposalAttrs")
class ProposalAttrs(Attrs):
    """Attributes of ``vision.proposal``."""

    scales: tuple[int | float | DimExpr, ...] = attribute(default=(4.0, 8.0, 16.0, 32.0), doc="Sizes of the anchors.")
    ratios: tuple[int | float | DimExpr, ...] = attribute(default=(0.5, 1.0, 2.0), doc="Ratios of the anchors' sides.")
    feature_stride: int = attribute(default=16, doc="How many pixels of the image one element stands for.")
    threshold: float = attribute(default=0.7, doc="From which intersection over union on boxes overlap.")
    rpn_pre_nms_top_n: int = attribute(default=6000, doc="How many boxes are considered, best first; -1 for all.")
    rpn_post_nms_top_n: int = attribute(default=300, doc="How many boxes are proposed for each image.")
    rpn_min_size: int = attribute(default=16, doc="The least width and height of a box.")
    iou_loss: bool = attribute(default=False, doc="Whether predictions were trained with the loss on the union.")


def _relation(context: RelationContext) -> Type | None:
    attrs: ProposalAttrs = context.attrs
    classes = tensor_argument(context, 0, "cls_prob")
    boxes = tensor_argument(context, 1, "bbox_pred")
    images = tensor_argument(context, 2, "im_info")
    if classes is None or boxes is None or images is None:
        return None
    require_rank(classes, 4, 0, "cls_prob", "batch, 2 * anchors, height, width")
    require_rank(boxes, 4, 1, "bbox_pred", "batch, 4 * anchors, height, width")
    require_rank(images, 2, 2, "im_info", "batch, 3")
    if not context.require_equal(images.shape[1], 3):
        raise RelationError(f"im_info must have 3 numbers for each image, but it has {images.shape[1]}", argument=2)
    return TensorType((multiply(classes.shape[0], attrs.rpn_post_nms_top_n), 5), classes.dtype)


def _anchors(attrs: ProposalAttrs) -> NDArray:
    """The corners of the boxes around the first element, (anchors, 4): all scales of the first ratio come first."""
    side = float(attrs.feature_stride)
    centre = 0.5 * (side - 1)
    corners: list[tuple[float, ...]] = []
    for ratio in map(_number, attrs.ratios):
        narrow = math.floor(math.sqrt(math.floor(side * side / ratio)) + 0.5)
        for scale in map(_number, attrs.scales):
            width = narrow * scale
            height = math.floor(width / scale * ratio + 0.5) * scale
            x, y = 0.5 * (width - 1), 0.5 * (height - 1)
            corners.append((centre - x, centre - y, centre + x, centre + y))
    return np.array(corners, np.float64).reshape(-1, 4)


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise ValueError(f"scales and ratios must be numbers, not {value!r}")
    return float(value)


def _moved(corners: NDArray, moves: NDArray, attrs: ProposalAttrs) -> NDArray:
    """The boxes after the predicted moves: of their corners, or of their centres and, as logarithms, their sizes."""
    if attrs.iou_loss:
        return corners + moves
    sizes = corners[..., 2:] - corners[..., :2] + 1
    centres = corners[..., :2] + 0.5 * (sizes - 1) + moves[..., :2] * sizes
    half = 0.5 * (np.exp(moves[..., 2:]) * sizes - 1)
    return np.concatenate([centres - half, centres + half], axis=-1)


def _predicted(
    attrs: ProposalAttrs, scores: NDArray, moves: NDArray, info: NDArray, anchors: NDArray
) -> tuple[NDArray, NDArray]:
    """The boxes of one image, (boxes, 4), and their scores: -1 for those outside of the image and the too small ones.

    ``scores`` is (anchors, height, width) and ``moves`` (4 * anchors, height, width).
    """
    count, height, width = scores.shape
    rows, columns = np.mgrid[:height, :width]
    places = np.stack([columns, rows, columns, rows], axis=-1)[:, :, None] * attrs.feature_stride
    by_place = moves.reshape(count, 4, height, width).transpose(2, 3, 0, 1)
    image_height, image_width, scale = (float(value) for value in info)
    limits = np.array([image_width - 1, image_height - 1] * 2)
    boxes = np.clip(_moved(places + anchors, by_place, attrs), 0, limits)
    array = scores.transpose(1, 2, 0).astype(np.float64)
    outside = (rows >= int(image_height / attrs.feature_stride)) | (columns >= int(image_width / attrs.feature_stride))
    array[outside] = -1
    least = scale * attrs.rpn_min_size
    small = (boxes[..., 2:] - boxes[..., :2] + 1 < least).any(axis=-1)
    boxes[small] += np.array([-1, -1, 1, 1]) * least / 2
    array[small] = -1
    return boxes.reshape(-1, 4), array.reshape(-1)


def _kept(boxes: NDArray, threshold: float) -> list[int]:
    """The boxes, of those in order, that no better one overlaps by more than ``threshold``; sides count both ends."""
    areas = np.prod(boxes[:, 2:] - boxes[:, :2] + 1, axis=1)
    removed = np.zeros(len(boxes), np.bool_)
    kept: list[int] = []
    for index in range(len(boxes)):
        if removed[index]:
            continue
        kept.append(index)
        low = np.maximum(boxes[index, :2], boxes[index + 1 :, :2])
        high = np.minimum(boxes[index, 2:], boxes[index + 1 :, 2:])
        shared = np.prod(np.maximum(high - low + 1, 0), axis=1)
        removed[index + 1 :] |= shared / (areas[index] + areas[index + 1 :] - shared) > threshold
    return kept


def _kernel(attrs: ProposalAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Where fewer boxes are left than are wanted, they come again from the first on."""
    classes, moves, info = inputs
    anchors = _anchors(attrs)
    wanted = attrs.rpn_post_nms_top_n
    result = np.zeros((len(classes) * wanted, 5), classes.dtype)
    for image, (image_scores, image_moves) in enumerate(zip(classes, moves, strict=True)):
        scores = image_scores[len(image_scores) // 2 :]
        boxes, box_scores = _predicted(attrs, scores, image_moves, info[image], anchors)
        considered = attrs.rpn_pre_nms_top_n if attrs.rpn_pre_nms_top_n > 0 else len(boxes)
        best = boxes[np.argsort(-box_scores, kind="stable")[:considered]]
        kept = _kept(best, attrs.threshold)
        rows = slice(image * wanted, (image + 1) * wanted)
        result[rows, 0] = image
        result[rows, 1:] = best[np.resize(kept, wanted)]
    return result


register(
    Op(
        "vision.proposal",
        doc="Regions of interest from the predictions of a region proposal network: (n * rpn_post_nms_top_n, 5), each "
        "the image's number and two corners. Anchors at every element are moved as predicted; those of the best scores "
        "that do not overlap are taken.",
        arguments=(
            Argument("cls_prob", "Scores (n, 2 * anchors, height, width); the second half is that of the objects."),
            Argument("bbox_pred", "Predicted moves of the anchors, (n, 4 * anchors, height, width)."),
            Argument("im_info", "Height, width and scale of each image, (n, 3)."),
        ),
        metadata_attrs=ProposalAttrs,
        relation=_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_kernel,
        level=5,
    )
)
