"""Operators of torchvision for object detection."""

from __future__ import annotations

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from ...boxes import suppressed_boxes
from ...inspection import static_shape_of
from ...operators import add, arange, cast, concatenate, expand_dims, reduce, squeeze, strided_slice, subtract
from ..node import TorchNode, converter


@converter("torchvision::nms")
def nms(node: TorchNode) -> Expr:
    """``vision.non_max_suppression`` of one image and one class, its result cut to the number that was selected."""
    boxes, scores, threshold = node.tensor(0), node.tensor(1), node.number(2)
    # Relay takes scores above 0 only.
    scores = node.place(add(subtract(scores, reduce("min", scores)), constant(1.0)))
    count = node.place(call("shape_of", scores, dtype="int32"))
    indices = arange(constant(0, "int32"), node.place(squeeze(count)), None, "int32")
    data = concatenate([expand_dims(scores, -1), boxes], -1)
    rows, kept_count = suppressed_boxes(expand_dims(data, 0), count, expand_dims(indices, 0), -1, threshold)
    size = squeeze(kept_count, [1])
    kept = strided_slice(squeeze(rows, [0]), constant([0]), size, slice_mode="size")
    return cast(kept, "int64")


@converter("torchvision::roi_align")
def roi_align(node: TorchNode) -> Expr:
    """``vision.roi_align``; aligned regions are moved by half a pixel."""
    boxes, scale = node.tensor(1), node.number(2)
    if node.flag(6):
        # TVM moves the index of the image, which stands first, as well: that is the same only for the first image.
        boxes = (
            subtract(boxes, constant([0.0] + [0.5 / scale] * 4, "float32"))
            if node.is_exported
            else subtract(boxes, constant(0.5 / scale))
        )
    return call(
        "vision.roi_align",
        node.tensor(),
        boxes,
        pooled_size=(node.integer(3), node.integer(4)),
        spatial_scale=scale,
        sample_ratio=node.integer(5, -1),
        layout="NCHW",
        mode="avg",
    )


@converter("torchvision::deform_conv2d")
def deform_conv2d(node: TorchNode) -> Expr:
    """``nn.deformable_conv2d`` and ``nn.bias_add``; a mask is not converted."""
    has_mask = len(node) > 12
    bias, first = (node.optional(4), 5) if has_mask else (node.optional(3), 4)
    node.require(not has_mask or not node.flag(13), "Relay's deformable convolution has no mask", 3)
    numbers = [node.integer(first + place) for place in range(8)]
    shape = static_shape_of(node.tensor(1), "the weight")
    result = call(
        "nn.deformable_conv2d",
        node.tensor(0),
        node.tensor(2),
        node.tensor(1),
        strides=tuple(numbers[0:2]),
        padding=tuple(numbers[2:4]),
        dilation=tuple(numbers[4:6]),
        groups=numbers[6],
        deformable_groups=numbers[7],
        channels=shape[0],
        kernel_size=shape[2:],
    )
    return result if bias is None else call("nn.bias_add", result, bias)
