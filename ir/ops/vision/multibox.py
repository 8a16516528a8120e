"""Anchor boxes of the single-shot detector: ``vision.multibox_prior``, ``vision.multibox_transform_loc``.

Source of the rule: ``src/relay/op/vision/multibox_op.cc``, ``python/tvm/topi/vision/ssd/multibox.py``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import DimExpr
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import multiply

__all__ = ["MultiBoxPriorAttrs", "MultiBoxTransformLocAttrs"]


@attributes("relay.attrs.MultiBoxPriorAttrs")
class MultiBoxPriorAttrs(Attrs):
    """Attributes of ``vision.multibox_prior``."""

    sizes: tuple[int | float | DimExpr, ...] = attribute(
        default=(1.0,), doc="Sizes of the boxes, as parts of the height."
    )
    ratios: tuple[int | float | DimExpr, ...] = attribute(default=(1.0,), doc="Ratios of width to height.")
    steps: tuple[int | float | DimExpr, ...] = attribute(
        default=(-1.0, -1.0), doc="Distance of the centres down and across; -1 divides the image evenly."
    )
    offsets: tuple[int | float | DimExpr, ...] = attribute(
        default=(0.5, 0.5), doc="Where in its cell a centre lies, down and across."
    )
    clip: bool = attribute(default=False, doc="Whether boxes end at the border of the image.")


_FIRST_VARIANCE, _LAST_VARIANCE = struct.unpack("2f", struct.pack("2f", 0.1, 0.2))


@attributes("relay.attrs.MultiBoxTransformLocAttrs")
class MultiBoxTransformLocAttrs(Attrs):
    """Attributes of ``vision.multibox_transform_loc``."""

    clip: bool = attribute(default=True, doc="Whether boxes end at the border of the image.")
    threshold: float = attribute(default=0.01, doc="The least probability of a box that is kept.")
    variances: tuple[int | float | DimExpr, ...] = attribute(
        default=(_FIRST_VARIANCE, _FIRST_VARIANCE, _LAST_VARIANCE, _LAST_VARIANCE),
        doc="What the predicted x, y, width and height are multiplied by.",
    )


def _numbers(values: tuple[int | float | DimExpr, ...]) -> NDArray:
    return np.asarray(values, np.float32)


def _prior_relation(context: RelationContext) -> Type | None:
    attrs: MultiBoxPriorAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_rank(data, 4, 0, "data", "batch, channels, height, width")
    for_each_cell = len(attrs.sizes) + len(attrs.ratios) - 1
    return TensorType((1, multiply(multiply(data.shape[2], data.shape[3]), for_each_cell), 4), data.dtype)


def _prior(attrs: MultiBoxPriorAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    height, width = inputs[0].shape[2:]
    sizes, ratios = _numbers(attrs.sizes), _numbers(attrs.ratios)
    steps, offsets = _numbers(attrs.steps), _numbers(attrs.offsets)
    down = steps[0] if steps[0] > 0 else np.float32(1 / height)
    across = steps[1] if steps[1] > 0 else np.float32(1 / width)
    roots = np.sqrt(ratios[1:])
    half_width = np.concatenate([sizes, sizes[0] * roots]) * np.float32(height) / np.float32(width) / 2
    half_height = np.concatenate([sizes, sizes[0] / roots]) / 2
    y = ((np.arange(height, dtype=np.float32) + offsets[0]) * down)[:, None, None]
    x = ((np.arange(width, dtype=np.float32) + offsets[1]) * across)[None, :, None]
    sides = np.broadcast_arrays(x - half_width, y - half_height, x + half_width, y + half_height)
    boxes = np.stack(sides, axis=-1).reshape(1, -1, 4).astype(inputs[0].dtype)
    return np.clip(boxes, 0, 1) if attrs.clip else boxes


register(
    Op(
        "vision.multibox_prior",
        doc="Anchor boxes around the centre of every cell of an image, as parts of its width and height: one box for "
        "each size with the first ratio, and one for each further ratio with the first size. The result is "
        "(1, height * width * (sizes + ratios - 1), 4): left, top, right, bottom.",
        arguments=(Argument("data", "An image (n, c, h, w), of which only the shape matters."),),
        attrs=MultiBoxPriorAttrs,
        relation=_prior_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_prior,
        level=5,
    )
)


def _transform_relation(context: RelationContext) -> Type | None:
    classes = tensor_argument(context, 0, "cls_prob")
    locations = tensor_argument(context, 1, "loc_pred")
    anchors = tensor_argument(context, 2, "anchor")
    if classes is None or locations is None or anchors is None:
        return None
    require_rank(classes, 3, 0, "cls_prob", "batch, classes, boxes")
    require_rank(locations, 2, 1, "loc_pred", "batch, 4 * boxes")
    require_rank(anchors, 3, 2, "anchor", "1, boxes, 4")
    boxes = classes.shape[2]
    if not context.require_equal(boxes, anchors.shape[1]):
        raise RelationError(
            f"anchor has {anchors.shape[1]} boxes, but cls_prob has {boxes}",
            argument=2,
            related=((0, f"cls_prob has {boxes} boxes"),),
        )
    if not context.require_equal(multiply(boxes, 4), locations.shape[1]):
        raise RelationError(
            f"loc_pred must have 4 numbers for each of the {boxes} boxes, but it has {locations.shape[1]}",
            argument=1,
            related=((0, f"cls_prob has {boxes} boxes"),),
        )
    if anchors.shape[1] == 0:
        raise RelationError("anchor must have at least one box", argument=2)
    if not context.require_equal(anchors.shape[2], 4):
        raise RelationError(f"anchor must have 4 numbers for each box, but it has {anchors.shape[2]}", argument=2)
    return TupleType(
        (
            TensorType((classes.shape[0], anchors.shape[1], 6), classes.dtype),
            TensorType((classes.shape[0],), "int32"),
        )
    )


def _transform(
    attrs: MultiBoxTransformLocAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray]:
    classes, locations, anchors = inputs
    batch, _, boxes = classes.shape
    best = classes[:, 1:].argmax(axis=1)
    score = classes[:, 1:].max(axis=1)
    left, top, right, bottom = np.moveaxis(anchors[0], -1, 0)
    width, height = right - left, bottom - top
    variances = _numbers(attrs.variances).astype(locations.dtype)
    dx, dy, dw, dh = np.moveaxis(locations.reshape(batch, boxes, 4) * variances, -1, 0)
    x, y = dx * width + (left + right) / 2, dy * height + (top + bottom) / 2
    half_width, half_height = np.exp(dw) * width / 2, np.exp(dh) * height / 2
    corners = np.stack([x - half_width, y - half_height, x + half_width, y + half_height], axis=-1)
    if attrs.clip:
        corners = np.clip(corners, 0, 1)
    array = np.concatenate([best[..., None], score[..., None], corners], axis=-1).astype(classes.dtype)
    kept = (score >= attrs.threshold) & (score > -1)
    # What lies behind the valid boxes is not defined in TVM; here it is zero.
    result = np.zeros_like(array)
    counts = kept.sum(axis=1).astype(np.int32)
    for image in range(batch):
        result[image, : counts[image]] = array[image, kept[image]]
    return result, counts


register(
    Op(
        "vision.multibox_transform_loc",
        doc="Boxes from anchors and predictions. The result is a tuple: (n, boxes, 6) with class, probability, left, "
        "top, right, bottom, the boxes that are kept first; and how many those are, for each image.",
        arguments=(
            Argument("cls_prob", "Probabilities (n, classes, boxes); class 0 is the background."),
            Argument("loc_pred", "Predicted moves of the anchors, (n, 4 * boxes)."),
            Argument("anchor", "The anchors (1, boxes, 4): left, top, right, bottom."),
        ),
        attrs=MultiBoxTransformLocAttrs,
        relation=_transform_relation,
        pattern=OpPattern.OPAQUE,
        kernel=_transform,
        level=5,
    )
)
